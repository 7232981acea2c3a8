// The page of a tournament: looks again while it runs.

import { find } from "./dom.js";

const AGAIN = 5000;

async function look() {
  if (document.hidden) return;
  const response = await fetch(location.href, { headers: { accept: "text/html" } });
  if (!response.ok) return;
  const page = new DOMParser().parseFromString(trusted(await response.text()), "text/html");
  const fresh = page.querySelector("#main");
  const here = find("#main");
  if (fresh && fresh.textContent !== here.textContent) here.replaceChildren(...[...fresh.childNodes].map((node) => document.importNode(node, true)));
}

/**
 * A page of this server, which nothing of it runs: it is only read.
 * @param {string} text
 * @returns {any}
 */
function trusted(text) {
  const types = /** @type {any} */ (window).trustedTypes;
  policy ??= types?.createPolicy("parlour", { createHTML: (/** @type {string} */ html) => html });
  return policy ? policy.createHTML(text) : text;
}

/** @type {any} */
let policy = null;

if (document.querySelector(".match-card.running, .match-card.forming")) setInterval(look, AGAIN);
