// What every page has: light and dark colours (the system's choice until somebody chooses, then theirs, kept in this
// browser), a bar at the top, and times in the reader's own zone.

import { fill, h, icon } from "./dom.js";
import { localTimes } from "./local_times.js";

const KEY = "parlour.theme";
const dark = matchMedia("(prefers-color-scheme: dark)");

/** @type {Set<(theme: "light" | "dark") => void>} */
const listeners = new Set();

/** @returns {"light" | "dark"} */
export function theme() {
  const chosen = read();
  return chosen === "light" || chosen === "dark" ? chosen : dark.matches ? "dark" : "light";
}

/**
 * Call back now and at each change of the theme; call the returned function to stop.
 * @param {(theme: "light" | "dark") => void} listener
 * @returns {() => void}
 */
export function onTheme(listener) {
  listeners.add(listener);
  listener(theme());
  return () => listeners.delete(listener);
}

function announce() {
  const now = theme();
  document.documentElement.dataset.theme = now;
  for (const listener of listeners) listener(now);
}

/** @returns {HTMLButtonElement} */
function themeButton() {
  const button = h("button", { class: "quiet square", type: "button", onclick: toggle });
  onTheme((now) => {
    button.setAttribute("aria-label", now === "dark" ? "Use light colours" : "Use dark colours");
    button.title = button.getAttribute("aria-label") ?? "";
    fill(button, icon(now === "dark" ? "sun" : "moon"));
  });
  return button;
}

function toggle() {
  const other = theme() === "dark" ? "light" : "dark";
  try {
    if ((other === "dark") === dark.matches) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, other);
  } catch {
    // A browser that keeps nothing still changes for now.
    forced = other;
  }
  announce();
}

/** @type {string | null} */
let forced = null;

/** @returns {string | null} */
function read() {
  if (forced) return forced;
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

dark.addEventListener("change", announce);
announce();
// Pages that are no match come from the server with their head; the match's own page makes its head itself.
document.querySelector(".site-top")?.append(themeButton());
localTimes();

/**
 * The bar at the top of a page with a board: the way home, what is looked at, and tools.
 * @param {Array<Element | null>} where
 * @param {Element[]} [tools]
 * @param {string} [home]
 */
export function topBar(where, tools = [], home = "/") {
  return h("header", { class: "top" },
    h("a", { class: "brand", href: home }, icon("seal"), h("span", {}, "Parlour")),
    h("div", { class: "where" }, where), h("div", { class: "tools" }, tools, themeButton()));
}
