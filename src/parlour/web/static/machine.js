// The entry of Diplomacy orders: one machine that filters the legal orders, for all gestures. It draws nothing.
//
//   idle    own unit ........................ unit
//   unit    same unit, H .................... holds
//           ground of P ..................... moves there; by land before by sea, to the shore nearest the pointer
//           own unit W ...................... aux
//           foreign unit W .................. attacks it; a chip makes it aux instead
//           an arrow ........................ supports (or convoys) that
//   aux     W again, Enter .................. supports W where it stands
//           P ............................... supports or convoys W to P; if both are possible, a chip decides
//   retreat the unit, then P; again or D .... retreats; disbands
//   build   home centre ..................... builds; chips decide what; again takes it back; W waives
//   remove  own unit ........................ is removed; again it is not
//
// A step with a single possibility is taken automatically, except the choice of the unit.

import { convoyRoute } from "./convoys.js";

/** @import {Frame, Place} from "./types.js" */

/**
 * @typedef {object} Order
 * @property {string} text
 * @property {"hold" | "move" | "via" | "support" | "convoy" | "retreat" | "disband" | "build" | "waive"} kind
 * @property {string} from    province
 * @property {string} unit    A PAR
 * @property {string} to      province, or empty
 * @property {string} area    where exactly: SPA/SC
 * @property {string} target  province of the unit that is supported or convoyed
 */

/** @typedef {{label: string, key: string, orders: string[], press?: Array<{seat: string, order: string}>, move?: string, aux?: string, unit?: string}} Chip */

/** @typedef {{kind: "piece" | "ground", place: string, at?: [number, number]} | {kind: "order", text: string} | {kind: "key", key: string} | {kind: "chip", index: number}} Gesture */

/**
 * @typedef {object} Setting
 * @property {string[]} legal
 * @property {string} stage
 * @property {Record<string, Place>} places
 * @property {Record<string, string[]>} units   every seat's units
 * @property {string} seat
 * @property {number} [builds]                  how many to build, or, negative, to remove
 * @property {boolean} [coarse]                 whether fingers point
 */

/** Orders that were read before: from turn to turn most are the same. @type {Map<string, Order>} */
const known = new Map();

/**
 * An order in its strict spelling, cut.
 * @param {string} text
 * @returns {Order}
 */
export function readOrder(text) {
  let order = known.get(text);
  if (!order) known.set(text, order = cut(text));
  return order;
}

/**
 * @param {string} text
 * @returns {Order}
 */
function cut(text) {
  const words = text.split(" ");
  const unit = words.slice(0, 2).join(" ");
  const from = province(words[1] ?? "");
  const base = { text, from, unit, to: "", area: "", target: "" };
  const end = words[words.length - 1] === "VIA" ? words.length - 2 : words.length - 1;
  const area = words[end] ?? "";
  switch (words[2]) {
    case "-":
      return { ...base, kind: end < words.length - 1 ? "via" : "move", to: province(area), area };
    case "S":
    case "C": {
      const goes = words.includes("-");
      const kind = words[2] === "S" ? "support" : "convoy";
      return { ...base, kind, target: province(words[4] ?? ""), to: goes ? province(area) : "", area: goes ? area : "" };
    }
    case "R":
      return { ...base, kind: "retreat", to: province(area), area };
    case "D":
      return { ...base, kind: "disband" };
    case "B":
      return { ...base, kind: "build" };
    case "H":
      return { ...base, kind: "hold" };
    default:
      return { ...base, kind: "waive", from: "", unit: "" };
  }
}

/** @param {string} area */
export function province(area) {
  return area.split("/")[0] ?? "";
}

/** @typedef {{all: Order[], by: Map<string, Order[]>, texts: Set<string>}} Listing */

/** @type {WeakMap<string[], Listing>} */
const listings = new WeakMap();

/**
 * The legal orders, read once for each list.
 * @param {string[]} legal
 * @returns {Listing}
 */
function listing(legal) {
  let found = listings.get(legal);
  if (!found) {
    const all = legal.map(readOrder);
    /** @type {Map<string, Order[]>} */
    const by = new Map();
    for (const order of all) {
      const own = by.get(order.from);
      if (own) own.push(order);
      else by.set(order.from, [order]);
    }
    found = { all, by, texts: new Set(legal) };
    listings.set(legal, found);
  }
  return found;
}

