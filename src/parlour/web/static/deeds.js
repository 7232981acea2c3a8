// What was done in a turn, as a list: each seat's orders with their results, and the reason at hand.

import { h, icon } from "./dom.js";
import { renew } from "./renew.js";

/** @import {Story, Step} from "./story.js" */
/** @import {Deed} from "./types.js" */

export class Deeds {
  /**
   * @param {Story} story
   * @param {(index: number | null) => void} light
   * @param {(index: number) => void} go
   */
  constructor(story, light, go) {
    this.story = story;
    this.go = go;
    this.light = light;
    this.body = h("div", { class: "deeds" });
    this.turn = -1;
    this.root = this.body;
  }

  /**
   * @param {Step} step
   * @param {Step[]} steps
   */
  show(step, steps) {
    // What was opened belongs to the turn in which it was opened.
    if (step.turn !== this.turn) for (const row of this.body.querySelectorAll("details[open]")) row.removeAttribute("open");
    this.turn = step.turn;
    if (this.story.oneByOne) this.showMoves(step, steps);
    else this.showOrders(step);
  }

  /**
   * The moves so far, where one seat after the other moves.
   * @param {Step} step
   * @param {Step[]} steps
   */
  showMoves(step, steps) {
    const looks = this.story.head.sheet.seats ?? {};
    const rows = steps.flatMap((one, i) => one.deeds.map((deed) => {
      const now = one === step;
      const row = h("button", { type: "button", "aria-current": now ? "step" : null, onclick: () => this.go(i) },
        h("span", { class: "number" }, one.turn),
        h("span", {}, looks[deed.seat]?.title ?? deed.seat),
        h("span", {}, deed.text));
      return h("li", {}, row);
    }));
    renew(this.body, rows.length ? h("ol", { class: "moves" }, rows) : h("p", { class: "empty" }, "Nobody has moved yet."));
    this.body.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }

  /** @param {Step} step */
  showOrders(step) {
    const looks = this.story.head.sheet.seats ?? {};
    /** @type {Map<string, Array<[Deed, number]>>} */
    const by = new Map();
    step.deeds.forEach((deed, i) => {
      by.set(deed.seat, [...(by.get(deed.seat) ?? []), [deed, i]]);
    });
    const groups = [...by].map(([seat, deeds]) => {
      const chip = h("span", { class: "chip-seat" });
      const look = looks[seat];
      if (look) chip.style.setProperty("--seat-line", `var(--b-${look.line ?? look.unit})`);
      return h("section", { class: "deed-group", "data-key": seat },
        h("h3", {}, chip, look?.title ?? seat),
        h("ul", {}, deeds.map(([deed, i]) => this.line(deed, i))));
    });
    renew(this.body, groups.length ? groups : h("p", { class: "empty" }, "Nothing was ordered yet."));
  }

  /**
   * @param {Deed} deed
   * @param {number} index
   */
  line(deed, index) {
    const kind = deed.failed ? "bad" : deed.result ? "good" : "";
    const row = h("details", {
      class: `deed ${kind}${deed.default ? " default" : ""}`, "data-deed-row": index,
      onpointerenter: () => this.light(index), onpointerleave: () => this.light(null),
      onfocusin: () => this.light(index), onfocusout: () => this.light(null),
    },
      h("summary", {},
        h("span", { class: "mark" }, kind ? icon(kind) : null),
        h("span", { class: "text" }, deed.text),
        h("span", { class: "result" }, deed.failed ? deed.result : deed.default ? "nobody ordered it" : "")),
      deed.why ? h("p", { class: "why" }, deed.why) : null);
    return h("li", {}, row);
  }

  /**
   * Show which line is meant by what is pointed at on the board.
   * @param {number | null} index
   */
  mark(index) {
    for (const row of this.body.querySelectorAll("[data-deed-row]")) {
      row.classList.toggle("lit", row.getAttribute("data-deed-row") === String(index));
    }
  }
}
