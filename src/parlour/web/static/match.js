// The page of a match on a server: gets the story over the line and shows it, whether one plays, moderates or watches.

import { fill, find, h, icon } from "./dom.js";
import { Story } from "./story.js";
import { Table } from "./table.js";
import { themeButton } from "./theme.js";
import { Wire } from "./wire.js";

/** @import {StoryHead} from "./types.js" */

const root = find("#page");
const { match = "" } = document.body.dataset;
const view = new URLSearchParams(location.search).get("as");
const wire = new Wire(`/match/${encodeURIComponent(match)}/line${view ? `?as=${encodeURIComponent(view)}` : ""}`);

/** @type {Table | null} */
let table = null;

/** What went wrong before the match began; and what one says to be let in, which others who sit down do not wipe out. */
const problem = h("p", { class: "refused", role: "alert" });
const password = h("input", { type: "password", autocomplete: "off" });

/** @type {Map<string, Promise<any>>} */
const sheets = new Map();

/** @param {string} url */
function sheetAt(url) {
  // One that did not come is not remembered.
  if (!sheets.has(url)) sheets.set(url, fetch(url).then((response) => response.json()).catch((error) => { sheets.delete(url); throw error; }));
  return /** @type {Promise<any>} */ (sheets.get(url));
}

wire.onhead = async (head) => {
  const about = head.about ?? {};
  if (!about.sheet) {
    lobby(head);
    return;
  }
  const sheet = await sheetAt(about.sheet);
  const index = table && !table.following ? table.index : null;
  table?.close();
  table = new Table(new Story({ ...head, sheet }), root, wire);
  if (index !== null) table.go(index);
  document.body.dataset.ready = "true";
};

wire.ontelling = (telling) => {
  if (!table || telling.e.event === "started") wire.restart();
  else table.take(telling);
};

wire.online = (on, seconds) => {
  if (table) table.setOnline(on, seconds);
  else fill(problem, on ? null : `The line to the server is cut; the next try is in ${seconds} s.`);
};

wire.onend = (reason) => {
  fill(root, h("main", { class: "message" }, h("h1", {}, reason), h("p", {}, h("a", { href: "/" }, "All matches"))));
};

/**
 * The match has not begun: who sits where, and what one can do about it.
 * @param {StoryHead} head
 */
function lobby(head) {
  const about = head.about ?? {};
  table?.close();
  table = null;
  const ask = (/** @type {Record<string, any>} */ message, restart = true) => async () => {
    const answer = await wire.send(message);
    if (answer.refused) fill(problem, answer.reason);
    else if (restart) wire.restart();
  };
  const seats = /** @type {Array<{seat: string, title: string, player: string}>} */ (about.seating ?? []);
  const own = head.seats ?? [];
  fill(root,
    h("header", { class: "top" }, h("a", { class: "brand", href: "/" }, icon("seal"), h("span", {}, "Parlour")),
      h("div", { class: "where" }, h("h1", { class: "phase" }, head.title || "A new match")), h("div", { class: "tools" }, themeButton())),
    h("main", { class: "lobby", id: "main" },
      h("p", { class: "lead" }, `${about.title ?? head.game}: waiting for players. It begins when all seats are taken. Send this address to those who shall play:`),
      h("p", {}, h("code", { class: "address" }, location.href.split("#")[0] ?? "")),
      about.password ? h("p", {}, h("label", { class: "line" }, "Password for seats", password)) : null,
      h("ul", { class: "lobby-seats" }, seats.map(({ seat, title, player }) => h("li", {},
        h("b", {}, title), h("span", {}, player || "free"),
        player ? null : own.length && !about.moderator ? null : h("button", { type: "button", onclick: () => ask({ ask: "join", seat, password: password.value })() }, "Sit down"),
        !player && about.moderator ? h("button", { type: "button", class: "quiet", onclick: ask({ ask: "seat agent", seat, agent: about.agent }) }, `${about.agent} plays`) : null))),
      about.moderator ? h("p", {}, h("button", { type: "button", class: "primary", onclick: ask({ intent: "start", by: "" }) }, "Start now")) : null,
      problem));
  document.body.dataset.ready = "true";
}

wire.connect();
