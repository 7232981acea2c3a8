// A seat at the table: the page of a live match, with what one may do there. Without a seat it is for watching.

import { Banner, closing } from "./banner.js";
import { Clock } from "./clock.js";
import { Composer } from "./composer.js";
import { h, steady } from "./dom.js";
import { keep, kept } from "./drafts.js";
import { MoveEntry } from "./moves.js";
import { OrderEntry } from "./orders.js";
import { Outbox, wasSaid } from "./outbox.js";
import { MatchPage, tool } from "./page.js";
import { renew } from "./renew.js";
import { ring } from "./sound.js";
import { agree, leaveSeat, moderate, signInLink, takeSeat } from "./seat_dialogs.js";

/** @import {MatchState} from "./match_state.js" */
/** @import {Target} from "./board.js" */
/** @import {Wire, Answer} from "./wire.js" */
/** @import {Item} from "./outbox.js" */
/** @import {Offer, Telling} from "./types.js" */

const FIRST = 1000;
const LONGEST = 30_000;

export class Table extends MatchPage {
  /**
   * @param {MatchState} state
   * @param {HTMLElement} root
   * @param {Wire} wire
   */
  constructor(state, root, wire) {
    super(state, root);
    this.wire = wire;
    /** Milliseconds before a missing turn is requested again. */
    this.patience = FIRST;
    /** Number of messages of press that wait to be sent. */
    this.unsent = 0;
    this.id = String(state.head.about?.match ?? "");
    const box = `${this.id}.outbox.${state.head.about?.account ?? ""}`;
    /** Keys of the messages that this page has had; others in the box are of another page of this browser. */
    const had = new Set();
    this.outbox = new Outbox({
      send: (message) => this.wire.send(message),
      load: () => kept(box) ?? [],
      save: (items) => {
        for (const { key } of items) had.add(key);
        keep(box, [...(kept(box) ?? []).filter((/** @type {Item} */ { key }) => !had.has(key)), ...items]);
      },
      turn: () => state.turn,
      known: () => state.k,
      happened: (item) => wasSaid(state.press, item.message, item.tried ?? 0),
      answered: (item, answer) => this.answered(item, answer),
      changed: () => this.showWaiting(),
    });
    this.entry = state.oneByOne ? new MoveEntry(this) : new OrderEntry(this);
    this.clock = new Clock(h("span", { class: "clock", role: "timer" }));
    this.clock.set(Number(state.head.about?.now ?? Date.now() / 1000));
    this.banner = new Banner();
    this.actions = h("div", { class: "actions" });
    this.wait = steady(h("button", { class: "primary", type: "button", onclick: () => this.ready() }));
    this.vote = steady(h("select", { "aria-label": "Vote on a draw", onchange: () => this.voted() },
      ["neutral", "yes", "no"].map((ballot) => h("option", { value: ballot }, ballot === "neutral" ? "Draw?" : `Draw: ${ballot}`))));
    this.tally = steady(h("span", { class: "tally" }));
    /** The turn for which a sound was made. */
    this.rung = -1;
    this.waiting = steady(h("p", { class: "waiting", role: "status", hidden: true }));
    this.furnish();
    this.board.ongrab = (target) => this.present && this.own.length > 0 && !this.composer?.filling && this.entry.grab(target);
    this.board.fit();
    this.show();
    this.outbox.setOnline(true);
    if (state.status !== "over") this.announceBreaches();
  }

  /** Put what belongs to a live match into the page. */
  furnish() {
    this.root.querySelector(".tools")?.prepend(this.clock.element, this.actions);
    const tools = this.root.querySelector(".map-tools");
    tools?.append(tool("save", "Take away: sandbox, pictures, record", async () => (await import("./take_away.js")).takeAway(this)));
    this.root.querySelector(".top")?.after(this.banner.root, this.waiting);
    const pane = this.root.querySelector("#panel-orders");
    if (this.own.length) {
      pane?.querySelector(".pane-title")?.after(this.entry.root);
      this.root.querySelector(".map-panel")?.append(this.entry.bar);
      this.root.classList.add("playing");
    }
    if (this.talks && this.own.length) {
      this.composer = new Composer(this);
      this.press.root.append(this.composer.root);
      this.press.root.classList.add("composing");
      this.press.onanswer = (offer, answer) => this.reply(offer, answer);
      this.press.onopen = () => this.composer?.render();
      this.press.onorders = (orders) => this.enterOrders(orders);
      this.press.unsent = () => this.outbox.items;
      this.press.seat = () => this.entry.seat;
    }
  }

