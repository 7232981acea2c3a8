// The composer: choose an arrangement, fill its slots by clicks on the map or from lists; only valid press can be sent.

import { JOINS, KINDS, MODES, NEGATIONS, compose, emptyPart } from "./proposals.js";
import { coloured, fill, h, icon, steady } from "./dom.js";
import { keep, kept } from "./drafts.js";
import { Machine, province, readOrder } from "./machine.js";
import { renew } from "./renew.js";

/** @import {Draft, Part} from "./proposals.js" */
/** @import {Target} from "./board.js" */
/** @import {Mark} from "./types.js" */
/** @import {Table} from "./table.js" */

/** The level from which any text is delivered. */
const FREE = 8000;

/** Kinds whose slots are filled by clicks on the map. */
const MAPPED = ["zone", "orders", "centres", "units"];

export class Composer {
  /** @param {Table} table */
  constructor(table) {
    this.table = table;
    this.state = table.state;
    this.level = Number(this.state.terms?.press?.level ?? 0);
    /** @type {Set<string>} */
    this.to = new Set();
    this.mode = "PRP";
    /** @type {Draft["join"]} */
    this.join = "AND";
    this.least = 1;
    this.most = 1;
    /** The parts that are done; the one that is being filled comes after them. @type {Part[]} */
    this.done = [];
    this.slots = emptyPart();
    /** The power for which centres and units are chosen, and their kind. */
    this.whose = "";
    this.sort = "U";
    /** @type {Record<string, string[]> | null} */
    this.legal = null;
    /** @type {Machine | null} */
    this.machine = null;
    /** The turn whose orders are known. */
    this.known = -1;
    this.asking = false;
    this.open = false;
    this.text = steady(h("textarea", { rows: "2", "aria-label": "Free text", "aria-describedby": "to", maxlength: String(this.state.terms?.press?.max_length ?? 4096) }));
    this.text.value = kept(`${table.id}.text`) ?? "";
    this.text.addEventListener("input", () => keep(`${table.id}.text`, this.text.value));
    this.problem = steady(h("p", { class: "refused", role: "alert" }));
    this.body = h("div", { class: "composer-body" });
    this.root = h("div", { class: "composer" }, this.body);
    this.render();
  }

  get seat() {
    return this.table.entry.seat || this.table.own[0] || "";
  }

  get free() {
    return this.level >= FREE;
  }

  /** All that can be clicked into a slot now: nothing while it is shut. */
  get filling() {
    return this.open && MAPPED.includes(this.slots.kind) ? this.slots.kind : "";
  }

  /** @returns {string[]} */
  get others() {
    return this.state.seats.filter((chair) => !chair.removed && chair.seat !== this.seat).map((chair) => chair.seat);
  }

  /**
   * Start from orders that a plan needs of others.
   * @param {string} seat
   * @param {Array<{seat: string, order: string}>} wanted
   */
  fromOrders(seat, wanted) {
    this.open = true;
    this.to = new Set(wanted.map((one) => one.seat).filter((one) => one !== seat));
    this.slots = { ...emptyPart("orders"), orders: wanted };
    this.done = [];
    this.mode = "PRP";
    this.render();
  }

  /**
   * A click on the map, if a slot wants it.
   * @param {Target} target
   * @returns {boolean}
   */
  point(target) {
    const place = province(target.place);
    if (this.filling && this.filling !== "orders") {
      if (place) this.choose(place, target.at);
      this.render();
      return true;
    }
    if (this.filling === "orders" && this.legal) {
      this.pointOrder(target);
      return true;
    }
    return false;
  }

  /**
   * Put a place into a slot, or take it out again.
   * @param {string} place
   * @param {[number, number]} [at]
   */
  choose(place, at) {
    const { slots } = this;
    const look = this.state.head.sheet.places?.[place];
    const seat = this.whose || this.seat;
    if (slots.kind === "zone") slots.places = slots.places.includes(place) ? slots.places.filter((one) => one !== place) : [...slots.places, place];
    if (slots.kind === "centres" && look?.centre) {
      const had = slots.centres.some((one) => one.place === place && one.seat === seat);
      slots.centres = slots.centres.filter((one) => one.place !== place);
      if (!had) slots.centres.push({ seat, place });
    }
    if (slots.kind === "units") {
      const had = slots.units.some((one) => province(one.unit.slice(2)) === place && one.seat === seat);
      slots.units = slots.units.filter((one) => province(one.unit.slice(2)) !== place);
      if (!had) slots.units.push({ seat, unit: this.unitAt(place, at) });
    }
  }

