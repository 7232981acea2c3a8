// Press: a conversation for each power, each group and everyone; English first, tokens one click away, and proposals.

import { coloured, fill, h, icon, write } from "./dom.js";
import { keep, kept } from "./drafts.js";
import { Kept, renew } from "./renew.js";

/** @import {MatchState, Message, Step} from "./match_state.js" */
/** @import {Offer} from "./types.js" */
/** @import {Item} from "./outbox.js" */

/** Messages of more characters than that show their first lines until somebody wants the rest. */
const LONG = 320;

export class Press {
  /**
   * @param {MatchState} state
   * @param {string[]} own
   */
  constructor(state, own) {
    this.state = state;
    this.own = own;
    /** The conversation that is open: all who are in it, none for everyone; null while none is chosen. @type {string | null} */
    this.circle = null;
    /** The seats of a group that is being put together. @type {Set<string> | null} */
    this.group = null;
    /** Messages that wait to be sent. @type {() => Item[]} */
    this.unsent = () => [];
    /** Up to which message each conversation was read, also by an earlier page of this browser. @type {Map<string, number>} */
    this.read = new Map(own.length ? kept(this.name) ?? [] : []);
    /** True while the panel is visible, so that its messages count as read. */
    this.watched = false;
    /** Number of unread messages. */
    this.unread = h("span", { class: "unread", hidden: true });
    this.threads = h("div", { class: "threads", role: "tablist", "aria-label": "Conversations" });
    this.lines = h("div");
    // It stands at its newest line by its style, so that nothing has to be measured when lines come and go.
    this.log = h("div", { class: "log", tabindex: "0", role: "tabpanel", "aria-label": "Messages" }, this.lines);
    this.more = h("div");
    this.picker = h("div", { class: "picker", hidden: true });
    this.root = h("div", { class: "said" }, h("div", { class: "conversations" }, this.threads, this.more, this.picker), this.log);
    this.tabs = new Kept();
    this.rows = new Kept();
    this.empty = h("p", { class: "empty" });
    /** The order of the conversations, and the one that is open. */
    this.order = "";
    /** The last shown step. @type {[Step, boolean] | null} */
    this.last = null;
    /** @type {(offer: Offer, answer: string) => void} */
    this.onanswer = () => {};
    /** Another conversation is open. @type {() => void} */
    this.onopen = () => {};
    /** Enter the orders of a pact. @type {(orders: Array<[string, string]>) => void} */
    this.onorders = () => {};
  }

  get name() {
    return `read.${location.pathname}.${this.own.join("+")}`;
  }

  /**
   * Return the key of a message's circle: all who sent or received it.
   * @param {Message} message
   */
  circleOf(message) {
    let circle = hearers.get(message);
    if (circle === undefined) {
      circle = message.to.length ? [...new Set([message.seat, ...message.to])].sort().join(" ") : "";
      hearers.set(message, circle);
    }
    return circle;
  }

  /** @param {Message} message */
  isUnread(message) {
    return message.k > (this.read.get(this.circleOf(message)) ?? 0) && !this.own.includes(message.seat);
  }

  /**
   * Set if the panel is visible now.
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
    this.count();
  }

  count() {
    const left = this.own.length ? this.state.press.filter((message) => this.isUnread(message)).length : 0;
    this.unread.hidden = !left;
    renew(this.unread, left);
    write(this.unread, "aria-label", `${left} unread`);
  }

  /** @param {string} circle */
  titleOf(circle) {
    if (!circle) return "Everyone";
    const others = circle.split(" ").filter((seat) => this.own.length !== 1 || seat !== this.own[0]);
    return others.map((seat) => this.state.title(seat)).join(", ");
  }

