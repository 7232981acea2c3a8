// Entering orders of Diplomacy: lists for keyboard and screen readers, gestures on the map, a command line. One machine.

import { coloured, h, icon, steady } from "./dom.js";
import { Machine, province, readOrder } from "./machine.js";
import { Kept, renew } from "./renew.js";
import { SealQuestion } from "./seal_question.js";

/** @import {Target} from "./board.js" */
/** @import {Mark} from "./types.js" */
/** @import {Table} from "./table.js" */
/** @import {Gesture} from "./machine.js" */
/** @import {Answer} from "./wire.js" */

const KINDS = /** @type {const} */ ({
  hold: "Hold", move: "Move to", via: "By sea to", support: "Support", convoy: "Convoy", retreat: "Retreat to",
  disband: "Disband", build: "Build", waive: "Waive",
});

export class OrderEntry {
  /** @param {Table} table */
  constructor(table) {
    this.table = table;
    this.state = table.state;
    this.seat = table.own[0] ?? "";
    /** @type {Map<string, Machine>} */
    this.machines = new Map();
    /** @type {Map<string, string>} */
    this.refused = new Map();
    /** Promises that these orders would break, by seat. @type {Map<string, string[]>} */
    this.warnings = new Map();
    this.turn = -1;
    /** The rows of units: dozens of orders are offered in each, so that only a row that changes is made anew. */
    this.rows = new Kept();
    this.question = new SealQuestion(this);
    this.root = h("div", { class: "entry" });
    this.bar = h("div", { class: "sentence-bar" });
    this.chipBox = h("span", { class: "chips" });
    this.words = h("span", { class: "sentence", role: "status" });
    this.bar.append(this.words, this.chipBox);
    this.command = steady(h("input", {
      class: "command", type: "text", placeholder: "mar s par - bur", "aria-label": "Type an order", autocomplete: "off",
      spellcheck: "false", onkeydown: (/** @type {KeyboardEvent} */ event) => this.typed(event),
    }));
  }

  /** @returns {Machine | undefined} */
  get machine() {
    return this.machines.get(this.seat);
  }

  /** True if orders are due now. */
  get active() {
    return this.machines.size > 0;
  }

  /** Start again from the server's orders and the draft, after a change of the turn or of its orders. */
  refresh() {
    const state = this.state;
    if (state.turn !== this.turn) {
      this.turn = state.turn;
      this.machines.clear();
      this.refused.clear();
      this.warnings.clear();
      this.question.clear();
    }
    const due = this.table.own.filter((seat) => state.toAct.includes(seat) && state.choices[seat]);
    for (const seat of [...this.machines.keys()]) if (!due.includes(seat)) this.machines.delete(seat);
    for (const seat of due) {
      const machine = this.machines.get(seat);
      if (!machine) this.begin(seat);
      // The same person may order in another browser.
      else if (!this.pending(seat) && !this.refused.has(seat) && !this.question.held.has(seat) && !same(machine.action, this.given(seat))) machine.load(this.given(seat));
    }
    if (!this.machines.has(this.seat)) this.seat = [...this.machines.keys()][0] ?? this.table.own[0] ?? "";
    this.render();
  }

  /** @param {string} seat */
  begin(seat) {
    const { state } = this;
    const machine = Machine.of(state.frame, seat, state.choices[seat], state.head.sheet.places);
    machine.load(this.pending(seat)?.message.action ?? this.given(seat));
    this.machines.set(seat, machine);
  }

  /** Return the server's orders of a seat. @param {string} seat */
  given(seat) {
    return this.state.plan.filter((result) => result.seat === seat).map((result) => result.text);
  }

  /** Orders that wait to be sent. @param {string} seat */
  pending(seat) {
    const item = this.table.outbox.pending(`act ${seat}`);
    return item?.turn === this.turn ? item : undefined;
  }