export class Machine {
  /** @param {Setting} setting */
  constructor(setting) {
    this.setting = setting;
    this.listing = listing(setting.legal);
    this.legal = this.listing.all;
    /** The entered orders, by province. @type {Map<string, string>} */
    this.orders = new Map();
    this.waives = 0;
    this.unit = "";
    this.aux = "";
    /** @type {Chip[]} */
    this.chips = [];
    /** Why the last gesture did nothing. */
    this.complaint = "";
    /** @type {Array<{orders: Array<[string, string]>, waives: number}>} */
    this.past = [];
  }

  /**
   * The machine for the orders of a seat in a position.
   * @param {Frame | null} frame
   * @param {string} seat
   * @param {string[]} legal
   * @param {Record<string, Place>} [places]
   */
  static of(frame, seat, legal, places = {}) {
    const { units = {}, builds = {} } = frame?.facts ?? {};
    return new Machine({ legal, stage: frame?.stage ?? "", seat, places, units, builds: builds[seat] ?? 0, coarse: matchMedia("(pointer: coarse)").matches });
  }

  /** orders, retreats, builds or removals. */
  get mode() {
    if (this.setting.stage === "adjustments") return (this.setting.builds ?? 0) < 0 ? "remove" : "build";
    return this.setting.stage === "retreats" ? "retreat" : "orders";
  }

  /** The places with possible orders, in the order of the list. */
  get unitPlaces() {
    return [...this.listing.by.keys()].filter(Boolean);
  }

  /** @param {string} place */
  ordersOf(place) {
    return this.listing.by.get(place) ?? [];
  }

  /** The seat's action, as it is sent. */
  get action() {
    const waives = this.mode === "build" ? Array.from({ length: this.waives }, () => "WAIVE") : [];
    return [...this.orders.values(), ...waives];
  }

  /** Number of chosen builds or removals. */
  get count() {
    return this.orders.size + this.waives;
  }

  /**
   * Start from orders that were given before.
   * @param {string[]} texts
   */
  load(texts) {
    this.orders.clear();
    this.waives = 0;
    for (const text of texts) {
      const order = readOrder(text);
      if (order.kind === "waive") this.waives += 1;
      else if (this.listing.texts.has(text)) this.orders.set(order.from, text);
    }
  }

  /**
   * Take a gesture; true if something was ordered or taken back.
   * @param {Gesture} gesture
   * @returns {boolean}
   */
  gesture(gesture) {
    this.complaint = "";
    if (gesture.kind === "chip") return this.chip(gesture.index);
    if (gesture.kind === "key") return this.key(gesture.key);
    this.chips = [];
    if (gesture.kind === "order") return this.pointAtOrder(readOrder(gesture.text));
    const place = province(gesture.place);
    switch (this.mode) {
      case "build":
        return this.build(place);
      case "remove":
        return this.remove(place);
      case "retreat":
        return this.unit ? this.fromUnit(gesture.kind, place, gesture.at) : this.choose(place);
      default:
        if (!this.unit) return this.choose(place);
        if (this.aux) return this.fromAux(gesture.kind, place, gesture.at);
        return this.fromUnit(gesture.kind, place, gesture.at);
    }
  }

  /**
   * Take a unit by the pointer, to lead it somewhere; false if it is not one to order.
   * @param {string} place
   */
  grab(place) {
    if ((this.mode !== "orders" && this.mode !== "retreat") || !this.ordersOf(place).length) return false;
    this.chips = [];
    this.complaint = "";
    this.choose(place);
    return true;
  }

  /** @param {string} place */
  choose(place) {
    if (!this.ordersOf(place).length) {
      this.complaint = this.nameOf(place) ? `You have nothing to order in ${this.nameOf(place)}` : "";
      return false;
    }
    this.unit = place;
    this.aux = "";
    return false;
  }

