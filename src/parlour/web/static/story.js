// The story of a match as this view knows it: a fold over what the server told, and nothing but a fold.

/** @import {StoryHead, Telling, Frame, Deed, Offer, Pact, Judged, Mark} from "./types.js" */

/**
 * @typedef {object} Step
 * @property {number} turn
 * @property {string} name
 * @property {string} title
 * @property {Frame | null} frame  null while it is not loaded
 * @property {Deed[]} deeds
 * @property {Array<[string, string]>} moved
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
    /** @type {Record<string, Mark[] | null>} */
    this.layers = {};
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
    this.pausedAt = 0;
    /** How many are for a draw; who they are is a secret. */
    this.inFavour = 0;
    for (const telling of head.past) this.take(telling);
    this.inFavour = Number(head.about?.in_favour ?? this.inFavour);
  }

  /** Whether one seat acts after another, so that what was done is shown on the position that it led to. */
  get oneByOne() {
    return Boolean(this.head.sheet.after);
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
   * All deadlines of the turn are later by so much.
   * @param {number} seconds
   */
  moveDeadlines(seconds) {
    for (const [seat, time] of Object.entries(this.deadlines)) this.deadlines[seat] = Number(time) + seconds;
    if (this.windowUntil !== null) this.windowUntil += seconds;
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
      if (marks === null) frame.layers[name] = this.layers[name] ?? [];
    }
    this.layers = frame.layers;
    this.frame = frame;
  }

  /**
   * The steps one can look at: every turn, and where the match stands now.
   * @returns {Step[]}
   */
  allSteps() {
    if (!this.frame || this.oneByOne) return this.steps;
    const { name, title } = this.frame;
    return [...this.steps, { turn: this.turn, name, title, frame: this.frame, deeds: this.plan, moved: [], judged: [] }];
  }

  /**
   * How pieces came to a step from the one before it.
   * @param {number} index
   */
  arrived(index) {
    return (this.oneByOne ? this.steps[index] : this.steps[index - 1])?.moved ?? [];
  }

  /**
   * Old turns that were asked for are here.
   * @param {Array<{turn: number, frame: Frame, deeds: Deed[], moved?: Array<[string, string]>}>} turns
   */
  load(turns) {
    for (const { turn, frame, deeds, moved } of turns) {
      const step = this.steps.find((one) => one.turn === turn);
      if (step) Object.assign(step, { frame, deeds, moved: moved ?? [] });
    }
  }
}

/**
 * Whether a seat's flag is up when a turn begins.
 * @param {Story} story
 * @param {Chair} chair
 */
function flagAtFirst(story, chair) {
  return Boolean(story.terms?.wait_flags_up) || (Boolean(story.terms?.vacant_flags_up) && !chair.present);
}

/**
 * What a flag said counts no longer when a seat changes hands that is waited for whoever has it.
 * @param {Story} story
 * @param {Chair} chair
 */
function renewFlag(story, chair) {
  if (story.terms?.vacancy === "awaited") chair.wait = flagAtFirst(story, chair);
}

/** @type {Record<string, (story: Story, e: Telling["e"], x: NonNullable<Telling["x"]>, k: number) => void>} */
const FOLDS = {
  opened(story, e) {
    story.terms = e.terms;
  },
  joined(story, e, _, k) {
    const chair = story.chair(e.seat);
    if (story.status !== "forming") note(story, k, `${e.name} sits down as ${e.seat}`);
    Object.assign(chair, { player: e.name, type: e.player_type, present: true });
    renewFlag(story, chair);
  },
  left(story, e, _, k) {
    const chair = story.chair(e.seat);
    chair.present = false;
    renewFlag(story, chair);
    if (story.status === "forming") chair.player = "";
    else note(story, k, `${chair.player || e.seat} leaves`);
  },
  extended(story, e, _, k) {
    story.moveDeadlines(e.seconds);
    note(story, k, e.seconds < 0 ? `${e.by} took time away` : `${e.by} gave more time`);
  },
  stalled(story, e) {
    if (story.status === "running" && !story.terms?.downtime_counts) story.moveDeadlines(e.seconds);
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
    story.inFavour = 0;
    for (const chair of story.chairs.values()) {
      Object.assign(chair, { acted: false, vote: "", wait: flagAtFirst(story, chair) && e.to_act.includes(chair.seat) });
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
    // Of others one is told that somebody voted, and how many are in favour now.
    if (e.seat && !e.among?.length) story.chair(e.seat).vote = e.ballot;
    if (!e.among?.length) story.inFavour = Number(e.in_favour ?? story.inFavour);
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
    const judged = x.judged ?? [];
    if (x.before) story.setFrame(x.before);
    const before = story.frame;
    if (x.old) {
      story.steps.push({ turn: e.turn, name: x.old[0], title: x.old[1], frame: null, deeds: [], moved: [], judged });
      story.frame = null;
    } else {
      story.setFrame(x.frame);
      const shown = story.oneByOne ? story.frame : before;
      if (shown) story.steps.push(step(story, e.turn, shown, x.turn?.deeds ?? [], x.turn?.moved ?? [], judged));
    }
    story.plan = [];
    story.choices = {};
    story.toAct = [];
  },
  paused(story, e, _, k) {
    if (story.status !== "paused") story.pausedAt = e.at;
    story.status = "paused";
    note(story, k, e.by ? `paused by ${e.by}` : "paused: too few are here");
  },
  resumed(story, e, _, k) {
    story.status = "running";
    story.moveDeadlines(e.at - story.pausedAt);
    if (Object.keys(e.deadlines ?? {}).length) story.deadlines = { ...e.deadlines };
    note(story, k, e.by ? `resumed by ${e.by}` : "the match goes on");
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
 * @param {Array<[string, string]>} moved
 * @param {Judged[]} [judged]
 * @returns {Step}
 */
function step(story, turn, frame, deeds, moved, judged = []) {
  const done = deeds.map((deed) => `${deed.seat} ${deed.text}`).join(", ");
  const title = !story.oneByOne ? frame.title : turn ? `Turn ${turn}: ${done}` : "The start";
  return { turn, name: story.oneByOne ? String(turn) : frame.name, title, frame, deeds, moved, judged };
}

/**
 * @param {Story} story
 * @param {number} k
 * @param {string} text
 */
function note(story, k, text) {
  story.notes.push({ k, text });
}
