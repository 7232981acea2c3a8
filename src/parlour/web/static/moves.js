// Entering placements and moves of Fish: by pointing, by a list, by arrow keys in that list.

import { h } from "./dom.js";
import { renew } from "./renew.js";

/** @import {Target} from "./board.js" */
/** @import {Mark} from "./types.js" */
/** @import {MatchState} from "./match_state.js" */
/** @import {Answer} from "./wire.js" */

/** @typedef {[number, number]} Spot */

/** The place where moves are entered: a table, or the sandbox. @typedef {{own: string[], state: MatchState, enter: (message: Record<string, any>, what: {label: string, slot?: string, turn?: number | null}) => Promise<Answer>, showHints: () => void}} Where */

export class MoveEntry {
  /** @param {Where} table */
  constructor(table) {
    this.table = table;
    this.state = table.state;
    /** @type {string} */
    this.from = "";
    this.complaint = "";
    this.turn = -1;
    this.sending = false;
    this.root = h("div", { class: "entry moving" });
    this.words = h("span", { class: "sentence", role: "status" });
    this.bar = h("div", { class: "sentence-bar" }, this.words);
  }

  /** The seat that is to act, if it is one of ours. */
  get seat() {
    return this.table.own.find((seat) => this.state.toAct.includes(seat)) ?? "";
  }

  get active() {
    return Boolean(this.seat);
  }

  get placing() {
    return this.state.stage === "placement";
  }

  /** @returns {any[]} */
  get legal() {
    return this.state.choices[this.seat] ?? [];
  }

  refresh() {
    if (this.turn !== this.state.turn) {
      this.turn = this.state.turn;
      this.from = "";
      this.complaint = "";
      this.sending = false;
    }
    this.render();
  }

  /** Do nothing: the sender itself receives the server's answer. */
  answered() {}

  /** Penguins are pointed at, not led. */
  grab() {
    return false;
  }

  /** @param {unknown} action */
  async send(action) {
    if (this.sending) return;
    this.sending = true;
    const { turn } = this;
    const answer = await this.table.enter({ intent: "act", seat: this.seat, action, turn }, { label: "your move", slot: `act ${this.seat}`, turn });
    // It may already be this seat's turn again, with a new choice.
    if (turn !== this.turn) return;
    this.sending = false;
    this.complaint = answer.refused ? answer.reason : "";
    this.from = "";
    this.render();
  }

  /** @param {Target} target */
  point(target) {
    if (!this.active) return;
    this.complaint = "";
    if (this.placing) {
      const action = this.legal.find((spot) => key(spot) === target.place);
      if (action) this.send(action);
      else this.complaint = "No penguin can be placed there";
    } else if (this.legal.some(([from]) => key(from) === target.place)) {
      // Compare tiles, because on a busy machine a penguin may not be drawn there yet.
      this.from = this.from === target.place ? "" : target.place;
    } else if (this.from) {
      const action = this.legal.find(([from, to]) => key(from) === this.from && key(to) === target.place);
      if (action) this.send(action);
      else this.complaint = "Penguins slide in straight lines, over ice that nobody stands on";
    } else {
      this.complaint = target.kind === "piece" && target.seat === this.seat ? "This penguin cannot move" : "Choose one of your penguins first";
    }
    this.render();
  }

  /**
   * @param {KeyboardEvent} event
   * @returns {boolean}
   */
  key(event) {
    if (event.key !== "Escape" || !this.from) return false;
    this.from = "";
    this.render();
    return true;
  }

  get sentence() {
    if (this.complaint) return this.complaint;
    if (this.placing) return "Place a penguin on a free tile";
    return this.from ? `The penguin on ${this.from} goes to …` : "Choose a penguin to move";
  }

  render() {
    this.bar.hidden = !this.active;
    this.words.textContent = this.active ? this.sentence : "";
    this.words.classList.toggle("bad", Boolean(this.complaint));
    renew(this.root, this.active ? this.form() : h("p", { class: "empty" }, this.waiting()));
    this.table.showHints();
  }

  waiting() {
    if (this.state.status === "over") return "The match is over.";
    if (this.state.status === "forming") return "The match begins when all seats are taken.";
    return "Somebody else is to move.";
  }

  form() {
    const options = this.placing
      ? this.legal.map((spot, i) => h("option", { value: i }, `on ${key(spot)}, ${this.fish(spot)} fish`))
      : [...new Set(this.legal.map(([from]) => key(from)))].map((from) =>
          h("optgroup", { label: `penguin on ${from}` }, this.legal.flatMap(([start, end], i) =>
            key(start) === from ? [h("option", { value: i }, `${from} to ${key(end)}, ${this.fish(end)} fish there`)] : [])));
    const select = h("select", { "aria-label": this.placing ? "Where to place a penguin" : "Your move", "data-key": `turn ${this.turn}` }, options);
    const go = (/** @type {Event} */ event) => {
      event.preventDefault();
      const chosen = /** @type {HTMLFormElement} */ (event.currentTarget).querySelector("select");
      this.send(this.legal[Number(chosen?.value)]);
    };
    return h("form", { class: "move-form", onsubmit: go }, select, h("button", { class: "primary", type: "submit" }, this.placing ? "Place" : "Move"));
  }

  /** @param {Spot} spot */
  fish(spot) {
    return this.state.frame?.facts?.fish?.[key(spot)] ?? 0;
  }

  /** @returns {Mark[]} */
  hints() {
    if (!this.active) return [];
    const ring = (/** @type {string} */ place, /** @type {string} */ name) => {
      const [x, y] = this.state.head.sheet.places?.[place]?.at ?? [0, 0];
      return /** @type {Mark} */ (["circle", { "data-key": `${name}${place}`, class: `hint ${name}`, cx: x, cy: y, r: 27 }]);
    };
    if (this.placing) return this.legal.map((spot) => ring(key(spot), "free"));
    if (!this.from) return [...new Set(this.legal.map(([from]) => key(from)))].map((from) => ring(from, "open"));
    return [ring(this.from, "chosen"), ...this.legal.flatMap(([from, to]) => (key(from) === this.from ? [ring(key(to), "free")] : []))];
  }

  /** @returns {Mark[]} */
  preview() {
    return [];
  }
}

/** @param {Spot} spot */
function key([row, column]) {
  return `${row},${column}`;
}
