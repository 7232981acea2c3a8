// Turns marks into SVG elements, and keeps those that did not change. It knows no game.

import { arrange, svg } from "./dom.js";

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
  for (const [name, value] of Object.entries(attributes)) write(element, name, value);
  const whole = tag === "clipPath" ? joined(inside) : "";
  if (whole) {
    element.append(svg("path", { d: whole }));
    return element;
  }
  for (const part of inside) element.append(typeof part === "string" ? part : build(part));
  return element;
}

/** The outlines of all boards of this page by their names. @type {Map<string, string>} */
export const outlines = new Map();

/**
 * Outlines side by side as one path, "" if the parts are not all outlines. Of many shapes that clip, the browser computes
 * the union at every change, which for coasts takes longer than all else that it draws; one shape it takes as it is.
 * @param {Array<Mark | string>} parts
 */
function joined(parts) {
  const found = parts.map((part) => (typeof part !== "string" && part[0] === "use" ? outlines.get(String(part[1].href).slice(1)) : undefined));
  return found.every((d) => d !== undefined) ? found.join("") : "";
}

/**
 * @param {SVGElement} element
 * @param {string} name
 * @param {string | number} value
 */
function write(element, name, value) {
  if (name.startsWith("on") || name === "style" || (name === "href" && !String(value).startsWith("#"))) return;
  element.setAttribute(name, typeof value === "string" && value.startsWith("$") ? `var(--b-${value.slice(1)})` : String(value));
}

/** What was drawn into an element, to be compared with what is to be. @type {WeakMap<Element, {text: string, mark: Mark}>} */
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
    const known = child && drawn.get(child);
    if (child && known && known.text !== text && isBundle(mark) && isBundle(known.mark)) {
      change(child, known.mark, mark);
      drawn.set(child, { text, mark });
    } else if (!child || known?.text !== text) {
      child = build(mark);
      child.setAttribute("data-key", key);
      drawn.set(child, { text, mark });
    }
    before.delete(key);
    children.push(child);
  });
  arrange(parent, children);
}

/**
 * Whether a mark bundles others: only such are changed part by part, for only they have many parts that stay.
 * @param {Mark} mark
 */
function isBundle([tag, attributes, inside = []]) {
  return tag === "g" && !("transform" in attributes) && inside.length > 0 && inside.every((part) => typeof part !== "string");
}

/**
 * Change what was drawn of a bundle into another. Parts that are links are known by where they lead, others by their place.
 * @param {SVGElement} element
 * @param {Mark} old
 * @param {Mark} fresh
 */
function change(element, [, was, had = []], [, attributes, inside = []]) {
  for (const name of Object.keys(was)) if (!(name in attributes)) element.removeAttribute(name);
  for (const [name, value] of Object.entries(attributes)) if (was[name] !== value) write(element, name, value);
  const keyOf = (/** @type {Mark} */ part, /** @type {number} */ i) => (part[0] === "use" ? String(part[1].href) : `${part[0]}${i}`);
  /** @type {Map<string, [Mark, SVGElement]>} */
  const before = new Map();
  /** @type {Mark[]} */ (had).forEach((part, i) => {
    const child = element.children[i];
    if (child) before.set(keyOf(part, i), [part, /** @type {SVGElement} */ (child)]);
  });
  const children = /** @type {Mark[]} */ (inside).map((part, i) => {
    const found = before.get(keyOf(part, i));
    if (!found) return build(part);
    before.delete(keyOf(part, i));
    const [known, child] = found;
    if (JSON.stringify(known) === JSON.stringify(part)) return child;
    if (!isBundle(known) || !isBundle(part)) return build(part);
    change(child, known, part);
    return child;
  });
  arrange(element, children);
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
