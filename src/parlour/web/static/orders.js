// Entering orders of Diplomacy: lists for keyboard and screen readers, gestures on the map, a command line. One machine.

import { fill, h, icon } from "./dom.js";
import { keep, kept } from "./drafts.js";
import { Machine, province, readOrder } from "./machine.js";

/** @import {Target} from "./board.js" */
/** @import {Mark} from "./types.js" */
/** @import {Table} from "./table.js" */
/** @import {Gesture} from "./machine.js" */

const KINDS = /** @type {const} */ ({
  hold: "Hold", move: "Move to", via: "By sea to", support: "Support", convoy: "Convoy", retreat: "Retreat to",
  disband: "Disband", build: "Build", waive: "Waive",
});

export class OrderEntry {
  /** @param {Table} table */
  constructor(table) {
    this.table = table;
    this.story = table.story;
    this.seat = table.own[0] ?? "";
    /** @type {Map<string, Machine>} */
    this.machines = new Map();
    /** @type {Map<string, string>} */
    this.refused = new Map();
    /**
     * Whose wait flag was raised from here in this turn: the answer can be here before the event that says so.
     * @type {Set<string>}
     */
    this.raised = new Set();
    /** Settled when everything that was entered has been answered. */
    this.sending = Promise.resolve();
    this.turn = -1;
    this.root = h("div", { class: "entry" });
    this.bar = h("div", { class: "sentence-bar" });
    this.chipBox = h("span", { class: "chips" });
    this.words = h("span", { class: "sentence", role: "status" });
    this.bar.append(this.words, this.chipBox);
    this.command = h("input", {
      class: "command", type: "text", placeholder: "mar s par - bur", "aria-label": "Type an order", autocomplete: "off",
      spellcheck: "false", "data-focus": "command",
    });
  }

  /** @returns {Machine | undefined} */
  get machine() {
    return this.machines.get(this.seat);
  }

  /** Whether there is something to order now. */
  get active() {
    return this.machines.size > 0;
  }

  /** The turn, or what is ordered in it, is another: begin again from what the server has and what was drafted. */
  refresh() {
    const story = this.story;
    if (story.turn !== this.turn) {
      this.turn = story.turn;
      this.machines.clear();
      this.refused.clear();
      this.raised.clear();
    }
    const facts = story.frame?.facts ?? {};
    const due = this.table.own.filter((seat) => story.toAct.includes(seat) && story.choices[seat]);
    for (const seat of [...this.machines.keys()]) if (!due.includes(seat)) this.machines.delete(seat);
    for (const seat of due) {
      if (this.machines.has(seat)) continue;
      const machine = new Machine({
        legal: story.choices[seat], stage: story.stage, seat, places: story.head.sheet.places ?? {},
        units: facts.units ?? {}, builds: facts.builds?.[seat] ?? 0, coarse: matchMedia("(pointer: coarse)").matches,
      });
      const given = story.plan.filter((deed) => deed.seat === seat).map((deed) => deed.text);
      machine.load(kept(this.draft(seat)) ?? given);
      this.machines.set(seat, machine);
    }
    if (!this.machines.has(this.seat)) this.seat = [...this.machines.keys()][0] ?? this.table.own[0] ?? "";
    this.render();
  }

  /** @param {string} seat */
  draft(seat) {
    return `${this.table.id}.${seat}.${this.turn}`;
  }

  /**
   * Send what differs from what the server has: after a reload, or when the line is back.
   */
  resend() {
    for (const [seat, machine] of this.machines) {
      const given = this.story.plan.filter((deed) => deed.seat === seat).map((deed) => deed.text);
      if (machine.action.join() !== given.join()) this.send(seat);
    }
  }

  /**
   * Keep what is ordered and send it, one after the other, so that Ready can wait for what was entered before it.
   * @param {string} seat
   */
  send(seat) {
    const machine = this.machines.get(seat);
    if (!machine) return;
    keep(this.draft(seat), machine.action);
    this.render();
    const { turn } = this;
    this.sending = this.sending.then(() => this.deliver(seat, turn));
  }

  /**
   * @param {string} seat
   * @param {number} turn
   */
  async deliver(seat, turn) {
    const machine = this.machines.get(seat);
    if (!machine || turn !== this.turn) return;
    const chair = this.story.chair(seat);
    // Somebody who is still ordering must not be hurried by bots that are ready: the flag goes up before the first order.
    if (!chair.wait && !chair.acted && !this.raised.has(seat)) {
      const flag = await this.table.send({ intent: "set wait", seat, wait: true });
      if (!flag.refused) this.raised.add(seat);
    }
    const answer = await this.table.send({ intent: "act", seat, action: machine.action, turn });
    if (turn !== this.turn) return;
    if (answer.refused) this.refused.set(seat, answer.reason);
    else this.refused.delete(seat);
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
    if (changed) this.send(this.seat);
    else this.render();
    if (changed && chip?.press?.length) this.table.proposeOrders(this.seat, chip.press);
    return changed;
  }

