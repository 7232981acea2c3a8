// The story of a match as this view knows it: a fold over what the server told, and nothing but a fold.

/** @import {StoryHead, Telling, Frame, Deed, Offer, Pact, Judged} from "./types.js" */

/**
 * @typedef {object} Step
 * @property {number} turn
 * @property {string} name
 * @property {string} title
 * @property {Frame} frame
 * @property {Deed[]} deeds
 * @property {Array<[string, string]>} arrived  how pieces came here from the step before
 * @property {Judged[]} judged
 */

/** @typedef {{k: number, seat: string, to: string[], text: string, turn: number, english: string, tokens: string, kind: string, about: number}} Saying */

/**
 * @typedef {object} Chair
 * @property {string} seat
 * @property {string} player
 * @property {string} type
 * @property {boolean} present
 * @property {string} removed
 * @property {boolean} acted
 * @property {boolean} wait
 * @property {string} talk
 * @property {string} vote
 */

export class Story {
  /** @param {StoryHead} head */
  constructor(head) {
    this.head = head;
    this.k = 0;
    /** @type {"forming" | "running" | "paused" | "over"} */
    this.status = "forming";
    /** @type {Map<string, Chair>} */
    this.chairs = new Map();
    /** @type {Step[]} */
    this.steps = [];
    /** @type {Frame | null} */
    this.frame = null;
    /** @type {Deed[]} */
    this.plan = [];
    /** @type {Record<string, any>} */
    this.choices = {};
    /** @type {Saying[]} */
    this.sayings = [];
    /** @type {Map<number, Offer>} */
    this.offers = new Map();
    /** @type {Map<number, Pact>} */
    this.pacts = new Map();
    this.turn = 0;
    this.stage = "";
    /** @type {string[]} */
    this.toAct = [];
    /** @type {Record<string, number>} */
    this.deadlines = {};
    /** @type {number | null} */
    this.windowUntil = null;
    /** @type {Record<string, any> | null} */
    this.terms = null;
    /** @type {{reason: string, places: string[][], scores: Record<string, number>} | null} */
    this.outcome = null;
    /** @type {{k: number, text: string}[]} */
    this.notes = [];
    this.now = 0;
    for (const telling of head.past) this.take(telling);
  }

  /** Whether one seat acts after another, so that what was done is shown on the position that it led to. */
  get oneByOne() {
    return SHOWN_AFTER.has(this.head.game);
  }

  /** The seats, in the order of the game. */
  get seats() {
    return [...this.chairs.values()];
  }

  /**
   * @param {string} seat
   * @returns {Chair}
   */
  chair(seat) {
    let found = this.chairs.get(seat);
    if (!found) {
      found = { seat, player: "", type: "", present: false, removed: "", acted: false, wait: false, talk: "", vote: "" };
      this.chairs.set(seat, found);
    }
    return found;
  }

  /**
   * Take in what happened next.
   * @param {Telling} telling
   */
  take({ k, e, x = {} }) {
    this.k = k;
    this.now = e.at;
    for (const offer of x.offers ?? []) this.offers.set(offer.number, offer);
    for (const pact of x.pacts ?? []) this.pacts.set(pact.number, pact);
    const fold = FOLDS[e.event];
    if (fold) fold(this, e, x, k);
  }

  /**
   * A new frame; layers that are as before are filled in.
   * @param {Frame | undefined} frame
   */
  setFrame(frame) {
    if (!frame) return;
    for (const [name, marks] of Object.entries(frame.layers)) {
      if (marks === null) frame.layers[name] = this.frame?.layers[name] ?? [];
    }
    this.frame = frame;
  }

  /**
   * The steps one can look at: every turn, and where the match stands now.
   * @returns {Step[]}
   */
  allSteps() {
    if (!this.frame) return [];
    const { name, title } = this.frame;
    if (this.oneByOne) return this.steps;
    const arrived = this.lastMoved;
    return [...this.steps, { turn: this.turn, name, title, frame: this.frame, deeds: this.plan, arrived, judged: [] }];
  }

  /** @type {Array<[string, string]>} */
  lastMoved = [];
}

/** Games whose deeds are shown on the position that they led to; others show them where they began. */
const SHOWN_AFTER = new Set(["fish"]);

