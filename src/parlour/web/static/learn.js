// The guide for a first visit: five puzzles on the map, one after the other; the server's adjudicator checks them.

import { Board } from "./board.js";
import { Results, layersOf } from "./results.js";
import { fill, find, h, icon } from "./dom.js";
import { keep, kept } from "./drafts.js";
import { Machine, province } from "./machine.js";
import { hintMarks, orderRow } from "./machine_marks.js";
import { MatchState } from "./match_state.js";
import { renew } from "./renew.js";
import { answerTo } from "./questions.js";
import { topBar } from "./theme.js";

/** @import {ActionResult, Frame, Sheet, Turning} from "./types.js" */
/** @import {Target} from "./board.js" */

/** @typedef {{frame: Frame, choices: Record<string, string[]>, plan: ActionResult[], turn?: Turning, next?: Frame, power: string, title: string, words: string, titles: string[], solved?: boolean, hint?: string, reason?: string}} Answer */

const DRAFT = "learn";

class Guide {
  /**
   * @param {Sheet} sheet
   * @param {HTMLElement} root
   */
  constructor(sheet, root) {
    this.sheet = sheet;
    document.body.classList.add("sandboxed");
    /** The lessons that were solved. @type {Set<number>} */
    this.solved = new Set(kept(DRAFT) ?? []);
    this.lesson = 0;
    this.tries = 0;
    /** @type {Machine | null} */
    this.machine = null;
    /** The results that the board shows. @type {ActionResult[]} */
    this.drawn = [];
    this.judged = false;
    this.board = new Board(sheet);
    this.results = new Results(new MatchState({ game: "diplomacy", sheet, past: [] }), (index) => this.board.setResults(layersOf(this.drawn, index)), () => {});
    this.heading = h("h1", { class: "phase" });
    this.status = h("p", { class: "status" });
    this.text = h("p", { class: "lesson-words" });
    this.verdict = h("p", { class: "verdict", role: "status" });
    this.sentence = h("span", { class: "sentence", role: "status" });
    this.chips = h("span", { class: "chips" });
    this.list = h("ul", { class: "units" });
    this.steps = h("ol", { class: "lesson-steps" });
    this.check = h("button", { type: "button", class: "primary", onclick: () => this.judge() }, "Check");
    this.next = h("button", { type: "button", hidden: true, onclick: () => this.go(this.lesson + 1) }, "Next step");
    fill(root,
      h("a", { class: "skip", href: "#lesson" }, "Skip to the lesson"),
      topBar([this.heading, this.status]),
      h("main", { class: "match sandbox", id: "main" },
        h("section", { class: "map-panel", "aria-label": "Board" }, this.board.root, h("div", { class: "sentence-bar" }, this.sentence, this.chips)),
        h("aside", { class: "side alone" },
          h("section", { class: "pane chosen pane-orders", id: "lesson", tabindex: "-1" },
            this.steps, this.text, this.list,
            h("p", { class: "line" }, this.check, h("button", { type: "button", onclick: () => this.go(this.lesson) }, "Begin again"), this.next),
            this.verdict, this.results.root))));
    this.board.fit();
    this.board.onpoint = (target) => this.point(target);
    document.addEventListener("keydown", (event) => this.key(event));
    this.go(0);
  }

  /** @param {number} lesson */
  go(lesson) {
    if (lesson !== this.lesson) this.tries = 0;
    this.lesson = lesson;
    this.machine = null;
    this.judged = false;
    fill(this.verdict);
    this.look();
  }

  async look() {
    /** @type {Answer} */
    const answer = await answerTo("/learn", { lesson: this.lesson, orders: this.machine?.action ?? [] });
    if (answer.reason) {
      fill(this.verdict, answer.reason);
      return;
    }
    this.judged = false;
    this.machine ??= Machine.of(answer.frame, answer.power, answer.choices[answer.power] ?? [], this.sheet.places);
    this.show(answer, answer.frame, answer.plan);
    document.body.dataset.ready = "true";
  }

