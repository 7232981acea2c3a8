// The page of a tournament: the server writes it, and while the tournament runs, new content replaces the old.

import { fill, find, h } from "./dom.js";
import { renew } from "./renew.js";
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

/** Change this page into the new one; open parts stay open, and the focus stays. */
async function refresh() {
  const fresh = /** @type {HTMLElement | null | undefined} */ ((await fetchPage())?.querySelector("#tournament"));
  const here = find("#tournament");
  // Two may be on their way, and the older one come last.
  if (!fresh || Number(fresh.dataset.number) <= Number(here.dataset.number)) return;
  Object.assign(here.dataset, fresh.dataset);
  renew(here, [...document.importNode(fresh, true).childNodes]);
  live.textContent = here.querySelector(".verdict")?.textContent || here.querySelector(".how")?.textContent || "";
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
