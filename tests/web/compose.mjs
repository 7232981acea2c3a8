// Fills the slots of press by chance, at every level, and tells what came out. Run by test_arrangements.py.
// stdin: one JSON object {modules, settings}; stdout: one JSON array of {level, position, seat, to, text, missing}.

import { readFileSync } from "node:fs";

const { modules, settings, drafts } = JSON.parse(readFileSync(0, "utf8"));
const { JOINS, KINDS, MODES, NEGATIONS, compose, emptyPart } = await import(modules);

let state = 12345;
const chance = (count) => {
  state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
  return (state >>> 8) % count;
};
const one = (list) => list[chance(list.length)];
const some = (list, most) => [...new Set(Array.from({ length: chance(most + 1) }, () => one(list)))];

const told = [];
for (const setting of settings) {
  for (const level of [10, 20, 30, 40, 50, 60]) {
    const seats = setting.alive;
    const places = Object.keys(setting.places);
    const centres = places.filter((place) => setting.places[place].centre);
    const allowed = (list) => list.filter(([, , from]) => from <= level).map(([name]) => name);
    for (let i = 0; i < drafts; i++) {
      const seat = one(seats);
      const to = some(seats.filter((other) => other !== seat), 3);
      const part = () => ({
        ...emptyPart(one(allowed(KINDS))),
        negation: one(NEGATIONS)[0],
        enemies: some(seats, 3),
        winner: one(["", ...seats]),
        places: some(places, 3),
        orders: setting.orders.length ? some(setting.orders, 3) : [],
        centres: some(centres, 4).map((place) => ({ seat: one(seats), place })),
        units: some(places, 3).map((place) => ({ seat: one(seats), unit: `U ${place}` })),
      });
      const parts = Array.from({ length: 1 + chance(3) }, part);
      const draft = { mode: one(allowed(MODES)), seat, to, parts, join: one(["AND", ...allowed(JOINS)]), least: chance(3), most: chance(4) };
      told.push({ level, position: setting.position, seat, to, ...compose(draft, { ...setting, level }) });
    }
  }
}
process.stdout.write(JSON.stringify(told));
