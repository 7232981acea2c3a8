// The state of a match as this view knows it: press, drawings and notes, and the table of the referee.

import { noteOf } from "./notes.js";

/** @import {MatchHead, Telling, TableChanges, SeatRow, Frame, ActionResult, Honesty, Offer, Pact, Judged, Mark} from "./types.js" */

/**
 * @typedef {object} Step
 * @property {number} turn
 * @property {string} name
 * @property {string} title
 * @property {Frame | null} frame  null while it is not loaded
 * @property {ActionResult[]} results
 * @property {Array<[string, string]>} moved
 * @property {Judged[]} judged
 */

/** @typedef {{k: number, at: number | null, seat: string, to: string[], text: string, turn: number, english: string, tokens: string, kind: string, prose: string, about: number}} Message */

export class MatchState {
  /** @param {MatchHead} head */
  constructor(head) {
    this.head = head;
    this.k = 0;
    /** @type {"forming" | "running" | "paused" | "over"} */ this.status = "forming";
    /** @type {Map<string, SeatRow>} */ this.chairs = new Map();
    /** @type {Step[]} */ this.steps = [];
    /** @type {Frame | null} */ this.frame = null;
    /** @type {Record<string, Mark[] | null>} */ this.layers = {};
    /** @type {ActionResult[]} */ this.plan = [];
    /** @type {Record<string, any>} */ this.choices = {};
    /** @type {Message[]} */ this.press = [];
    /** @type {Map<number, Offer>} */ this.offers = new Map();
    /** @type {Map<number, Pact>} */ this.pacts = new Map();
    this.turn = 0;
    this.stage = "";
    /** @type {string[]} */ this.toAct = [];
    /** @type {number | null} */ this.windowUntil = null;
    /** @type {Record<string, any> | null} */ this.terms = null;
    /** @type {{reason: string, places: string[][], scores: Record<string, number>} | null} */ this.outcome = null;
    /** @type {{k: number, text: string}[]} */ this.notes = [];
    this.begun = false;
    /** The last player of each seat, for notes. @type {Record<string, string>} */
    this.names = {};
    /** Seconds to add to the time of an event for the time of day; null if it is not known. @type {number | null} */
    this.epoch = null;
    /** Number of votes for a draw; the voters are secret. */ this.inFavour = 0;
    /** True if plans may be sealed in this turn. */
    this.sealing = false;
    /** The honesty of each seat, once the match is over and plans are open. @type {Honesty[]} */
    this.honesty = [];
    for (const telling of head.past) this.take(telling);
    this.setTable(head.table ?? {});
  }

  /** True if seats act one after another, so that actions are shown on the position to which they led. */
  get oneByOne() {
    return Boolean(this.head.sheet.after);
  }

  /** A seat as people write it. @param {string} seat */
  title(seat) {
    return this.look(seat)?.title ?? seat;
  }

  /** @param {string} seat */
  look(seat) {
    return this.head.sheet.seats?.[seat];
  }

  /** Why the match ended, for people; empty before that. */
  get ending() {
    const words = this.outcome?.reason ?? "";
    const named = words.replace(/\w+/g, (word) => this.title(word));
    return named.charAt(0).toUpperCase() + named.slice(1);
  }

  /** The seats, in the order of the game. */
  get seats() {
    return [...this.chairs.values()];
  }

  /**
   * @param {string} seat
   * @returns {SeatRow}
   */
  chair(seat) {
    return this.chairs.get(seat) ?? { seat, name: null, player_type: "", present: false, removed: false, acted: false, wait: false, ballot: "", deadline: null };
  }

  /**
   * Return the end of time for these seats; without one, that of all seats with a deadline.
   * @param {string[]} seats
   */
  deadlines(seats) {
    const all = this.seats.filter((chair) => chair.deadline !== null);
    const own = all.filter((chair) => seats.includes(chair.seat));
    return (own.length ? own : all).map((chair) => Number(chair.deadline));
  }

  /**
   * The table is as the referee says: nothing of it is worked out here.
   * @param {TableChanges} table
   */
  setTable(table) {
    if (table.seats) this.chairs = new Map(table.seats.map(({ seat }) => [seat, this.chair(seat)]));
    // Callers that wait for an answer read the same object afterwards.
    for (const row of table.seats ?? table.rows ?? []) Object.assign(this.chair(row.seat), row);
    this.status = table.status ?? this.status;
    this.turn = table.turn ?? this.turn;
    this.stage = table.stage ?? this.stage;
    this.toAct = table.to_act ?? this.toAct;
    this.inFavour = table.in_favour ?? this.inFavour;
    this.sealing = table.sealing ?? this.sealing;
    this.outcome = table.outcome ?? this.outcome;
    if (table.window_until !== undefined) this.windowUntil = table.window_until;
  }