/** @type {Record<string, (story: Story, e: Telling["e"], x: NonNullable<Telling["x"]>, k: number) => void>} */
const FOLDS = {
  opened(story, e) {
    story.terms = e.terms;
  },
  joined(story, e, _, k) {
    const chair = story.chair(e.seat);
    if (story.status !== "forming") note(story, k, `${e.name} sits down as ${e.seat}`);
    Object.assign(chair, { player: e.name, type: e.player_type, present: true });
  },
  left(story, e, _, k) {
    const chair = story.chair(e.seat);
    chair.present = false;
    if (story.status === "forming") chair.player = "";
    else note(story, k, `${chair.player || e.seat} leaves`);
  },
  started(story, e, x) {
    story.status = "running";
    for (const seat of e.seats) story.chair(seat);
    const order = [...e.seats];
    story.chairs = new Map(order.map((seat) => [seat, story.chair(seat)]));
    story.setFrame(x.frame);
    if (story.frame && story.oneByOne) {
      story.steps.push(step(story, 0, story.frame, [], []));
    }
  },
  "position set"(story, e, x, k) {
    story.setFrame(x.frame);
    note(story, k, `${e.by} set the position`);
  },
  "turn began"(story, e, x) {
    story.turn = e.turn;
    story.stage = e.stage;
    story.toAct = e.to_act;
    story.deadlines = e.deadlines ?? {};
    story.choices = x.choices ?? {};
    story.plan = [];
    for (const chair of story.chairs.values()) {
      Object.assign(chair, { acted: false, vote: "", wait: Boolean(story.terms?.wait_flags_up) && e.to_act.includes(chair.seat) });
    }
  },
  acted(story, e, x) {
    story.chair(e.seat).acted = true;
    if (x.plan) story.plan = x.plan.deeds;
  },
  retracted(story, e, x) {
    story.chair(e.seat).acted = false;
    if (x.plan) story.plan = x.plan.deeds;
  },
  "wait set"(story, e) {
    story.chair(e.seat).wait = e.wait;
  },
  "comm status set"(story, e) {
    story.chair(e.seat).talk = e.status;
  },
  voted(story, e) {
    story.chair(e.seat).vote = e.ballot;
  },
  said(story, e, x, k) {
    const said = x.said;
    story.sayings.push({
      k, seat: e.seat, to: e.to, text: e.text, turn: e.turn,
      english: said?.english ?? "", tokens: said?.tokens ?? "", kind: said?.kind ?? "", about: x.about ?? 0,
    });
  },
  "press opened"(story, e) {
    story.windowUntil = e.until;
  },
  "press closed"(story) {
    story.windowUntil = null;
  },
  fouled(story, e, _, k) {
    note(story, k, `${e.seat}: ${e.kind}${e.detail ? ` (${e.detail})` : ""}`);
  },
  removed(story, e, x, k) {
    story.chair(e.seat).removed = e.reason || "removed";
    story.setFrame(x.frame);
    note(story, k, `${e.seat} is out: ${e.reason}`);
  },
  "turn ended"(story, e, x) {
    const before = story.frame;
    const deeds = x.turn?.deeds ?? [];
    const moved = x.turn?.moved ?? [];
    story.setFrame(x.frame);
    if (before && story.frame) {
      if (story.oneByOne) story.steps.push(step(story, e.turn, story.frame, deeds, moved, x.judged));
      else story.steps.push(step(story, e.turn, before, deeds, story.lastMoved, x.judged));
    }
    story.lastMoved = moved;
    story.plan = [];
    story.choices = {};
    story.toAct = [];
  },
  paused(story, e, _, k) {
    story.status = "paused";
    note(story, k, `paused by ${e.by}`);
  },
  resumed(story, e, _, k) {
    story.status = "running";
    note(story, k, `resumed by ${e.by}`);
  },
  "turn forced"(story, e, _, k) {
    note(story, k, `${e.by} ended the turn`);
  },
  ended(story, e) {
    story.status = "over";
    story.outcome = e.outcome;
    story.toAct = [];
    story.deadlines = {};
  },
};

/**
 * @param {Story} story
 * @param {number} turn
 * @param {Frame} frame
 * @param {Deed[]} deeds
 * @param {Array<[string, string]>} arrived
 * @param {Judged[]} [judged]
 * @returns {Step}
 */
function step(story, turn, frame, deeds, arrived, judged = []) {
  const done = deeds.map((deed) => `${deed.seat} ${deed.text}`).join(", ");
  const title = !story.oneByOne ? frame.title : turn ? `Turn ${turn}: ${done}` : "The start";
  return { turn, name: story.oneByOne ? String(turn) : frame.name, title, frame, deeds, arrived, judged };
}

/**
 * @param {Story} story
 * @param {number} k
 * @param {string} text
 */
function note(story, k, text) {
  story.notes.push({ k, text });
}
