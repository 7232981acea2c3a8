// Writes press that is always well formed: choose an arrangement, fill its slots by clicks on the map or from lists.

import { fill, h, icon } from "./dom.js";
import { keep, kept } from "./drafts.js";
import { Machine, province, readOrder } from "./machine.js";

/** @import {Target} from "./board.js" */
/** @import {Mark} from "./types.js" */
/** @import {Table} from "./table.js" */

/** At 8000 whatever is said is delivered. */
const FREE = 8000;

/** @typedef {{kind: string, powers: string[], enemies: string[], places: string[], orders: Array<{seat: string, order: string}>}} Slots */

const ARRANGEMENTS = /** @type {Array<[string, string, number]>} */ ([
  ["peace", "Peace", 10],
  ["alliance", "Alliance against …", 10],
  ["draw", "A draw", 10],
  ["zone", "Keep out of …", 20],
  ["orders", "Orders", 20],
]);

export class Composer {
  /** @param {Table} table */
  constructor(table) {
    this.table = table;
    this.story = table.story;
    this.level = Number(this.story.terms?.press?.level ?? 0);
    /** @type {Set<string>} */
    this.to = new Set();
    /** @type {Slots} */
    this.slots = { kind: "peace", powers: [], enemies: [], places: [], orders: [] };
    /** @type {Record<string, string[]> | null} */
    this.legal = null;
    /** @type {Machine | null} */
    this.machine = null;
    this.open = false;
    this.text = h("textarea", { rows: "2", "aria-label": "Free text", maxlength: String(this.story.terms?.press?.max_length ?? 4096) });
    this.text.value = kept(`${table.id}.text`) ?? "";
    this.text.addEventListener("input", () => keep(`${table.id}.text`, this.text.value));
    this.problem = h("p", { class: "refused", role: "alert" });
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
    return this.open && ["zone", "orders"].includes(this.slots.kind) ? this.slots.kind : "";
  }

  /** @param {string} seat */
  tag(seat) {
    return this.story.head.sheet.seats?.[seat]?.tag ?? seat.slice(0, 3);
  }

  /** @param {string} seat */
  title(seat) {
    return this.story.head.sheet.seats?.[seat]?.title ?? seat;
  }

  /** @returns {string[]} */
  get others() {
    return this.story.seats.filter((chair) => !chair.removed && chair.seat !== this.seat).map((chair) => chair.seat);
  }

  /**
   * Start from orders that a plan needs of others.
   * @param {string} seat
   * @param {Array<{seat: string, order: string}>} wanted
   */
  fromOrders(seat, wanted) {
    this.open = true;
    this.to = new Set(wanted.map((one) => one.seat).filter((one) => one !== seat));
    this.slots = { kind: "orders", powers: [], enemies: [], places: [], orders: wanted };
    this.render();
  }

  /**
   * A click on the map, if a slot wants it.
   * @param {Target} target
   * @returns {boolean}
   */
  point(target) {
    if (this.filling === "zone") {
      const place = province(target.place);
      if (!place) return true;
      const { places } = this.slots;
      this.slots.places = places.includes(place) ? places.filter((one) => one !== place) : [...places, place];
      this.render();
      return true;
    }
    if (this.filling === "orders" && this.legal) {
      this.pointOrder(target);
      return true;
    }
    return false;
  }