  /**
   * Something else is ordered: it waits in the queue until the server has it.
   * @param {string} seat
   * @param {boolean} [first]  in front of what was entered since
   */
  changed(seat, first = false) {
    this.refused.delete(seat);
    const chair = this.state.chair(seat);
    // Somebody who is still ordering must not be hurried by bots that are ready: the flag goes up before the first order.
    if (!chair.wait && !chair.acted && !this.pending(seat)) this.table.flag(seat, true);
    this.hand(seat, first);
    this.render();
    this.table.foresee(seat);
  }

  /**
   * Submit the entered orders.
   * @param {string} seat
   * @param {boolean} [first]
   */
  hand(seat, first = false) {
    const action = this.machines.get(seat)?.action ?? [];
    this.table.enter({ intent: "act", seat, action, turn: this.turn }, { label: `your orders for ${this.state.frame?.title ?? "this turn"}`, slot: `act ${seat}`, turn: this.turn, first });
  }

  /** Submit the entered orders, even if there are none. @param {string} seat */
  finish(seat) {
    if (!this.pending(seat) && (!this.state.chair(seat).acted || !same(this.machines.get(seat)?.action ?? [], this.given(seat)))) this.hand(seat);
  }

  /**
   * The server has taken or refused something.
   * @param {Record<string, any>} message
   * @param {Answer} answer
   */
  answered(message, answer) {
    const machine = this.machines.get(message.seat);
    if (message.ask === "understand" && machine && message.turn === this.turn) this.understood(machine, message.seat, answer);
    if ((message.turn ?? this.turn) === this.turn && this.question.answered(message, answer)) {
      this.render();
      return;
    }
    if (message.intent !== "act" || message.turn !== this.turn || answer.code === "replaced") return;
    if (answer.refused !== undefined) this.refused.set(message.seat, answer.reason);
    else this.refused.delete(message.seat);
    this.render();
  }

  /**
   * @param {Gesture} gesture
   * @returns {boolean}  whether anything came of it
   */
  gesture(gesture) {
    const machine = this.machine;
    if (!machine) return false;
    const chip = gesture.kind === "chip" ? machine.chips[gesture.index] : undefined;
    const changed = machine.gesture(gesture);
    if (changed) this.changed(this.seat);
    else this.render();
    if (changed && chip?.press?.length) this.table.proposeOrders(this.seat, chip.press);
    return changed;
  }

  /** @param {Target} target */
  point(target) {
    if (target.kind === "result") {
      const result = this.table.resultAt(target.result);
      if (result) this.gesture({ kind: "order", text: result.text });
      return;
    }
    const machine = this.machine;
    if (!machine) return;
    const place = province(target.place);
    // With several powers, pointing at a unit of another one of them turns to that power.
    const other = [...this.machines].find(([seat, one]) => seat !== this.seat && target.kind === "piece" && target.seat === seat && one.ordersOf(place).length);
    if (other && !machine.unit) this.seat = other[0];
    this.gesture({ kind: target.kind, place: target.place, at: target.at });
  }

  /**
   * @param {KeyboardEvent} event
   * @returns {boolean}
   */
  key(event) {
    const machine = this.machine;
    if (!machine) return false;
    if (event.key === "/") {
      this.command.focus();
      return true;
    }
    const known = ["Escape", "Enter", "h", "d", "n", "z", "w", "v", "c"];
    const chips = machine.chips.map((chip) => chip.key.toLowerCase());
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (!known.includes(key) && !chips.includes(key)) return false;
    this.gesture({ kind: "key", key });
    if (key === "n") this.root.querySelector(`[data-unit="${machine.unit}"] select`)?.scrollIntoView({ block: "nearest" });
    return true;
  }

  render() {
    const machine = this.machine;
    this.words.textContent = machine?.sentence ?? "";
    this.words.classList.toggle("bad", Boolean(machine?.complaint));
    renew(this.chipBox, (machine?.chips ?? []).map((chip, index) =>
      h("button", { class: "chip", type: "button", "data-key": chip.label, onclick: () => this.gesture({ kind: "chip", index }) }, chip.label, h("kbd", {}, chip.key))));
    this.bar.hidden = !machine;
    renew(this.root, this.before(), this.seatTabs(), machine ? this.form(machine) : this.idle());
    this.table.showHints();
    this.table.showActions();
  }

