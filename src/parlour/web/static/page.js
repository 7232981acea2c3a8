// The page of a match: board, table, orders, press, ledger, timeline. Watching, replaying and playing are the same page.

import { Board } from "./board.js";
import { resultCard } from "./result_card.js";
import { Results, layersOf } from "./results.js";
import { fill, h, icon } from "./dom.js";
import { Ledger } from "./ledger.js";
import { renew } from "./renew.js";
import { Press } from "./press.js";
import { Seats } from "./seats.js";
import { topBar } from "./theme.js";
import { Timeline } from "./timeline.js";

/** @import {MatchState, Step} from "./match_state.js" */
/** @import {Pact} from "./types.js" */
/** @import {Target} from "./board.js" */

/** Milliseconds for which a turn stays in view before the address names it and screen readers announce it. */
const REST = 250;
const WIDE = matchMedia("(min-width: 1280px) and (min-height: 560px)");

export class MatchPage {
  /**
   * @param {MatchState} state
   * @param {HTMLElement} root
   */
  constructor(state, root) {
    this.state = state;
    this.root = root;
    this.own = state.head.seats ?? [];
    this.index = Math.max(0, state.allSteps().length - 1);
    /** True if the newest turn is shown as it arrives. */
    this.following = true;
    this.ledgerOn = false;
    /** The address that is still to be written. @type {string | null} */
    this.next = null;
    /** Text that is still to be announced with the turn. */
    this.unsaid = "";
    /** @type {Pact | null} */
    this.litPact = null;
    /** @type {number | null} */
    this.litResult = null;
    /** @type {number | null} */
    this.marked = null;
    /** Ends what this page listens to when another takes its place. */
    this.gone = new AbortController();
    this.board = new Board(state.head.sheet);
    this.timeline = new Timeline((index) => this.go(index));
    this.seats = new Seats(state, this.own);
    this.results = new Results(state, (index) => this.lightResult(index), (index) => this.go(index));
    this.press = new Press(state, this.own);
    this.ledger = new Ledger(state, (pact) => this.lightPact(pact));
    /** The score of each seat, turn by turn, once it is loaded. @type {Array<Record<string, number>>} */
    this.history = [];
    /** The server's data on a match that is over. @type {import("./result_card.js").Aftermath} */
    this.aftermath = {};
    this.card = h("div");
    /** True once the page has scrolled to the result. */
    this.ended = false;
    /** The units as text, for people who cannot see the board. */
    this.spoken = h("div", { class: "sr-only", role: "region", "aria-label": "Units on the board" });
    this.tip = h("div", { class: "tip", hidden: true });
    this.live = h("div", { class: "sr-only", role: "status", "aria-live": "polite" });
    this.heading = h("h1", { class: "phase" });
    this.status = h("p", { class: "status" });
    this.lay();
    this.board.onhover = (target, event) => this.hover(target, event);
    this.board.onpoint = (target, event) => this.point(target, event);
    const { signal } = this.gone;
    document.addEventListener("keydown", (event) => this.key(event), { signal });
    window.addEventListener("hashchange", () => this.fromHash(), { signal });
    this.board.fit();
    if (!this.fromHash()) this.show();
  }

  /** Another page takes the place of this one. */
  close() {
    this.gone.abort();
    this.rest();
    this.board.close();
    if (this.timeline.timer !== undefined) this.timeline.toggle();
  }

  get steps() {
    return this.state.allSteps();
  }

  get present() {
    return this.index >= this.steps.length - 1;
  }

  /** @returns {boolean} */
  get talks() {
    return this.state.press.length > 0 || (this.state.terms?.press?.mode ?? "none") !== "none";
  }

  lay() {
    const title = this.state.head.title || this.state.head.game;
    document.title = `${title} · Parlour`;
    this.tabs = this.makeTabs();
    const tools = h("div", { class: "map-tools", role: "group", "aria-label": "Map" },
      tool("plus", "Larger", () => this.board.zoomBy(1.5), "zooms"),
      tool("minus", "Smaller", () => this.board.zoomBy(1 / 1.5), "zooms"),
      this.state.head.sheet.images?.["labels.tags"] ? tool("map", "Codes of seas", () => this.board.toggleCodes()) : null,
      this.talks ? tool("seal", "Pacts on the map (L)", () => this.toggleLedger()) : null);
    fill(this.root,
      h("a", { class: "skip", href: "#panel-orders" }, "Skip to the orders"),
      topBar([this.heading, this.status,
        this.state.head.about?.tournament ? h("a", { href: `/tournament/${encodeURIComponent(this.state.head.about.tournament)}` }, "Tournament") : null],
      [h("button", { class: "quiet square", type: "button", "aria-label": "Help (?)", title: "Help (?)", onclick: () => this.help() }, icon("help"))],
      this.state.head.live ? "/" : "#main"),
      h("main", { class: "match", id: "main" },
        this.seats.root,
        h("section", { class: "map-panel", "aria-label": "Board" }, this.board.root, tools, this.tip),
        this.tabs),
      h("footer", { class: "bottom" }, this.timeline.root),
      this.live);
    this.arrange?.();
  }

