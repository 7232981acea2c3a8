// Runs a page's queue against a server whose line is cut at random, pages that are reloaded and servers that die.
// stdin: {outbox, seeds}; stdout: what went wrong, by seed. Run by test_outbox.py.

import { readFileSync } from "node:fs";

const { outbox, seeds } = JSON.parse(readFileSync(0, "utf8"));
const { Outbox, wasSaid } = await import(outbox);

/** Small numbers by chance, the same for the same seed. @param {number} seed */
function chance(seed) {
  let state = seed * 2654435761 % 2 ** 32;
  return (below) => {
    state = (Math.imul(state ^ state >>> 15, 2246822519) + 374761393) >>> 0;
    return (state >>> 8) % below;
  };
}

const soon = () => new Promise((settle) => setImmediate(settle));

class Server {
  constructor() {
    this.record = [];
    this.turn = 1;
    this.orders = {};
    /** The orders when Ready came, by turn. */
    this.ready = {};
    this.keys = new Map();
  }

  /** Take a message once for each key that it remembers. */
  take(message) {
    if (this.keys.has(message.key)) return this.keys.get(message.key);
    let answer = { ok: 1, reason: "" };
    if (message.ask === "understand") answer = { ok: 1, reason: "", order: message.text };
    else if (message.intent === "ready") this.ready[this.turn] ??= this.orders[this.turn];
    else if (message.intent === "act") {
      if (message.turn !== this.turn) answer = { refused: 1, code: "too late", reason: "late" };
      else this.orders[this.turn] = message.action;
    } else this.record.push({ k: this.record.length + 1, seat: message.seat, to: message.to, text: message.text });
    this.keys.set(message.key, answer);
    return answer;
  }
}

/** Orders as text, sorted. */
const listed = (orders) => Object.values(orders ?? {}).sort().join(" ");

async function run(seed) {
  const pick = chance(seed);
  const server = new Server();
  let [kept, known, online, problems] = ["[]", 0, true, []];
  const said = [];
  /** The orders of two units that were entered, by turn: one is chosen from a list, one is typed. */
  const last = {};
  /** The orders that were entered before Ready, by turn. */
  const meant = {};
  /** The orders that the page knows, by turn. */
  let shown = {};
  const act = (turn, order, first = false) => {
    (shown[turn] ??= {})[order[0]] = order;
    box.put({ intent: "act", seat: "FRANCE", action: Object.values(shown[turn]), turn }, { label: "", slot: "act FRANCE", turn, first });
  };
  const gone = new Set();
  const page = () => {
    const box = new Outbox({
      send: async (message) => {
        if (!online) return { refused: 0, code: "offline", reason: "" };
        const fate = pick(6);
        if (fate === 0) { online = false; box.setOnline(false); return { refused: 0, code: "offline", reason: "" }; } // never arrived
        const answer = server.take(message);
        await soon();
        if (fate === 1 && online) { online = false; box.setOnline(false); } // arrived, and the answer was lost
        if (!online) return { refused: 0, code: "offline", reason: "" };
        known = server.record.length;
        return answer;
      },
      load: () => JSON.parse(kept),
      save: (items) => { kept = JSON.stringify(items); },
      turn: () => server.turn,
      known: () => known,
      happened: (item) => wasSaid(server.record.slice(0, known), item.message, item.tried ?? 0),
      answered: ({ message, turn }, answer) => {
        if (answer.code === "stale") gone.add(JSON.stringify(message));
        // What was typed becomes an order once it is understood.
        if (message.ask && answer.order && turn === server.turn) act(turn, answer.order, true);
      },
      changed: () => {},
    });
    const before = box.items.findLast((item) => item.slot === "act FRANCE" && item.turn === server.turn)?.message.action ?? server.orders[server.turn] ?? [];
    shown = { [server.turn]: Object.fromEntries(before.map((order) => [order[0], order])) };
    return box;
  };
  let box = page();
  box.setOnline(online);
  for (let step = 0; step < 30; step += 1) {
    switch (pick(10)) {
      case 0: case 1: case 2: {
        const text = `m${pick(3)}`;
        said.push(text);
        box.put({ intent: "say", seat: "FRANCE", to: ["GERMANY"], text }, { label: "" });
        break;
      }
      case 3: case 4: {
        if (meant[server.turn]) break;
        (last[server.turn] ??= {}).o = `o${step}`;
        act(server.turn, `o${step}`);
        break;
      }
      case 5: // the page is loaded again
        box.close();
        known = server.record.length;
        box = page();
        box.setOnline(online);
        break;
      case 6: // the server dies and returns; what it has taken is on disk, what it remembered of keys is not
        online = false;
        box.setOnline(false);
        await soon();
        server.keys.clear();
        break;
      case 7: { // an order is typed; whoever types, types on
        const text = `t${step}`;
        if (meant[server.turn]) break;
        (last[server.turn] ??= {}).t = text;
        box.put({ ask: "understand", text }, { label: "", turn: server.turn });
        break;
      }
      case 8:
        if (!last[server.turn] || meant[server.turn]) break;
        meant[server.turn] = { ...last[server.turn] };
        box.put({ intent: "ready" }, { label: "", slot: "ready FRANCE", turn: server.turn });
        break;
      default:
        if (!pick(4)) server.turn += 1;
    }
    if (pick(2)) await soon();
    if (!online && pick(2)) {
      await soon();
      await soon();
      known = server.record.length;
      online = true;
      box.setOnline(true);
    }
  }
  for (let wait = 0; box.items.length && wait < 500; wait += 1) {
    await soon();
    known = server.record.length;
    online = true;
    box.setOnline(true);
  }
  await soon();
  const taken = server.record.map((one) => one.text);
  if (taken.join() !== said.join()) problems.push(`said ${said}, the record has ${taken}`);
  const turn = server.turn;
  if (last[turn] && listed(server.orders[turn]) !== listed(last[turn])) problems.push(`orders ${listed(last[turn])}, the server has ${listed(server.orders[turn])}`);
  for (const [turn, orders] of Object.entries(server.ready)) if (listed(orders) !== listed(meant[turn])) problems.push(`ready with ${listed(orders)} in place of ${listed(meant[turn])}`);
  if (box.items.length) problems.push(`${box.items.length} were never sent`);
  return problems;
}

const failed = {};
for (const seed of seeds) {
  const problems = await run(seed);
  if (problems.length) failed[seed] = problems;
}
process.stdout.write(JSON.stringify(failed));
