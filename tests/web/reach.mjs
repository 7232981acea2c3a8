// Reaches every legal order of positions by gestures, and tells how many each kind takes. Run by test_machine.py.
// stdin: one JSON object {static, places, positions}; stdout: {counts, missed, arrows, convoys}.

import { readFileSync } from "node:fs";

const { machine, places, positions } = JSON.parse(readFileSync(0, "utf8"));
const { Machine, readOrder } = await import(machine);

/** The gestures of somebody who wants this order. */
function* gestures(order) {
  const at = (area) => {
    const [place, coast] = area.split("/");
    return places[place].coasts?.[coast]?.at ?? places[place].at;
  };
  switch (order.kind) {
    case "waive":
      yield { kind: "key", key: "w" };
      return;
    case "build":
      yield { kind: "ground", place: order.from };
      return;
    case "disband":
      yield { kind: "piece", place: order.from };
      yield { kind: "piece", place: order.from };
      return;
    case "hold":
      yield { kind: "piece", place: order.from };
      yield { kind: "piece", place: order.from };
      return;
    case "support":
    case "convoy":
      yield { kind: "piece", place: order.from };
      yield { kind: "piece", place: order.target };
      if (order.to) yield { kind: "ground", place: order.to, at: at(order.area) };
      else yield { kind: "piece", place: order.target };
      return;
    default:
      yield { kind: "piece", place: order.from };
      yield { kind: "ground", place: order.to, at: at(order.area) };
  }
}

/** How many gestures it takes; 0 if it cannot be reached. */
function reach(setting, order) {
  const machine = new Machine(setting);
  const { text } = order;
  const has = () => (order.kind === "waive" ? machine.waives > 0 : machine.orders.get(order.from) === text);
  let count = 0;
  for (const gesture of gestures(order)) {
    machine.gesture(gesture);
    count += 1;
    if (has()) return count;
    // A foreign unit is attacked, unless somebody says that it is to be helped.
    const help = machine.chips.findIndex((chip) => chip.aux === order.target && order.target);
    if (help >= 0) {
      machine.gesture({ kind: "chip", index: help });
      count += 1;
      if (has()) return count;
    }
  }
  const index = machine.chips.findIndex((chip) => chip.orders.length === 1 && chip.orders[0] === text);
  if (index < 0) return 0;
  machine.gesture({ kind: "chip", index });
  return has() ? count + 1 : 0;
}

const counts = {};
const missed = [];
const arrows = [];
const convoys = [];
for (const setting of positions) {
  setting.places = places;
  const orders = setting.legal.map(readOrder);
  for (const order of orders) {
    const count = reach(setting, order);
    if (count) (counts[order.kind] ??= []).push(count);
    else missed.push([setting.seat, order.text]);
    if (order.kind === "support" && order.to && setting.position % 8 === 0) {
      const machine = new Machine(setting);
      machine.gesture({ kind: "piece", place: order.from });
      const mover = machine.unitAt(order.target);
      machine.gesture({ kind: "order", text: `${mover} - ${order.to}` });
      const chip = machine.chips.findIndex((one) => one.orders[0] === order.text);
      if (chip >= 0) machine.gesture({ kind: "chip", index: chip });
      arrows.push(machine.action.includes(order.text) ? (chip >= 0 ? 3 : 2) : 0);
    }
  }
  if (setting.position % 8) continue;
  for (const order of orders.filter((one) => one.kind === "via")) {
    const machine = new Machine(setting);
    machine.gesture({ kind: "piece", place: order.from });
    machine.gesture({ kind: "ground", place: order.to, at: places[order.to].at });
    if (!machine.action.includes(order.text)) continue; // by land, and only by choice by sea
    const index = machine.chips.findIndex((chip) => chip.key === "C");
    if (index < 0) {
      convoys.push({ position: setting.position, seat: setting.seat, order: order.text, lost: true });
      continue;
    }
    const press = machine.chips[index].press ?? [];
    machine.gesture({ kind: "chip", index });
    convoys.push({ position: setting.position, seat: setting.seat, order: order.text, orders: machine.action, press });
  }
}
process.stdout.write(JSON.stringify({ counts, missed, arrows, convoys }));