  /**
   * @param {"piece" | "ground"} kind
   * @param {string} place
   * @param {[number, number]} [at]
   * @returns {boolean}
   */
  fromUnit(kind, place, at) {
    const own = this.ordersOf(this.unit);
    if (place === this.unit) {
      const stay = own.find((order) => order.kind === "hold" || order.kind === "disband");
      return stay ? this.done(stay) : false;
    }
    const moves = own.filter((order) => ["move", "via", "retreat"].includes(order.kind) && order.to === place);
    const helps = own.filter((order) => order.target === place);
    if (kind === "piece" && helps.length) {
      if (moves.length && !this.isOwn(place)) return this.attack(moves, place, at);
      if (this.setting.coarse && moves.length) {
        this.chips = [
          { label: `move to ${this.nameOf(place)}`, key: "1", orders: [], move: place },
          { label: `help ${this.unitAt(place)}`, key: "2", orders: [], aux: place },
        ];
        return false;
      }
      return this.help(place);
    }
    if (moves.length) return this.move(moves, at);
    if (helps.length) return this.help(place);
    if (this.ordersOf(place).length) return this.choose(place);
    this.complaint = `${this.spoken(this.unit)} cannot go to ${this.nameOf(place)}`;
    return false;
  }

  /** @param {string} place */
  isOwn(place) {
    return (this.setting.units[this.setting.seat] ?? []).some((unit) => province(unit.slice(2)) === place);
  }

  /**
   * Move against a foreign unit; a chip supports or convoys it instead.
   * @param {Order[]} moves
   * @param {string} place
   * @param {[number, number]} [at]
   */
  attack(moves, place, at) {
    const { unit } = this;
    const done = this.move(moves, at);
    this.chips.push({ label: `help ${this.spoken(place)} instead`, key: "S", orders: [], aux: place, unit });
    return done;
  }

  /** @param {string} place */
  help(place) {
    this.aux = place;
    const left = this.ordersOf(this.unit).filter((order) => order.target === place);
    return left.length === 1 && left[0] ? this.done(left[0]) : false;
  }

  /**
   * Enter a move. Of several ways to one province, land comes before sea, then the coast nearest to the pointer; chips
   * offer the others.
   * @param {Order[]} moves
   * @param {[number, number]} [at]
   */
  move(moves, at) {
    const far = (/** @type {Order} */ order) => {
      const [x, y] = this.pointOf(order.area);
      return at ? Math.hypot(x - at[0], y - at[1]) : 0;
    };
    const sorted = [...moves].sort((a, b) => Number(a.kind === "via") - Number(b.kind === "via") || far(a) - far(b));
    const [best, ...others] = sorted;
    if (!best) return false;
    const done = this.done(best);
    this.chips = others.map((order, i) => ({
      label: order.kind === "via" ? "by sea" : order.area.includes("/") ? `${this.coastOf(order.area)}` : "by land",
      key: order.kind === "via" ? "V" : String(i + 1),
      orders: [order.text],
    }));
    const convoy = best.kind === "via" ? this.convoyChip(best) : null;
    if (convoy) this.chips.push(convoy);
    return done;
  }

  /**
   * @param {"piece" | "ground"} kind
   * @param {string} place
   * @param {[number, number]} [at]
   * @returns {boolean}
   */
  fromAux(kind, place, at) {
    const own = this.ordersOf(this.unit).filter((order) => order.target === this.aux);
    if (place === this.aux) {
      const stay = own.find((order) => order.kind === "support" && !order.to);
      if (stay) return this.done(stay);
      this.complaint = `${this.spoken(this.unit)} cannot support ${this.spoken(this.aux)} where it stands`;
      return false;
    }
    const found = own.filter((order) => order.to === place);
    if (found.length) return this.decide(found);
    if (place === this.unit || this.ordersOf(this.unit).some((order) => order.target === place || order.to === place)) {
      this.aux = "";
      return this.fromUnit(kind, place, at);
    }
    this.complaint = `${this.spoken(this.unit)} cannot help ${this.spoken(this.aux)} to ${this.nameOf(place)}`;
    return false;
  }

  /** @param {Order[]} found */
  decide(found) {
    const [only] = found;
    if (found.length === 1 && only) return this.done(only);
    this.chips = found.map((order, i) => ({ label: order.kind === "convoy" ? "convoy" : "support", key: String(i + 1), orders: [order.text] }));
    return false;
  }

  /** @param {Order} order */
  pointAtOrder(order) {
    if (this.mode === "build") return this.build(order.from);
    if (this.mode === "remove") return this.remove(order.from);
    if (this.mode === "retreat") return this.choose(order.from);
    if (!this.unit) return this.choose(order.from);
    const goes = order.kind === "move" || order.kind === "via" ? order.to : "";
    const found = this.ordersOf(this.unit).filter((own) => own.target === order.from && own.to === goes);
    if (found.length) return this.decide(found);
    this.complaint = `${this.spoken(this.unit)} cannot help with ${order.text}`;
    return false;
  }

