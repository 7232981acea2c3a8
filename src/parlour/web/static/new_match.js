// The form for a new match: seats that the chosen map does not have are not asked about.

const map = document.querySelector("select[name=map]");

function show() {
  const chosen = map instanceof HTMLSelectElement ? map.value : "";
  for (const row of document.querySelectorAll(".each-seat [data-maps]")) {
    const there = (row.getAttribute("data-maps") ?? "").split(" ").includes(chosen);
    /** @type {HTMLElement} */ (row).hidden = !there;
  }
}

map?.addEventListener("change", show);
show();
document.body.dataset.ready = "true";
