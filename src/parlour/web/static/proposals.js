// Writes press from slots: the result is always readable at the table's level, or there is none.

import { convoyRoute } from "./convoys.js";
import { province, readOrder } from "./machine.js";

/** @import {Place, SeatLook} from "./types.js" */

/**
 * One arrangement that is being filled in.
 * @typedef {object} Part
 * @property {string} kind
 * @property {"" | "NOT" | "NAR"} negation
 * @property {string[]} enemies
 * @property {string} winner
 * @property {string[]} places
 * @property {Array<{seat: string, order: string}>} orders
 * @property {Array<{seat: string, place: string}>} centres
 * @property {Array<{seat: string, unit: string}>} units
 */

/**
 * A whole message that is being written.
 * @typedef {object} Draft
 * @property {string} mode
 * @property {string} seat
 * @property {string[]} to
 * @property {Part[]} parts
 * @property {"AND" | "ORR" | "CHO"} join
 * @property {number} least
 * @property {number} most
 */

/**
 * The known facts of the table.
 * @typedef {object} Setting
 * @property {number} level
 * @property {Record<string, SeatLook>} seats
 * @property {Record<string, Place>} places
 * @property {Record<string, string[]>} units
 * @property {string} stage
 */

/** The beginnings of messages: word, name for people, lowest level. */
export const MODES = /** @type {Array<[string, string, number]>} */ ([
  ["PRP", "Propose", 10],
  ["FCT", "State as a fact", 10],
  ["INS", "Insist", 60],
  ["SUG", "Suggest", 60],
  ["QRY", "Ask whether", 60],
  ["THK", "Think", 60],
]);

export const KINDS = /** @type {Array<[string, string, number]>} */ ([
  ["peace", "Peace", 10],
  ["alliance", "Alliance against …", 10],
  ["draw", "A draw of all who survive", 10],
  ["draw of us", "A draw of us alone", 10],
  ["solo", "One wins alone", 10],
  ["zone", "Keep out of …", 20],
  ["orders", "Orders", 20],
  ["centres", "Who gets which centres", 40],
  ["units", "Who stands where", 40],
]);

export const NEGATIONS = /** @type {Array<["" | "NOT" | "NAR", string]>} */ ([
  ["", "it is so"],
  ["NOT", "it is not so"],
  ["NAR", "no longer"],
]);

/** The words that join parts, with their lowest level. */
export const JOINS = /** @type {Array<["AND" | "ORR" | "CHO", string, number]>} */ ([
  ["AND", "all of it", 30],
  ["ORR", "at least one of these", 30],
  ["CHO", "a number of these", 50],
]);

/** The lowest level at which lists may contain lists. */
const NESTED = 50;

/** @returns {Part} */
export function emptyPart(kind = "peace") {
  return { kind, negation: "", enemies: [], winner: "", places: [], orders: [], centres: [], units: [] };
}

/**
 * Return the message, or the missing parts.
 * @param {Draft} draft
 * @param {Setting} setting
 * @returns {{text: string, missing: string}}
 */
export function compose(draft, setting) {
  const nothing = (/** @type {string} */ missing) => ({ text: "", missing });
  if (!draft.to.length) return nothing("Choose who is to hear it.");
  const groups = draft.parts.map((part) => expand(part, draft, setting));
  const empty = groups.findIndex((group) => !group.length);
  if (empty >= 0) return nothing(MISSING[draft.parts[empty]?.kind ?? ""] ?? "Something is missing.");
  const flat = groups.flat();
  const word = (/** @type {string} */ what) => `${draft.mode} ( ${what} )`;
  if (flat.length === 1) return { text: word(flat[0] ?? ""), missing: "" };
  if (setting.level < 30) return nothing("This table takes one arrangement at a time.");
  const list = (/** @type {string[]} */ parts) => parts.map((part) => `( ${part} )`).join(" ");
  if (draft.join === "AND" || groups.length === 1) return { text: word(`AND ${list(flat)}`), missing: "" };
  if (setting.level < NESTED && groups.some((group) => group.length > 1)) return nothing("At this table an alternative has one order only.");
  const parts = groups.map((group) => (group.length > 1 ? `AND ${list(group)}` : group[0] ?? ""));
  if (draft.join === "ORR") return { text: word(`ORR ${list(parts)}`), missing: "" };
  const { least, most } = draft;
  const fits = Number.isInteger(least) && Number.isInteger(most) && least >= 0 && least <= most && most >= 1 && most <= parts.length;
  return fits ? { text: word(`CHO ( ${least} ${most} ) ${list(parts)}`), missing: "" } : nothing(`Choose from 0 to ${parts.length}, the lesser number first.`);
}

/** @type {Record<string, string>} */
const MISSING = {
  alliance: "Choose against whom, of those who do not hear it.",
  solo: "Choose who wins.",
  zone: "Click provinces on the map, or choose them from the list.",
  orders: "Click a unit and where it goes, or choose an order from the list.",
  centres: "Choose a power, then its centres.",
  units: "Choose a power, then its units.",
};