  makeTabs() {
    const orders = this.state.oneByOne ? "Moves" : "Orders";
    const sections = /** @type {Array<[string, string, HTMLElement]>} */ ([["orders", orders, h("div", {}, this.card, this.spoken, this.results.root)]]);
    if (this.talks) sections.push(["press", "Press", this.press.root], ["ledger", "Ledger", this.ledger.root]);
    const table = h("div", { class: "table-slot" });
    sections.push(["table", "Table", table]);
    const list = h("div", { class: "tabs", role: "tablist", "aria-label": "Match" });
    const side = h("aside", { class: `side${this.talks ? "" : " alone"}` }, list);
    this.chooseTab = (/** @type {string} */ name) => {
      this.tab = name;
      const step = this.steps[this.index];
      if (step && name === "ledger") this.ledger.show(step);
      this.press.watch(name === "press");
      for (const button of list.children) {
        button.setAttribute("aria-selected", String(button.id === `tab-${name}`));
        /** @type {HTMLElement} */ (button).tabIndex = button.id === `tab-${name}` ? 0 : -1;
      }
      for (const pane of side.querySelectorAll(".pane")) pane.classList.toggle("chosen", pane.id === `panel-${name}`);
    };
    for (const [name, title, body] of sections) {
      const choose = () => this.chooseTab?.(name);
      const button = h("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": `panel-${name}`, onclick: choose }, title, name === "press" ? this.press.unread : null);
      button.addEventListener("keydown", (event) => moveFocus(list, event));
      list.append(button);
      side.append(h("section", { class: `pane pane-${name}`, role: "tabpanel", tabindex: "0", id: `panel-${name}`, "aria-label": title },
        h("h2", { class: "pane-title" }, title), body));
    }
    // On a wide page orders stay in sight and the table has its own column; on a narrow one each is a tab.
    const arrange = () => {
      if (WIDE.matches) this.root.querySelector(".match")?.prepend(this.seats.root);
      else table.append(this.seats.root);
      this.chooseTab?.(WIDE.matches && this.talks ? "press" : "orders");
    };
    WIDE.addEventListener("change", arrange, { signal: this.gone.signal });
    this.arrange = arrange;
    return side;
  }

  /** Show the phase that the address names; false if it names none. */
  fromHash() {
    const name = decodeURIComponent(location.hash.slice(1));
    const index = this.steps.findIndex((step) => step.name === name);
    if (index < 0) return false;
    this.go(index);
    return true;
  }

  /**
   * Look at another turn.
   * @param {number} index
   */
  go(index) {
    const steps = this.steps;
    const to = Math.max(0, Math.min(steps.length - 1, index));
    const from = this.index;
    this.index = to;
    this.following = to === steps.length - 1;
    const name = steps[to]?.name;
    if (name) this.address(this.following && this.state.head.live ? location.pathname : `#${encodeURIComponent(name)}`);
    this.show(to - from);
  }

  /**
   * Put the shown turn into the address and announce it, after a moment. A browser redraws its frame for a new address,
   * and allows only a few per minute while somebody drags through a match.
   * @param {string} address
   */
  address(address) {
    this.next = address;
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.rest(), REST);
  }

  rest() {
    clearTimeout(this.resting);
    if (this.next !== null) history.replaceState(null, "", this.next);
    this.next = null;
    if (this.unsaid) this.say(this.unsaid);
  }

  /** Something happened: show it if the newest turn is looked at. */
  news(/** @type {number} */ before) {
    if (this.following) {
      this.index = this.steps.length - 1;
      this.show(this.index - before);
    } else {
      this.timeline.show(this.steps, this.index);
    }
  }

  /** @param {number} [moved]  by how many turns */
  show(moved = 0) {
    const steps = this.steps;
    const step = steps[this.index];
    if (!step) return;
    if (!step.frame) {
      this.fetchTurns(this.index, moved);
      return;
    }
    const glides = moved === 1 ? this.state.arrived(this.index)
      : moved === -1 ? this.state.arrived(this.index + 1).map(([from, to]) => /** @type {[string, string]} */ ([to, from])) : [];
    this.board.setFrame(step.frame, glides);
    this.showResults(step);
    this.showLedger(step);
    renew(this.heading, step.title);
    renew(this.status, this.sentence(step));
    this.seats.show(step, this.present);
    renew(this.card, this.present ? resultCard(this.state, this.history, this.aftermath) : null);
    this.results.show(step, steps);
    if (this.present && this.state.outcome && !this.ended) {
      this.ended = true;
      this.card.closest(".pane")?.scrollTo(0, 0);
    }
    this.speak(step);
    if (this.talks) {
      this.press.show(step, this.present);
      if (this.tab === "ledger") this.ledger.show(step);
    }
    this.timeline.show(steps, this.index);
    this.announce(step);
  }

  /**
   * Write the units of a turn as text.
   * @param {Step} step
   */
  speak(step) {
    const units = /** @type {Record<string, string[]>} */ (step.frame?.facts?.units ?? {});
    const { places = {} } = this.state.head.sheet;
    const word = (/** @type {string} */ unit) => `${unit.startsWith("F") ? "fleet" : "army"} ${places[unit.slice(2).split("/")[0] ?? ""]?.name ?? unit.slice(2)}`;
    renew(this.spoken, Object.entries(units).map(([seat, own]) => h("p", {}, `${this.state.title(seat)}: ${own.map(word).join(", ") || "no units"}`)));
  }

  /**
   * A turn is not here yet: get it, with a few round it, and show it. Replays have all.
   * @param {number} index
   * @param {number} moved
   */
  fetchTurns(index, moved) {
    void index;
    void moved;
  }

  /** @param {Step} step */
  showResults(step) {
    // Until somebody orders, the present shows how it came about.
    const past = this.present && !step.results.length && !this.state.oneByOne ? this.steps[this.index - 1]?.results : undefined;
    const layers = layersOf(past ?? step.results, this.litResult, Boolean(past));
    if (layers.signs || this.board.groups.signs) layers.signs = [...(layers.signs ?? []), ...this.ledger.breaches(step)];
    this.board.setResults(layers);
  }

  /** @param {Step} step */
  showLedger(step) {
    const marks = this.litPact ? this.ledger.marks(step, this.litPact) : this.ledgerOn ? this.ledger.marks(step, null) : {};
    this.board.set("zones", marks.zones ?? []);
    this.board.set("bonds", marks.bonds ?? []);
  }

  toggleLedger() {
    this.ledgerOn = !this.ledgerOn;
    const step = this.steps[this.index];
    if (step) this.showLedger(step);
    this.say(this.ledgerOn ? "Pacts are shown on the map" : "Pacts are hidden");
  }

  /** @param {Pact | null} pact */
  lightPact(pact) {
    this.litPact = pact;
    const step = this.steps[this.index];
    if (step) this.showLedger(step);
  }

  /** @param {number | null} index */
  lightResult(index) {
    this.litResult = index;
    const step = this.steps[this.index];
    if (step) this.showResults(step);
  }

  /** @param {Step} step */
  sentence(step) {
    const state = this.state;
    if (this.present && state.outcome) return `The match is over. ${state.ending}`;
    if (state.oneByOne && !this.present) return step.frame?.title ?? "";
    if (!this.present) return state.head.live ? "You are looking back; End shows the present." : "";
    if (state.status === "forming") return "Waiting for players";
    if (state.status === "paused") return "The match is paused";
    const [next] = state.toAct;
    if (state.oneByOne && next) return this.own.includes(next) ? "It is your turn" : `${state.title(next)} is to move`;
    const waiting = state.head.live ? state.toAct.filter((seat) => !state.chair(seat).acted) : [];
    const mine = waiting.some((seat) => this.own.includes(seat));
    if (waiting.length === 1 && mine) return "Only your orders are missing";
    return waiting.length ? `${mine ? "Your turn; " : ""}${waiting.length} still to order` : "";
  }

  /** @param {Step} step */
  announce(step) {
    const failed = step.results.filter((result) => result.failed).length;
    const broken = step.judged.filter((one) => one.status === "broken").map((one) => one.sentence);
    this.unsaid = [step.title, failed ? `${failed} orders failed` : "", ...broken].filter(Boolean).join(". ");
    if (this.next === null) this.say(this.unsaid);
  }

  /** @param {string} text */
  say(text) {
    this.unsaid = "";
    this.live.textContent = text;
  }

  /**
   * @param {Target | null} target
   * @param {PointerEvent} event
   */
  hover(target, event) {
    const step = this.steps[this.index];
    if (!step || !target) {
      this.tip.hidden = true;
      this.mark(null);
      return;
    }
    const results = target.kind === "result" ? [target.result] : this.resultsAt(step, target);
    const result = results.map((i) => step.results[i]).find(Boolean);
    this.mark(results[0] ?? null);
    const place = this.state.head.sheet.places?.[target.place.split("/")[0] ?? ""];
    if (!result && !place) {
      this.tip.hidden = true;
      return;
    }
    renew(this.tip,
      target.kind !== "result" && place ? h("b", {}, place.name) : null,
      result ? h("span", { class: `tip-result ${result.failed ? "bad" : ""}` }, result.text, result.verdict ? h("i", {}, result.failed ? result.verdict : "") : null) : null,
      result?.why ? h("span", { class: "tip-why" }, result.why) : null);
    this.tip.hidden = false;
    const box = this.board.root.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    this.tip.classList.toggle("left", x > box.width - 300);
    this.tip.classList.toggle("up", y > box.height - 140);
    this.tip.style.setProperty("--x", `${x}px`);
    this.tip.style.setProperty("--y", `${y}px`);
  }

  /**
   * @param {Step} step
   * @param {Target} target
   * @returns {number[]}
   */
  resultsAt(step, target) {
    if (target.kind !== "piece") return [];
    const place = target.place.split("/")[0];
    return step.results.flatMap((result, i) => (result.place === place && result.seat === target.seat ? [i] : []));
  }

  /** @param {number | null} index */
  mark(index) {
    if (this.marked === index) return;
    this.marked = index;
    this.results.mark(index);
  }

  /**
   * @param {Target | null} target
   * @param {PointerEvent} event
   */
  point(target, event) {
    if (event.pointerType !== "mouse") this.hover(target, event);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target instanceof HTMLElement && event.target.matches("input:not([type=range]), textarea, select");
    if (typing || document.querySelector("dialog[open]")) return;
    const range = event.target === this.timeline.range;
    const acts = /** @type {Record<string, () => void>} */ ({
      ArrowLeft: () => this.go(this.index - 1),
      ArrowRight: () => this.go(this.index + 1),
      Home: () => this.go(0),
      End: () => this.go(this.steps.length - 1),
      l: () => this.toggleLedger(),
      "?": () => this.help(),
      "+": () => this.board.zoomBy(1.5),
      "-": () => this.board.zoomBy(1 / 1.5),
    });
    const pressed = event.target instanceof HTMLElement && event.target.closest("button, summary, [role=tab]");
    if (event.key === " " && !pressed) acts[" "] = () => this.timeline.toggle();
    if (pressed && event.target instanceof HTMLElement && event.target.matches("[role=tab]") && event.key.startsWith("Arrow")) return;
    const act = acts[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act || (range && event.key !== " ")) return;
    event.preventDefault();
    act();
  }

  /** Gestures and keys, in a dialog. */
  help() {
    const rows = this.keysHelp();
    const dialog = h("dialog", { class: "help", "aria-labelledby": "help-title" },
      h("h2", { id: "help-title" }, "Help"),
      h("div", { class: "help-lists" }, h("h3", {}, "Mouse and finger"),
        h("dl", { class: "gestures" }, this.gesturesHelp().map(([what, leads]) => [h("dt", {}, what), h("dd", {}, leads)]).flat()),
        h("h3", {}, "Keys"),
        h("dl", {}, rows.map(([keys, what]) => [h("dt", {}, keys.split(" ").map((key) => h("kbd", {}, key))), h("dd", {}, what)]).flat())),
      this.state.head.live && !this.state.oneByOne ? h("p", {}, h("a", { href: "/learn" }, "Learn the game in five steps")) : null,
      h("form", { method: "dialog" }, h("button", { class: "primary" }, "Close")));
    dialog.addEventListener("close", () => dialog.remove());
    this.root.append(dialog);
    dialog.showModal();
  }

  /** @returns {Array<[string, string]>} */
  gesturesHelp() {
    return [
      ["Point at an order", "why it failed"],
      ["Wheel, two fingers", "larger, smaller"],
      ["Drag the board", "move it, when it is enlarged"],
    ];
  }

  /** @returns {Array<[string, string]>} */
  keysHelp() {
    return [
      ["← →", "one turn back or on"],
      ["Home End", "first and last turn"],
      ["Space", "play, stop"],
      ["L", "pacts on the map"],
      ["+ -", "larger, smaller"],
      ["?", "this list"],
    ];
  }
}

/**
 * @param {string} name
 * @param {string} label
 * @param {() => void} act
 * @param {string} [kind]
 */
function tool(name, label, act, kind = "") {
  return h("button", { class: `quiet square ${kind}`, type: "button", "aria-label": label, title: label, onclick: act }, icon(name));
}

/**
 * Arrow keys go from tab to tab.
 * @param {HTMLElement} list
 * @param {KeyboardEvent} event
 */
function moveFocus(list, event) {
  const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
  if (!step) return;
  event.preventDefault();
  const tabs = /** @type {HTMLElement[]} */ ([...list.children]);
  const next = tabs[(tabs.indexOf(/** @type {HTMLElement} */ (event.currentTarget)) + step + tabs.length) % tabs.length];
  next?.focus();
  next?.click();
}

export { WIDE, tool };