  close() {
    super.close();
    clearTimeout(this.again);
    this.clock.close();
    this.outbox.close();
  }

  /**
   * Enter something: it waits in the queue until the server has taken it.
   * @param {Record<string, any>} message
   * @param {{label: string, slot?: string, turn?: number | null, first?: boolean}} what
   */
  enter(message, what) {
    return this.outbox.put(message, what);
  }

  /**
   * Raise or lower the flag of a seat that is not ready. A flag that waits to be raised stays in front of the orders
   * entered after it, which would end the turn without it.
   * @param {string} seat
   * @param {boolean} wait
   */
  flag(seat, wait) {
    if (wait) this.outbox.drop(`ready ${seat}`);
    if (wait && this.outbox.pending(`wait ${seat}`)) return;
    this.enter({ intent: "set wait", seat, wait }, { label: wait ? "that you are not ready" : "that you are ready", slot: `${wait ? "wait" : "ready"} ${seat}`, turn: this.state.turn });
  }

  /**
   * The server has taken something, or not; what could not be sent is said.
   * @param {Item} item
   * @param {Answer} answer
   */
  answered({ label, message }, answer) {
    this.entry.answered(message, answer);
    if (answer.refused === undefined || answer.code === "replaced") {
      if (answer.refused === undefined) this.banner.hide("problem");
      return;
    }
    if (answer.code === "stale" && message.intent === "set wait") return;
    if (answer.code === "stale") this.complain(`Not sent: ${label}. ${answer.reason}`);
    else if (message.intent === "vote" || message.intent === "set wait") this.complain(answer.reason);
  }

  /** Show the unsent messages while some of them wait. */
  showWaiting() {
    if (!this.waiting) return;
    // Of several that take one another's place the last one counts.
    const labels = [...new Map(this.outbox.items.map((item) => [item.slot || item.key, item.label])).values()];
    this.waiting.hidden = !labels.length || (this.outbox.online && !this.late);
    renew(this.waiting, labels.length ? `Waits to be sent: ${labels.join(", ")}.` : "");
    clearTimeout(this.lateTimer);
    this.late = labels.length > 0 && this.late;
    if (labels.length) this.lateTimer = setTimeout(() => { this.late = true; this.showWaiting(); }, FIRST);
    // Messages are shown anew when one begins or ceases to wait; orders leave them as they are.
    const unsent = this.outbox.items.filter(({ message }) => message.intent === "say").length;
    if (unsent !== this.unsent && this.press.last) this.press.show(...this.press.last);
    this.unsent = unsent;
    if (this.entry) this.showActions();
  }

  /**
   * @param {Record<string, any>} message
   * @returns {Promise<Answer>}
   */
  send(message) {
    return this.wire.send(message);
  }

  /**
   * Something happened.
   * @param {Telling} telling
   */
  take(telling) {
    const before = this.index;
    const notes = this.state.notes.length;
    const inFavour = this.state.inFavour;
    this.state.take(telling);
    this.news(before);
    if (!this.following) {
      this.entry.refresh();
      this.showActions();
    }
    if (telling.e.event === "turn began" || telling.e.event === "ended") this.composer?.render();
    if (this.state.inFavour > inFavour) this.say(`${this.state.inFavour} for a draw`);
    // The seat is this person's now, perhaps by another browser or after a stand-in: it is another view.
    if (telling.e.event === "joined" && telling.e.name === this.state.head.about?.account && !this.own.includes(telling.e.seat)) this.wire.restart();
    if (telling.e.event === "turn ended") this.announceBreaches();
    if (telling.e.event === "removed") this.count();
    if (["proclaimed", "joined", "left"].includes(telling.e.event)) this.askArrangements();
    const note = this.state.notes.length > notes ? this.state.notes.at(-1)?.text ?? "" : "";
    if (note) this.say(note);
    if (note && telling.e.by && telling.e.by !== this.state.head.about?.account) this.banner.announce(note);
    if (telling.e.event === "said" && !this.own.includes(telling.e.seat)) {
      const { english = telling.e.text, prose = "" } = telling.x?.said ?? {};
      this.say(`${this.state.title(telling.e.seat)}: ${prose} ${english}`);
    }
  }

  /** Say who broke a promise to this page's person in the last turn, at once or when they come, until they have read it. */
  announceBreaches() {
    const { turn = 0, judged = [] } = this.state.steps.at(-1) ?? {};
    const against = judged.filter((one) => one.status === "broken" && !this.own.includes(one.seat) && this.state.pacts.get(one.pact)?.parties.some((seat) => this.own.includes(seat)));
    const seen = `${this.id}.breaches`;
    this.banner.hide("breaches");
    if (!against.length || kept(seen) === turn) return;
    const read = () => {
      keep(seen, turn);
      this.banner.hide("breaches");
    };
    const look = () => {
      read();
      this.go(this.steps.length - 2);
    };
    this.banner.show("breaches", against.map((one) => one.sentence).join(" "),
      h("button", { type: "button", class: "small", "data-key": "look", onclick: look }, "Look back"), closing(read));
    this.say(against.map((one) => one.sentence).join(" "));
  }