  /** @param {string} place */
  build(place) {
    if (this.clear(place)) return true;
    const options = this.ordersOf(place);
    if (!options.length) {
      this.complaint = `Nothing can be built in ${this.nameOf(place)}`;
      return false;
    }
    if (this.count >= (this.setting.builds ?? 0)) {
      this.complaint = `All ${this.setting.builds} builds are used; click one to take it back`;
      return false;
    }
    this.unit = place;
    if (options.length === 1 && options[0]) return this.done(options[0]);
    this.chips = options.map((order, i) => ({
      label: order.unit.startsWith("A") ? "army" : order.unit.includes("/") ? `fleet, ${this.coastOf(order.unit.slice(2))}` : "fleet",
      key: order.unit.startsWith("A") ? "A" : options.filter((one) => one.unit.startsWith("F")).length === 1 ? "F" : String(i),
      orders: [order.text],
    }));
    return false;
  }

  /** @param {string} place */
  remove(place) {
    if (this.clear(place)) return true;
    const [order] = this.ordersOf(place);
    if (!order) {
      this.complaint = `You have no unit in ${this.nameOf(place)}`;
      return false;
    }
    if (this.count >= -(this.setting.builds ?? 0)) {
      this.complaint = "No more are to be removed; click one to keep it";
      return false;
    }
    return this.done(order);
  }

  /** @param {number} index */
  chip(index) {
    const chip = this.chips[index];
    if (!chip) return false;
    if (chip.move) {
      this.chips = [];
      return this.move(this.ordersOf(this.unit).filter((order) => ["move", "via"].includes(order.kind) && order.to === chip.move));
    }
    if (chip.aux) {
      if (chip.unit) this.undo();
      this.chips = [];
      this.unit = chip.unit ?? this.unit;
      return this.help(chip.aux) || Boolean(chip.unit);
    }
    this.remember();
    for (const text of chip.orders) this.orders.set(readOrder(text).from, text);
    this.chips = this.chips.filter((other) => other !== chip && other.orders.length > 1);
    this.unit = this.aux = "";
    return true;
  }

  /** @param {string} key */
  key(key) {
    const named = this.chips.findIndex((chip) => chip.key.toLowerCase() === key.toLowerCase());
    if (named >= 0) return this.chip(named);
    switch (key.toLowerCase()) {
      case "escape":
        return this.back();
      case "enter":
        return this.aux ? this.fromAux("piece", this.aux) : false;
      case "h":
      case "d":
        return this.unit ? this.fromUnit("piece", this.unit) : false;
      case "n":
        return this.next();
      case "z":
        return this.undo();
      case "w":
        return this.waive();
      default:
        return false;
    }
  }

  /** One step back. */
  back() {
    if (this.chips.length) this.chips = [];
    else if (this.aux) this.aux = "";
    else this.unit = "";
    return false;
  }

  /** The next unit without an order, or the next one. */
  next() {
    const places = this.unitPlaces;
    const at = places.indexOf(this.unit);
    const order = [...places.slice(at + 1), ...places.slice(0, at + 1)];
    const found = order.find((place) => !this.orders.has(place)) ?? order[0];
    if (found) this.choose(found);
    this.chips = [];
    return false;
  }

  waive() {
    if (this.mode !== "build" || !this.legal.some((order) => order.kind === "waive")) return false;
    if (this.count >= (this.setting.builds ?? 0)) {
      this.complaint = "All builds are used";
      return false;
    }
    this.remember();
    this.waives += 1;
    return true;
  }

  undo() {
    const before = this.past.pop();
    if (!before) return false;
    this.orders = new Map(before.orders);
    this.waives = before.waives;
    this.unit = this.aux = "";
    this.chips = [];
    return true;
  }

  remember() {
    this.complaint = ""; // whatever was wrong before, this is not
    this.past.push({ orders: [...this.orders], waives: this.waives });
  }

  /**
   * Give an order by its text, from a list or a command.
   * @param {string} text
   */
  set(text) {
    const order = this.legal.find((one) => one.text === text);
    if (!order) return false;
    if (order.kind === "waive") return this.waive();
    return this.done(order);
  }

