// Makes elements. Text from outside becomes text or an attribute, never markup.

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * An element with attributes, listeners (on…) and children.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, any>} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false || name === "value") continue;
    if (name.startsWith("on") && typeof value === "function") listen(element, name.slice(2), value);
    else if (name === "class") element.className = value;
    else if (name === "checked" || name === "disabled") Object.assign(element, { [name]: value });
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  // Inserting a steady element now would take it, and the focus, from its present place.
  element.append(...nodes(children).map((child) => (child instanceof Element && own.has(child) ? slotFor(child) : child)));
  // A list can only have a value once it has the options.
  if (attributes.value !== undefined) {
    Object.assign(element, { value: attributes.value });
    valued.add(element);
  }
  return element;
}

/** Elements whose value is ours to say, not only the person's. @type {WeakSet<Element>} */
export const valued = new WeakSet();

/** The listeners of elements, by kind of event. @type {WeakMap<Element, Record<string, (event: any) => void>>} */
export const listeners = new WeakMap();

/** @param {Event} event */
function hear(event) {
  const element = /** @type {Element} */ (event.currentTarget);
  listeners.get(element)?.[event.type]?.(event);
}

/**
 * @param {Element} element
 * @param {string} kind
 * @param {(event: any) => void} listener
 */
export function listen(element, kind, listener) {
  listeners.set(element, { ...listeners.get(element), [kind]: listener });
  element.addEventListener(kind, hear);
}

/** Elements that their makers hold on to; no other takes their place, and they take no other's. @type {WeakSet<Node>} */
export const own = new WeakSet();

/** The place of each steady element in content that is not shown yet. @type {WeakMap<Comment, Element>} */
export const slots = new WeakMap();

/**
 * An element that its maker keeps, to be put into place by renew again and again.
 * @template {Element} T
 * @param {T} element
 * @returns {T}
 */
export function steady(element) {
  own.add(element);
  return element;
}

/**
 * @param {Array<Child | Child[]>} children
 * @returns {Node[]}
 */
function nodes(children) {
  const shown = children.flat().filter((child) => child !== null && child !== undefined && child !== false);
  return shown.map((child) => (child instanceof Node ? child : document.createTextNode(String(child))));
}

/** @param {Element} element */
function slotFor(element) {
  const slot = document.createComment("");
  slots.set(slot, element);
  return slot;
}

/**
 * Put these children in place of those an element has; what stays keeps the focus.
 * @param {Element} element
 * @param {...(Child | Child[])} children
 */
export function fill(element, ...children) {
  arrange(element, nodes(children));
}

/**
 * Let an element have these children in this order; those that are there already stay untouched.
 * @param {Element} parent
 * @param {Node[]} children
 */
export function arrange(parent, children) {
  const kept = new Set(children);
  for (const child of [...parent.childNodes]) if (!kept.has(child)) child.remove();
  let here = parent.firstChild;
  for (const child of children) {
    if (child === here) here = here.nextSibling;
    else parent.insertBefore(child, here);
  }
}

/**
 * @param {string} tag
 * @param {Record<string, string | number>} [attributes]
 * @returns {SVGElement}
 */
export function svg(tag, attributes = {}) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  return /** @type {SVGElement} */ (element);
}

/**
 * Give an element the colour of a seat.
 * @template {HTMLElement | SVGElement} T
 * @param {T} element
 * @param {import("./types.js").SeatLook | undefined} look
 */
export function coloured(element, look) {
  if (look) element.style.setProperty("--seat-line", `var(--b-${look.line ?? look.unit})`);
  return element;
}

/**
 * The element that is there; a page without it is a mistake of ours.
 * @param {string} selector
 * @param {ParentNode} [root]
 * @returns {HTMLElement}
 */
export function find(selector, root = document) {
  const found = root.querySelector(selector);
  if (!(found instanceof HTMLElement)) throw new Error(`no ${selector}`);
  return found;
}

/**
 * An icon of the page's own set.
 * @param {string} name
 * @returns {SVGElement}
 */
export function icon(name) {
  const element = svg("svg", { class: "icon", viewBox: "0 0 16 16", "aria-hidden": "true" });
  element.append(svg("path", { d: ICONS[name] ?? "" }));
  return element;
}

/**
 * A button that copies a text and says so.
 * @param {string} words
 * @param {() => string} text
 */
export function copyButton(words, text) {
  return h("button", { type: "button", class: "small", "aria-live": "polite", onclick: (/** @type {Event} */ event) => {
    /** @type {HTMLElement} */ (event.currentTarget).textContent = copy(text()) ? "Copied" : "Copy it from the address bar";
  } }, words);
}

/**
 * Copy a text; return false if this browser does not. Pages over plain http have no clipboard of their own.
 * @param {string} text
 */
export function copy(text) {
  const field = h("textarea", { class: "sr-only" }, text);
  (document.querySelector("dialog[open]") ?? document.body).append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  return done;
}

/**
 * Write an attribute, if it is other than before.
 * @param {Element} element
 * @param {string} name
 * @param {string} value
 */
export function write(element, name, value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/** @type {Record<string, string>} */
const ICONS = {
  sun: "M8 4.6a3.4 3.4 0 100 6.8 3.4 3.4 0 000-6.8zM8 1v1.8M8 13.2V15M1 8h1.8M13.2 8H15M3 3l1.3 1.3M11.7 11.7L13 13M13 3l-1.3 1.3M4.3 11.7L3 13",
  moon: "M13.4 9.8A5.9 5.9 0 016.2 2.6a5.9 5.9 0 107.2 7.2z",
  play: "M4.5 2.8v10.4L13 8z",
  pause: "M4.5 3v10M11.5 3v10",
  first: "M3.5 3v10M12.5 3L6 8l6.5 5z",
  last: "M12.5 3v10M3.5 3L10 8l-6.5 5z",
  back: "M10.5 3L5 8l5.5 5",
  next: "M5.5 3L11 8l-5.5 5",
  help: "M5.6 6a2.5 2.5 0 114.2 1.8C8.8 8.7 8 9.2 8 10.4M8 12.9v.3",
  good: "M3 8.6l3.2 3.2L13 4.8",
  bad: "M4 4l8 8M12 4l-8 8",
  seal: "M8 2.2a5.8 5.8 0 100 11.6A5.8 5.8 0 008 2.2zM5 8.6L7 6.4l1.6 2.4L11 6.4",
  wait: "M4 2.5h8M4 13.5h8M5 2.5c0 3 6 4 6 5.5s-6 2.5-6 5.5M11 2.5c0 3-6 4-6 5.5s6 2.5 6 5.5",
  plus: "M8 3v10M3 8h10",
  minus: "M3 8h10",
  save: "M8 2.5v7M5 6.8l3 3 3-3M3 11.5v2h10v-2",
  map: "M2 4l4-1.5 4 1.5 4-1.5v9.5l-4 1.5-4-1.5-4 1.5zM6 2.5V12M10 4v9.5",
  send: "M2 8l12-5.5L9.5 14 7.6 9z",
  bot: "M3.5 6h9v7h-9zM8 6V3M6 9v1M10 9v1",
  person: "M8 8a2.6 2.6 0 100-5.2A2.6 2.6 0 008 8zM3 14c.4-3 2.4-4.4 5-4.4s4.6 1.4 5 4.4",
};