  /**
   * @param {boolean} on
   * @param {number} seconds
   */
  setOnline(on, seconds) {
    this.outbox.setOnline(on);
    this.showWaiting();
    if (!on) {
      this.banner.show("line", `The line to the server is cut; the next try is in ${Math.max(1, seconds)} s. What you enter is kept and sent when it is back.`,
        h("button", { type: "button", class: "small", "data-key": "hurry", onclick: () => this.wire.hurry() }, "Try now"));
    } else {
      this.banner.hide("line");
      this.patience = FIRST;
      this.lookAgain();
    }
  }

  /**
   * @param {number} index
   * @param {number} moved
   */
  async fetchTurns(index, moved) {
    if (!this.wire) return; // an address that names a turn is read before there is a line; the turn is shown again then
    const turn = this.steps[index]?.turn ?? 0;
    this.timeline.show(this.steps, index);
    renew(this.heading, this.steps[index]?.title ?? "");
    const answer = await this.send({ ask: "turns", from: Math.max(0, turn - 2), to: turn + 5 });
    if (!answer.refused) this.state.load(answer.turns);
    if (this.index !== index || this.gone.signal.aborted) return;
    if (this.steps[index]?.frame) {
      this.patience = FIRST;
      this.show(moved);
      return;
    }
    // The shown turn has not arrived: say so, and request it again.
    renew(this.status, answer.refused ? answer.reason : "The server has not sent this turn yet.");
    clearTimeout(this.again);
    this.again = setTimeout(() => this.lookAgain(), this.patience);
    this.patience = Math.min(LONGEST, this.patience * 2);
  }

  /** Ask again for the turn that is looked at, if it is not here. */
  lookAgain() {
    clearTimeout(this.again);
    if (!this.gone.signal.aborted && !this.steps[this.index]?.frame) this.show();
  }

  /** @param {number} [moved] */
  show(moved = 0) {
    super.show(moved);
    if (!this.entry) return;
    this.root.classList.toggle("present", this.present);
    this.entry.refresh();
    this.showActions();
    this.alertTurn();
    if (this.state.outcome) this.askHistory();
    const { state } = this;
    const times = state.deadlines(this.own);
    this.clock.aim(times.length && state.status === "running" ? Math.min(...times) : state.windowUntil);
  }

  /** Ask once what each had in every turn, for the card that says how it ended; and where moves are a list, for them. */
  async askHistory() {
    if (this.asked) return;
    this.asked = true;
    const answer = await this.send({ ask: "history" });
    if (answer.refused !== undefined || this.gone.signal.aborted) return;
    this.history = answer.history;
    this.aftermath = { promises: answer.promises, players: answer.players };
    for (let at = 0; this.state.oneByOne && at < this.state.steps.length && !this.gone.signal.aborted; at += 8) {
      const turn = this.state.steps[at]?.turn ?? 0;
      const loaded = await this.send({ ask: "turns", from: turn, to: turn + 7 });
      if (loaded.refused === undefined) this.state.load(loaded.turns);
    }
    if (!this.gone.signal.aborted) this.show();
  }

  /** Alert a player who looks elsewhere by the page's title and by a sound. */
  alertTurn() {
    const { state } = this;
    const mine = state.status === "running" && this.own.some((seat) => state.toAct.includes(seat) && !state.chair(seat).acted);
    const title = `${state.head.title || state.head.game} · Parlour`;
    document.title = mine ? `(your turn) ${title}` : title;
    if (mine && document.hidden && this.rung !== state.turn) ring();
    if (mine) this.rung = state.turn;
  }

