// The question for a person's plan: asked once per turn where plans are sealed, answered in secret or skipped.

import { h, icon, steady } from "./dom.js";

/** @import {OrderEntry} from "./orders.js" */
/** @import {Answer} from "./wire.js" */

/** Characters of a plan in words; the referee takes more. */
const LONGEST = 2000;

/** @type {Record<string, string>} */
const OPENS = {
  match: "Others see it when the match is over.",
  tournament: "Others see it when the tournament is over.",
  never: "Nobody else ever sees it here.",
};

export class SealQuestion {
  /** @param {OrderEntry} entry */
  constructor(entry) {
    this.entry = entry;
    /** The answer of each seat in this turn. @type {Map<string, "sealed" | "skipped">} */
    this.given = new Map();
    /** Seats whose orders wait for an answer: the referee wants a plan first. @type {Set<string>} */
    this.held = new Set();
    this.text = steady(h("input", { class: "plan-text", type: "text", maxlength: String(LONGEST), placeholder: "in words, if you like", "aria-label": "Your plan in words", autocomplete: "off" }));
  }

  /** Another turn has begun. */
  clear() {
    this.given.clear();
    this.held.clear();
    this.text.value = "";
  }

  /** True if plans are sealed in this phase. */
  get open() {
    const { state } = this.entry;
    return state.sealing && (state.terms?.press?.stages ?? []).includes(state.stage);
  }

  /** @param {string} seat */
  box(seat) {
    if (!this.open) return null;
    const given = this.given.get(seat);
    if (given === "skipped") return null;
    const seals = (/** @type {string} */ label, /** @type {string} */ look) => h("button", { type: "button", class: look, "data-key": "seal", onclick: () => this.seal(seat) }, label);
    if (given === "sealed") return h("p", { class: "plan", "data-key": "plan" }, icon("seal"), h("span", {}, "Your plan is sealed."), seals("Seal what I order now", "small"));
    return h("fieldset", { class: "plan", "data-key": "plan" }, h("legend", {}, icon("seal"), "What do you plan?"),
      h("p", {}, `Enter the orders that you mean to give, before you talk. ${OPENS[this.entry.state.terms?.seals?.opens] ?? ""}`),
      this.text,
      h("p", { class: "line" }, seals("Seal these orders", "primary small"),
        h("button", { type: "button", class: "small", "data-key": "skip", onclick: () => this.answer(seat, "skipped") }, "Skip")));
  }

  /** @param {string} seat */
  seal(seat) {
    const { entry } = this;
    const action = entry.machines.get(seat)?.action ?? [];
    entry.table.enter({ intent: "seal", seat, action, text: this.text.value.trim() }, { label: "your plan", slot: `seal ${seat}`, turn: entry.turn });
  }

  /**
   * The plan is sealed, or is not to be: orders that waited for that are handed in.
   * @param {string} seat
   * @param {"sealed" | "skipped"} how
   */
  answer(seat, how) {
    this.given.set(seat, how);
    if (this.held.delete(seat)) this.entry.hand(seat);
    this.entry.render();
  }

  /**
   * The server has answered something; true if that is dealt with here.
   * @param {Record<string, any>} message
   * @param {Answer} answer
   */
  answered({ intent, seat }, answer) {
    if (intent === "seal" && answer.code === "replaced") return true;
    if (intent === "seal" && answer.refused === undefined) {
      this.answer(seat, "sealed");
      return true;
    }
    if (intent === "seal") this.entry.refused.set(seat, answer.reason);
    if (intent !== "act" || answer.code !== "unsealed") return intent === "seal";
    // Once is enough: the next orders are taken as they are, and the record says that no plan was sealed before them.
    if (this.given.has(seat)) this.entry.hand(seat);
    else this.held.add(seat);
    return true;
  }
}
