// The result of a match: places, points, promises, a chart of each seat's score, and next steps.

import { coloured, copyButton, h, svg } from "./dom.js";

/** @import {MatchState} from "./match_state.js" */

/** @typedef {Array<Record<string, number>>} History  what each seat had, turn by turn */

/** @typedef {{promises?: Record<string, [number, number]>, players?: Record<string, string>}} Aftermath  promises kept and broken by seat, and who was not named */

/**
 * @param {MatchState} state
 * @param {History} history
 * @param {Aftermath} [aftermath]
 */
export function resultCard(state, history, aftermath = {}) {
  const { outcome } = state;
  if (!outcome) return null;
  const unit = Object.keys(Object.values(state.frame?.scores ?? {})[0] ?? {})[0] ?? "";
  const promises = aftermath.promises ? new Map(Object.entries(aftermath.promises)) : promisesOf(state);
  const playerOf = (/** @type {string} */ seat) => aftermath.players?.[seat] || state.chair(seat).name;
  const whole = Object.values(outcome.scores).every(Number.isInteger);
  const rows = outcome.places.flatMap((seats, at) => seats.map((seat) => {
    const [kept, broken] = promises.get(seat) ?? [0, 0];
    return h("tr", {},
      h("td", { class: "number" }, String(1 + outcome.places.slice(0, at).flat().length)),
      h("th", { scope: "row" }, h("span", { class: "seat-name" }, coloured(h("span", { class: "chip-seat" }), state.look(seat)), state.title(seat)), playerOf(seat) ? h("span", { class: "player" }, ` (${playerOf(seat)})`) : null),
      h("td", { class: "number" }, points(outcome.scores[seat], whole)),
      unit ? h("td", { class: "number" }, String(Object.values(state.frame?.scores?.[seat] ?? {})[0] ?? 0)) : null,
      promises.size ? h("td", { class: "number" }, `${kept} / ${broken}`) : null);
  }));
  const head = (/** @type {string} */ text, /** @type {string} */ name = "number") => h("th", { scope: "col", class: name }, text);
  return h("section", { class: "result", "aria-label": "Result", "data-key": "result" },
    h("h3", {}, headline(state, outcome)), h("p", {}, state.ending),
    state.head.live ? h("div", { class: "line" },
      h("form", { method: "post", action: `${location.pathname}/rematch` }, h("button", { class: "primary" }, "Rematch")),
      h("a", { href: `${location.pathname}/export/record`, download: true }, "Download"),
      copyButton("Copy the address", () => location.href)) : null,
    rows.length ? h("table", {}, h("thead", {}, h("tr", {}, head("Place"), head("Player", ""), head("Points"), unit ? head(unit.charAt(0).toUpperCase() + unit.slice(1)) : null, promises.size ? head("Kept / broken") : null)), h("tbody", {}, rows)) : null,
    history.length > 1 ? chart(state, history) : null);
}

/**
 * The seat with the most points has not won after an agreed draw, or when time ran out.
 * @param {MatchState} state
 * @param {{places: string[][], reason: string}} outcome
 */
function headline(state, { places: [first = []], reason }) {
  const names = first.map((seat) => state.title(seat)).join(", ");
  if (!names) return "No result";
  if (reason.startsWith("draw")) return "A draw";
  if (reason.startsWith("stopped")) return first.length > 1 ? `First together: ${names}` : `${names} is first, without a solo`;
  return first.length > 1 ? `A draw of ${names}` : `${names} wins`;
}

/**
 * @param {number | undefined} score
 * @param {boolean} whole  whether all scores are whole numbers
 */
function points(score, whole) {
  return score === undefined ? "" : whole ? String(score) : score.toFixed(2);
}

/**
 * Return the number of kept and broken promises of each seat, as far as this view knows them.
 * @param {MatchState} state
 */
function promisesOf(state) {
  /** @type {Map<string, [number, number]>} */
  const found = new Map();
  for (const { seat, status } of state.steps.flatMap((step) => step.judged)) {
    const [kept, broken] = found.get(seat) ?? [0, 0];
    if (status === "kept" || status === "broken") found.set(seat, status === "kept" ? [kept + 1, broken] : [kept, broken + 1]);
  }
  return found;
}

/**
 * @param {MatchState} state
 * @param {History} history
 */
function chart(state, history) {
  const most = Math.max(1, ...history.flatMap((one) => Object.values(one)));
  const picture = svg("svg", { class: "chart", viewBox: `0 0 ${history.length - 1} ${most}`, preserveAspectRatio: "none", role: "img", "aria-label": "What each had, turn by turn" });
  for (const { seat } of state.seats) {
    const line = svg("polyline", { points: history.map((one, i) => `${i},${most - (one[seat] ?? 0)}`).join(" ") });
    picture.append(coloured(line, state.look(seat)));
  }
  return picture;
}
