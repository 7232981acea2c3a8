// The display of a machine that builds orders, besides the board: hints where to click, and a list of choices.

import { h } from "./dom.js";

/** @import {Machine} from "./machine.js" */
/** @import {Mark} from "./types.js" */

/**
 * Marks round the unit that is chosen and on the places where it can go.
 * @param {Machine | undefined} machine
 * @returns {Mark[]}
 */
export function hintMarks(machine) {
  if (!machine?.unit) return [];
  const [cx, cy] = machine.pointOf(machine.ordersOf(machine.unit)[0]?.unit.slice(2) ?? machine.unit);
  /** @type {Mark[]} */
  const marks = [["circle", { "data-key": "chosen", class: "hint chosen", cx, cy, r: 21 }]];
  for (const place of machine.targets) {
    const [x, y] = machine.pointOf(place);
    marks.push(["circle", { "data-key": `t${place}`, class: "hint target", cx: x, cy: y, r: 8 }]);
  }
  return marks;
}

/**
 * A unit with the list of its orders.
 * @param {Machine} machine
 * @param {string} place
 * @param {() => void} changed
 */
export function orderRow(machine, place, changed) {
  const choose = (/** @type {Event} */ event) => {
    const text = /** @type {HTMLSelectElement} */ (event.currentTarget).value;
    if (text ? machine.set(text) : machine.clear(place)) changed();
  };
  return h("li", { class: "unit-row", "data-key": place, "data-unit": place },
    h("span", { class: "unit-name" }, machine.mode === "build" ? place : machine.unitAt(place)),
    h("select", { value: machine.orders.get(place) ?? "", "aria-label": `Order for ${machine.unitAt(place)}`, onchange: choose },
      h("option", { value: "" }, "no order"), machine.ordersOf(place).map((order) => h("option", { value: order.text }, order.text))));
}