  /** @param {Target} target */
  pointOrder(target) {
    const units = this.story.frame?.facts?.units ?? {};
    if (!this.machine?.unit) {
      const place = province(target.place);
      const owner = Object.entries(units).find(([, own]) => own.some((/** @type {string} */ unit) => province(unit.slice(2)) === place))?.[0];
      if (!owner) return;
      this.machine = new Machine({ legal: this.legal?.[owner] ?? [], stage: this.story.stage, seat: owner, places: this.story.head.sheet.places ?? {}, units });
    }
    if (target.kind === "deed") return;
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

  async need() {
    if (this.legal || this.slots.kind !== "orders") return;
    const answer = await this.table.send({ ask: "orders" });
    if (!answer.refused) this.legal = answer.orders;
    this.render();
  }

  /** @returns {Mark[]} */
  hints() {
    if (!this.filling) return [];
    const places = this.story.head.sheet.places ?? {};
    const marks = this.slots.places.map((place) => {
      const [x, y] = places[place]?.at ?? [0, 0];
      return /** @type {Mark} */ (["circle", { "data-key": `slot${place}`, class: "hint slot", cx: x, cy: y, r: 14 }]);
    });
    if (this.machine?.unit) {
      const [x, y] = this.machine.pointOf(this.machine.unitAt(this.machine.unit).slice(2));
      marks.push(["circle", { "data-key": "slot-unit", class: "hint chosen", cx: x, cy: y, r: 21 }]);
    }
    return marks;
  }

  /** The message, or nothing while slots are empty. */
  get message() {
    const { kind, powers, enemies, places, orders } = this.slots;
    const all = [...new Set([this.seat, ...this.to, ...powers])];
    const list = (/** @type {string[]} */ seats) => `( ${seats.map((seat) => this.tag(seat)).join(" ")} )`;
    if (!this.to.size) return "";
    switch (kind) {
      case "peace":
        return `PRP ( PCE ${list(all)} )`;
      case "alliance":
        return enemies.length ? `PRP ( ALY ${list(all)} VSS ${list(enemies)} )` : "";
      case "draw":
        return "PRP ( DRW )";
      case "zone":
        return places.length ? `PRP ( DMZ ${list(all)} ( ${places.map((place) => this.daide(place)).join(" ")} ) )` : "";
      case "orders": {
        const parts = orders.map(({ seat, order }) => this.press(seat, order)).filter(Boolean);
        if (!parts.length) return "";
        if (parts.length === 1) return `PRP ( XDO ( ${parts[0]} ) )`;
        return `PRP ( AND ${parts.map((part) => `( XDO ( ${part} ) )`).join(" ")} )`;
      }
      default:
        return "";
    }
  }

  /** @param {string} area */
  daide(area) {
    const [place = "", coast] = area.split("/");
    const name = this.story.head.sheet.places?.[place]?.daide ?? place;
    return coast ? `( ${name} ${coast}S )` : name;
  }

  /**
   * An order in the words of press.
   * @param {string} seat
   * @param {string} text
   */
  press(seat, text) {
    const order = readOrder(text);
    const units = this.story.frame?.facts?.units ?? {};
    const spell = (/** @type {string} */ unit, /** @type {string} */ owner) =>
      `( ${this.tag(owner)} ${unit.startsWith("A") ? "AMY" : "FLT"} ${this.daide(unit.slice(2))} )`;
    const other = () => {
      for (const [owner, own] of Object.entries(units)) {
        const unit = /** @type {string[]} */ (own).find((one) => province(one.slice(2)) === order.target);
        if (unit) return spell(unit, owner);
      }
      return "";
    };
    const me = spell(order.unit, seat);
    switch (order.kind) {
      case "hold":
        return `${me} HLD`;
      case "move":
        return `${me} MTO ${this.daide(order.area)}`;
      case "via": {
        const machine = new Machine({ legal: [], stage: "orders", seat, places: this.story.head.sheet.places ?? {}, units });
        const way = machine.route(order)?.map((fleet) => this.daide(fleet.sea)).join(" ") ?? "";
        return way ? `${me} CTO ${this.daide(order.to)} VIA ( ${way} )` : "";
      }
      case "support":
        return order.to ? `${me} SUP ${other()} MTO ${this.daide(order.to)}` : `${me} SUP ${other()}`;
      case "convoy":
        return `${me} CVY ${other()} CTO ${this.daide(order.to)}`;
      default:
        return "";
    }
  }

  /** @param {string} text */
  async send(text) {
    const answer = await this.table.send({ intent: "say", seat: this.seat, to: [...this.to], text });
    if (answer.refused) {
      fill(this.problem, answer.reason);
      return;
    }
    fill(this.problem, (answer.notes ?? []).join(" "));
    const circle = this.to.size ? [this.seat, ...this.to].sort().join(" ") : "";
    this.table.said.circle = circle;
    this.slots = { ...this.slots, places: [], orders: [], enemies: [] };
    this.open = false;
    this.render();
    this.table.show();
  }

  render() {
    const focus = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.focus : undefined;
    fill(this.body, this.open ? this.form() : this.closed());
    const again = focus ? this.body.querySelector(`[data-focus="${CSS.escape(focus)}"]`) : null;
    if (again instanceof HTMLElement) again.focus({ preventScroll: true });
    this.need();
    if (this.table.composer) this.table.showHints();
  }

  closed() {
    return h("div", { class: "composer-closed" },
      h("button", { type: "button", class: "primary", "data-focus": "propose", onclick: () => this.start() }, icon("seal"), "Propose something"),
      this.free ? this.freeForm() : null);
  }

  start() {
    this.open = true;
    const circle = this.table.said.circle?.split(" ").filter((seat) => seat && seat !== this.seat) ?? [];
    if (!this.to.size) this.to = new Set(circle);
    this.render();
    this.body.querySelector("select")?.focus();
  }

  freeForm() {
    return h("form", { class: "free", onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      const text = this.text.value.trim();
      if (!text) return;
      const circle = this.table.said.circle;
      this.to = new Set((circle ?? "").split(" ").filter((seat) => seat && seat !== this.seat));
      this.send(text);
      this.text.value = "";
      keep(`${this.table.id}.text`, "");
    } }, this.text, h("button", { class: "square", "aria-label": "Send" }, icon("send")), this.problem);
  }

