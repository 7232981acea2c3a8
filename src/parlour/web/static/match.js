// The page of a match on a server: gets the state over the line and shows it, whether one plays, moderates or watches.

import { copyButton, fill, find, h, steady } from "./dom.js";
import { MatchState } from "./match_state.js";
import { renew } from "./renew.js";
import { agentOptions, asking, signIn, signInLink } from "./seat_dialogs.js";
import { Table } from "./table.js";
import { topBar } from "./theme.js";
import { FORBIDDEN, Wire } from "./wire.js";

/** @import {MatchHead} from "./types.js" */

const root = find("#page");
const { match = "", account = "" } = document.body.dataset;
const view = new URLSearchParams(location.search).get("as");
const wire = new Wire(`/match/${encodeURIComponent(match)}/line${view ? `?as=${encodeURIComponent(view)}` : ""}`);

/** @type {Table | null} */
let table = null;

/** The room before the match begins; what somebody entered or chose there stays when others join. */
const room = h("main", { class: "lobby", id: "main" });
const problem = steady(h("p", { class: "refused", role: "alert" }));
const password = steady(h("input", { type: "password", autocomplete: "off" }));
const agent = steady(h("select", { "aria-label": "House agent" }));

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
  const before = table?.state.head.about?.account;
  table?.close();
  table = new Table(new MatchState({ ...head, sheet }), root, wire);
  if (index !== null) table.go(index);
  if (before && !about.account) table.banner.show("signed out", "You are signed out. Sign in again to play on; what was not sent is kept.", signInLink());
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

wire.onend = (reason, code) => {
  fill(root, topBar([]), h("main", { class: "message", id: "main" }, h("h1", {}, reason), h("p", { class: "line" },
    h("a", { class: "button", href: "/" }, "All matches"),
    code === FORBIDDEN && !account ? signInLink() : null,
    code === FORBIDDEN && account ? `You are signed in as ${account}.` : null)));
};

/**
 * The match has not begun: who sits where, and what one can do about it.
 * @param {MatchHead} head
 */
function lobby(head) {
  const about = head.about ?? {};
  table?.close();
  table = null;
  document.body.dataset.ready = "true";
  const outcome = head.table?.outcome;
  if (outcome) {
    wire.onend(`This match was called off before it began: ${outcome.reason}.`, 0);
    return;
  }
  const ask = asking(wire, problem, () => wire.restart());
  const seats = /** @type {Array<{seat: string, title: string, player: string}>} */ (about.seating ?? []);
  const own = head.seats ?? [];
  const hosts = about.moderator || about.manages;
  if (!agent.length) {
    agent.append(...agentOptions(about));
    agent.value = String(about.agent ?? "");
  }
  const free = seats.filter(({ player }) => !player);
  const lot = about.by_lot;
  const sit = (/** @type {string} */ seat) => h("button", { type: "button", class: "primary", onclick: () => ask({ ask: "join", seat, password: password.value })() }, "Sit down",
    h("span", { class: "sr-only" }, ` as ${seats.find((one) => one.seat === seat)?.title ?? "a player"}`));
  const may = about.account && (!own.length || about.seats_each !== 1);
  if (!room.isConnected) fill(root, topBar([h("h1", { class: "phase" }, head.title || "A new match")]), room);
  renew(room,
    h("p", { class: "lead" }, `${about.title ?? head.game}: waiting for players. It begins when all seats are taken. Send this address to those who shall play:`),
    h("p", { class: "line" }, h("code", { class: "address" }, location.href.split("#")[0] ?? ""),
      copyButton("Copy", () => location.href.split("#")[0] ?? "")),
    !about.account && free.length ? signIn(about, free.map(({ seat, title }) => [seat, title])) : null,
    h("section", {}, h("h2", {}, "Terms"), h("ul", { class: "terms" }, (about.terms ?? []).map((/** @type {string} */ line) => h("li", {}, line)))),
    h("h2", {}, "Seats"),
    about.password && may ? h("p", {}, h("label", { class: "line" }, "Password for seats", password)) : null,
    h("ul", { class: "lobby-seats" }, seats.map(({ seat, title, player }) => h("li", {},
      h("b", {}, title), h("span", {}, player || "free"),
      own.includes(seat) ? h("button", { type: "button", onclick: ask({ intent: "leave", seat }) }, "Stand up") : player || !may || lot ? null : sit(seat),
      !player && hosts ? h("button", { type: "button", onclick: () => ask({ ask: "seat agent", seat, agent: agent.value })() }, "Seat the agent", h("span", { class: "sr-only" }, ` as ${title}`)) : null))),
    lot && may && free.length ? h("p", {}, "Seats are drawn by lot: ", sit(free[0]?.seat ?? "")) : null,
    hosts && free.length ? h("p", { class: "line" }, h("label", { class: "line" }, "House agent ", agent)) : null,
    hosts ? h("p", {}, h("button", { type: "button", class: "primary", onclick: ask({ intent: "start", by: "" }) }, "Start now")) : null,
    problem);
}

wire.connect();
