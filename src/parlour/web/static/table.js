// A seat at the table: the page of a live match, with what one may do there. Without a seat it is for watching.

import { Clock } from "./clock.js";
import { Composer } from "./composer.js";
import { fill, h, icon, steady } from "./dom.js";
import { MoveEntry } from "./moves.js";
import { OrderEntry } from "./orders.js";
import { MatchPage } from "./page.js";
import { renew } from "./renew.js";

/** @import {Story} from "./story.js" */
/** @import {Target} from "./board.js" */
/** @import {Wire, Answer} from "./wire.js" */
/** @import {Offer, Telling} from "./types.js" */

const FIRST = 1000;
const LONGEST = 30_000;

export class Table extends MatchPage {
  /**
   * @param {Story} story
   * @param {HTMLElement} root
   * @param {Wire} wire
   */
  constructor(story, root, wire) {
    super(story, root);
    this.wire = wire;
    /** So long in milliseconds is waited before a turn that did not come is asked for again. */
    this.patience = FIRST;
    this.id = String(story.head.about?.match ?? "");
    this.entry = story.oneByOne ? new MoveEntry(this) : new OrderEntry(this);
    this.clock = new Clock(h("span", { class: "clock", role: "timer" }));
    this.clock.set(Number(story.head.about?.now ?? Date.now() / 1000));
    this.banner = h("p", { class: "banner", role: "alert", hidden: true });
    this.actions = h("div", { class: "actions" });
    this.wait = steady(h("button", { class: "primary", type: "button", onclick: () => this.ready() }));
    this.vote = steady(h("select", { "aria-label": "Vote on a draw", onchange: () => this.voted() },
      ["neutral", "yes", "no"].map((ballot) => h("option", { value: ballot }, ballot === "neutral" ? "Draw? no vote" : `Draw? ${ballot}`))));
    this.tally = steady(h("span", { class: "tally" }));
    this.furnish();
    this.board.fit();
    this.show();
  }

  /** Put what belongs to a live match into the page. */
  furnish() {
    this.root.querySelector(".tools")?.prepend(this.clock.element, this.actions);
    this.root.querySelector(".top")?.after(this.banner);
    const pane = this.root.querySelector("#panel-orders");
    if (this.own.length) {
      pane?.querySelector(".pane-title")?.after(this.entry.root);
      this.root.querySelector(".map-panel")?.append(this.entry.bar);
      this.root.classList.add("playing");
    }
    if (this.talks && this.own.length) {
      this.composer = new Composer(this);
      this.said.root.append(this.composer.root);
      this.said.root.classList.add("composing");
      this.said.onanswer = (offer, answer) => this.reply(offer, answer);
    }
  }

  close() {
    super.close();
    clearTimeout(this.again);
    this.clock.close();
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
    const notes = this.story.notes.length;
    const inFavour = this.story.inFavour;
    this.story.take(telling);
    this.news(before);
    if (!this.following) {
      this.entry.refresh();
      this.showActions();
    }
    if (telling.e.event === "turn began") this.composer?.render();
    if (this.story.inFavour > inFavour) this.say(`${this.story.inFavour} for a draw`);
    if (telling.e.event === "removed") this.count();
    if (this.story.notes.length > notes) this.say(this.story.notes.at(-1)?.text ?? "");
    if (telling.e.event === "said" && !this.own.includes(telling.e.seat)) {
      this.say(`${telling.e.seat}: ${telling.x?.said?.english ?? telling.e.text}`);
    }
  }

  /**
   * @param {boolean} on
   * @param {number} seconds
   */
  setOnline(on, seconds) {
    this.banner.hidden = on;
    if (!on) {
      renew(this.banner, `The line to the server is cut; the next try is in ${seconds} s. What you entered is kept. `,
        h("button", { type: "button", class: "small", "data-key": "hurry", onclick: () => this.wire.hurry() }, "Try now"));
    } else {
      this.entry.resend();
      this.patience = FIRST;
      this.lookAgain();
    }
  }

