// The seats: who sits where, what each has, who is ready, whose time runs.

import { coloured, fill, h, icon, svg } from "./dom.js";
import { Kept, renew } from "./renew.js";

/** @import {MatchState, Step} from "./match_state.js" */
/** @import {SeatLook} from "./types.js" */

/** Maximum number of notes that are shown. */
const NOTES = 4;

export class Seats {
  /**
   * @param {MatchState} state
   * @param {string[]} own
   */
  constructor(state, own) {
    this.state = state;
    this.own = own;
    this.list = h("ul", { class: "seats" });
    this.rows = new Kept();
    /** Events of the table, newest first: arrivals, departures, actions of a moderator. */
    this.notes = h("ul", { class: "notes", "aria-label": "What happened" });
    const terms = /** @type {string[]} */ (state.head.about?.terms ?? []);
    this.root = h("section", { class: "panel seats-panel", "aria-labelledby": "seats-title" },
      h("p", { class: "match-title" }, state.head.title || null), h("h2", { id: "seats-title" }, "Table"), this.list, this.notes,
      terms.length ? h("details", {}, h("summary", {}, "Terms"), h("ul", { class: "terms" }, terms.map((line) => h("li", {}, line)))) : null);
  }

  /**
   * @param {Step | undefined} step
   * @param {boolean} present
   */
  show(step, present) {
    const scores = step?.frame?.scores ?? {};
    const goal = Number(step?.frame?.facts?.victory ?? 0);
    const most = Math.max(1, ...Object.values(scores).map((own) => first(own)));
    renew(this.notes, present ? this.state.notes.slice(-NOTES).reverse().map((note) => h("li", {}, note.text)) : []);
    fill(this.list, this.state.seats.map((chair) => {
      const own = scores[chair.seat];
      const { seat, name, player_type, removed, acted, wait } = chair;
      const now = present ? [this.state.status, this.state.toAct.includes(seat), chair.present, acted, wait] : [];
      const state = [name, player_type, removed, goal, most, this.own.includes(seat), ...now, ...Object.values(own ?? {})];
      return this.rows.get(seat, state, () => this.row(chair, own, goal, most, present));
    }));
  }

  /**
   * A player's name, with the way to the profile where there is one.
   * @param {MatchState["seats"][number]} chair
   * @param {boolean} mine
   */
  named(chair, mine) {
    const player = chair.name ?? "";
    const name = mine ? called(player) : player;
    const known = this.state.head.about?.guests && chair.player_type === "human" && player !== "anonymous";
    return known ? h("a", { href: `/player/${encodeURIComponent(player)}` }, name) : name;
  }

  /**
   * @param {MatchState["seats"][number]} chair
   * @param {Record<string, number> | undefined} own
   * @param {number} goal
   * @param {number} most
   * @param {boolean} present
   */
  row(chair, own, goal, most, present) {
    const look = this.state.look(chair.seat);
    const out = chair.removed || (own && !Object.values(own).some(Boolean) && goal > 0);
    const mine = this.own.includes(chair.seat);
    return h("li", { class: `seat${mine ? " own" : ""}${out ? " out" : ""}`, "data-seat": chair.seat },
      swatch(look, own ? String(first(own)) : ""),
      h("span", { class: "who" },
        h("b", {}, this.state.title(chair.seat)),
        h("span", { class: "player" }, chair.name ? [icon(chair.player_type === "human" ? "person" : "bot"), this.named(chair, mine)] : "nobody")),
      h("span", { class: "state" }, present ? states(this.state, chair) : counts(own)),
      coloured(bar(own ? first(own) : 0, own && goal ? goal : most), look));
  }
}

/**
 * @param {SeatLook | undefined} look
 * @param {string} text
 */
function swatch(look, text) {
  if (look?.symbol) {
    const picture = svg("svg", { class: "figure", viewBox: "-26 -28 52 56", "aria-hidden": "true" });
    picture.append(svg("use", { href: `#${look.symbol}`, fill: `var(--b-${look.unit})` }));
    return h("span", { class: "swatch figured" }, picture, text ? h("span", { class: "count" }, text) : null);
  }
  const element = h("span", { class: "swatch" }, text);
  if (look) element.style.setProperty("--seat", `var(--b-${look.land ?? look.unit})`);
  return coloured(element, look);
}

/**
 * @param {number} value
 * @param {number} goal
 */
function bar(value, goal) {
  const element = h("span", { class: "bar" });
  element.style.setProperty("--part", String(Math.min(1, value / goal)));
  return element;
}

/**
 * @param {MatchState} state
 * @param {MatchState["seats"][number]} chair
 */
function states(state, chair) {
  if (chair.removed) return h("span", { class: "note" }, "out");
  if (!chair.present && state.status !== "forming") return h("span", { class: "note" }, "away");
  if (!state.toAct.includes(chair.seat)) return null;
  if (chair.wait) return h("span", { class: "note", title: "not ready yet" }, icon("wait"), h("span", { class: "words" }, "waits"));
  if (chair.acted) return h("span", { class: "note good", title: "orders are in" }, icon("good"), h("span", { class: "words" }, "ready"));
  return h("span", { class: "note" }, "thinking");
}

/** Oneself: first of all it is oneself, and names are cut off where they are long. @param {string} player */
function called(player) {
  return player === "you" ? player : `you (${player})`;
}

/** @param {Record<string, number> | undefined} own */
function counts(own) {
  if (!own) return null;
  return Object.entries(own).slice(1).map(([name, count]) => h("span", { class: "note" }, `${count} ${name}`));
}

/** @param {Record<string, number>} own */
function first(own) {
  return Object.values(own)[0] ?? 0;
}