  form() {
    const { kind } = this.slots;
    const allowed = ARRANGEMENTS.filter(([, , level]) => level <= this.level);
    const choose = h("select", { "aria-label": "What you propose", "data-focus": "kind", onchange: () => { this.slots.kind = choose.value; this.machine = null; this.render(); } },
      allowed.map(([name, title]) => h("option", { value: name }, title)));
    choose.value = kind;
    const message = this.message;
    return h("form", { class: "proposal", onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); if (message) this.send(message); } },
      h("div", { class: "line" }, choose, h("button", { type: "button", class: "quiet square", "aria-label": "Close", onclick: () => { this.open = false; this.render(); } }, icon("bad"))),
      this.powers("To", this.to, (seat) => { this.to.has(seat) ? this.to.delete(seat) : this.to.add(seat); }, "to"),
      kind === "alliance" ? this.powers("Against", new Set(this.slots.enemies), (seat) => this.toggleEnemy(seat), "against") : null,
      kind === "zone" ? this.zone() : null,
      kind === "orders" ? this.orderSlots() : null,
      message ? h("details", { class: "tokens" }, h("summary", {}, "tokens"), h("code", {}, message)) : null,
      h("div", { class: "line" }, h("button", { class: "primary", "data-focus": "send", disabled: !message }, icon("send"), "Send"), this.problem));
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
   */
  powers(label, chosen, toggle, name) {
    return h("fieldset", { class: "powers" }, h("legend", {}, label), this.others.map((seat) => {
      const button = h("button", { type: "button", "aria-pressed": String(chosen.has(seat)), "data-focus": `${name} ${seat}`, onclick: () => { toggle(seat); this.render(); } }, this.title(seat));
      button.style.setProperty("--seat-line", `var(--b-${this.story.head.sheet.seats?.[seat]?.line ?? "ink"})`);
      return button;
    }));
  }

  zone() {
    const places = this.story.head.sheet.places ?? {};
    const select = h("select", { "aria-label": "Province", "data-focus": "zone", onchange: () => { if (select.value) this.slots.places = [...new Set([...this.slots.places, select.value])]; this.render(); } },
      h("option", { value: "" }, "click provinces on the map, or choose"),
      Object.entries(places).sort((a, b) => a[1].name.localeCompare(b[1].name)).map(([tag, place]) => h("option", { value: tag }, place.name)));
    return h("div", { class: "slots" }, select, this.slots.places.map((tag) =>
      h("button", { type: "button", class: "chip", onclick: () => { this.slots.places = this.slots.places.filter((one) => one !== tag); this.render(); } }, places[tag]?.name ?? tag, " ×")));
  }

  orderSlots() {
    const seats = Object.keys(this.legal ?? {});
    const select = h("select", { "aria-label": "Order", "data-focus": "order", onchange: () => {
      const [seat, order] = select.value.split(":");
      if (seat && order) {
        this.slots.orders = [...this.slots.orders, { seat, order }];
        if (seat !== this.seat) this.to.add(seat);
      }
      this.render();
    } }, h("option", { value: "" }, this.legal ? "click an order on the map, or choose" : "…"),
    seats.map((seat) => h("optgroup", { label: this.title(seat) }, (this.legal?.[seat] ?? []).map((order) => h("option", { value: `${seat}:${order}` }, order)))));
    return h("div", { class: "slots" }, select, this.slots.orders.map((one) =>
      h("button", { type: "button", class: "chip", onclick: () => { this.slots.orders = this.slots.orders.filter((other) => other !== one); this.render(); } }, `${this.title(one.seat)}: ${one.order}`, " ×")),
    this.machine?.unit ? h("p", { class: "sentence" }, this.machine.sentence) : null);
  }
}