  /**
   * @param {number} index
   * @param {number} moved
   */
  async fetchTurns(index, moved) {
    const turn = this.steps[index]?.turn ?? 0;
    this.timeline.show(this.steps, index);
    renew(this.heading, this.steps[index]?.title ?? "");
    const answer = await this.send({ ask: "turns", from: Math.max(0, turn - 2), to: turn + 5 });
    if (!answer.refused) this.story.load(answer.turns);
    if (this.index !== index || this.gone.signal.aborted) return;
    if (this.steps[index]?.frame) {
      this.patience = FIRST;
      this.show(moved);
      return;
    }
    // It is looked at, and did not come: whoever waits for it is told so, and it is asked for again.
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
    const { story } = this;
    const own = this.own.map((seat) => story.deadlines[seat]).filter((time) => time !== undefined);
    const times = own.length ? own : Object.values(story.deadlines);
    this.clock.aim(times.length && story.status === "running" ? Math.min(...times.map(Number)) : story.windowUntil);
  }

  showActions() {
    const { story } = this;
    if (!this.entry) return;
    // Who only watches has no chair, and must not be given an empty one that others could then take.
    const seat = this.entry.seat || this.own[0] || "";
    const acting = story.toAct.includes(seat) && story.status === "running";
    const ready = acting && this.isReady(seat);
    renew(this.wait, ready ? "Not ready after all" : "Ready");
    this.wait.classList.toggle("primary", !ready);
    this.vote.value = (seat && story.chair(seat).vote) || "neutral";
    const votes = this.own.length && story.terms?.draw_votes && story.status === "running" && !story.oneByOne;
    renew(this.tally, story.terms?.draw_votes && story.inFavour && story.status !== "over" ? `${story.inFavour} for a draw` : "");
    renew(this.actions,
      this.tally,
      acting && !story.oneByOne ? this.wait : null,
      votes ? this.vote : null,
      this.freeSeats().length && story.status !== "over" ? h("button", { type: "button", "data-key": "seats", onclick: () => this.choices() }, "Take a seat") : null,
      story.head.about?.moderator ? h("button", { type: "button", class: "quiet", "data-key": "moderate", onclick: () => this.moderate() }, "Moderate") : null);
  }

  /** Seats that somebody may take. */
  freeSeats() {
    return this.story.seats.filter((chair) => !chair.present && !chair.removed && !this.own.includes(chair.seat));
  }

  /** Say that one has finished, or has not. What was entered before goes first. */
  async ready() {
    const { turn } = this.story;
    const seat = this.entry.seat || this.own[0] || "";
    const chair = this.story.chair(seat);
    if (this.isReady(seat)) {
      await this.tell(this.send({ intent: "set wait", seat, wait: true }));
      return;
    }
    const taken = "finish" in this.entry && await this.entry.finish(seat);
    // The turn may be over by that; the next one is not finished.
    if (taken && turn === this.story.turn && chair.wait) await this.tell(this.send({ intent: "set wait", seat, wait: false }));
  }

  /** @param {string} seat */
  isReady(seat) {
    const chair = this.story.chair(seat);
    return chair.acted && !chair.wait;
  }

  async voted() {
    const seat = this.entry.seat || this.own[0] || "";
    await this.tell(this.send({ intent: "vote", seat, ballot: this.vote.value }));
    this.showActions(); // what is not counted is not shown as if it were
  }

  /** Ask how many are for a draw: who is out votes no more, and only the server knows how they had voted. */
  async count() {
    if (!this.story.terms?.draw_votes || !this.story.inFavour) return;
    const answer = await this.send({ ask: "votes" });
    if (answer.refused) return;
    this.story.inFavour = answer.in_favour;
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
    return answer;
  }

  /** @param {string} reason */
  complain(reason) {
    this.say(reason);
    renew(this.banner, reason, " ", h("button", { type: "button", class: "small", "data-key": "close", onclick: () => { this.banner.hidden = true; } }, "Close"));
    this.banner.hidden = false;
  }