  /**
   * Show the press up to a turn.
   * @param {Step} step
   * @param {boolean} present
   */
  show(step, present) {
    this.last = [step, present];
    const heard = this.state.press.filter((message) => present || message.turn <= step.turn);
    /** @type {Map<string, Message[]>} */
    const circles = new Map();
    for (const message of heard) {
      const key = this.circleOf(message);
      circles.set(key, [...(circles.get(key) ?? []), message]);
    }
    for (const key of this.possible(present)) if (!circles.has(key)) circles.set(key, []);
    const latest = heard.at(-1);
    // Newest first while new messages may come; in the past each conversation keeps its place.
    const order = [...circles.keys()];
    if (present) order.sort((a, b) => (circles.get(b)?.at(-1)?.k ?? 0) - (circles.get(a)?.at(-1)?.k ?? 0));
    // Players choose a conversation; for others the latest one is shown.
    if (!this.talks && (this.circle === null || !circles.has(this.circle))) this.circle = latest ? this.circleOf(latest) : null;
    const shown = this.circle === null ? [] : circles.get(this.circle) ?? [];
    if (this.circle !== null) this.note(shown.at(-1)?.k ?? 0);
    else this.count();
    fill(this.threads, order.map((key) => this.tab(key, circles.get(key) ?? [])));
    this.keepInSight(`${this.circle}: ${order}`);
    fill(this.more, this.talks && this.private ? this.grouping() : null);
    this.pick();
    this.empty.textContent = this.circle !== null ? "Nothing was said here yet." : this.talks || heard.length ? "Choose a conversation." : this.nothing();
    fill(this.lines, shown.length ? this.linesOf(shown) : this.empty, present ? this.unsentLines() : []);
  }

