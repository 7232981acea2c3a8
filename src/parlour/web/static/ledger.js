// The ledger: pacts and who broke them, as a list and on the map; at the end a card for each power.

import { coloured, h, icon } from "./dom.js";
import { renew } from "./renew.js";

/** @import {MatchState, Step} from "./match_state.js" */
/** @import {Honesty, Mark, Pact} from "./types.js" */

/** Layers of orders that were only promised are drawn apart, as ghosts. */
const LAYERS = ["zones", "bonds"];

export class Ledger {
  /**
   * @param {MatchState} state
   * @param {(pact: Pact | null) => void} light
   */
  constructor(state, light) {
    this.state = state;
    this.light = light;
    this.root = h("div", { class: "ledger" });
  }

  /**
   * The pacts that were in force in a turn.
   * @param {number} turn
   */
  active(turn) {
    return [...this.state.pacts.values()].filter((pact) => pact.since <= turn && (pact.ended ?? Infinity) >= turn);
  }

  /** @param {Step} step */
  show(step) {
    const broken = new Set(step.judged.filter((one) => one.status === "broken").map((one) => one.pact));
    const pacts = this.active(step.turn).sort((a, b) => Number(broken.has(b.number)) - Number(broken.has(a.number)) || b.number - a.number);
    const sentences = step.judged.map((one) =>
      h("li", { class: `judged ${one.status}` }, icon(one.status === "kept" ? "good" : one.status === "broken" ? "bad" : "wait"), h("span", {}, one.sentence),
        one.kind ? h("strong", { class: `kind ${one.kind.split(/[:,]/)[0]}` }, one.kind) : null));
    const lines = pacts.map((pact) => {
      const bad = broken.has(pact.number);
      const on = () => this.light(pact);
      const off = () => this.light(null);
      return h("li", {
        class: `pact${bad ? " broken" : ""}`, tabindex: "0", "data-key": pact.number,
        onpointerenter: on, onpointerleave: off, onfocus: on, onblur: off,
      }, icon(bad ? "bad" : "seal"), h("span", {}, pact.english), bad ? h("strong", {}, "broken") : null);
    });
    renew(this.root,
      sentences.length ? h("ul", { class: "judgements" }, sentences) : null,
      h("h3", {}, lines.length ? "Pacts in force" : "No pact is in force"),
      h("ul", { class: "pacts" }, lines),
      this.state.honesty.length ? [h("h3", {}, "Promises and sealed plans"), h("ul", { class: "honesty" }, this.state.honesty.map((one) => this.card(one)))] : null);
  }

  /**
   * Return the card of a power: its promises by class, its lies, and the share of orders that it gave as sealed.
   * @param {Honesty} one
   */
  card({ seat, classes, lies = 0, false: statements = 0, as_sealed: share = null, reliable }) {
    const most = Math.max(1, ...Object.values(classes));
    const row = (/** @type {string} */ name, /** @type {number} */ count) => {
      const bar = h("span", { class: "bar" });
      bar.style.setProperty("--part", String(count / most));
      return [h("dt", {}, name), h("dd", { class: name.split(/[:,]/)[0] ?? "" }, String(count), bar)];
    };
    const sealed = share === null ? "no orders were sealed" : `${Math.round(share * 100)} % of orders as sealed${reliable ? "" : ": the classes say little"}`;
    return coloured(h("li", { class: "honesty-card", "data-key": seat },
      h("b", {}, this.state.title(seat)), this.state.chair(seat).name ? h("span", { class: "player" }, this.state.chair(seat).name) : null,
      h("dl", {}, Object.entries(classes).flatMap(([name, count]) => row(name, count))),
      h("p", {}, `${plural(lies, "lie")}, ${plural(statements, "false statement")}; ${sealed}.`)), this.state.look(seat));
  }

  /**
   * Return the marks of a turn's pacts on the map, by layer.
   * @param {Step} step
   * @param {Pact | null} only
   * @returns {Record<string, Mark[]>}
   */
  marks(step, only) {
    const broken = new Set(step.judged.filter((one) => one.status === "broken").map((one) => one.pact));
    /** @type {Record<string, Mark[]>} */
    const found = {};
    for (const pact of only ? [only] : this.active(step.turn)) {
      for (const [layer, marks] of Object.entries(pact.layers ?? {})) {
        const ghost = !LAYERS.includes(layer);
        if (ghost && pact.since !== step.turn && pact.ended !== step.turn) continue;
        const classes = `pact${ghost ? " ghost" : ""}${broken.has(pact.number) ? " broken" : ""}${only ? " lit" : ""}`;
        const target = ghost ? "bonds" : layer;
        (found[target] ??= []).push(["g", { "data-key": `pact${pact.number}${layer}`, class: classes }, marks]);
      }
    }
    return found;
  }

  /**
   * The signs of promises broken in a turn.
   * @param {Step} step
   * @returns {Mark[]}
   */
  breaches(step) {
    return step.judged.flatMap((one, i) =>
      Object.values(one.layers ?? {}).map((mark) => /** @type {Mark} */ (["g", { "data-key": `breach${i}`, class: "breach" }, [["title", {}, [one.sentence]], mark]])));
  }
}

/**
 * @param {number} count
 * @param {string} word
 */
function plural(count, word) {
  return `${count || "no"} ${word}${count === 1 ? "" : "s"}`;
}