  /** @param {Target} target */
  point(target) {
    if (target.kind === "deed") {
      const deed = this.table.deedAt(target.deed);
      if (deed) this.gesture({ kind: "order", text: deed.text });
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
    const focus = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.focus : undefined;
    this.words.textContent = machine?.sentence ?? "";
    this.words.classList.toggle("bad", Boolean(machine?.complaint));
    fill(this.chipBox, (machine?.chips ?? []).map((chip, index) =>
      h("button", { class: "chip", type: "button", onclick: () => this.gesture({ kind: "chip", index }) }, chip.label, h("kbd", {}, chip.key))));
    this.bar.hidden = !machine;
    fill(this.root, this.seatTabs(), machine ? this.form(machine) : this.idle());
    if (focus) this.root.querySelector(`[data-focus="${CSS.escape(focus)}"]`)?.dispatchEvent(new Event("refocus"));
    const again = focus ? this.root.querySelector(`[data-focus="${CSS.escape(focus)}"]`) : null;
    if (again instanceof HTMLElement && again !== document.activeElement) again.focus({ preventScroll: true });
    this.table.showHints();
    this.table.showActions();
  }

  idle() {
    const { story } = this;
    if (story.status === "over") return h("p", { class: "empty" }, "The match is over.");
    if (story.status === "forming") return h("p", { class: "empty" }, "The match begins when all seats are taken.");
    return h("p", { class: "empty" }, "You have nothing to order in this phase.");
  }

  /** One tab for each power that somebody plays, if there are several. */
  seatTabs() {
    if (this.machines.size < 2) return null;
    const looks = this.story.head.sheet.seats ?? {};
    return h("div", { class: "seat-tabs", role: "group", "aria-label": "Your powers" }, [...this.machines.keys()].map((seat) => {
      const button = h("button", {
        type: "button", "aria-pressed": String(seat === this.seat), "data-focus": `seat ${seat}`,
        onclick: () => { this.seat = seat; this.render(); },
      }, looks[seat]?.title ?? seat);
      button.style.setProperty("--seat-line", `var(--b-${looks[seat]?.line ?? "ink"})`);
      return button;
    }));
  }

  /** @param {Machine} machine */
  form(machine) {
    const winter = machine.mode === "build" || machine.mode === "remove";
    const total = Math.abs(machine.setting.builds ?? 0);
    const refused = this.refused.get(this.seat);
    return h("form", { class: "order-form", onsubmit: (/** @type {Event} */ event) => event.preventDefault() },
      winter ? h("p", { class: "counter" }, `${machine.mode === "build" ? "Build" : "Remove"}: ${machine.count} of ${total}`) : null,
      h("ul", { class: "units" }, machine.unitPlaces.map((place) => this.row(machine, place))),
      winter && machine.mode === "build" ? h("p", { class: "waive" },
        h("button", { type: "button", class: "small", "data-focus": "waive", disabled: machine.count >= total, onclick: () => this.gesture({ kind: "key", key: "w" }) }, "Waive a build"),
        machine.waives ? ` ${machine.waives} waived` : "") : null,
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
      "aria-label": `Order for ${machine.mode === "build" ? unit : machine.spoken(place)}`, "data-focus": `unit ${place}`,
      onchange: (/** @type {Event} */ event) => {
        const text = /** @type {HTMLSelectElement} */ (event.target).value;
        const changed = text ? machine.set(text) : machine.clear(place);
        if (changed) this.send(this.seat);
        else this.render();
      },
    }, h("option", { value: "" }, machine.mode === "orders" ? "no order (holds)" : machine.mode === "retreat" ? "no order (disbands)" : "nothing"), groups(orders));
    select.value = chosen;
    return h("li", { class: `unit-row${machine.unit === place ? " chosen" : ""}${chosen ? " ordered" : ""}`, "data-unit": place },
      h("button", { type: "button", class: "unit-name", tabindex: "-1", onclick: () => this.gesture({ kind: "piece", place }) }, unit),
      select,
      chosen ? h("button", { type: "button", class: "quiet square tiny", "aria-label": `Take back ${chosen}`, "data-focus": `clear ${place}`, onclick: () => { machine.clear(place); this.send(this.seat); } }, icon("bad")) : h("span", {}));
  }

  commandLine() {
    const form = h("div", { class: "command-line" }, h("label", {}, h("kbd", {}, "/"), this.command));
    this.command.onkeydown = async (event) => {
      if (event.key === "Escape") {
        this.command.blur();
        return;
      }
      if (event.key !== "Enter" || !this.command.value.trim()) return;
      event.preventDefault();
      const text = this.command.value;
      const answer = await this.table.send({ ask: "understand", seat: this.seat, text });
      const machine = this.machine;
      if (!machine) return;
      if (answer.refused) {
        machine.complaint = answer.reason;
        this.render();
        return;
      }
      const orders = /** @type {string[]} */ (answer.orders ?? []);
      const set = orders.map((order) => machine.set(order)).some(Boolean);
      this.command.value = "";
      if (set) this.send(this.seat);
    };
    return form;
  }

  /** What can be done next, as marks over the board. */
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
