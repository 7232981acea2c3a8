// The sandbox: set up any position, order for everybody, see what becomes of it and why.

import { Board } from "./board.js";
import { Results, layersOf } from "./results.js";
import { copy, fill, find, h } from "./dom.js";
import { keep, kept } from "./drafts.js";
import { Machine, province } from "./machine.js";
import { hintMarks, orderRow } from "./machine_marks.js";
import { renew } from "./renew.js";
import { MatchState } from "./match_state.js";
import { answerTo } from "./questions.js";
import { topBar } from "./theme.js";

/** @import {ActionResult, Frame, Sheet, Turning} from "./types.js" */
/** @import {Target} from "./board.js" */

/** @typedef {{position: string, frame: Frame, choices: Record<string, string[]>, plan: ActionResult[], turn?: Turning, after?: string, next?: Frame, svg?: string, reason?: string}} Answer */

class Sandbox {
  /**
   * @param {Sheet} sheet
   * @param {HTMLElement} root
   */
  constructor(sheet, root) {
    this.sheet = sheet;
    this.root = root;
    document.body.classList.add("sandboxed");
    this.board = new Board(sheet);
    this.state = new MatchState({ game: "diplomacy", sheet, past: [] });
    this.results = new Results(this.state, (index) => this.light(index), () => {});
    /** @type {string[]} */
    this.past = [];
    this.map = document.body.dataset.map ?? "standard";
    const { position, orders } = carried();
    this.position = position || String(kept(`sandbox.${this.map}`) ?? "");
    /** Orders that the address brought, until they are entered. @type {Record<string, string[]> | null} */
    this.brought = orders;
    /** @type {Map<string, Machine>} */
    this.machines = new Map();
    /** @type {Answer | null} */
    this.answer = null;
    /** Number of questions so far. */
    this.asked = 0;
    /** The judged position, until another one is shown. @type {Answer | null} */
    this.judged = null;
    this.editing = false;
    this.brush = { seat: Object.keys(sheet.seats ?? {})[0] ?? "", kind: "A" };
    this.heading = h("h1", { class: "phase" });
    this.problem = h("p", { class: "refused", role: "alert" });
    this.words = h("span", { class: "sentence", role: "status" });
    this.chips = h("span", { class: "chips" });
    this.live = h("div", { class: "sr-only", role: "status" });
    this.fen = h("input", { type: "text", class: "fen", "aria-label": "The position as text", spellcheck: "false" });
    this.lists = h("div", { class: "sandbox-orders" });
    this.lay();
    this.board.fit();
    this.board.onpoint = (target) => this.point(target);
    document.addEventListener("keydown", (event) => this.key(event));
    this.look();
  }

  lay() {
    this.edit = h("button", { type: "button", "aria-pressed": "false", onclick: () => this.toggleEdit() }, "Set up units");
    this.fen.addEventListener("change", () => this.go(this.fen.value.trim()));
    fill(this.root,
      h("a", { class: "skip", href: "#entry" }, "Skip to the orders"),
      topBar([this.heading, h("p", { class: "status" }, "Sandbox: orders for all powers")], [
        h("button", { type: "button", class: "primary", onclick: () => this.judge() }, "Adjudicate"),
        h("button", { type: "button", onclick: () => this.back() }, "Back"),
        h("button", { type: "button", onclick: () => this.share() }, "Copy address"),
      ]),
      h("main", { class: "match sandbox", id: "main" },
        h("section", { class: "map-panel", "aria-label": "Board" }, this.board.root,
          h("div", { class: "sentence-bar" }, this.words, this.chips)),
        h("aside", { class: "side alone" },
          h("section", { class: "pane chosen pane-orders", id: "entry", tabindex: "-1" }, this.problem,
            h("div", { class: "line" }, this.edit, h("button", { type: "button", class: "quiet", onclick: () => this.go("") }, "First position"), this.mapChoice(), h("a", { href: "/sandbox?game=fish" }, "Sandbox of Fish")),
            h("label", { class: "fen-label" }, "Position", this.fen),
            h("div", { class: "line" }, h("button", { type: "button", class: "small", onclick: () => this.picture(false) }, "SVG"), h("button", { type: "button", class: "small", onclick: () => this.picture(true) }, "PNG")),
            this.palette = h("div", { class: "palette", hidden: true }),
            this.lists, this.results.root))),
      this.live);
    this.drawPalette();
  }

  /** The way to the other maps. */
  mapChoice() {
    const names = (document.body.dataset.maps ?? "").split(" ");
    if (names.length < 2) return null;
    const select = h("select", { "aria-label": "Map", onchange: () => { location.search = `?map=${encodeURIComponent(select.value)}`; } },
      names.map((name) => h("option", { value: name }, `${name} map`)));
    select.value = this.map;
    return select;
  }

