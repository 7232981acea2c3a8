// Turns marks into SVG elements, and keeps those that did not change. It knows no game.

import { svg } from "./dom.js";

/** @import {Mark} from "./types.js" */

const TAGS = new Set([
  "g", "path", "use", "circle", "ellipse", "rect", "line", "polygon", "text", "title", "clipPath", "pattern",
]);

/**
 * A mark as an element. Paints become variables of the style sheet; a link leads only to something on this page.
 * @param {Mark} mark
 * @returns {SVGElement}
 */
export function build([tag, attributes, inside = []]) {
  if (!TAGS.has(tag)) throw new Error(`no mark: ${tag}`);
  const element = svg(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on") || name === "style" || (name === "href" && !String(value).startsWith("#"))) continue;
    element.setAttribute(name, typeof value === "string" && value.startsWith("$") ? `var(--b-${value.slice(1)})` : String(value));
  }
  for (const part of inside) element.append(typeof part === "string" ? part : build(part));
  return element;
}

/** @type {WeakMap<Element, string>} */
const drawn = new WeakMap();

/**
 * Make the children of a group what the marks say. A child is known by its key, and stays if nothing of it changed.
 * @param {SVGElement} parent
 * @param {Mark[]} marks
 */
export function sync(parent, marks) {
  /** @type {Map<string, SVGElement>} */
  const before = new Map();
  for (const child of parent.children) {
    before.set(child.getAttribute("data-key") ?? "", /** @type {SVGElement} */ (child));
  }
  /** @type {SVGElement[]} */
  const children = [];
  marks.forEach((mark, i) => {
    const key = String(mark[1]["data-key"] ?? `#${i}`);
    const text = JSON.stringify(mark);
    let child = before.get(key);
    if (!child || drawn.get(child) !== text) {
      child = build(mark);
      child.setAttribute("data-key", key);
      drawn.set(child, text);
    }
    before.delete(key);
    children.push(child);
  });
  const kept = new Set(children);
  for (const child of [...parent.children]) if (!kept.has(/** @type {SVGElement} */ (child))) child.remove();
  children.forEach((child, i) => {
    if (parent.children[i] !== child) parent.insertBefore(child, parent.children[i] ?? null);
  });
}

/**
 * Where a mark stands: the first translation that it or a part of it has.
 * @param {Mark} mark
 * @returns {[number, number] | null}
 */
export function pointOf(mark) {
  const found = /translate\(([-\d.]+) ([-\d.]+)\)/.exec(String(mark[1].transform ?? ""));
  if (found) return [Number(found[1]), Number(found[2])];
  for (const part of mark[2] ?? []) {
    const inner = typeof part === "string" ? null : pointOf(part);
    if (inner) return inner;
  }
  return null;
}
