// Changes the content of an element and keeps its unchanged parts: a pressed button, an open list or a line that is
// typed stay the same elements, and the browser lays out changes only.

import { listen, listeners, own, slots, valued } from "./dom.js";

/** @import {Child} from "./dom.js" */

/**
 * Let an element have these children. Those that it has and that are alike are changed into them, and stay.
 * @param {Element} element
 * @param {...(Child | Child[])} children
 */
export function renew(element, ...children) {
  const wanted = children.flat().filter((child) => child !== null && child !== undefined && child !== false);
  reshape(element, wanted.map((child) => (child instanceof Node ? child : String(child))));
}

/** Elements by name, made and changed only when their content changes. */
export class Kept {
  constructor() {
    /** @type {Map<string | number, {element: Element, state: unknown[]}>} */
    this.known = new Map();
  }

  /**
   * The element of that name. State is all that it is made of.
   * @param {string | number} name
   * @param {unknown[]} state
   * @param {() => Element} make
   */
  get(name, state, make) {
    const found = this.known.get(name);
    if (found && found.state.length === state.length && found.state.every((one, i) => one === state[i])) return found.element;
    const fresh = make();
    if (found) change(found.element, fresh);
    const element = found?.element ?? fresh;
    this.known.set(name, { element, state });
    return element;
  }
}

/**
 * @param {Element} parent
 * @param {Array<Node | string>} wanted
 */
function reshape(parent, wanted) {
  wanted = wanted.map((child) => (child instanceof Comment && slots.get(child)) || child);
  const staying = new Set(wanted);
  /** @type {Map<string, Element>} */
  const named = new Map();
  for (const child of parent.children) if (nameOf(child)) named.set(nameOf(child), child);
  const names = new Set(wanted.map((child) => (child instanceof Element ? nameOf(child) : "")));
  let at = parent.firstChild;
  for (const fresh of wanted) {
    const old = typeof fresh !== "string" && own.has(fresh) ? fresh : match(fresh, at, named);
    // An element in front of a steady one is removed first: moving the steady one would take its focus.
    while (old && at && at !== old && old.parentNode === parent && !staying.has(at) && !(at instanceof Element && names.has(nameOf(at)) && nameOf(at))) {
      const gone = at;
      at = at.nextSibling;
      parent.removeChild(gone);
    }
    if (old && old !== fresh) change(old, fresh);
    const node = old ?? (typeof fresh === "string" ? document.createTextNode(fresh) : whole(fresh));
    if (node === at) at = at.nextSibling;
    else parent.insertBefore(node, at);
  }
  while (at) {
    const gone = at;
    at = at.nextSibling;
    parent.removeChild(gone);
  }
}

/**
 * A new node, with the steady elements themselves where their slots are.
 * @param {Node} node
 */
function whole(node) {
  const found = document.createTreeWalker(node, NodeFilter.SHOW_COMMENT);
  while (found.nextNode()) {
    const slot = /** @type {Comment} */ (found.currentNode);
    const element = slots.get(slot);
    if (!element) continue;
    slot.replaceWith(element);
    found.currentNode = element;
  }
  return node;
}

/**
 * Return an existing element that can become this one; named elements are found anywhere, others only in place.
 * @param {Node | string} fresh
 * @param {Node | null} at
 * @param {Map<string, Element>} named
 * @returns {Node | null}
 */
function match(fresh, at, named) {
  if (typeof fresh === "string" || fresh instanceof Text) return at instanceof Text ? at : null;
  if (!(fresh instanceof Element)) return null;
  const name = nameOf(fresh);
  const found = name ? named.get(name) ?? null : at instanceof Element && !nameOf(at) ? at : null;
  if (name) named.delete(name);
  return found && !own.has(found) && found.nodeName === fresh.nodeName && kindOf(found) === kindOf(fresh) ? found : null;
}

/** @param {Element} element */
function nameOf(element) {
  return element.getAttribute("data-key") ?? "";
}

/** The first word of the class: what an element is; the others say how it is. @param {Element} element */
function kindOf(element) {
  return element.classList[0] ?? "";
}

/**
 * @param {Node} old
 * @param {Node | string} fresh
 */
function change(old, fresh) {
  if (typeof fresh === "string" || fresh instanceof Text) {
    const text = typeof fresh === "string" ? fresh : fresh.data;
    if (old.nodeValue !== text) old.nodeValue = text;
    return;
  }
  if (!(old instanceof Element) || !(fresh instanceof Element)) return;
  // Pictures listen to nothing, so that those that are equal are the same.
  if (old instanceof SVGElement && old.isEqualNode(fresh)) return;
  changeAttributes(old, fresh);
  const heard = listeners.get(fresh);
  if (heard || listeners.has(old)) listeners.set(old, {});
  for (const [kind, listener] of Object.entries(heard ?? {})) listen(old, kind, listener);
  reshape(old, [...fresh.childNodes]);
  if (!valued.has(fresh) || !("value" in old) || !("value" in fresh) || old.value === fresh.value) return;
  const typing = old === document.activeElement && !(old instanceof HTMLSelectElement);
  if (!typing) old.value = fresh.value;
}

/**
 * @param {Element} old
 * @param {Element} fresh
 */
function changeAttributes(old, fresh) {
  for (const { name } of [...old.attributes]) {
    // An element that a person has opened stays open.
    if (!fresh.hasAttribute(name) && !(name === "open" && old instanceof HTMLDetailsElement)) old.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) === value) continue;
    if (name === "style") /** @type {HTMLElement} */ (old).style.cssText = value;
    else old.setAttribute(name, value);
  }
}