  /**
   * A unit that can stand there, of the kind that is wanted if it can; a fleet on the shore that was clicked.
   * @param {string} place
   * @param {[number, number]} [at]
   */
  unitAt(place, at) {
    const look = this.state.head.sheet.places?.[place];
    const sea = look?.kind === "sea";
    const inland = !sea && !(look?.seas?.length);
    const sort = this.sort === "A" && sea ? "F" : this.sort === "F" && inland ? "A" : this.sort;
    const coasts = Object.entries(look?.coasts ?? {});
    if (sort !== "F" || !coasts.length) return `${sort} ${place}`;
    const far = (/** @type {[number, number]} */ [x, y]) => (at ? Math.hypot(x - at[0], y - at[1]) : 0);
    const [coast] = coasts.sort((a, b) => far(a[1].at) - far(b[1].at))[0] ?? [""];
    return `F ${place}/${coast}`;
  }

  /** @param {Target} target */
  pointOrder(target) {
    const units = this.state.frame?.facts?.units ?? {};
    if (!this.machine?.unit) {
      const place = province(target.place);
      const owner = Object.entries(units).find(([, own]) => own.some((/** @type {string} */ unit) => province(unit.slice(2)) === place))?.[0];
      if (!owner) return;
      this.machine = Machine.of(this.state.frame, owner, this.legal?.[owner] ?? [], this.state.head.sheet.places);
    }
    if (target.kind === "result") return;
    const machine = this.machine;
    if (machine.gesture({ kind: target.kind, place: target.place, at: target.at })) this.addOrder(machine);
    this.render();
  }

  /** @param {Machine} machine */
  addOrder(machine) {
    const { seat } = machine.setting;
    for (const order of machine.action) {
      const from = readOrder(order).from;
      this.slots.orders = [...this.slots.orders.filter((one) => readOrder(one.order).from !== from), { seat, order }];
      if (seat !== this.seat) this.to.add(seat);
    }
    this.machine = null;
  }

  /** Ask what can be ordered in this turn, if orders are to be proposed and it is not known yet. */
  async need() {
    const { turn } = this.state;
    if (turn !== this.known) {
      this.known = turn;
      this.legal = this.machine = null;
    }
    if (this.legal || this.asking || !this.open || this.slots.kind !== "orders") return;
    this.asking = true;
    const answer = await this.table.send({ ask: "orders" });
    this.asking = false;
    fill(this.problem, answer.refused ? `${answer.reason} Choose the arrangement again to continue.` : "");
    if (answer.refused) return;
    if (turn === this.state.turn) this.legal = answer.orders;
    this.render();
  }

  /** @returns {Mark[]} */
  hints() {
    if (!this.filling) return [];
    const places = this.state.head.sheet.places ?? {};
    const { slots } = this;
    const chosen = { zone: slots.places, centres: slots.centres.map((one) => one.place), units: slots.units.map((one) => province(one.unit.slice(2))) }[slots.kind] ?? [];
    const marks = chosen.map((place) => {
      const [x, y] = places[place]?.at ?? [0, 0];
      return /** @type {Mark} */ (["circle", { "data-key": `slot${place}`, class: "hint slot", cx: x, cy: y, r: 14 }]);
    });
    if (this.machine?.unit) {
      const [x, y] = this.machine.pointOf(this.machine.unitAt(this.machine.unit).slice(2));
      marks.push(["circle", { "data-key": "slot-unit", class: "hint chosen", cx: x, cy: y, r: 21 }]);
    }
    return marks;
  }

  /** The message, or the missing parts while it is incomplete. */
  get message() {
    const { sheet } = this.state.head;
    const parts = [...this.done, this.slots];
    return compose(
      { mode: this.mode, seat: this.seat, to: [...this.to], parts, join: this.join, least: this.least, most: this.most },
      { level: this.level, seats: sheet.seats ?? {}, places: sheet.places ?? {}, units: this.state.frame?.facts?.units ?? {}, stage: this.state.stage });
  }

  /**
   * Say something; it waits in the queue until the server has taken it.
   * @param {string} text
   * @param {string[]} to  none for everyone
   */
  async send(text, to) {
    const whom = to.length ? to.map((seat) => this.state.title(seat)).join(", ") : "everyone";
    const answered = this.table.enter({ intent: "say", seat: this.seat, to, text }, { label: `a message to ${whom}` });
    const free = this.text.value.trim() === text;
    if (free) this.write("");
    fill(this.problem, "");
    this.table.press.circle = this.table.press.circleWith(to);
    if (!free) {
      this.slots = emptyPart(this.slots.kind);
      this.done = [];
      this.open = false;
    }
    this.render();
    this.table.show();
    const answer = await answered;
    if (answer.refused !== undefined && free && !this.text.value) this.write(text);
    fill(this.problem, answer.refused !== undefined ? `Not sent: ${answer.reason}` : (answer.notes ?? []).join(" "));
  }

  /** @param {string} text */
  write(text) {
    this.text.value = text;
    keep(`${this.table.id}.text`, text);
  }

