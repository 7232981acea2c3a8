// The form for a new match: templates fill it in place, and seats that the chosen map does not have are not asked about.

const form = document.querySelector("form");
const map = document.querySelector("select[name=map]");

function show() {
  const chosen = map instanceof HTMLSelectElement ? map.value : "";
  for (const row of document.querySelectorAll(".each-seat [data-maps]")) {
    const there = (row.getAttribute("data-maps") ?? "").split(" ").includes(chosen);
    /** @type {HTMLElement} */ (row).hidden = !there;
  }
}

for (const link of document.querySelectorAll("[data-fills]")) {
  link.addEventListener("click", (event) => {
    event.preventDefault();
    for (const [name, value] of Object.entries(JSON.parse(link.getAttribute("data-fills") ?? "{}"))) {
      const field = form?.elements.namedItem(name);
      if (field instanceof HTMLInputElement) field.checked = Boolean(value);
      else if (field instanceof HTMLSelectElement) field.value = value;
    }
    document.querySelector("[data-fills][aria-current]")?.removeAttribute("aria-current");
    link.setAttribute("aria-current", "true");
  });
}
map?.addEventListener("change", show);
show();
document.body.dataset.ready = "true";