  /** Return the own orders of the last turn with their results; the board shows the present position. */
  before() {
    const { steps } = this.state;
    const last = steps.at(-1);
    const own = last?.results.filter((result) => this.table.own.includes(result.seat)) ?? [];
    if (!last || !own.length) return null;
    const failed = own.filter((result) => result.failed).length;
    return h("p", { class: "before", "data-key": "before" },
      `${last.title}: ${failed ? `${failed} of ${own.length} of your orders failed` : "all your orders succeeded"}. `,
      h("button", { type: "button", class: "small", onclick: () => this.table.go(steps.length - 1) }, "Look back"));
  }

  idle() {
    const { state } = this;
    if (state.status === "over") return h("p", { class: "empty" }, "The match is over.");
    if (state.status === "forming") return h("p", { class: "empty" }, "The match begins when all seats are taken.");
    return h("p", { class: "empty" }, "You have nothing to order in this phase.");
  }

  /** One tab for each power that somebody plays, if there are several. */
  seatTabs() {
    if (this.machines.size < 2) return null;
    return h("div", { class: "seat-tabs", role: "group", "aria-label": "Your powers" }, [...this.machines.keys()].map((seat) => {
      const choose = () => { this.seat = seat; this.render(); };
      const button = h("button", { type: "button", "aria-pressed": String(seat === this.seat), "data-key": `seat ${seat}`, onclick: choose }, this.state.title(seat));
      return coloured(button, this.state.look(seat));
    }));
  }

  /** @param {Machine} machine */
  form(machine) {
    const winter = machine.mode === "build" || machine.mode === "remove";
    const total = Math.abs(machine.setting.builds ?? 0);
    const refused = this.refused.get(this.seat);
    return h("form", { class: "order-form", onsubmit: (/** @type {Event} */ event) => event.preventDefault() },
      winter ? h("p", { class: "counter" }, `${machine.mode === "build" ? "Build" : "Remove"}: ${machine.count} of ${total}`) : null,
      this.question.box(this.seat),
      h("ul", { class: "units" }, machine.unitPlaces.map((place) =>
        this.rows.get(`${this.seat} ${place}`, [machine, machine.orders.get(place), machine.unit === place], () => this.row(machine, place)))),
      winter && machine.mode === "build" ? h("p", { class: "waive" },
        h("button", { type: "button", class: "small", "data-key": "waive", disabled: machine.count >= total, onclick: () => this.gesture({ kind: "key", key: "w" }) }, "Waive a build"),
        machine.waives ? ` ${machine.waives} waived` : "") : null,
      (this.warnings.get(this.seat) ?? []).map((text) => h("p", { class: "warning", role: "status" }, icon("seal"), h("span", {}, text))),
      refused ? h("p", { class: "refused", role: "alert" }, icon("bad"), refused) : null,
      this.commandLine());
  }

  /**
   * @param {Machine} machine
   * @param {string} place
   */
  row(machine, place) {
    const orders = machine.ordersOf(place);
    const chosen = machine.orders.get(place) ?? "";
    const unit = machine.mode === "build" ? machine.nameOf(place) : orders[0]?.unit ?? place;
    const select = h("select", {
      value: chosen, "aria-label": `Order for ${machine.mode === "build" ? unit : machine.spoken(place)}`, "data-key": `unit ${place}`,
      onchange: (/** @type {Event} */ event) => {
        const list = /** @type {HTMLSelectElement} */ (event.target);
        const changed = list.value ? machine.set(list.value) : machine.clear(place);
        list.value = machine.orders.get(place) ?? "";
        if (changed) this.changed(machine.setting.seat);
        else this.render();
      },
    }, h("option", { value: "" }, machine.mode === "orders" ? "no order (holds)" : machine.mode === "retreat" ? "no order (disbands)" : "nothing"), groups(orders));
    return steady(h("li", { "data-key": place, class: `unit-row${machine.unit === place ? " chosen" : ""}${chosen ? " ordered" : ""}`, "data-unit": place },
      h("button", { type: "button", class: "unit-name", tabindex: "-1", onclick: () => this.gesture({ kind: "piece", place }) }, unit),
      select,
      chosen ? h("button", { type: "button", class: "quiet square tiny", "aria-label": `Take back ${chosen}`, "data-key": `clear ${place}`, onclick: () => { machine.clear(place); this.changed(machine.setting.seat); } }, icon("bad")) : h("span", {})));
  }