  drawPalette() {
    const seats = Object.entries(this.sheet.seats ?? {});
    const seat = h("select", { "aria-label": "Power", onchange: () => { this.brush.seat = seat.value; } }, seats.map(([name, look]) => h("option", { value: name }, look.title)));
    const kind = h("select", { "aria-label": "Unit", onchange: () => { this.brush.kind = kind.value; } }, h("option", { value: "A" }, "army"), h("option", { value: "F" }, "fleet"), h("option", { value: "" }, "centre"));
    fill(this.palette ?? h("div"), h("p", {}, "Click a province to put this there, click a unit to take it away: "), seat, kind);
  }

  toggleEdit() {
    this.editing = !this.editing;
    this.edit?.setAttribute("aria-pressed", String(this.editing));
    if (this.palette) this.palette.hidden = !this.editing;
    this.words.textContent = this.editing ? "Click provinces to set units" : "";
  }

  /**
   * @param {Record<string, any>} question
   * @returns {Promise<Answer | null>}
   */
  async ask(question) {
    const number = ++this.asked;
    /** @type {Answer} */
    const answer = await answerTo("/sandbox", { map: this.map, ...question });
    // A later question makes this answer obsolete.
    if (number !== this.asked) return null;
    fill(this.problem, answer.reason ?? "");
    return answer.reason ? null : answer;
  }

  get orders() {
    return Object.fromEntries([...this.machines].map(([seat, machine]) => [seat, machine.action]));
  }

  /** @param {string} position */
  async go(position) {
    this.position = position;
    this.machines.clear();
    await this.look();
  }

  back() {
    const before = this.judged ? this.position : this.past.pop();
    if (before !== undefined) this.go(before);
  }

  async look() {
    const answer = await this.ask({ position: this.position, orders: this.orders });
    if (!answer) {
      // A position that cannot be read is said, and the first one is shown instead.
      if (!this.answer && this.position && this.problem.textContent) await this.beginAnew();
      return;
    }
    this.answer = answer;
    this.judged = null;
    this.position = answer.position;
    keep(`sandbox.${this.map}`, this.position);
    this.fen.value = this.position;
    for (const [seat, legal] of Object.entries(answer.choices)) {
      if (!this.machines.has(seat)) this.machines.set(seat, Machine.of(answer.frame, seat, legal, this.sheet.places));
    }
    const { brought } = this;
    this.brought = null;
    if (brought) {
      for (const [seat, texts] of Object.entries(brought)) for (const text of texts) this.machines.get(seat)?.set(text);
      await this.look();
      return;
    }
    history.replaceState(null, "", this.address);
    this.show(answer.frame, answer.plan);
    document.body.dataset.ready = "true";
  }

  async beginAnew() {
    const said = this.problem.textContent;
    this.brought = null;
    await this.go("");
    fill(this.problem, said);
  }

  /** The address that carries the position and the orders. */
  get address() {
    const given = Object.fromEntries(Object.entries(this.orders).filter(([, own]) => own.length));
    const orders = Object.keys(given).length ? `&orders=${encodeURIComponent(JSON.stringify(given))}` : "";
    return `${location.pathname}?map=${encodeURIComponent(this.map)}#position=${encodeURIComponent(this.position)}${orders}`;
  }

  share() {
    history.replaceState(null, "", this.address);
    this.live.textContent = copy(location.href) ? "The address is copied" : "The address is in the address bar";
    this.words.textContent = this.live.textContent;
  }

  /** @param {boolean} painted  as PNG */
  async picture(painted) {
    const answer = await this.ask({ position: this.position, orders: this.orders, judge: Boolean(this.judged), picture: true });
    if (!answer?.svg) return;
    const { png, save } = await import("./downloads.js");
    if (painted) save(await png(answer.svg), "position.png");
    else save(new Blob([answer.svg], { type: "image/svg+xml" }), "position.svg");
  }

  async judge() {
    const answer = await this.ask({ position: this.position, orders: this.orders, judge: true });
    if (!answer?.turn || !answer.next) return;
    const failed = answer.turn.results.filter((result) => result.failed).length;
    this.live.textContent = `${answer.turn.results.length - failed} orders succeeded, ${failed} failed`;
    this.judged = answer;
    this.show(answer.frame, answer.turn.results);
  }

  /** @param {Answer} answer */
  async goOn(answer) {
    this.past.push(this.position);
    if (answer.next) this.board.setFrame(answer.next, answer.turn?.moved);
    await this.go(answer.after ?? "");
  }

  /**
   * @param {Frame} frame
   * @param {ActionResult[]} results
   */
  show(frame, results) {
    this.shown = { frame, results };
    this.board.setFrame(frame);
    this.board.setResults(layersOf(results, null));
    renew(this.heading, frame.title);
    const step = { turn: 0, name: frame.name, title: frame.title, frame, results, moved: [], judged: [] };
    this.results.show(step, this.state.oneByOne ? [] : [step]);
    this.render();
  }