  render() {
    this.root.hidden = this.state.status === "over";
    renew(this.body, this.open ? this.form() : this.closed());
    this.table.tabs?.classList.toggle("proposing", this.open);
    this.need();
    if (this.table.composer) this.table.showHints();
  }

  closed() {
    return h("div", { class: "composer-closed" },
      h("button", { type: "button", class: "primary", "data-key": "propose", onclick: () => this.start() }, icon("seal"), h("span", {}, "Propose", h("span", { class: "more" }, " something"))),
      this.free ? this.freeForm() : null);
  }

  start() {
    this.open = true;
    if (!this.to.size) this.to = new Set(this.table.press.recipients ?? []);
    this.render();
    this.body.querySelector("select")?.focus();
  }

  freeForm() {
    const { press } = this.table;
    const to = press.recipients;
    const whom = to === null ? "choose a conversation" : to.length ? to.map((seat) => this.state.title(seat)).join(", ") : "everyone";
    this.text.placeholder = to === null ? "" : "Message";
    return h("form", { class: "free", onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      const text = this.text.value.trim();
      if (!text) return;
      if (press.recipients === null) fill(this.problem, "Choose a conversation first: nothing was sent.");
      else this.send(text, press.recipients);
    } }, h("p", { class: `to${to === null ? " nobody" : ""}`, id: "to" }, "To: ", h("b", {}, whom)),
    this.text, h("button", { class: "square", "aria-label": `Send to ${whom}` }, icon("send")), this.problem);
  }

  /** Stop composing; the chosen recipients become those of the conversation. */
  shut() {
    this.open = false;
    if (this.to.size) this.table.press.circle = this.table.press.circleWith([...this.to]);
    this.to = new Set();
    this.render();
    this.table.press.again();
  }

  form() {
    const { kind } = this.slots;
    const { text, missing } = this.message;
    const several = this.done.length > 0;
    return h("form", { class: "proposal", onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); if (this.message.text) { this.send(this.message.text, [...this.to]); this.to = new Set(); } } },
      h("div", { class: "line" },
        this.select("How", "mode", MODES.filter(([, , level]) => level <= this.level), this.mode, (value) => { this.mode = value; }),
        h("button", { type: "button", class: "quiet square", "aria-label": "Close", onclick: () => this.shut() }, icon("bad"))),
      this.powers("To", this.to, (seat) => { this.to.has(seat) ? this.to.delete(seat) : this.to.add(seat); }, "to"),
      several ? this.joined() : null,
      h("div", { class: "line" },
        this.select("What", "kind", KINDS.filter(([, , level]) => level <= this.level), kind, (value) => { this.slots = { ...emptyPart(value), negation: this.slots.negation }; this.machine = null; }),
        this.select("Whether", "negation", NEGATIONS, this.slots.negation, (value) => { this.slots.negation = /** @type {Part["negation"]} */ (value); })),
      kind === "alliance" ? this.powers("Against", new Set(this.slots.enemies), (seat) => this.toggleEnemy(seat), "against") : null,
      kind === "solo" ? this.powers("Who", new Set([this.slots.winner]), (seat) => { this.slots.winner = seat; }, "winner", true) : null,
      kind === "centres" || kind === "units" ? this.powers("Whose", new Set([this.whose || this.seat]), (seat) => { this.whose = seat; }, "whose", true) : null,
      kind === "units" ? this.select("Kind of unit", "sort", [["U", "army or fleet"], ["A", "army"], ["F", "fleet"]], this.sort, (value) => { this.sort = value; }) : null,
      kind === "orders" ? this.orderSlots() : MAPPED.includes(kind) ? this.placeSlots() : null,
      text ? h("details", { class: "tokens" }, h("summary", {}, "tokens"), h("code", {}, text)) : h("p", { class: "missing" }, missing),
      h("div", { class: "line" },
        h("button", { class: "primary", "data-key": "send", disabled: !text }, icon("send"), "Send"),
        this.level >= 30 ? h("button", { type: "button", "data-key": "more", disabled: !text, onclick: () => this.more() }, icon("plus"), "Another part") : null,
        this.problem));
  }

  /** The part that was filled is done; begin another. */
  more() {
    this.done.push(this.slots);
    this.slots = emptyPart(this.slots.kind);
    this.machine = null;
    this.most = Math.max(this.most, 1);
    this.render();
  }

  /** The parts that are done, and how all of them are joined. */
  joined() {
    const number = (/** @type {string} */ label, /** @type {"least" | "most"} */ name) => {
      return h("input", { type: "number", min: "0", max: String(this.done.length + 1), value: String(this[name]), "aria-label": label, "data-key": name, onchange: (/** @type {Event} */ event) => { this[name] = Number(valueOf(event)); this.render(); } });
    };
    const title = (/** @type {Part} */ part) => `${part.negation ? `${part.negation} ` : ""}${KINDS.find(([name]) => name === part.kind)?.[1] ?? part.kind}`;
    return h("div", { class: "slots" },
      this.select("Joined", "join", JOINS.filter(([, , level]) => level <= this.level), this.join, (value) => { this.join = /** @type {Draft["join"]} */ (value); }),
      this.join === "CHO" ? h("span", { class: "line" }, "from ", number("At least", "least"), " to ", number("At most", "most")) : null,
      this.done.map((part) => h("button", { type: "button", class: "chip", onclick: () => { this.done = this.done.filter((one) => one !== part); this.render(); } }, title(part), " ×")));
  }

  /**
   * @param {string} label
   * @param {string} name
   * @param {Array<[string, string, number?]>} choices
   * @param {string} value
   * @param {(value: string) => void} choose
   */
  select(label, name, choices, value, choose) {
    return h("select", { value, "aria-label": label, "data-key": name, "data-slot": name, onchange: (/** @type {Event} */ event) => { choose(valueOf(event)); this.render(); } },
      choices.map(([key, title]) => h("option", { value: key }, title)));
  }

  /** @param {string} seat */
  toggleEnemy(seat) {
    const { enemies } = this.slots;
    this.slots.enemies = enemies.includes(seat) ? enemies.filter((one) => one !== seat) : [...enemies, seat];
  }

  /**
   * @param {string} label
   * @param {Set<string>} chosen
   * @param {(seat: string) => void} toggle
   * @param {string} name
   * @param {boolean} [all]  whether one may choose oneself
   */
  powers(label, chosen, toggle, name, all = false) {
    return h("fieldset", { class: "powers" }, h("legend", {}, label), (all ? [this.seat, ...this.others] : this.others).map((seat) => {
      const choose = () => { toggle(seat); this.render(); };
      const button = h("button", { type: "button", "aria-pressed": String(chosen.has(seat)), "data-key": `${name} ${seat}`, onclick: choose }, this.state.title(seat));
      return coloured(button, this.state.look(seat));
    }));
  }

  placeSlots() {
    const { slots } = this;
    const places = this.state.head.sheet.places ?? {};
    const offered = Object.entries(places).filter(([, place]) => slots.kind !== "centres" || place.centre);
    const select = h("select", { value: "", "aria-label": "Province", "data-key": "zone", onchange: (/** @type {Event} */ event) => { if (valueOf(event)) this.choose(valueOf(event)); this.render(); } },
      h("option", { value: "" }, "click provinces on the map, or choose"),
      offered.sort((a, b) => a[1].name.localeCompare(b[1].name)).map(([tag, place]) => h("option", { value: tag }, place.name)));
    const chip = (/** @type {string} */ text, /** @type {() => void} */ drop) =>
      h("button", { type: "button", class: "chip", onclick: () => { drop(); this.render(); } }, text, " ×");
    const name = (/** @type {string} */ place) => places[province(place)]?.name ?? place;
    return h("div", { class: "slots" }, select,
      slots.places.map((place) => chip(name(place), () => this.choose(place))),
      slots.centres.map((one) => chip(`${this.state.title(one.seat)}: ${name(one.place)}`, () => { slots.centres = slots.centres.filter((other) => other !== one); })),
      slots.units.map((one) => chip(`${this.state.title(one.seat)}: ${{ A: "army ", F: "fleet " }[one.unit[0] ?? ""] ?? ""}${name(one.unit.slice(2))}`, () => { slots.units = slots.units.filter((other) => other !== one); })));
  }

  orderSlots() {
    const seats = Object.keys(this.legal ?? {});
    const select = h("select", { value: "", "aria-label": "Order", "data-key": "order", onchange: (/** @type {Event} */ event) => {
      const [seat, order] = valueOf(event).split(":");
      if (seat && order) {
        this.slots.orders = [...this.slots.orders, { seat, order }];
        if (seat !== this.seat) this.to.add(seat);
      }
      this.render();
    } }, h("option", { value: "" }, this.legal ? "click an order on the map, or choose" : "…"),
    seats.map((seat) => h("optgroup", { label: this.state.title(seat) }, (this.legal?.[seat] ?? []).map((order) => h("option", { value: `${seat}:${order}` }, order)))));
    return h("div", { class: "slots" }, select, this.slots.orders.map((one) =>
      h("button", { type: "button", class: "chip", onclick: () => { this.slots.orders = this.slots.orders.filter((other) => other !== one); this.render(); } }, `${this.state.title(one.seat)}: ${one.order}`, " ×")),
    this.machine?.unit ? h("p", { class: "sentence" }, this.machine.sentence) : null);
  }
}

/** @param {Event} event */
function valueOf(event) {
  return /** @type {HTMLInputElement | HTMLSelectElement} */ (event.currentTarget).value;
}
