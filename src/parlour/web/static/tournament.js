// The page of a tournament: the server writes it; while the tournament runs, what is new takes the place of the old.

import { fill, find, h } from "./dom.js";
import { Wire } from "./wire.js";

const name = document.body.dataset.tournament ?? "";
const banner = h("p", { class: "banner", role: "alert", hidden: true });
const live = h("div", { class: "sr-only", role: "status" });

/**
 * The page as it is now. The browser reads it as a document of its own, in which nothing runs.
 * @returns {Promise<Document | null>}
 */
function fetchPage() {
  return new Promise((settle) => {
    const request = new XMLHttpRequest();
    request.open("GET", location.pathname);
    request.responseType = "document";
    request.onloadend = () => settle(request.status === 200 ? request.responseXML : null);
    request.send();
  });
}

/** Put the new page into this one, and leave what is open open and what has the focus focused. */
async function refresh() {
  const fresh = /** @type {HTMLElement | null | undefined} */ ((await fetchPage())?.querySelector("#tournament"));
  const here = find("#tournament");
  // Two may be on their way, and the older one come last.
  if (!fresh || Number(fresh.dataset.number) < Number(here.dataset.number)) return;
  const open = [...here.querySelectorAll("details[open]")].map((details) => details.id);
  const focused = here.contains(document.activeElement) ? document.activeElement?.getAttribute("href") : null;
  const next = document.importNode(fresh, true);
  for (const id of open) next.querySelector(`details[id="${CSS.escape(id)}"]`)?.setAttribute("open", "");
  here.replaceWith(next);
  if (focused) /** @type {HTMLElement | null} */ (next.querySelector(`[href="${CSS.escape(focused)}"]`))?.focus();
  live.textContent = next.querySelector(".verdict")?.textContent || next.querySelector(".how")?.textContent || "";
}

const sheet = find("#tournament");
find("#main").prepend(banner);
document.body.append(live);
if (sheet.dataset.over !== "true") {
  const wire = new Wire(`/tournament/${encodeURIComponent(name)}/line`);
  wire.since = Number(sheet.dataset.number) + 1;
  wire.online = (on, seconds) => {
    banner.hidden = on;
    fill(banner, on ? "" : `The line to the server is cut: this is how it stood. The next try is in ${seconds} s. `,
      on ? null : h("button", { type: "button", class: "small", onclick: () => wire.hurry() }, "Try now"));
  };
  wire.onend = (reason) => {
    banner.hidden = false;
    fill(banner, reason);
  };
  wire.ontelling = (telling) => {
    if (telling.e.event === "over") wire.end();
    refresh();
  };
  wire.connect();
}
document.body.dataset.ready = "true";