  /** @param {number | null} index */
  light(index) {
    if (this.shown) this.board.setResults(layersOf(this.shown.results, index));
  }

  /** The machine whose unit is chosen, or that of the power at that place. @param {string} place */
  machineFor(place) {
    for (const machine of this.machines.values()) if (machine.unit) return machine;
    for (const machine of this.machines.values()) if (machine.ordersOf(place).length) return machine;
    return undefined;
  }

  /** @param {Target | null} target */
  point(target) {
    if (!target || !this.answer) return;
    if (this.editing) {
      this.paint(target);
      return;
    }
    const machine = this.machineFor(province(target.place));
    if (!machine) return;
    const gesture = target.kind === "result" ? { kind: /** @type {const} */ ("order"), text: this.shown?.results[target.result]?.text ?? "" } : { kind: target.kind, place: target.place, at: target.at };
    if (machine.gesture(gesture)) this.look();
    else this.render();
  }

  /** @param {Target} target */
  paint(target) {
    const facts = this.answer?.frame.facts ?? {};
    /** @type {Record<string, string[]>} */
    const units = structuredClone(facts.units ?? {});
    /** @type {Record<string, string[]>} */
    const centers = structuredClone(facts.centres ?? {});
    const place = province(target.place);
    const { seat, kind } = this.brush;
    if (!kind) {
      for (const own of Object.values(centers)) if (own.includes(place)) own.splice(own.indexOf(place), 1);
      (centers[seat] ??= []).push(place);
    } else {
      const there = Object.values(units).some((own) => own.some((unit) => province(unit.slice(2)) === place));
      for (const name of Object.keys(units)) units[name] = (units[name] ?? []).filter((unit) => province(unit.slice(2)) !== place);
      if (!there) (units[seat] ??= []).push(`${kind} ${this.areaAt(place, kind, target.at)}`);
    }
    this.set({ phase: this.answer?.frame.name, units, centers });
  }

  /**
   * A fleet stands on the shore that was clicked.
   * @param {string} place
   * @param {string} kind
   * @param {[number, number]} at
   */
  areaAt(place, kind, at) {
    const coasts = this.sheet.places?.[place]?.coasts;
    if (kind !== "F" || !coasts) return place;
    const far = (/** @type {string} */ coast) => Math.hypot((coasts[coast]?.at[0] ?? 0) - at[0], (coasts[coast]?.at[1] ?? 0) - at[1]);
    const [nearest] = Object.keys(coasts).sort((a, b) => far(a) - far(b));
    return `${place}/${nearest}`;
  }

  /** @param {Record<string, any>} setting */
  async set(setting) {
    const answer = await this.ask({ setting });
    if (!answer) return;
    this.past.push(this.position);
    await this.go(answer.position);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const typing = event.target instanceof HTMLElement && event.target.matches("input, textarea, select, button");
    if (typing || event.ctrlKey || event.metaKey) return;
    const machine = [...this.machines.values()].find((one) => one.unit || one.chips.length);
    if (machine?.gesture({ kind: "key", key: event.key })) this.look();
    else this.render();
  }

  render() {
    const machine = [...this.machines.values()].find((one) => one.unit || one.chips.length || one.complaint);
    const { judged } = this;
    if (!this.editing) {
      const chip = (/** @type {string} */ label, /** @type {() => void} */ act) => h("button", { type: "button", class: "chip", "data-key": label, onclick: act }, label);
      this.words.textContent = judged ? this.live.textContent : machine?.sentence ?? "Click a unit, then where it goes; or choose from the lists";
      renew(this.chips,
        judged ? chip("Go on from here", () => this.goOn(judged)) : null,
        (machine?.chips ?? []).map(({ label }, index) => chip(label, () => { machine?.gesture({ kind: "chip", index }); this.look(); })));
    }
    this.board.set("hints", hintMarks(machine));
    renew(this.lists, [...this.machines].map(([seat, one]) => h("details", { "data-key": seat },
      h("summary", {}, this.sheet.seats?.[seat]?.title ?? seat, ` (${one.action.length})`),
      h("ul", { class: "units" }, one.unitPlaces.map((place) => orderRow(one, place, () => this.look()))))));
  }
}

/** The position and the orders that the address carries. @returns {{position: string, orders: Record<string, string[]> | null}} */
function carried() {
  const given = new URLSearchParams(location.hash.slice(1));
  try {
    const orders = JSON.parse(given.get("orders") ?? "null");
    return { position: given.get("position") ?? "", orders: orders && typeof orders === "object" ? orders : null };
  } catch {
    return { position: given.get("position") ?? "", orders: null };
  }
}

const sheet = await (await fetch(document.body.dataset.sheet ?? "")).json();
new Sandbox(sheet, find("#page"));
