// Press: threads by circle, English first, tokens one click away, and what became of proposals.

import { fill, h, icon, write } from "./dom.js";
import { keep, kept } from "./drafts.js";
import { Kept, renew } from "./renew.js";

/** @import {Story, Saying, Step} from "./story.js" */
/** @import {Offer} from "./types.js" */

/** Messages of more characters than that show their first lines until somebody wants the rest. */
const LONG = 320;

export class Said {
  /**
   * @param {Story} story
   * @param {string[]} own
   */
  constructor(story, own) {
    this.story = story;
    this.own = own;
    /** @type {string | null} */
    this.circle = null;
    /** Up to which message each conversation was read, also by an earlier page of this browser. @type {Map<string, number>} */
    this.read = new Map(own.length ? kept(this.name) ?? [] : []);
    /** Whether it is looked at, so that what is shown is read. */
    this.watched = false;
    /** How many messages were not read yet. */
    this.unread = h("span", { class: "unread", hidden: true });
    this.threads = h("div", { class: "threads", role: "tablist", "aria-label": "Conversations" });
    this.lines = h("div");
    // It stands at its newest line by its style, so that nothing has to be measured when lines come and go.
    this.log = h("div", { class: "log", tabindex: "0", role: "tabpanel", "aria-label": "Messages" }, this.lines);
    this.root = h("div", { class: "said" }, this.threads, this.log);
    this.tabs = new Kept();
    this.rows = new Kept();
    this.empty = h("p", { class: "empty" });
    /** What was shown last. @type {[Step, boolean] | null} */
    this.last = null;
    /** @type {(offer: Offer, answer: string) => void} */
    this.onanswer = () => {};
  }

  get name() {
    return `read.${location.pathname}.${this.own.join("+")}`;
  }

  /**
   * Who hears a message, as a key: all who said or heard it.
   * @param {Saying} saying
   */
  circleOf(saying) {
    let circle = hearers.get(saying);
    if (circle === undefined) {
      circle = saying.to.length ? [...new Set([saying.seat, ...saying.to])].sort().join(" ") : "";
      hearers.set(saying, circle);
    }
    return circle;
  }

  /** @param {Saying} saying */
  isUnread(saying) {
    return saying.k > (this.read.get(this.circleOf(saying)) ?? 0) && !this.own.includes(saying.seat);
  }

  /**
   * Whether somebody looks at it now.
   * @param {boolean} watched
   */
  watch(watched) {
    this.watched = watched;
    if (this.last) this.show(...this.last);
  }

  /** @param {number} k  what is shown of the conversation that is open */
  note(k) {
    const circle = this.circle ?? "";
    if (this.watched && this.own.length && k > (this.read.get(circle) ?? 0)) {
      this.read.set(circle, k);
      keep(this.name, [...this.read]);
    }
    const left = this.own.length ? this.story.sayings.filter((saying) => this.isUnread(saying)).length : 0;
    this.unread.hidden = !left;
    renew(this.unread, left);
    write(this.unread, "aria-label", `${left} unread`);
  }

  /** @param {string} circle */
  titleOf(circle) {
    if (!circle) return "Everyone";
    const looks = this.story.head.sheet.seats ?? {};
    const others = circle.split(" ").filter((seat) => this.own.length !== 1 || seat !== this.own[0]);
    return others.map((seat) => looks[seat]?.title ?? seat).join(", ");
  }

  /**
   * Show what was said up to a turn.
   * @param {Step} step
   * @param {boolean} present
   */
  show(step, present) {
    this.last = [step, present];
    const heard = this.story.sayings.filter((saying) => present || saying.turn <= step.turn);
    /** @type {Map<string, Saying[]>} */
    const circles = new Map();
    for (const saying of heard) {
      const key = this.circleOf(saying);
      circles.set(key, [...(circles.get(key) ?? []), saying]);
    }
    const latest = heard.at(-1);
    // The newest first, where something new may come; whoever goes through the past finds each where it was.
    const order = [...circles.keys()];
    if (present) order.sort((a, b) => (circles.get(b)?.at(-1)?.k ?? 0) - (circles.get(a)?.at(-1)?.k ?? 0));
    if (this.circle === null || (!circles.has(this.circle) && !this.own.length)) this.circle = latest ? this.circleOf(latest) : null;
    const shown = circles.get(this.circle ?? "") ?? [];
    this.note(shown.at(-1)?.k ?? 0);
    fill(this.threads, order.map((key) => this.tab(key, circles.get(key) ?? [])));
    this.empty.textContent = heard.length ? "Choose a conversation." : this.nothing();
    fill(this.lines, shown.length ? this.linesOf(shown) : this.empty);
  }