  /**
   * Take in what happened next.
   * @param {Telling} telling
   */
  take({ k, e, x = {}, t = {} }) {
    this.k = k;
    const text = noteOf(e, this);
    if (text) this.notes.push({ k, text });
    this.setTable(t);
    for (const offer of x.offers ?? []) this.offers.set(offer.number, offer);
    for (const pact of x.pacts ?? []) this.pacts.set(pact.number, pact);
    FOLDS[e.event]?.(this, e, x, k);
  }

  /**
   * A new frame; layers that are as before are filled in.
   * @param {Frame | undefined} frame
   */
  setFrame(frame) {
    if (!frame) return;
    for (const [name, marks] of Object.entries(frame.layers)) {
      if (marks === null) frame.layers[name] = this.layers[name] ?? [];
    }
    this.layers = (this.frame = frame).layers;
  }

  /**
   * The steps one can look at: every turn, and where the match stands now.
   * @returns {Step[]}
   */
  allSteps() {
    if (!this.frame || this.oneByOne) return this.steps;
    const { name, title } = this.frame;
    return [...this.steps, { turn: this.turn, name, title, frame: this.frame, results: this.plan, moved: [], judged: [] }];
  }

  /**
   * Return how the pieces moved from the step before to this one.
   * @param {number} index
   */
  arrived(index) {
    return (this.oneByOne ? this.steps[index] : this.steps[index - 1])?.moved ?? [];
  }

  /**
   * Old turns that were asked for are here.
   * @param {Array<{turn: number, frame: Frame, results: ActionResult[], moved?: Array<[string, string]>}>} turns
   */
  load(turns) {
    for (const { turn, frame, results, moved } of turns) {
      Object.assign(this.steps.find((one) => one.turn === turn) ?? {}, { frame, results, moved: moved ?? [] });
    }
  }
}

/** @type {Record<string, (state: MatchState, e: Telling["e"], x: NonNullable<Telling["x"]>, k: number) => void>} */
const FOLDS = {
  opened(state, e) {
    state.terms = e.terms;
    state.epoch = typeof e.date === "number" ? e.date - e.at : null;
  },
  joined(state, e) {
    state.names[e.seat] = e.name;
  },
  started(state, _, x) {
    state.begun = true;
    state.setFrame(x.frame);
    if (state.frame && state.oneByOne) state.steps.push(step(state, 0, state.frame, [], []));
  },
  "position set": (state, _, x) => state.setFrame(x.frame),
  removed: (state, _, x) => state.setFrame(x.frame),
  "turn began"(state, _, x) {
    state.choices = x.choices ?? {};
    state.plan = [];
  },
  acted: setPlan,
  retracted: setPlan,
  said(state, e, x, k) {
    const { english = "", tokens = "", kind = "", prose = "" } = x.said ?? {};
    state.press.push({ k, at: state.epoch === null ? null : state.epoch + e.at, seat: e.seat, to: e.to, text: e.text, turn: e.turn, english, tokens, kind, prose, about: x.about ?? 0 });
  },
  ended(state, _, x) {
    state.honesty = x.honesty ?? [];
  },
  "turn ended"(state, e, x) {
    const judged = x.judged ?? [];
    if (x.before) state.setFrame(x.before);
    const before = state.frame;
    if (x.old) {
      state.steps.push({ turn: e.turn, name: x.old[0], title: x.old[1], frame: null, results: [], moved: [], judged });
      state.frame = null;
    } else {
      state.setFrame(x.frame);
      const shown = state.oneByOne ? state.frame : before;
      if (shown) state.steps.push(step(state, e.turn, shown, x.turn?.results ?? [], x.turn?.moved ?? [], judged));
    }
    state.plan = [];
    state.choices = {};
  },
};

/** @type {(state: MatchState, e: Telling["e"], x: NonNullable<Telling["x"]>) => void} */
function setPlan(state, _, x) {
  if (x.plan) state.plan = x.plan;
}

/** @type {(state: MatchState, turn: number, frame: Frame, results: ActionResult[], moved: Array<[string, string]>, judged?: Judged[]) => Step} */
function step(state, turn, frame, results, moved, judged = []) {
  const done = results.map((result) => `${result.seat} ${result.text}`).join(", ");
  const title = !state.oneByOne ? frame.title : turn ? `Turn ${turn}: ${done}` : "The start";
  return { turn, name: state.oneByOne ? String(turn) : frame.name, title, frame, results, moved, judged };
}