  /**
   * @param {Offer} offer
   * @param {string} answer
   */
  reply(offer, answer) {
    const seat = offer.to.find((one) => this.own.includes(one)) ?? "";
    const to = [offer.proposer, ...offer.to].filter((one) => one !== seat);
    const text = answer === "HUH" ? `HUH ( ERR ${offer.text} )` : `${answer} ( ${offer.text} )`;
    this.tell(this.send({ intent: "say", seat, to, text }));
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
  deedAt(index) {
    return this.steps[this.index]?.deeds[index];
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
    const orders = /** @type {Array<[string, string]>} */ (this.own.length && !this.story.oneByOne ? [
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

  /** Choose one of the free seats. */
  choices() {
    const looks = this.story.head.sheet.seats ?? {};
    const seats = this.freeSeats();
    const password = h("input", { type: "password", autocomplete: "off", "aria-label": "Password of the match" });
    const dialog = this.dialog("Take a seat",
      h("p", {}, "The seat is yours until the match ends or you leave it."),
      this.story.head.about?.password ? h("label", {}, "Password ", password) : null,
      h("div", { class: "choice" }, seats.map((chair) => h("button", {
        type: "button", onclick: async () => {
          const answer = await this.send({ ask: "join", seat: chair.seat, password: password.value });
          if (answer.refused) fill(problem, answer.reason);
          else {
            dialog.close();
            this.wire.restart();
          }
        },
      }, looks[chair.seat]?.title ?? chair.seat))));
    const problem = h("p", { class: "refused", role: "alert" });
    dialog.querySelector("form")?.before(problem);
  }

  /** What a moderator may do. */
  moderate() {
    const { story } = this;
    const act = (/** @type {Record<string, any>} */ message) => async () => {
      const answer = await this.send(message);
      fill(problem, answer.refused ? answer.reason : "Done.");
    };
    const seat = h("select", { "aria-label": "Seat" }, story.seats.map((chair) => h("option", { value: chair.seat }, story.head.sheet.seats?.[chair.seat]?.title ?? chair.seat)));
    const agent = h("input", { type: "text", value: story.oneByOne ? "greedy" : "dumbbot", "aria-label": "Agent of the house" });
    const minutes = h("input", { type: "number", min: "1", value: "10", "aria-label": "Minutes" });
    const problem = h("p", { class: "refused", role: "status" });
    const paused = story.status === "paused";
    const choice = h("div", { class: "choice" },
      story.status === "forming" ? h("button", { type: "button", onclick: act({ intent: "start", by: "" }) }, "Start now") : null,
      h("button", { type: "button", onclick: act({ intent: paused ? "resume" : "pause", by: "" }) }, icon(paused ? "play" : "pause"), paused ? "Resume" : "Pause"),
      h("button", { type: "button", onclick: act({ intent: "force turn", by: "" }) }, "End the turn now"),
      h("button", { type: "button", onclick: (/** @type {Event} */ event) => ask(event, "It ends for everybody, and nobody can take it up again.", "End it for good", "Go on playing", act({ intent: "cancel", by: "" })) }, "End the match"));
    const question = h("div", { class: "choice", role: "group", hidden: true });
    // What cannot be undone is asked back; whoever presses Enter twice does nothing.
    const ask = (/** @type {Event} */ event, /** @type {string} */ what, /** @type {string} */ yes, /** @type {string} */ no, /** @type {() => Promise<void>} */ done) => {
      const from = /** @type {HTMLElement} */ (event.currentTarget);
      const close = () => {
        choice.hidden = seating.hidden = false;
        question.hidden = true;
        from.focus();
      };
      const keep = h("button", { type: "button", "aria-describedby": "sure", onclick: close }, no);
      fill(question, h("p", { id: "sure" }, what),
        h("button", { type: "button", class: "danger", "aria-describedby": "sure", onclick: async () => { await done(); close(); } }, yes), keep);
      question.setAttribute("aria-label", from.textContent ?? "");
      choice.hidden = seating.hidden = true;
      question.hidden = false;
      keep.focus();
    };
    const substitute = (/** @type {Event} */ event) => {
      const { player, present } = story.chair(seat.value);
      const replace = act({ ask: "replace by agent", seat: seat.value, agent: agent.value });
      if (present) ask(event, `${player} loses the seat ${story.head.sheet.seats?.[seat.value]?.title ?? seat.value}, and ${agent.value} plays on.`, "Take the seat away", "Leave it as it is", replace);
      else replace();
    };
    const seating = h("p", { class: "line" }, seat, " is played by ", agent, h("button", { type: "button", onclick: substitute }, "Substitute"));
    this.dialog("Moderate", choice, question,
      h("p", { class: "line" }, "Give ", minutes, " more minutes ",
        h("button", { type: "button", onclick: () => act({ intent: "extend", by: "", seconds: Number(minutes.value) * 60 })() }, "Extend")),
      seating, problem);
  }

  /**
   * @param {string} title
   * @param {...(Node | null)} parts
   */
  dialog(title, ...parts) {
    const dialog = h("dialog", { "aria-label": title },
      h("h2", {}, title), parts, h("form", { method: "dialog" }, h("button", { class: "primary" }, "Close")));
    dialog.addEventListener("close", () => dialog.remove());
    this.root.append(dialog);
    dialog.showModal();
    return dialog;
  }
}