  showActions() {
    const { state } = this;
    if (!this.entry) return;
    // A spectator has no seat, and must not get an empty one that others could take.
    const seat = this.entry.seat || this.own[0] || "";
    const acting = state.toAct.includes(seat) && state.status === "running";
    const ready = acting && this.isReady(seat);
    renew(this.wait, ready ? "Not ready after all" : "Ready");
    this.wait.classList.toggle("primary", !ready);
    this.vote.value = this.outbox.pending(`vote ${seat}`)?.message.ballot ?? ((seat && state.chair(seat).ballot) || "neutral");
    const about = state.head.about ?? {};
    const votes = this.own.length && state.terms?.draw_votes && state.status === "running" && !state.oneByOne;
    renew(this.tally, state.terms?.draw_votes && state.inFavour && state.status !== "over" ? `${state.inFavour} for a draw` : "");
    renew(this.actions,
      this.tally,
      acting && !state.oneByOne ? this.wait : null,
      votes ? this.vote : null,
      this.freeSeats().length && state.status !== "over" ? h("button", { type: "button", "data-key": "seats", onclick: () => takeSeat(this) }, "Take a seat") : null,
      about.stand_in && state.status !== "over" ? h("button", { type: "button", "data-key": "back", onclick: () => this.comeBack(about.stand_in) }, "Take my seat back") : null,
      this.own.length && state.status !== "over" ? h("button", { type: "button", class: "quiet", "data-key": "leave", onclick: () => leaveSeat(this) }, "Leave …") : null,
      about.accord && state.status !== "over" ? h("button", { type: "button", class: "quiet", "data-key": "accord", onclick: () => agree(this) }, "Moderator …") : null,
      about.account ? null : signInLink(),
      about.moderator || about.manages ? h("button", { type: "button", class: "quiet", "data-key": "moderate", onclick: () => moderate(this) }, "Moderate") : null);
  }

  /** Seats that somebody may take: vacant ones, and those whose players seek a replacement. */
  freeSeats() {
    const { about } = this.state.head;
    if (this.own.length && about?.seats_each === 1) return [];
    const seeking = /** @type {string[]} */ (about?.seeking ?? []);
    return this.state.seats.filter((chair) => !chair.removed && !this.own.includes(chair.seat) && (!chair.present || seeking.includes(chair.seat)));
  }

  /** @param {string} seat */
  async comeBack(seat) {
    const answer = await this.tell(this.send({ ask: "join", seat }));
    if (answer.refused === undefined) {
      this.say("Your seat is yours again when the next turn begins.");
      this.wire.restart();
    }
  }

  /** Say that one has finished, or has not. What was entered before goes first. */
  ready() {
    const seat = this.entry.seat || this.own[0] || "";
    if (this.isReady(seat)) {
      this.flag(seat, true);
      return;
    }
    if ("finish" in this.entry) this.entry.finish(seat);
    // The turn may be over by the orders; the next one is not finished, so the flag is for this turn alone.
    if (this.state.chair(seat).wait || this.outbox.pending(`wait ${seat}`)) this.flag(seat, false);
  }

  /** @param {string} seat */
  isReady(seat) {
    const chair = this.state.chair(seat);
    const flag = this.outbox.pending(`ready ${seat}`) ?? this.outbox.pending(`wait ${seat}`);
    if (flag) return flag.message.wait === false;
    return (chair.acted || Boolean(this.outbox.pending(`act ${seat}`) && !chair.wait)) && !chair.wait;
  }

  async voted() {
    const seat = this.entry.seat || this.own[0] || "";
    const { turn } = this.state;
    await this.enter({ intent: "vote", seat, ballot: this.vote.value }, { label: "your vote", slot: `vote ${seat}`, turn });
    this.showActions(); // what is not counted is not shown as if it were
  }

  /**
   * Say which promises the orders of a seat would break, before it is too late.
   * @param {string} seat
   */
  async foresee(seat) {
    if (!(this.entry instanceof OrderEntry)) return;
    const { turn } = this.state;
    const mine = [...this.state.pacts.values()].some((pact) => pact.state === "active" && pact.parties.includes(seat));
    if (!mine) return;
    const action = this.entry.machines.get(seat)?.action ?? [];
    const answer = await this.send({ ask: "foresee", seat, action });
    if (answer.refused !== undefined || turn !== this.state.turn || this.entry.machines.get(seat)?.action.join() !== action.join()) return;
    this.entry.warnings.set(seat, answer.broken ?? []);
    this.entry.render();
  }

  /** Ask whose seats may be taken over and who moderates: somebody has announced something, came or went. */
  async askArrangements() {
    const { refused, seeking, moderator, manages, accord } = await this.send({ ask: "seat choices" });
    if (refused !== undefined || !this.state.head.about) return;
    Object.assign(this.state.head.about, { seeking, moderator, manages, accord });
    this.showActions();
  }

  /** Ask for the number of votes for a draw: a removed seat no longer votes, and only the server knows its vote. */
  async count() {
    if (!this.state.terms?.draw_votes || !this.state.inFavour) return;
    const answer = await this.send({ ask: "votes" });
    if (answer.refused) return;
    this.state.inFavour = answer.in_favour;
    this.showActions();
  }