  commandLine() {
    return h("div", { class: "command-line" }, h("label", {}, h("kbd", {}, "/"), this.command));
  }

  /** @param {KeyboardEvent} event */
  typed(event) {
    if (event.key === "Escape") this.command.blur();
    const text = this.command.value.trim();
    if (event.key !== "Enter" || !text) return;
    event.preventDefault();
    this.command.value = "";
    this.table.enter({ ask: "understand", seat: this.seat, text, turn: this.turn }, { label: `“${text}”`, turn: this.turn });
  }

  /**
   * Show if the typed order was understood.
   * @param {Machine} machine
   * @param {string} seat
   * @param {Answer} answer
   */
  understood(machine, seat, answer) {
    if (answer.refused !== undefined) {
      machine.complaint = answer.reason;
      this.render();
      return;
    }
    const orders = /** @type {string[]} */ (answer.orders ?? []);
    if (orders.map((order) => machine.set(order)).some(Boolean)) this.changed(seat, true);
  }

  /**
   * Take a unit by the pointer.
   * @param {Target} target
   */
  grab(target) {
    const grabbed = this.machine?.grab(province(target.place)) ?? false;
    if (grabbed) this.render();
    return grabbed;
  }

  /** Return the possible next steps as marks over the board. */
  hints() {
    const machine = this.machine;
    /** @type {Mark[]} */
    const marks = [];
    if (!machine) return marks;
    const dot = (/** @type {string} */ place, /** @type {string} */ name) => {
      const [x, y] = machine.pointOf(place);
      marks.push(["circle", { "data-key": `${name}${place}`, class: `hint ${name}`, cx: x, cy: y, r: name === "target" ? 8 : 21 }]);
    };
    if (!machine.unit) {
      for (const place of machine.unitPlaces) if (!machine.orders.has(place)) dot(machine.ordersOf(place)[0]?.unit.slice(2) ?? place, "open");
      return marks;
    }
    dot(machine.ordersOf(machine.unit)[0]?.unit.slice(2) ?? machine.unit, "chosen");
    if (machine.aux) dot(machine.unitAt(machine.aux).slice(2), "aux");
    for (const place of machine.targets) dot(place, "target");
    for (const place of machine.helpable) dot(machine.unitAt(place).slice(2), "help");
    return marks;
  }

  /**
   * The line that is being drawn to the pointer.
   * @param {[number, number]} at
   * @returns {Mark[]}
   */
  preview(at) {
    const machine = this.machine;
    if (!machine?.unit || machine.mode !== "orders") return [];
    const start = machine.pointOf(machine.ordersOf(machine.unit)[0]?.unit.slice(2) ?? machine.unit);
    const via = machine.aux ? machine.pointOf(machine.unitAt(machine.aux).slice(2)) : null;
    const d = via ? `M${start} L${via} L${at}` : `M${start} L${at}`;
    return [["path", { "data-key": "preview", class: "preview", d }]];
  }
}

/** @param {ReturnType<typeof readOrder>[]} orders */
function groups(orders) {
  /** @type {Map<string, HTMLOptionElement[]>} */
  const by = new Map();
  for (const order of orders) {
    const name = KINDS[order.kind];
    by.set(name, [...(by.get(name) ?? []), h("option", { value: order.text }, order.text)]);
  }
  return [...by].map(([name, options]) => (options.length === 1 && orders.length < 6 ? options[0] : h("optgroup", { label: name }, options)));
}

/**
 * Return true if two lists have the same orders, in any order.
 * @param {string[]} one
 * @param {string[]} other
 */
function same(one, other) {
  return one.length === other.length && [...one].sort().join() === [...other].sort().join();
}
