// Turns marks into SVG elements, and keeps those that did not change. It knows no game.

import { arrange, svg } from "./dom.js";

/** @import {Mark} from "./types.js" */

const TAGS = new Set([
  "g", "path", "use", "circle", "ellipse", "rect", "line", "polygon", "text", "title", "clipPath", "pattern",
]);

/** The colours of the theme that is shown, by name. @type {Record<string, string>} */
let paints = {};

/**
 * Draw in these colours from now on; existing drawings must be made again.
 * @param {Record<string, string>} colours
 */
export function paintWith(colours) {
  paints = colours;
}

/**
 * Return the colour of a paint; any other value is returned unchanged.
 * @param {string | number} value
 */
export function colourOf(value) {
  return typeof value === "string" && value.startsWith("$") ? paints[value.slice(1)] ?? "none" : String(value);
}

/**
 * A mark as an element. Paints become colours at once: variables of the style sheet would be looked up for each element
 * whenever it changes. A link leads only to something on this page.
 * @param {Mark} mark
 * @returns {SVGElement}
 */
export function build([tag, attributes, inside = []]) {
  if (!TAGS.has(tag)) throw new Error(`no mark: ${tag}`);
  const element = svg(tag);
  for (const [name, value] of Object.entries(attributes)) write(element, name, value);
  for (const part of inside) element.append(typeof part === "string" ? part : build(part));
  return element;
}

/** The outlines of all boards of this page by their names. @type {Map<string, string>} */
export const outlines = new Map();

/**
 * @param {SVGElement} element
 * @param {string} name
 * @param {string | number} value
 */
function write(element, name, value) {
  if (name.startsWith("on") || name === "style" || (name === "href" && !String(value).startsWith("#"))) return;
  element.setAttribute(name, colourOf(value));
}

/** The name of what a mark is a use of. @param {Mark} mark */
export function linked(mark) {
  return String(mark[1].href).slice(1);
}

/** The drawn parts of each group, by key. @type {WeakMap<Element, Map<string, {child: SVGElement, mark: Mark}>>} */
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
export function same(one, other) {
  return one === other || textOf(one) === textOf(other);
}

/**
 * Make the children of a group what the marks say. A child is known by its key, and stays where it is: to put those that
 * stay in another order would cost as much as to draw them anew, so that what overlaps has to have keys in order.
 * @param {SVGElement} parent
 * @param {Mark[]} marks
 * @param {Array<[string, string]>} [moved]  keys before and now of what went elsewhere
 */
export function sync(parent, marks, moved = []) {
  const before = renamed(contents.get(parent) ?? new Map(), moved);
  /** @type {Map<string, {child: SVGElement, mark: Mark}>} */
  const now = new Map();
  marks.forEach((mark, i) => {
    const key = String(mark[1]["data-key"] ?? `#${i}`);
    now.set(key, drawn(mark, key, before.get(key)));
  });
  contents.set(parent, now);
  const children = [...now.values()].map(({ child }) => child);
  const kept = new Set(children);
  for (const child of [...parent.children]) if (!kept.has(/** @type {SVGElement} */ (child))) child.remove();
  /** @type {Node | null} */
  let last = null;
  for (const child of children) {
    if (child.parentNode !== parent) parent.insertBefore(child, last ? last.nextSibling : parent.firstChild);
    last = child;
  }
}

/**
 * Return the drawn parts under their present keys.
 * @param {Map<string, {child: SVGElement, mark: Mark}>} before
 * @param {Array<[string, string]>} moved
 */
function renamed(before, moved) {
  const here = moved.filter(([from]) => before.has(from));
  if (!here.length) return before;
  const found = new Map(before);
  for (const [from] of here) found.delete(from);
  for (const [from, to] of here) found.set(to, /** @type {{child: SVGElement, mark: Mark}} */ (before.get(from)));
  return found;
}

/**
 * Draw anew what a group shows, in the colours of now.
 * @param {SVGElement} parent
 * @param {Mark[]} marks
 */
export function redraw(parent, marks) {
  contents.delete(parent);
  parent.replaceChildren();
  sync(parent, marks);
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
 * Change the drawing of a mark into another of the same kind: elements that stay cost the browser least. Link parts are
 * matched by their target, other parts by their place.
 * @param {SVGElement} element
 * @param {Mark} old
 * @param {Mark} fresh
 */
function change(element, [, was, had = []], [, attributes, inside = []]) {
  for (const name of Object.keys(was)) if (!(name in attributes)) element.removeAttribute(name);
  for (const [name, value] of Object.entries(attributes)) if (was[name] !== value) write(element, name, value);
  if (had === inside) return;
  if (had.length === inside.length && had.every((part, i) => alike(part, /** @type {Mark | string} */ (inside[i])))) {
    element.childNodes.forEach((child, i) => renewed(child, had[i], /** @type {Mark | string} */ (inside[i])));
    return;
  }
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
    return renewed(child, known, part);
  }));
}

/**
 * Return true if the drawing of one part can become the other in place.
 * @param {Mark | string} one
 * @param {Mark | string} other
 */
function alike(one, other) {
  if (typeof one === "string" || typeof other === "string") return typeof one === typeof other;
  return one[0] === other[0] && (one[0] !== "use" || one[1].href === other[1].href);
}

/**
 * Return a part as shown: an old drawing, changed, or a new one.
 * @param {Node | undefined} child
 * @param {Mark | string | undefined} known
 * @param {Mark | string} part
 */
function renewed(child, known, part) {
  if (typeof part === "string") return wording(part, child);
  if (known === undefined || typeof known === "string" || !child) return build(part);
  return changed(/** @type {SVGElement} */ (child), known, part);
}

/**
 * @param {string} text
 * @param {Node | undefined} known
 */
function wording(text, known) {
  if (!(known instanceof Text)) return document.createTextNode(text);
  if (known.data !== text) known.data = text;
  return known;
}

/**
 * Return the drawing of a mark, changed into another; a new drawing if that is not possible.
 * @param {SVGElement} element
 * @param {Mark} old
 * @param {Mark} fresh
 */
function changed(element, old, fresh) {
  if (same(old, fresh)) return element;
  if (old[0] !== fresh[0]) return build(fresh);
  change(element, old, fresh);
  return element;
}

/**
 * Return the keys by which the parts of a mark are matched.
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
 * Return the position of a mark: the first translation of it or of its parts.
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