  /**
   * Take back the order of a province.
   * @param {string} place
   */
  clear(place) {
    if (!this.orders.has(place)) return false;
    this.remember();
    return this.orders.delete(place);
  }

  /** @param {Order} order */
  done(order) {
    this.remember();
    this.orders.set(order.from, order.text);
    this.unit = this.aux = "";
    this.chips = [];
    return true;
  }

  /**
   * The fleets that a convoyed army needs: those of its own power get their orders at once, others are asked.
   * @param {Order} order
   * @returns {Chip | null}
   */
  convoyChip(order) {
    const route = convoyRoute(order, this.setting);
    if (!route) return null;
    const own = route.filter((fleet) => fleet.seat === this.setting.seat);
    const foreign = route.filter((fleet) => fleet.seat !== this.setting.seat);
    const orders = own.map((fleet) => `${fleet.unit} C ${order.unit} - ${order.area}`);
    if (orders.some((text) => !this.listing.texts.has(text))) return null;
    const fleets = own.length === 1 ? "my fleet" : `my ${own.length} fleets`;
    const ask = foreign.map((fleet) => this.seatName(fleet.seat)).join(", ");
    const label = own.length ? `order ${fleets} too${ask ? `, ask ${ask}` : ""}` : `ask ${ask}`;
    const press = foreign.map((fleet) => ({ seat: fleet.seat, order: `${fleet.unit} C ${order.unit} - ${order.area}` }));
    return { label, key: "C", orders: [order.text, ...orders], press };
  }

  /** The build that is being entered, in words. */
  get sentence() {
    if (this.complaint) return this.complaint;
    const total = Math.abs(this.setting.builds ?? 0);
    if (this.mode === "build" && !this.unit) return `Choose home centres to build in: ${this.count} of ${total}`;
    if (this.mode === "remove") return `Choose units to remove: ${this.count} of ${total}`;
    if (!this.unit) {
      const left = this.unitPlaces.filter((place) => !this.orders.has(place)).length;
      return left ? `Choose a unit; ${left} still without an order` : "All units have orders";
    }
    if (this.mode === "build") return `Build in ${this.nameOf(this.unit)}`;
    if (this.aux) return `${this.spoken(this.unit)} helps ${this.spoken(this.aux)} to …`;
    return `${this.spoken(this.unit)} …`;
  }

  /** The targets of the next gesture, for hints. */
  get targets() {
    if (this.mode === "build" || this.mode === "remove") return this.unitPlaces;
    if (!this.unit) return this.unitPlaces;
    const own = this.ordersOf(this.unit);
    if (this.aux) return [...new Set(own.filter((order) => order.target === this.aux && order.to).map((order) => order.to))];
    return [...new Set(own.filter((order) => order.to && !order.target).map((order) => order.to))];
  }

  /** The units that the chosen one can support or convoy. */
  get helpable() {
    if (!this.unit || this.aux) return [];
    return [...new Set(this.ordersOf(this.unit).filter((order) => order.target).map((order) => order.target))];
  }

  /** @param {string} place */
  nameOf(place) {
    return this.setting.places[place]?.name ?? place;
  }

  /** @param {string} area */
  coastOf(area) {
    const [place = "", coast = ""] = area.split("/");
    return this.setting.places[place]?.coasts?.[coast]?.name ?? coast;
  }

  /** @param {string} seat */
  seatName(seat) {
    return seat.charAt(0) + seat.slice(1).toLowerCase();
  }

  /** @param {string} place */
  unitAt(place) {
    const unit = Object.values(this.setting.units).flat().find((one) => province(one.slice(2)) === place);
    return unit ?? this.ordersOf(place)[0]?.unit ?? place;
  }

  /** @param {string} place */
  spoken(place) {
    const kind = this.unitAt(place).startsWith("F") ? "Fleet" : "Army";
    return `${kind} ${this.nameOf(place)}`;
  }

  /**
   * @param {string} area
   * @returns {[number, number]}
   */
  pointOf(area) {
    const [place = "", coast = ""] = area.split("/");
    const found = this.setting.places[place];
    return found?.coasts?.[coast]?.at ?? found?.at ?? [0, 0];
  }
}
