// The timeline: a tick for each turn, marked where a promise broke and by what kind of breach; buttons, dragging and keys move through the match.

import { fill, h, icon } from "./dom.js";
import { renew } from "./renew.js";

/** @import {Step} from "./match_state.js" */

const PACE = 1300;
const LABEL = 34; // pixels that a year takes

export class Timeline {
  /** @param {(index: number) => void} go */
  constructor(go) {
    this.go = go;
    this.index = 0;
    this.count = 0;
    /** @type {Step[]} */
    this.steps = [];
    this.width = 600; // until it is known
    this.every = 1;
    /** @type {number | undefined} */
    this.timer = undefined;
    this.track = h("div", { class: "track", "aria-hidden": "true" });
    // One that is moved: to be another tick's would make the browser style and lay out both.
    this.now = h("div", { class: "now", "aria-hidden": "true" });
    this.range = h("input", { type: "range", min: "0", value: "0", "aria-label": "Turn" });
    this.playing = h("button", { class: "quiet square", type: "button", onclick: () => this.toggle() });
    this.label = h("output", { class: "phase-name" });
    const button = (/** @type {string} */ name, /** @type {string} */ label, /** @type {() => void} */ act) =>
      h("button", { class: "quiet square", type: "button", "aria-label": label, title: label, onclick: act }, icon(name));
    this.root = h(
      "div", { class: "timeline", role: "group", "aria-label": "Turns" },
      button("first", "First turn (Home)", () => this.move(0)),
      button("back", "One turn back (←)", () => this.move(this.index - 1)),
      this.playing,
      button("next", "One turn on (→)", () => this.move(this.index + 1)),
      button("last", "Last turn (End)", () => this.move(this.count - 1)),
      h("div", { class: "slider" }, this.track, this.now, this.range),
      this.label,
    );
    this.drag();
    this.showPlaying();
    new ResizeObserver(([entry]) => {
      this.width = entry?.contentRect.width || this.width;
      if (this.every !== apart(this.steps, this.width)) this.mark();
    }).observe(this.track);
  }

  /** A tick for each turn, and as many years as there is room for. */
  mark() {
    const [first, every] = [Number(yearOf(this.steps[0])), (this.every = apart(this.steps, this.width))];
    renew(this.track, this.steps.map((step, i) => tick(step, this.steps[i - 1], first, every)));
  }

  /**
   * @param {Step[]} steps
   * @param {number} index
   */
  show(steps, index) {
    if (this.count !== steps.length || this.marked !== marks(steps)) {
      this.count = steps.length;
      this.marked = marks(steps);
      this.range.max = String(Math.max(0, steps.length - 1));
      this.steps = steps;
      this.mark();
    }
    this.index = index;
    this.range.value = String(index);
    const step = steps[index];
    const broken = step && breachOf(step);
    this.range.setAttribute("aria-valuetext", step ? `${step.title}${broken ? `, a promise broke${broken === "broken" ? "" : ` (${broken})`}` : ""}` : "");
    // People call the last place of a finished match its end.
    renew(this.label, step?.name === "COMPLETED" ? "End" : (step?.name ?? ""));
    this.now.style.transform = `translateX(${((index + 0.5) / Math.max(1, steps.length)) * 100}%)`;
    if (this.timer !== undefined && index >= this.count - 1) this.toggle();
  }

  /** @param {number} index */
  move(index) {
    const to = Math.max(0, Math.min(this.count - 1, index));
    if (to !== this.index) this.go(to);
  }

  /** Drags are reported once per frame of the screen. */
  drag() {
    let waiting = false;
    this.range.addEventListener("input", () => {
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => {
        waiting = false;
        this.move(Number(this.range.value));
      });
    });
  }

  /** Play, or stop playing. */
  toggle() {
    if (this.timer !== undefined) {
      clearInterval(this.timer);
      this.timer = undefined;
    } else {
      if (this.index >= this.count - 1) this.move(0);
      this.timer = setInterval(() => this.move(this.index + 1), PACE);
    }
    this.showPlaying();
  }

  showPlaying() {
    const on = this.timer !== undefined;
    this.playing.setAttribute("aria-label", on ? "Stop (Space)" : "Play (Space)");
    this.playing.title = on ? "Stop (Space)" : "Play (Space)";
    fill(this.playing, icon(on ? "pause" : "play"));
  }
}

/**
 * @param {Step[]} steps
 * @returns {string}
 */
function marks(steps) {
  return steps.map((step) => breachOf(step)).join();
}

/**
 * The gravest kind of breach of a turn; "broken" if no sealed plan says which, empty if nothing broke.
 * @param {Step} step
 */
export function breachOf(step) {
  const kinds = step.judged.filter((one) => one.status === "broken").map((one) => one.kind ?? "");
  return GRAVEST.find((kind) => kinds.some((one) => one.startsWith(kind))) ?? (kinds.length ? "broken" : "");
}

const GRAVEST = ["premeditated", "opportunistic", "mistaken", "forced"];

/**
 * @param {Step | undefined} step
 * @returns {string}
 */
function yearOf(step) {
  return /\d{4}/.exec(step?.name ?? "")?.[0] ?? "";
}

/**
 * Return the years between two labels, so that no label covers another.
 * @param {Step[]} steps
 * @param {number} width
 * @returns {number}
 */
function apart(steps, width) {
  const years = new Set(steps.map(yearOf)).size;
  return [1, 2, 5, 10, 20, 50].find((every) => (years / every) * LABEL <= width) ?? 100;
}

/**
 * @param {Step} step
 * @param {Step | undefined} before
 * @param {number} begin
 * @param {number} every
 * @returns {HTMLElement}
 */
function tick(step, before, begin, every) {
  const broken = breachOf(step);
  const year = yearOf(step);
  const first = year && year !== yearOf(before);
  const named = first && (Number(year) - begin) % every === 0;
  return h("span", { class: `tick${broken ? ` broken ${broken}` : ""}${first ? " year" : ""}`, title: broken }, named ? h("i", {}, year) : null);
}
