// The results of a turn as a list: each seat's orders with their results and reasons.

import { coloured, fill, h, write } from "./dom.js";
import { renew } from "./renew.js";

/** @import {MatchState, Step} from "./match_state.js" */
/** @import {ActionResult, Mark} from "./types.js" */

export class Results {
  /**
   * @param {MatchState} state
   * @param {(index: number | null) => void} light
   * @param {(index: number) => void} go
   */
  constructor(state, light, go) {
    this.state = state;
    this.go = go;
    this.light = light;
    const over = (/** @type {Event} */ event) => this.over(event);
    this.body = h("div", { class: `results${state.oneByOne ? " history" : ""}`, onpointerover: over, onpointerout: over, onfocusin: over, onfocusout: over });
    this.empty = h("p", { class: "empty" });
    this.turn = -1;
    /** @type {number | null} */
    this.lit = null;
    /** @type {Map<string, {root: HTMLElement, list: HTMLElement}>} */
    this.groups = new Map();
    /** @type {Map<string, Row>} */
    this.rows = new Map();
    this.root = this.body;
  }

  /**
   * @param {Step} step
   * @param {Step[]} steps
   */
  show(step, steps) {
    // Opened entries belong to the turn in which they were opened.
    const another = step.turn !== this.turn;
    if (another) for (const row of this.body.querySelectorAll("details[open]")) row.removeAttribute("open");
    this.turn = step.turn;
    if (this.state.oneByOne) this.showMoves(step, steps, another);
    else this.showOrders(step, step === steps.at(-1));
  }

  /**
   * The moves so far, where one seat after the other moves.
   * @param {Step} step
   * @param {Step[]} steps
   * @param {boolean} another  whether another turn was shown before
   */
  showMoves(step, steps, another) {
    const rows = steps.flatMap((one, i) => {
      const row = (/** @type {string} */ who, /** @type {string} */ what) => h("li", {},
        h("button", { type: "button", "aria-current": one === step ? "step" : null, onclick: () => this.go(i) },
          h("span", { class: "number" }, one.turn), h("span", {}, who), h("span", {}, what)));
      // A turn that is not here yet can be chosen all the same, and comes then.
      if (!one.frame) return [row(one.title, "…")];
      return one.results.map((result) => row(this.state.title(result.seat), result.text));
    });
    renew(this.body, rows.length ? h("ol", { class: "moves" }, rows) : h("p", { class: "empty" }, "Nobody has moved yet."));
    // Before the first move, the next one is the nearest.
    const near = this.body.querySelector("[aria-current]") ?? (step === steps[0] ? this.body.querySelector("button") : null);
    if (another) near?.scrollIntoView({ block: "nearest" });
  }

  /**
   * The orders of a turn, seat by seat; lines stay from turn to turn and take other words.
   * @param {Step} step
   * @param {boolean} last
   */
  showOrders(step, last) {
    /** @type {Map<string, Element[]>} */
    const by = new Map();
    step.results.forEach((result, i) => {
      const items = by.get(result.seat) ?? [];
      by.set(result.seat, items);
      items.push(this.row(result.seat, items.length).show(result, i));
    });
    const groups = [...by].map(([seat, items]) => {
      const group = this.group(seat);
      fill(group.list, items);
      return group.root;
    });
    if (!groups.length) this.empty.textContent = this.reason(last);
    fill(this.body, groups.length ? groups : this.empty);
  }

  /**
   * Why a turn has no orders.
   * @param {boolean} last
   */
  reason(last) {
    if (!last) return "Nobody had anything to order.";
    if (!this.state.outcome) return "Nothing was ordered yet.";
    return this.state.steps.length ? "The match is over: the last orders are one turn back." : "The match is over.";
  }

  /** @param {string} seat */
  group(seat) {
    let group = this.groups.get(seat);
    if (!group) {
      const chip = coloured(h("span", { class: "chip-seat" }), this.state.look(seat));
      const list = h("ul");
      group = { root: h("section", { class: "result-group" }, h("h3", {}, chip, this.state.title(seat)), list), list };
      this.groups.set(seat, group);
    }
    return group;
  }

  /**
   * @param {string} seat
   * @param {number} number
   */
  row(seat, number) {
    const key = `${seat} ${number}`;
    let row = this.rows.get(key);
    if (!row) this.rows.set(key, row = new Row());
    return row;
  }