  /** That nothing was said, as far as this page hears it. */
  nothing() {
    const { live, role } = this.story.head;
    return live && role === "spectator" ? "Nothing was said to everyone. What powers say among themselves only they hear." : "Nothing was said.";
  }

  /**
   * @param {string} key
   * @param {Saying[]} sayings
   */
  tab(key, sayings) {
    // Who only watches has read nothing, and is told of nothing that is new: a button need not change for that.
    const unread = this.own.length ? sayings.filter((saying) => this.isUnread(saying)).length : 0;
    const open = key === this.circle;
    return this.tabs.get(key, [unread, open], () => h("button", {
      type: "button", role: "tab", "aria-selected": String(open), class: `thread${open ? " open" : ""}`, "data-key": key || "all",
      onclick: () => {
        this.circle = key;
        if (this.last) this.show(...this.last);
      },
    }, this.titleOf(key), unread ? h("span", { class: "unread", "aria-label": `${unread} unread` }, unread) : null));
  }

  /**
   * @param {Saying[]} sayings
   * @returns {Element[]}
   */
  linesOf(sayings) {
    /** @type {Element[]} */
    const lines = [];
    let turn = -1;
    for (const saying of sayings) {
      if (saying.turn !== turn) {
        turn = saying.turn;
        const step = this.story.steps.find((one) => one.turn === turn);
        const title = step?.title ?? this.story.frame?.title ?? "";
        lines.push(this.rows.get(`turn ${turn}`, [title], () => h("p", { class: "turn-line" }, title)));
      }
      const offer = this.story.offers.get(saying.about);
      lines.push(this.rows.get(saying.k, [offer], () => this.line(saying, offer)));
    }
    return lines;
  }

  /**
   * @param {Saying} saying
   * @param {Offer | undefined} offer
   */
  line(saying, offer) {
    const look = this.story.head.sheet.seats?.[saying.seat];
    const mine = this.own.includes(saying.seat);
    const words = saying.english || saying.text;
    const box = h("article", { class: `saying${mine ? " mine" : ""}`, "data-key": saying.k },
      h("header", {}, h("b", {}, look?.title ?? saying.seat)),
      h("p", { class: "words" }, words),
      words.length > LONG ? fold() : null,
      saying.tokens ? h("details", { class: "tokens" }, h("summary", {}, "tokens"), h("code", {}, saying.tokens)) : null,
      offer && (saying.kind === "propose" || saying.kind === "insist") ? this.state(offer) : null);
    if (look) box.style.setProperty("--seat-line", `var(--b-${look.line ?? look.unit})`);
    return box;
  }

  /** @param {Offer} offer */
  state(offer) {
    const answers = Object.entries(offer.replies ?? {});
    const looks = this.story.head.sheet.seats ?? {};
    const waiting = offer.state === "open" && offer.to.some((seat) => this.own.includes(seat) && !offer.replies?.[seat]);
    return h("footer", { class: `offer ${offer.state}` },
      h("span", { class: "seal" }, offer.state === "agreed" ? icon("seal") : null, offer.state),
      answers.map(([seat, answer]) => h("span", { class: "answer" }, `${looks[seat]?.title ?? seat}: ${ANSWERS[answer] ?? answer}`)),
      waiting && this.story.head.live
        ? h("span", { class: "reply" }, ["YES", "REJ", "HUH"].map((answer) =>
            h("button", { type: "button", class: answer === "YES" ? "primary small" : "small", "data-key": answer, onclick: () => this.onanswer(offer, answer) }, ANSWERS[answer])))
        : null);
  }
}

/** What opens a long message; whoever listens to the page has all of it already. */
function fold() {
  return h("details", { class: "fold" }, h("summary", {}, h("span", { class: "more" }, "more"), h("span", { class: "fewer" }, "less")));
}

/** Who heard what. @type {WeakMap<Saying, string>} */
const hearers = new WeakMap();

/** @type {Record<string, string>} */
const ANSWERS = { YES: "Yes", REJ: "No", HUH: "Huh?", BWX: "None of your business" };
