// The fleets that carry an army over the seas: as few foreign ones as can be, then as few as can be.

/** @import {Order, Setting} from "./machine.js" */

/** @typedef {{unit: string, seat: string, sea: string}} Fleet */

/**
 * The way of a convoy; null if there is none.
 * @param {Order} order
 * @param {Setting} setting
 * @returns {Fleet[] | null}
 */
export function convoyRoute(order, setting) {
  const fleets = fleetsAtSea(setting);
  const near = (/** @type {string} */ place) => setting.places[place]?.seas ?? [];
  const cost = (/** @type {string} */ sea) => (fleets.get(sea)?.seat === setting.seat ? 1 : 100);
  /** @type {Map<string, {cost: number, before: string}>} */
  const best = new Map();
  const open = near(order.from).filter((sea) => fleets.has(sea));
  for (const sea of open) best.set(sea, { cost: cost(sea), before: "" });
  const seen = new Set();
  while (open.length) {
    open.sort((a, b) => (best.get(a)?.cost ?? 0) - (best.get(b)?.cost ?? 0));
    const sea = open.shift() ?? "";
    if (seen.has(sea)) continue;
    seen.add(sea);
    if (near(order.to).includes(sea)) {
      /** @type {Fleet[]} */
      const way = [];
      for (let at = sea; at; at = best.get(at)?.before ?? "") {
        const fleet = fleets.get(at);
        if (fleet) way.unshift(fleet);
      }
      return way;
    }
    for (const next of near(sea)) {
      const total = (best.get(sea)?.cost ?? 0) + cost(next);
      if (!fleets.has(next) || seen.has(next) || (best.get(next)?.cost ?? Infinity) <= total) continue;
      best.set(next, { cost: total, before: sea });
      open.push(next);
    }
  }
  return null;
}

/** @param {Setting} setting */
function fleetsAtSea(setting) {
  /** @type {Map<string, Fleet>} */
  const fleets = new Map();
  for (const [seat, units] of Object.entries(setting.units)) {
    for (const unit of units) {
      const sea = unit.slice(2).split("/")[0] ?? "";
      if (unit.startsWith("F") && setting.places[sea]?.kind === "sea") fleets.set(sea, { unit, seat, sea });
    }
  }
  return fleets;
}