  /**
   * Where conversations have one line, the open one is not beyond its end.
   * @param {string} order
   */
  keepInSight(order) {
    if (order === this.order) return;
    this.order = order;
    this.threads.querySelector(".open")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /** True if this page's person can send press. */
  get talks() {
    return this.own.length > 0 && Boolean(this.state.head.live) && this.state.status !== "over";
  }

  /** True if press to single powers is allowed. */
  get private() {
    return this.state.terms?.press?.private !== false;
  }

  /** The seat that talks. */
  get speaker() {
    return this.seat() || this.own[0] || "";
  }

  /** The seat for which something is entered; the table says which. @returns {string} */
  seat() {
    return this.own[0] ?? "";
  }

  /** Conversations that can be begun: with each other power, and with everyone. @param {boolean} present */
  possible(present) {
    if (!this.talks || !present) return [];
    const others = this.state.seats.filter((chair) => !chair.removed && !this.own.includes(chair.seat));
    return ["", ...(this.private ? others.map((chair) => this.circleWith([chair.seat])) : [])];
  }

  /** @param {string[]} seats */
  circleWith(seats) {
    return seats.length ? [...new Set([this.speaker, ...seats])].sort().join(" ") : "";
  }

  /** Recipients of a message to the conversation; null if none is chosen. */
  get recipients() {
    return this.circle === null ? null : this.circle.split(" ").filter((seat) => seat && seat !== this.speaker);
  }

  /** The button for a conversation among several. */
  grouping() {
    return this.tabs.get("+", [this.group !== null], () => h("button", {
      type: "button", class: "thread new-group", "aria-expanded": String(this.group !== null), "data-key": "+",
      onclick: () => {
        this.group = this.group ? null : new Set();
        this.again();
      },
    }, icon("plus"), "Group"));
  }

  /** The powers to choose a group from. */
  pick() {
    this.picker.hidden = !this.group;
    if (!this.group) return;
    const group = this.group;
    const others = this.state.seats.filter((chair) => !chair.removed && !this.own.includes(chair.seat));
    renew(this.picker, h("fieldset", { class: "powers" }, h("legend", {}, "Among"), others.map(({ seat }) => h("button", {
      type: "button", "aria-pressed": String(group.has(seat)), "data-key": seat,
      onclick: () => {
        if (!group.delete(seat)) group.add(seat);
        if (group.size > 1) this.circle = this.circleWith([...group]);
        this.again();
      },
    }, this.state.title(seat)))));
  }

  again() {
    if (this.last) this.show(...this.last);
    this.onopen();
  }

  /** Messages of this conversation that the server has not taken yet. */
  unsentLines() {
    const mine = this.unsent().filter(({ message }) => message.intent === "say" && this.circleWith(message.to ?? []) === this.circle);
    return mine.map(({ key, message }) => this.rows.get(key, [], () => h("article", { class: "press-message mine unsent", "data-key": key },
      h("header", {}, h("b", {}, this.state.title(message.seat))),
      h("p", { class: "words" }, message.text), h("footer", { class: "offer" }, "not sent yet"))));
  }

  /** Return the text for a conversation without messages. */
  nothing() {
    const { live, role } = this.state.head;
    return live && role === "spectator" ? "Nothing was said to everyone. What powers say among themselves only they hear." : "Nothing was said.";
  }

  /**
   * @param {string} key
   * @param {Message[]} messages
   */
  tab(key, messages) {
    // A spectator has no read messages, so nothing is marked as new, and the button does not change.
    const unread = this.own.length ? messages.filter((message) => this.isUnread(message)).length : 0;
    const open = key === this.circle;
    return this.tabs.get(key, [unread, open], () => h("button", {
      type: "button", role: "tab", "aria-selected": String(open), class: `thread${open ? " open" : ""}`, "data-key": key || "all",
      onclick: () => {
        this.circle = key;
        this.group = null;
        this.again();
      },
    }, this.titleOf(key), unread ? h("span", { class: "unread", "aria-label": `${unread} unread` }, unread) : null));
  }

  /**
   * @param {Message[]} messages
   * @returns {Element[]}
   */
  linesOf(messages) {
    /** @type {Element[]} */
    const lines = [];
    let turn = -1;
    for (const message of messages) {
      if (message.turn !== turn) {
        turn = message.turn;
        const step = this.state.steps.find((one) => one.turn === turn);
        const title = step?.title ?? this.state.frame?.title ?? "";
        lines.push(this.rows.get(`turn ${turn}`, [title], () => h("p", { class: "turn-line" }, title)));
      }
      const offer = this.state.offers.get(message.about);
      const pact = offer && [...this.state.pacts.values()].find((one) => one.proposal === offer.number);
      lines.push(this.rows.get(message.k, [offer, pact, this.state.turn], () => this.line(message, offer)));
    }
    return lines;
  }

  /**
   * @param {Message} message
   * @param {Offer | undefined} offer
   */
  line(message, offer) {
    const mine = this.own.includes(message.seat);
    const words = message.prose || message.english || message.text;
    return coloured(h("article", { class: `press-message${mine ? " mine" : ""}`, "data-key": message.k },
      h("header", {}, h("b", {}, this.state.title(message.seat)), message.at === null ? null : h("time", { datetime: new Date(message.at * 1000).toISOString() }, whenOf(message.at))),
      h("p", { class: "words" }, words),
      words.length > LONG ? fold() : null,
      message.prose ? h("p", { class: "core" }, icon("seal"), h("span", {}, message.english)) : null,
      message.tokens ? h("details", { class: "tokens" }, h("summary", {}, "tokens"), h("code", {}, message.tokens)) : null,
      offer && (message.kind === "propose" || message.kind === "insist") ? this.stateOf(offer) : null), this.state.look(message.seat));
  }

  /** A button that enters the orders to which one has agreed. @param {Offer} offer */
  ownOrders(offer) {
    const pact = [...this.state.pacts.values()].find((one) => one.proposal === offer.number && one.state === "active" && one.since === this.state.turn);
    const orders = (pact?.orders ?? []).filter(([seat]) => this.own.includes(seat));
    if (!orders.length || !this.talks) return null;
    return h("button", { type: "button", class: "small", "data-key": "orders", onclick: () => this.onorders(orders) }, orders.length === 1 ? "Enter my order" : "Enter my orders");
  }

  /** @param {Offer} offer */
  stateOf(offer) {
    const answers = Object.entries(offer.replies ?? {});
    const waiting = offer.state === "open" && offer.to.some((seat) => this.own.includes(seat) && !offer.replies?.[seat]);
    return h("footer", { class: `offer ${offer.state}` },
      h("span", { class: "seal" }, offer.state === "agreed" ? icon("seal") : null, offer.state),
      answers.map(([seat, answer]) => h("span", { class: "answer" }, `${this.state.title(seat)}: ${ANSWERS[answer] ?? answer}`)),
      waiting && this.state.head.live
        ? h("span", { class: "reply" }, ["YES", "REJ", "HUH"].map((answer) =>
            h("button", { type: "button", class: answer === "YES" ? "primary small" : "small", "data-key": answer, onclick: () => this.onanswer(offer, answer) }, ANSWERS[answer])))
        : null,
      this.ownOrders(offer));
  }
}

/** Return the time of a message: the time of day, with the day if it is another. @param {number} at */
function whenOf(at) {
  const date = new Date(at * 1000);
  const today = date.toDateString() === new Date().toDateString();
  return date.toLocaleString(undefined, today ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" });
}

/** Return the button that opens a long message; screen readers have the whole text already. */
function fold() {
  return h("details", { class: "fold" }, h("summary", {}, h("span", { class: "more" }, "more"), h("span", { class: "fewer" }, "less")));
}

/** The key of each message's circle. @type {WeakMap<Message, string>} */
const hearers = new WeakMap();

/** @type {Record<string, string>} */
const ANSWERS = { YES: "Yes", REJ: "No", HUH: "Huh?", BWX: "None of your business" };
