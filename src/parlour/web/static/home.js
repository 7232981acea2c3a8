// The first page: a match that moves, beside the lists.

import { Board } from "./board.js";
import { fill, find, h } from "./dom.js";
import { renew } from "./renew.js";
import { Seats } from "./seats.js";
import { Story } from "./story.js";
import { Wire } from "./wire.js";

const { match } = document.body.dataset;
const stage = find("#stage");

/** @type {Story | null} */
let story = null;
/** @type {Board | null} */
let board = null;
/** @type {Seats | null} */
let seats = null;
const caption = h("p", { class: "caption" });

/** @param {number} moved */
function show(moved) {
  if (!story || !board) return;
  const { frame } = story;
  if (!frame) return;
  const steps = story.allSteps();
  const last = steps[steps.length - 1];
  const before = story.oneByOne ? last : steps[steps.length - 2];
  board.setFrame(frame, moved ? story.arrived(steps.length - 1) : []);
  seats?.show(last, true);
  const broken = before?.judged.find((one) => one.status === "broken");
  const players = story.seats.map((chair) => chair.player).filter(Boolean);
  renew(caption,
    h("b", {}, frame.title), " ",
    h("span", {}, broken ? broken.sentence : `${story.head.title}: ${[...new Set(players)].join(", ")}`), " ",
    h("a", { href: `/match/${encodeURIComponent(match ?? "")}` }, "Look closer"));
  document.body.dataset.ready = "true";
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
    if (telling.e.event === "turn ended") show(1);
    if (telling.e.event === "started" && !board) wire.restart();
  };
  wire.connect();
}
