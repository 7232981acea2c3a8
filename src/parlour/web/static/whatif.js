// The sandbox of Fish: set up any board, place penguins, move for all players, see legal moves and their results.

import { Board } from "./board.js";
import { fill, find, h } from "./dom.js";
import { keep, kept } from "./drafts.js";
import { MoveEntry } from "./moves.js";
import { renew } from "./renew.js";
import { MatchState } from "./match_state.js";
import { answerTo } from "./questions.js";
import { topBar } from "./theme.js";

/** @import {Target} from "./board.js" */
/** @import {Frame, Sheet, Turning} from "./types.js" */
/** @import {Answer as Settled} from "./wire.js" */

/** @typedef {{color: string, score: number, places: Array<[number, number]>, tiles: number}} Player */
/** @typedef {{board: number[][], players: Player[], penguins?: number, rules: string[]}} Position */
/** @typedef {{position: Position, sheet: string, frame: Frame, choices: Record<string, any[]>, turn?: Turning, after?: Position, reason?: string}} Answer */

const DRAFT = "sandbox.fish";

class WhatIf {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    /** @type {Map<string, Sheet>} */
    this.sheets = new Map();
    /** @type {Board | null} */
    this.board = null;
    /** @type {Answer | null} */
    this.answer = null;
    /** The positions shown before. @type {Position[]} */
    this.past = [];
    /** The moves since the position was set. @type {string[]} */
    this.done = [];
    this.asked = 0;
    this.editing = false;
    this.brush = "1";
    this.own = ["red", "white", "brown", "black"];
    this.state = new MatchState({ game: "fish", sheet: /** @type {Sheet} */ ({ key: "", view: [0, 0, 1, 1], layers: [], paints: {} }), past: [] });
    this.state.status = "running";
    this.entry = new MoveEntry(this);
    this.heading = h("h1", { class: "phase" });
    this.problem = h("p", { class: "refused", role: "alert" });
    this.live = h("div", { class: "sr-only", role: "status" });
    this.text = h("input", { type: "text", class: "fen", "aria-label": "The position as text", spellcheck: "false" });
    this.pass = h("button", { type: "button", hidden: true, onclick: () => this.act(null) }, "Pass");
    this.log = h("ol", { class: "moves" });
    this.scores = h("p", { class: "counter" });
    this.stage = h("div", { class: "board-slot" });
    this.lay();
    document.addEventListener("keydown", (event) => this.key(event));
    this.look(carried() ?? kept(DRAFT) ?? null);
  }

  lay() {
    document.body.classList.add("sandboxed");
    this.edit = h("button", { type: "button", "aria-pressed": "false", onclick: () => this.toggleEdit() }, "Set up the board");
    this.text.addEventListener("change", () => this.read());
    fill(this.root,
      h("a", { class: "skip", href: "#entry" }, "Skip to the moves"),
      topBar([this.heading, h("p", { class: "status" }, "Sandbox: moves for all players")], [h("button", { type: "button", onclick: () => this.back() }, "Back")]),
      h("main", { class: "match sandbox", id: "main" },
        h("section", { class: "map-panel", "aria-label": "Board" }, this.stage, this.entry.bar),
        h("aside", { class: "side alone" },
          h("section", { class: "pane chosen pane-orders", id: "entry", tabindex: "-1" }, this.problem,
            h("div", { class: "line" }, this.edit, h("a", { href: "/sandbox" }, "Sandbox of Diplomacy")),
            this.fresh(),
            this.palette = h("div", { class: "palette line", hidden: true }),
            h("label", { class: "fen-label" }, "Position", this.text),
            this.scores, this.entry.root, this.pass, this.log))),
      this.live);
    this.drawPalette();
  }

  /** A new board of any size. */
  fresh() {
    const number = (/** @type {string} */ label, /** @type {string} */ value, /** @type {string} */ max) =>
      h("input", { type: "number", min: "1", max, value, "aria-label": label });
    const [rows, cols, players] = [number("Rows", "4", "25"), number("Columns", "4", "25"), number("Players", "2", "4")];
    const begin = () => this.look(null, { rows: Number(rows.value), cols: Number(cols.value), players: Number(players.value) });
    return h("div", { class: "line fresh" }, rows, "×", cols, "tiles,", players, "players", h("button", { type: "button", onclick: begin }, "New board"));
  }

  drawPalette() {
    const options = [
      ...[0, 1, 2, 3, 4, 5].map((fish) => [String(fish), fish ? `${fish} fish` : "a hole"]),
      ...this.own.map((seat) => [seat, `a ${seat} penguin`]),
    ];
    const brush = h("select", { "aria-label": "What a click puts there", onchange: () => { this.brush = brush.value; } },
      options.map(([value, title]) => h("option", { value }, title)));
    brush.value = this.brush;
    const turn = h("button", { type: "button", onclick: () => this.passTurn() }, "Let the next one move");
    fill(this.palette ?? h("div"), "A click puts there ", brush, turn);
  }

  toggleEdit() {
    this.editing = !this.editing;
    this.edit?.setAttribute("aria-pressed", String(this.editing));
    if (this.palette) this.palette.hidden = !this.editing;
    this.showHints();
  }

  /**
   * @param {Record<string, any>} question
   * @returns {Promise<Answer | null>}
   */
  async ask(question) {
    const number = ++this.asked;
    /** @type {Answer} */
    const answer = await answerTo("/sandbox/fish", question);
    // A later question makes this answer obsolete.
    if (number !== this.asked) return null;
    fill(this.problem, answer.reason ?? "");
    return answer.reason ? null : answer;
  }

  /**
   * Look at a position, or at a new one.
   * @param {Position | null} position
   * @param {Record<string, number>} [config]
   */
  async look(position, config = { rows: 4, cols: 4, players: 2 }) {
    const answer = await this.ask(position ? { position } : { config, seed: Math.floor(Math.random() * 2 ** 31) });
    if (!answer) return false;
    if (this.answer) this.past.push(this.answer.position);
    this.done = [];
    await this.show(answer);
    return true;
  }

  /**
   * @param {Answer} answer
   * @param {Array<[string, string]>} [moved]
   */
  async show(answer, moved = []) {
    let sheet = this.sheets.get(answer.sheet);
    try {
      sheet ??= /** @type {Sheet} */ (await (await fetch(answer.sheet)).json());
    } catch {
      fill(this.problem, "The server does not answer. Try again when it does.");
      return;
    }
    this.sheets.set(answer.sheet, sheet);
    if (!this.board || sheet !== this.state.head.sheet) {
      this.board?.close();
      this.state.head.sheet = sheet;
      this.board = new Board(sheet);
      this.board.onpoint = (target) => this.point(target);
      fill(this.stage, this.board.root);
      this.board.fit();
    }
    this.answer = answer;
    const { state } = this;
    Object.assign(state, { frame: answer.frame, choices: answer.choices, stage: answer.frame.stage, toAct: Object.keys(answer.choices), turn: state.turn + 1 });
    this.board.setFrame(answer.frame, moved);
    this.board.set("trail", Object.values(answer.turn?.results[0]?.layers ?? {}));
    keep(DRAFT, answer.position);
    history.replaceState(null, "", `/sandbox?game=fish#position=${encodeURIComponent(JSON.stringify(answer.position))}`);
    this.text.value = JSON.stringify(answer.position);
    renew(this.heading, answer.frame.title);
    renew(this.scores, Object.entries(answer.frame.scores ?? {}).map(([seat, own]) => `${seat} ${own.fish}`).join(", "));
    renew(this.log, this.done.map((text, i) => h("li", { "data-key": i }, text)));
    const [seat] = state.toAct;
    this.pass.hidden = !seat || (answer.choices[seat] ?? []).length > 0;
    this.entry.refresh();
    document.body.dataset.ready = "true";
  }

  /** Process a message of the entry. @param {Record<string, any>} message @returns {Promise<Settled>} */
  async enter({ action }) {
    const reason = await this.act(action);
    return reason ? { refused: 1, reason } : { ok: 1, reason: "" };
  }

  /**
   * Play an action of the seat to act; return the reason if it is not possible.
   * @param {unknown} action
   */
  async act(action) {
    if (!this.answer) return "";
    const before = this.answer;
    const judged = await this.ask({ position: before.position, act: true, action });
    if (!judged?.after || !judged.turn) return this.problem.textContent ?? "";
    const next = await this.ask({ position: judged.after });
    if (!next) return this.problem.textContent ?? "";
    this.past.push(before.position);
    const told = judged.turn.results.map((result) => `${result.seat} ${result.text}`).join(", ");
    this.done.push(told);
    this.live.textContent = `${told}. ${next.frame.title}`;
    await this.show({ ...next, turn: judged.turn }, judged.turn.moved);
    return "";
  }

  async back() {
    const before = this.past.pop();
    if (!before) return;
    this.done.pop();
    const answer = await this.ask({ position: before });
    if (answer) await this.show(answer);
  }

  read() {
    try {
      this.look(JSON.parse(this.text.value));
    } catch {
      fill(this.problem, "The position is not JSON.");
    }
  }

  /** @param {Target | null} target */
  point(target) {
    if (!target) return;
    if (this.editing) this.paint(target.place);
    else this.entry.point(target);
  }

  /** @param {string} place */
  paint(place) {
    if (!this.answer) return;
    const position = structuredClone(this.answer.position);
    const [row = 0, column = 0] = place.split(",").map(Number);
    const stands = position.players.find((player) => player.places.some(([y, x]) => y === row && x === column));
    for (const player of position.players) player.places = player.places.filter(([y, x]) => y !== row || x !== column);
    const fish = Number(this.brush);
    if (Number.isInteger(fish)) {
      const line = position.board[row];
      if (line) line[column] = fish;
      if (fish && stands) stands.places.push([row, column]);
    } else if (stands?.color !== this.brush) {
      let player = position.players.find((one) => one.color === this.brush);
      if (!player) position.players.push(player = { color: this.brush, score: 0, places: [], tiles: 0 });
      player.places.push([row, column]);
    }
    // Without their number, all penguins that there shall be are there.
    delete position.penguins;
    this.look(position);
  }

  passTurn() {
    if (!this.answer) return;
    const position = structuredClone(this.answer.position);
    position.players.push(...position.players.splice(0, 1));
    this.look(position);
  }

  showHints() {
    this.board?.set("hints", this.editing ? [] : this.entry.hints());
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const typing = event.target instanceof HTMLElement && event.target.matches("input, textarea, select, button");
    if (!typing && this.entry.key(event)) event.preventDefault();
  }
}

/** The position that the address carries. @returns {Position | null} */
function carried() {
  try {
    return JSON.parse(new URLSearchParams(location.hash.slice(1)).get("position") ?? "null");
  } catch {
    return null;
  }
}

new WhatIf(find("#page"));