/**
 * The arrangements of a part: one, or one for each of its orders.
 * @param {Part} part
 * @param {Draft} draft
 * @param {Setting} setting
 * @returns {string[]}
 */
function expand(part, draft, setting) {
  const found = part.kind === "orders"
    ? part.orders.map(({ seat, order }) => orderWords(seat, order, setting)).filter(Boolean).map((order) => `XDO ( ${order} )`)
    : [single(part, draft, setting)].filter(Boolean);
  const unique = [...new Set(found)];
  return part.negation ? unique.map((one) => `${part.negation} ( ${one} )`) : unique;
}

/**
 * @param {Part} part
 * @param {Draft} draft
 * @param {Setting} setting
 * @returns {string}
 */
function single(part, draft, setting) {
  const all = [...new Set([draft.seat, ...draft.to])];
  const list = (/** @type {string[]} */ seats) => `( ${seats.map((seat) => tagOf(seat, setting)).join(" ")} )`;
  switch (part.kind) {
    case "peace":
      return `PCE ${list(all)}`;
    case "alliance": {
      const enemies = part.enemies.filter((seat) => !all.includes(seat));
      return enemies.length ? `ALY ${list(all)} VSS ${list(enemies)}` : "";
    }
    case "draw":
      return "DRW";
    case "draw of us":
      return `DRW ${list(all)}`;
    case "solo":
      return part.winner ? `SLO ( ${tagOf(part.winner, setting)} )` : "";
    case "zone":
      return part.places.length ? `DMZ ${list(all)} ( ${part.places.map((place) => placeWord(place, setting)).join(" ")} )` : "";
    case "centres":
      return part.centres.length ? `SCD ${shares(part.centres, setting)}` : "";
    case "units":
      return part.units.length ? `OCC ${part.units.map(({ seat, unit }) => unitWords(unit, seat, setting)).join(" ")}` : "";
    default:
      return "";
  }
}

/**
 * @param {Part["centres"]} centres
 * @param {Setting} setting
 */
function shares(centres, setting) {
  const seats = [...new Set(centres.map((one) => one.seat))];
  return seats.map((seat) => {
    const own = centres.filter((one) => one.seat === seat).map((one) => placeWord(one.place, setting));
    return `( ${tagOf(seat, setting)} ${own.join(" ")} )`;
  }).join(" ");
}

/**
 * @param {string} seat
 * @param {Setting} setting
 */
export function tagOf(seat, setting) {
  return setting.seats[seat]?.tag ?? seat.slice(0, 3);
}

/**
 * @param {string} area
 * @param {Setting} setting
 */
function placeWord(area, setting) {
  const [place = "", coast] = area.split("/");
  const name = setting.places[place]?.daide ?? place;
  return coast ? `( ${name} ${coast}S )` : name;
}

/**
 * @param {string} unit
 * @param {string} owner
 * @param {Setting} setting
 */
function unitWords(unit, owner, setting) {
  const kind = { A: "AMY", F: "FLT", U: "UNT" }[unit[0] ?? ""] ?? "UNT";
  return `( ${tagOf(owner, setting)} ${kind} ${placeWord(unit.slice(2), setting)} )`;
}

/**
 * An order in the words of press; nothing if it has none.
 * @param {string} seat
 * @param {string} text
 * @param {Setting} setting
 */
export function orderWords(seat, text, setting) {
  const order = readOrder(text);
  const { units, places } = setting;
  if (order.kind === "waive") return `${tagOf(seat, setting)} WVE`;
  const other = () => {
    for (const [owner, own] of Object.entries(units)) {
      const unit = own.find((one) => province(one.slice(2)) === order.target);
      if (unit) return unitWords(unit, owner, setting);
    }
    return "";
  };
  const me = unitWords(order.unit, seat, setting);
  switch (order.kind) {
    case "hold":
      return `${me} HLD`;
    case "move":
      return `${me} MTO ${placeWord(order.area, setting)}`;
    case "via": {
      const way = convoyRoute(order, { legal: [], stage: "orders", seat, places, units })?.map((fleet) => placeWord(fleet.sea, setting)).join(" ") ?? "";
      return way ? `${me} CTO ${placeWord(order.to, setting)} VIA ( ${way} )` : "";
    }
    case "support":
      return order.to ? `${me} SUP ${other()} MTO ${placeWord(order.to, setting)}` : `${me} SUP ${other()}`;
    case "convoy":
      return `${me} CVY ${other()} CTO ${placeWord(order.to, setting)}`;
    case "retreat":
      return `${me} RTO ${placeWord(order.area, setting)}`;
    case "build":
      return `${me} BLD`;
    case "disband":
      return `${me} ${setting.stage === "retreats" ? "DSB" : "REM"}`;
    default:
      return "";
  }
}
