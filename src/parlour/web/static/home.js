// The first page: a match that moves, beside the lists.

import { Board } from "./board.js";
import { layersOf } from "./deeds.js";
import { fill, find, h } from "./dom.js";
import { renew } from "./renew.js";
import { Seats } from "./seats.js";
import { Story } from "./story.js";
import { Wire } from "./wire.js";

/** So long in milliseconds orders are shown before the pieces go. */
const ORDERS = 2200;

const { match } = document.body.dataset;
const stage = find("#stage");

/** @type {Story | null} */
let story = null;
/** @type {Board | null} */
let board = null;
/** @type {Seats | null} */
let seats = null;
const caption = h("p", { class: "caption" });

/** @type {number | undefined} */
let waiting;

/**
 * Where the match stands.
 * @param {number} moved
 */
function show(moved) {
  clearTimeout(waiting);
  waiting = undefined;
  if (!story?.frame || !board) return;
  const steps = story.allSteps();
  const last = steps[steps.length - 1];
  const before = story.oneByOne ? last : steps[steps.length - 2];
  board.setDeeds({});
  board.setFrame(story.frame, moved ? story.arrived(steps.length - 1) : []);
  seats?.show(last, true);
  const broken = before?.judged.find((one) => one.status === "broken");
  const players = story.seats.map((chair) => chair.player).filter(Boolean);
  tell(story.frame.title, story.outcome?.reason ?? broken?.sentence ?? `${story.head.title}: ${[...new Set(players)].join(", ")}`);
  document.body.dataset.ready = "true";
}

/** A turn ended: what was ordered first, then where it led. */
function showTurn() {
  clearTimeout(waiting);
  const steps = story?.allSteps() ?? [];
  const done = steps[steps.length - 2];
  if (!story || story.oneByOne || !done?.frame) {
    show(1);
    return;
  }
  board?.setFrame(done.frame);
  board?.setDeeds(layersOf(done.deeds, null));
  tell(done.title, `${done.deeds.length - done.deeds.filter((deed) => deed.failed).length} of ${done.deeds.length} orders succeed`);
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
    story?.outcome ? [" ", h("a", { href: "/" }, "Watch another")] : null);
}

if (match) {
  const wire = new Wire(`/match/${encodeURIComponent(match)}/line?as=spectator`);
  wire.onhead = async (head) => {
    const url = head.about?.sheet;
    if (!url) return;
    const sheet = await (await fetch(url)).json();
    story = new Story({ ...head, sheet });
    board?.close();
    board = new Board(sheet);
    board.onpoint = () => { location.href = `/match/${encodeURIComponent(match)}`; };
    seats = new Seats(story, []);
    fill(stage, board.root, seats.root, caption);
    show(0);
  };
  wire.ontelling = (telling) => {
    story?.take(telling);
    if (telling.e.event === "turn ended") showTurn();
    if (story?.outcome && waiting === undefined) show(0);
    if (telling.e.event === "started" && !board) wire.restart();
  };
  wire.connect();
}