  /**
   * Tell why something was refused.
   * @param {Promise<Answer>} asked
   * @returns {Promise<Answer>}
   */
  async tell(asked) {
    const answer = await asked;
    if (answer.refused) this.complain(answer.reason);
    else this.banner.hide("problem"); // what went wrong before is done with
    return answer;
  }

  /** @param {string} reason */
  complain(reason) {
    this.say(reason);
    this.banner.show("problem", reason);
  }

  /**
   * @param {Offer} offer
   * @param {string} answer
   */
  reply(offer, answer) {
    const seat = offer.to.find((one) => this.own.includes(one)) ?? "";
    const to = [offer.proposer, ...offer.to].filter((one) => one !== seat);
    const text = answer === "HUH" ? `HUH ( ERR ${offer.text} )` : `${answer} ( ${offer.text} )`;
    this.enter({ intent: "say", seat, to, text }, { label: "your answer" }).then((given) => {
      if (given.refused !== undefined) this.complain(given.reason);
    });
  }

  /**
   * Enter orders to which one has agreed.
   * @param {Array<[string, string]>} orders
   */
  enterOrders(orders) {
    if (!(this.entry instanceof OrderEntry)) return;
    const { entry } = this;
    for (const seat of new Set(orders.map(([one]) => one))) {
      const machine = entry.machines.get(seat);
      const set = orders.filter(([one, order]) => one === seat && machine?.set(order));
      if (set.length) entry.changed(seat);
      this.say(set.length ? `Ordered: ${set.map(([, order]) => order).join(", ")}` : "These orders cannot be given now.");
    }
  }

  /**
   * Ask others for the orders that a plan needs of them.
   * @param {string} seat
   * @param {Array<{seat: string, order: string}>} wanted
   */
  proposeOrders(seat, wanted) {
    this.composer?.fromOrders(seat, wanted);
    if (this.composer) this.chooseTab?.("press");
  }

  /** @param {number} index */
  resultAt(index) {
    return this.steps[this.index]?.results[index];
  }

  showHints() {
    if (!this.entry) return;
    const on = this.present && this.own.length > 0;
    this.board.set("hints", on ? [...(this.composer?.hints() ?? []), ...this.entry.hints()] : []);
  }

  /**
   * @param {Target | null} target
   * @param {PointerEvent} event
   */
  point(target, event) {
    super.point(target, event);
    if (!target || !this.present || !this.own.length) return;
    if (this.composer?.point(target)) return;
    this.entry.point(target);
  }

  /**
   * @param {Target | null} target
   * @param {PointerEvent} event
   */
  hover(target, event) {
    super.hover(target, event);
    if (!this.entry?.active || !this.present) return;
    const line = target ? this.entry.preview(target.at) : [];
    const shown = this.board.shown.get("hints") ?? [];
    this.board.set("hints", [...shown.filter((mark) => mark[1]["data-key"] !== "preview"), ...line]);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const typing = event.target instanceof HTMLElement && event.target.matches("input:not([type=range]), textarea, select");
    const open = document.querySelector("dialog[open]");
    const pressed = event.target instanceof HTMLElement && event.target.closest("button, summary") && event.key === "Enter";
    if (!typing && !open && !pressed && !event.ctrlKey && !event.metaKey && !event.altKey && this.present && this.own.length && this.entry.key(event)) {
      event.preventDefault();
      return;
    }
    super.key(event);
  }

  /** @returns {Array<[string, string]>} */
  keysHelp() {
    const orders = /** @type {Array<[string, string]>} */ (this.own.length && !this.state.oneByOne ? [
      ["N", "next unit"],
      ["H D", "hold, disband"],
      ["V", "go by sea"],
      ["C", "order the convoy's fleets"],
      ["W", "waive a build"],
      ["Z", "undo"],
      ["/", "type an order"],
      ["Esc", "one step back"],
    ] : []);
    return [...orders, ...super.keysHelp()];
  }

  /** @returns {Array<[string, string]>} */
  gesturesHelp() {
    const orders = /** @type {Array<[string, string]>} */ (this.own.length && !this.state.oneByOne ? [
      ["Unit, then a province", "move; against a foreign unit, attack"],
      ["Drag a unit", "move"],
      ["Unit twice", "hold"],
      ["Unit, own unit, province", "support, or convoy"],
      ["Unit, then an arrow", "support that order"],
      ["Army, then a far coast", "go by sea"],
    ] : this.own.length ? [["Penguin, then a tile", "move"]] : []);
    return [...orders, ...super.gesturesHelp()];
  }
}
