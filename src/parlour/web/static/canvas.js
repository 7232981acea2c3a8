// A layer that is painted: only what changed is painted anew, and the browser has no elements to style and lay out.

import { h } from "./dom.js";
import { colourOf, outlines, same } from "./marks.js";

/** @import {Mark, Sheet} from "./types.js" */

/** So many pixels it has at most; a board that is zoomed in further gets larger ones. */
const PIXELS = 4e6;

/** Seams are drawn broadly, so that points nearer than this to one another, in units of outlines, show as one. */
const NEAR = 20;

/** An outline as the browser keeps it, its rings as points, and its edges, each by the sum of its ends. */
class Outline {
  /** @param {string} data  M x y l dx dy ... z, again and again */
  constructor(data) {
    this.path = new Path2D(data);
    this.rings = data.split("z").filter(Boolean).map(pointsOf);
    this.edges = new Set(this.rings.flatMap((ring) => ring.map((_, i) => edge(ring, i))));
    /** @type {Map<string, Path2D>} */
    this.seams = new Map();
  }

  /**
   * The edges that it shares with others, as lines.
   * @param {string} names
   */
  along(names) {
    let found = this.seams.get(names);
    if (found) return found;
    this.seams.set(names, found = new Path2D());
    const others = names.split(" ").map((name) => outlineOf(name).edges);
    for (const ring of this.rings) {
      const shared = ring.map((_, i) => others.some((edges) => edges.has(edge(ring, i))));
      /** @type {[number, number] | null} */
      let last = null;
      ring.forEach((point, i) => {
        if (!shared[i]) {
          last = null;
          return;
        }
        if (!last) found.moveTo(...(last = point));
        const next = after(ring, i);
        if (shared[i + 1] && Math.hypot(next[0] - last[0], next[1] - last[1]) < NEAR) return;
        found.lineTo(...(last = next));
      });
    }
    return found;
  }
}

/**
 * @param {string} ring
 * @returns {Array<[number, number]>}
 */
function pointsOf(ring) {
  let [x, y] = [0, 0];
  const numbers = (ring.match(/-?[\d.]+/g) ?? []).map(Number);
  return numbers.flatMap((_, i) => (i % 2 ? [] : [[x += numbers[i] ?? 0, y += numbers[i + 1] ?? 0]]));
}

/**
 * @param {Array<[number, number]>} ring
 * @param {number} i
 */
function after(ring, i) {
  return /** @type {[number, number]} */ (ring[(i + 1) % ring.length]);
}

/**
 * @param {Array<[number, number]>} ring
 * @param {number} i
 */
function edge(ring, i) {
  const [x, y] = /** @type {[number, number]} */ (ring[i]);
  const [u, v] = after(ring, i);
  return (x + u) * 1e6 + y + v;
}

/** @type {Map<string, Outline>} */
const known = new Map();

/** @param {string} name */
function outlineOf(name) {
  let found = known.get(name);
  if (!found) known.set(name, found = new Outline(outlines.get(name) ?? ""));
  return found;
}

export class Canvas {
  /**
   * @param {Sheet["view"]} view
   * @param {string} [transform]
   */
  constructor(view, transform = "") {
    this.view = view;
    this.unit = Number(/scale\(([\d.]+)\)/.exec(transform)?.[1] ?? 1);
    this.root = h("canvas", { class: "layer" });
    this.context = this.root.getContext("2d");
    /** What is painted, by key. @type {Map<string, Mark>} */
    this.painted = new Map();
    /** @type {Mark[]} */
    this.marks = [];
    this.root.width = this.root.height = 0;
  }

  /**
   * @param {number} width  of the board, in pixels of the screen
   * @param {number} height
   */
  resize(width, height) {
    const scale = Math.min(1, Math.sqrt(PIXELS / (width * height)));
    const [across, down] = [Math.round(width * scale), Math.round(height * scale)];
    if (this.root.width === across && this.root.height === down) return;
    this.root.width = across;
    this.root.height = down;
    this.repaint();
  }

  /** Paint all anew. */
  repaint() {
    const { context, root } = this;
    if (!context || !root.width) return;
    const [left, top, width, height] = this.view;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, root.width, root.height);
    const [x, y] = [root.width / width, root.height / height];
    context.setTransform(x * this.unit, 0, 0, y * this.unit, -left * x, -top * y);
    context.lineCap = "round";
    context.lineJoin = "bevel";
    this.painted.clear();
    this.set(this.marks);
  }

  /** @param {Mark[]} marks */
  set(marks) {
    this.marks = marks;
    const { context, painted, root } = this;
    if (!context || !root.width) return;
    const keys = new Set(marks.map(keyOf));
    for (const [key, mark] of painted) {
      if (keys.has(key)) continue;
      context.globalCompositeOperation = "destination-out";
      context.fill(outlineOf(linked(mark)).path);
      context.globalCompositeOperation = "source-over";
      painted.delete(key);
    }
    for (const mark of marks) {
      const before = painted.get(keyOf(mark));
      if (before && same(before, mark)) continue;
      paint(context, mark);
      painted.set(keyOf(mark), mark);
    }
  }
}

/** @param {Mark} mark */
function keyOf(mark) {
  return String(mark[1]["data-key"]);
}

/** @param {Mark} mark */
function linked(mark) {
  return String(mark[1].href).slice(1);
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Mark} mark
 */
function paint(context, mark) {
  const outline = outlineOf(linked(mark));
  const { fill = "none", stroke = "none", "stroke-width": width = 1, "data-along": along } = mark[1];
  context.fillStyle = colourOf(fill);
  context.fill(outline.path);
  if (!along) return;
  context.save();
  context.clip(outline.path);
  context.strokeStyle = colourOf(stroke);
  context.lineWidth = Number(width);
  context.stroke(outline.along(String(along)));
  context.restore();
}
