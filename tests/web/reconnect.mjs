// Runs a page's line against a server that is away for a while, on a clock of its own.
// stdin: {wire, outages, seeds}; stdout: outages after which the line was not back in time. Run by test_reconnecting.py.

import { readFileSync } from "node:fs";

const { wire, outages, seeds } = JSON.parse(readFileSync(0, "utf8"));
const PROMISED = 3_000;
const [REFUSED, HANGS, SILENT] = ["refused", "hangs", "silent"];
/** Milliseconds that an attempt may take before the page gives it up, by what the server does with it. */
const GIVEN_UP = { [REFUSED]: 0, [HANGS]: 8_000, [SILENT]: 20_000 };

let [now, timers, visible] = [0, [], () => {}];
const world = { up: true, away: REFUSED, thinks: 1, sockets: [] };

globalThis.setTimeout = (act, wait = 0) => {
  const timer = { at: now + wait, act };
  timers.push(timer);
  return timer;
};
globalThis.clearTimeout = (timer) => { timers = timers.filter((one) => one !== timer); };
globalThis.location = { protocol: "http:", host: "parlour.test" };
globalThis.window = { addEventListener: () => {} };
globalThis.document = { hidden: false, addEventListener: (_, act) => { visible = act; } };

/** A socket that opens if the server is there; otherwise it is refused, hangs, or opens and hears nothing. */
globalThis.WebSocket = class {
  static OPEN = 1;
  constructor() {
    this.readyState = 0;
    this.sent = [];
    world.sockets.push(this);
    this.heard = world.up;
    setTimeout(() => {
      if (world.up || world.away === SILENT) this.opened();
      else if (world.away === REFUSED) this.cut();
    }, 1);
  }
  opened() {
    this.readyState = 1;
    this.onopen();
  }
  send(text) {
    this.sent.push(text);
    setTimeout(() => this.heard && this.readyState === 1 && this.onmessage({ data: JSON.stringify({ welcome: 0 }) }), world.thinks);
  }
  cut() {
    if (this.readyState === 3) return;
    this.readyState = 3;
    this.onclose({ code: 1006 });
  }
  close() { this.cut(); }
};

const { Wire } = await import(wire);

/** Let time pass, and what is due happen in its order. */
async function pass(until) {
  for (;;) {
    const next = timers.reduce((one, other) => (other.at < (one?.at ?? Infinity) ? other : one), null);
    if (!next || next.at > until) break;
    clearTimeout(next);
    now = next.at;
    next.act();
    for (let i = 0; i < 6; i++) await null; // what has come is read in steps
  }
  now = until;
}

/** How long after the server's return the line was back; hidden pages are looked at again when the server is back. */
async function back(outage, random, hidden, away = REFUSED) {
  [now, timers] = [0, []];
  Object.assign(world, { up: true, away, sockets: [] });
  Math.random = random;
  document.hidden = false;
  const line = new Wire("/line");
  let online = null;
  line.online = (on) => { online = on ? now : null; };
  line.connect();
  await pass(100);
  if (online === null) return "never began";
  world.up = false;
  document.hidden = hidden;
  world.sockets.at(-1).cut();
  await pass(100 + outage);
  if (online !== null) return "was there without a server";
  world.up = true;
  const returned = now;
  if (hidden) {
    document.hidden = false;
    visible();
  }
  const promised = GIVEN_UP[away] + PROMISED;
  await pass(returned + promised);
  return online === null ? "not back" : online - returned <= promised ? "" : `after ${online - returned}`;
}

const failed = {};
for (const seed of seeds) {
  let state = seed;
  const chance = () => (state = (state * 16807) % 2147483647) / 2147483647;
  const random = seed === 0 ? () => 0 : seed === 1 ? () => 1 - 2 ** -53 : chance;
  for (const outage of outages) {
    for (const hidden of [false, true]) {
      const problem = await back(outage, random, hidden);
      if (problem) failed[`${outage} ms, seed ${seed}${hidden ? ", hidden" : ""}`] = problem;
    }
  }
}
for (const away of [HANGS, SILENT]) {
  for (const outage of outages.slice(0, 150)) {
    const problem = await back(outage, () => 0.5, false, away);
    if (problem) failed[`${outage} ms, ${away}`] = problem;
  }
}
{
  [now, timers] = [0, []];
  Object.assign(world, { up: true, thinks: 15_000, sockets: [] });
  const line = new Wire("/line");
  line.connect();
  await pass(16_000);
  if (world.sockets.length !== 1 || !line.heard) failed["a server that thinks for long"] = "was not waited for";
}
{
  [now, timers] = [0, []];
  Object.assign(world, { up: true, thinks: 1, sockets: [] });
  const line = new Wire("/line");
  line.connect();
  await pass(100);
  line.since = 57;
  line.restart();
  world.sockets[0].cut();
  await pass(3_000);
  if (world.sockets[1]?.sent[0] !== "{}") failed["a line that is cut before another head has come"] = "goes on in the old view";
}
process.stdout.write(JSON.stringify(failed));