  /**
   * Highlight on the board what is pointed at or focused in the list.
   * @param {Event} event
   */
  over(event) {
    const leaves = event.type === "pointerout" || event.type === "focusout";
    const target = leaves ? /** @type {PointerEvent | FocusEvent} */ (event).relatedTarget : event.target;
    const row = target instanceof Element && this.body.contains(target) ? target.closest("[data-result-row]") : null;
    const index = row ? Number(row.getAttribute("data-result-row")) : null;
    if (index === this.lit) return;
    this.lit = index;
    this.light(index);
  }

  /**
   * Highlight the line of the order under the pointer on the board.
   * @param {number | null} index
   */
  mark(index) {
    for (const row of this.body.querySelectorAll("[data-result-row]")) {
      row.classList.toggle("lit", row.getAttribute("data-result-row") === String(index));
    }
  }
}

/** Orders as marks that can be pointed at, made once. @type {WeakMap<ActionResult, {key: string, layers: Record<string, Mark>}>} */
const wraps = new WeakMap();

/**
 * @param {ActionResult} result
 * @param {number} index
 * @param {number} height  how many lie below it
 * @param {string} lit
 * @param {boolean} past
 */
function wrapped(result, index, height, lit, past) {
  const key = `${index} ${height}${lit}${past}`;
  let found = wraps.get(result);
  if (found?.key !== key) {
    const own = past ? { "data-key": `past${height}` } : { "data-key": `result${height}`, "data-result": index };
    const wrap = (/** @type {Mark} */ [tag, attributes, inside]) =>
      /** @type {Mark} */ ([tag, { ...attributes, ...own, class: `${attributes.class ?? ""} result-mark${lit}${past ? " past" : ""}`.trim() }, inside]);
    found = { key, layers: Object.fromEntries(Object.entries(result.layers ?? {}).map(([layer, mark]) => [layer, wrap(mark)])) };
    wraps.set(result, found);
  }
  return found.layers;
}

const RANKS = ["convoy", "support", "hold", "move", "retreat", "build", "remove"];

/**
 * Return the rank by which orders are sorted.
 * @param {ActionResult} result
 */
function rank(result) {
  const drawn = result.layers?.orders;
  return drawn ? RANKS.indexOf(String(drawn[1]["data-kind"])) : 0;
}

/**
 * Orders on the board, by layer.
 * @param {ActionResult[]} results
 * @param {number | null} lit  the one that is pointed at
 * @param {boolean} [past]  whether they led to what is shown, and cannot be pointed at
 */
export function layersOf(results, lit, past = false) {
  /** @type {Record<string, Mark[]>} */
  const layers = {};
  results.map((result, i) => ({ result, i })).sort((a, b) => rank(a.result) - rank(b.result)).forEach(({ result, i }, height) => {
    for (const [layer, mark] of Object.entries(wrapped(result, i, height, lit === null ? "" : lit === i ? " lit" : " dim", past))) (layers[layer] ??= []).push(mark);
  });
  return layers;
}

/** One order in the list. */
class Row {
  constructor() {
    // Elements stay and only texts change, because dozens change with each phase. The style shows the success: a
    // picture in each line would be a layer of its own.
    this.text = h("span", { class: "text" }, "");
    this.result = h("span", { class: "result" }, "");
    this.why = h("p", { class: "why" }, "");
    this.body = h("details", {}, h("summary", {}, this.text, this.result), this.why);
    this.item = h("li", {}, this.body);
  }

  /**
   * @param {ActionResult} result
   * @param {number} index
   */
  show(result, index) {
    const kind = result.failed ? "bad" : result.verdict ? "good" : "";
    write(this.body, "class", `order-result ${kind}${result.default ? " default" : ""}`);
    write(this.body, "data-result-row", String(index));
    word(this.text, result.text);
    word(this.result, result.failed ? result.verdict ?? "" : result.default ? "nobody ordered it" : "");
    word(this.why, result.why ?? "");
    this.why.hidden = !result.why;
    return this.item;
  }
}

/**
 * @param {Element} element  with one text
 * @param {string} words
 */
function word(element, words) {
  const text = /** @type {Text} */ (element.firstChild);
  if (text.data !== words) text.data = words;
}
