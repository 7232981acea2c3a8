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

/** What groups show, by key. @type {WeakMap<Element, Map<string, {child: SVGElement, mark: Mark}>>} */
const contents = new WeakMap();

/** @type {WeakMap<Mark, string>} */
const texts = new WeakMap();

/** @param {Mark} mark */
function textOf(mark) {
  let text = texts.get(mark);
  if (text === undefined) texts.set(mark, text = JSON.stringify(mark));
  return text;
}

/**
 * @param {Mark} one
 * @param {Mark} other
 */
function same(one, other) {
  return one === other || textOf(one) === textOf(other);
}

/**
 * Make the children of a group what the marks say. A child is known by its key, and stays if nothing of it changed.
 * @param {SVGElement} parent
 * @param {Mark[]} marks
 */
export function sync(parent, marks) {
  const before = contents.get(parent) ?? new Map();
  /** @type {Map<string, {child: SVGElement, mark: Mark}>} */
  const now = new Map();
  marks.forEach((mark, i) => {
    const key = String(mark[1]["data-key"] ?? `#${i}`);
    now.set(key, drawn(mark, key, before.get(key)));
  });
  contents.set(parent, now);
  arrange(parent, [...now.values()].map(({ child }) => child));
}

/**
 * A mark as it is shown: as before, if nothing of it changed.
 * @param {Mark} mark
 * @param {string} key
 * @param {{child: SVGElement, mark: Mark} | undefined} known
 */
function drawn(mark, key, known) {
  if (known && same(known.mark, mark)) return known;
  const child = known ? changed(known.child, known.mark, mark) : build(mark);
  if (child !== known?.child) child.setAttribute("data-key", key);
  return { child, mark };
}

/**
 * The element of a mark that a group shows.
 * @param {SVGElement | undefined} parent
 * @param {string} key
 */
export function shownAs(parent, key) {
  return parent && contents.get(parent)?.get(key)?.child;
}

/**
 * Change what was drawn of a mark into another of the same kind: elements that stay cost the browser least. Parts that are
 * links are known by where they lead, others by their place.
 * @param {SVGElement} element
 * @param {Mark} old
 * @param {Mark} fresh
 */
function change(element, [, was, had = []], [, attributes, inside = []]) {
  for (const name of Object.keys(was)) if (!(name in attributes)) element.removeAttribute(name);
  for (const [name, value] of Object.entries(attributes)) if (was[name] !== value) write(element, name, value);
  if (had === inside) return;
  /** @type {Map<string, [Mark | string, Node]>} */
  const before = new Map();
  const names = keys(had);
  element.childNodes.forEach((child, i) => {
    const part = had[i];
    if (part !== undefined) before.set(names[i] ?? "", [part, child]);
  });
  arrange(element, keys(inside).map((key, i) => {
    const part = /** @type {Mark | string} */ (inside[i]);
    const [known, child] = before.get(key) ?? [];
    if (typeof part === "string") return known === part && child ? child : document.createTextNode(part);
    if (known === undefined || typeof known === "string" || !child) return build(part);
    return changed(/** @type {SVGElement} */ (child), known, part);
  }));
}

/**
 * What was drawn of a mark, changed into another; drawn anew where that cannot be.
 * @param {SVGElement} element
 * @param {Mark} old
 * @param {Mark} fresh
 */
function changed(element, old, fresh) {
  if (same(old, fresh)) return element;
  if (old[0] !== fresh[0] || fresh[0] === "clipPath") return build(fresh);
  change(element, old, fresh);
  return element;
}

/**
 * What the parts of a mark are known by.
 * @param {Array<Mark | string>} parts
 */
function keys(parts) {
  /** @type {Map<string, number>} */
  const seen = new Map();
  return parts.map((part) => {
    const name = typeof part === "string" ? "" : part[0] === "use" ? String(part[1].href) : part[0];
    const count = seen.get(name) ?? 0;
    seen.set(name, count + 1);
    return `${name} ${count}`;
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