  async judge() {
    /** @type {Answer} */
    const answer = await answerTo("/learn", { lesson: this.lesson, orders: this.machine?.action ?? [], judge: true });
    if (answer.reason || !answer.turn) {
      fill(this.verdict, answer.reason ?? "");
      return;
    }
    this.judged = true;
    this.tries += 1;
    if (answer.solved) {
      this.solved.add(this.lesson);
      keep(DRAFT, [...this.solved]);
    }
    this.show(answer, answer.frame, answer.turn.results);
    const last = this.lesson === answer.titles.length - 1;
    fill(this.verdict, answer.solved ? (last ? "Solved. That is all you need: open a match, or watch one." : "Solved.") : `Not yet.${this.tries > 1 ? ` ${answer.hint}` : " Look at what failed, and try again."}`);
    this.verdict.classList.toggle("good", Boolean(answer.solved));
    if (answer.solved && last) this.verdict.append(" ", h("a", { href: "/new" }, "Open a match"));
    this.next.hidden = !answer.solved || last;
    if (answer.solved && answer.next) this.board.setFrame(answer.next, answer.turn.moved);
  }

  /**
   * @param {Answer} answer
   * @param {Frame} frame
   * @param {ActionResult[]} results
   */
  show(answer, frame, results) {
    this.drawn = results;
    this.board.setFrame(frame);
    this.board.setResults(layersOf(results, null));
    const step = { turn: 0, name: frame.name, title: frame.title, frame, results: this.judged ? results : [], moved: [], judged: [] };
    this.results.root.hidden = !this.judged;
    this.results.show(step, [step]);
    renew(this.heading, answer.title);
    renew(this.status, `Step ${this.lesson + 1} of ${answer.titles.length}: you play ${this.sheet.seats?.[answer.power]?.title ?? answer.power}`);
    renew(this.text, answer.words);
    this.next.hidden = !this.solved.has(this.lesson) || this.lesson === answer.titles.length - 1;
    renew(this.steps, answer.titles.map((title, i) => h("li", { "data-key": i },
      h("button", { type: "button", class: "small", "aria-current": i === this.lesson ? "step" : null, onclick: () => this.go(i) },
        `${i + 1} ${title}`, this.solved.has(i) ? [" ", icon("good"), h("span", { class: "sr-only" }, "solved")] : null))));
    this.render();
  }

  /** @param {Target | null} target */
  point(target) {
    if (!target || !this.machine) return;
    const gesture = target.kind === "result" ? { kind: /** @type {const} */ ("order"), text: this.drawn[target.result]?.text ?? "" } : { kind: target.kind, place: target.place, at: target.at };
    if (target.kind !== "result" && !this.machine.unit && !this.machine.ordersOf(province(target.place)).length) return;
    if (this.machine.gesture(gesture)) this.look();
    else this.render();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const typing = event.target instanceof HTMLElement && event.target.matches("input, textarea, select, button, a");
    if (typing || event.ctrlKey || event.metaKey || !this.machine) return;
    if (this.machine.gesture({ kind: "key", key: event.key })) this.look();
    else this.render();
  }

  render() {
    const { machine } = this;
    if (!machine) return;
    renew(this.sentence, machine.sentence ?? "Click a unit, then where it goes; or choose from the list");
    renew(this.chips, machine.chips.map(({ label }, index) => h("button", { type: "button", class: "chip", "data-key": label, onclick: () => { machine.gesture({ kind: "chip", index }); this.look(); } }, label)));
    renew(this.list, machine.unitPlaces.map((place) => orderRow(machine, place, () => this.look())));
    this.board.set("hints", hintMarks(machine));
  }
}

const sheet = await (await fetch(document.body.dataset.sheet ?? "")).json();
new Guide(sheet, find("#page"));
