// The first page: a match that moves, beside the lists.

import { Board } from "./board.js";
import { layersOf } from "./results.js";
import { fill, find, h } from "./dom.js";
import { renew } from "./renew.js";
import { Seats } from "./seats.js";
import { ring } from "./sound.js";
import { MatchState } from "./match_state.js";
import { Wire } from "./wire.js";

/** Milliseconds for which orders are shown before the pieces move. */
const ORDERS = 2200;

/** Boards wider than this, in heights, have less height on the page. */
const WIDE = 1.6;

const { match } = document.body.dataset;
const stage = find("#stage");

/** @type {MatchState | null} */
let state = null;
/** @type {Board | null} */
let board = null;
/** @type {Seats | null} */
let seats = null;
const caption = h("p", { class: "caption" });
/** The longest title below the board. */
const LONGEST = 80;

/** @type {number | undefined} */
let waiting;

/**
 * Show the present position of the match.
 * @param {number} moved
 */
function show(moved) {
  clearTimeout(waiting);
  waiting = undefined;
  if (!state?.frame || !board) return;
  const steps = state.allSteps();
  const last = steps[steps.length - 1];
  const before = state.oneByOne ? last : steps[steps.length - 2];
  board.setResults({});
  board.setFrame(state.frame, moved ? state.arrived(steps.length - 1) : []);
  seats?.show(last, true);
  const broken = before?.judged.find((one) => one.status === "broken");
  const players = state.seats.map((chair) => chair.name).filter(Boolean);
  tell(state.frame.title, state.outcome?.reason ?? broken?.sentence ?? `${cut(state.head.title ?? "")}: ${[...new Set(players)].join(", ")}`);
  document.body.dataset.ready = "true";
}

/** @param {string} title */
const cut = (title) => (title.length > LONGEST ? `${title.slice(0, LONGEST)}…` : title);

/** Show a turn that has ended: first the orders, then their results. */
function showTurn() {
  clearTimeout(waiting);
  const steps = state?.allSteps() ?? [];
  const done = steps[steps.length - 2];
  if (!state || state.oneByOne || !done?.frame) {
    show(1);
    return;
  }
  board?.setFrame(done.frame);
  board?.setResults(layersOf(done.results, null));
  tell(done.title, `${done.results.length - done.results.filter((result) => result.failed).length} of ${done.results.length} orders succeed`);
  waiting = setTimeout(() => show(1), ORDERS);
}

/**
 * @param {string} title
 * @param {string} sentence
 */
function tell(title, sentence) {
  renew(caption,
    h("b", {}, title), " ",
    h("span", {}, sentence), " ",
    h("a", { href: `/match/${encodeURIComponent(match ?? "")}` }, "Look closer"),
    state?.outcome ? [" ", h("a", { href: "/" }, "Watch another")] : null);
}

// The title says how much waits.
const waits = Number(document.querySelector(".own")?.getAttribute("data-waiting") ?? 0);
const title = document.title;
showWaits(waits);

/** @param {number} count */
function showWaits(count) {
  document.title = count ? `(${count}) ${title}` : title;
}

/** Milliseconds after which it is asked again what waits. */
const AGAIN = 30_000;
let known = waits;
if (document.querySelector(".own")) {
  setInterval(async () => {
    try {
      const { matches } = await (await fetch("/waiting")).json();
      if (matches.length > known) ring();
      known = matches.length;
      showWaits(known);
    } catch {
      // It is asked again.
    }
  }, AGAIN);
}

if (match) {
  const wire = new Wire(`/match/${encodeURIComponent(match)}/line?as=spectator`);
  wire.onhead = async (head) => {
    const url = head.about?.sheet;
    if (!url) return;
    const sheet = await (await fetch(url)).json();
    state = new MatchState({ ...head, sheet });
    board?.close();
    board = new Board(sheet);
    board.onpoint = () => { location.href = `/match/${encodeURIComponent(match)}`; };
    seats = new Seats(state, []);
    stage.classList.toggle("wide-board", WIDE < Number(sheet.view[2]) / Number(sheet.view[3]));
    fill(stage, board.root, seats.root, caption);
    show(0);
  };
  wire.ontelling = (telling) => {
    state?.take(telling);
    if (telling.e.event === "turn ended") showTurn();
    if (state?.outcome && waiting === undefined) show(0);
    if (telling.e.event === "started" && !board) wire.restart();
  };
  wire.connect();
}
