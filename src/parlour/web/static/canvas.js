// A layer that is painted: only what changed is painted anew, and the browser has no elements to style and lay out.

import { h } from "./dom.js";
import { colourOf, linked, outlines, same } from "./marks.js";

/** @import {Mark, Sheet} from "./types.js" */

/** Maximum number of pixels; a board that is zoomed in further gets larger ones. */
const PIXELS = 4e6;

/** Points of a border nearer than this to one another, in units of outlines, count as one for the inside of its band. */
const NEAR = 20;

/** @typedef {[number, number]} Point */

/** A part of an outline, and the corners of the box that holds it. @typedef {{path: Path2D, low: Point, high: Point}} Band */

/** An outline as the browser keeps it, its rings as points, and its edges, each by the sum of its ends. */
class Outline {
  /** @param {string} data  M x y l dx dy ... z, again and again */
  constructor(data) {
    this.path = new Path2D(data);
    this.rings = data.split("z").filter(Boolean).map(pointsOf);
    this.edges = new Set(this.rings.flatMap((ring) => ring.map((_, i) => edge(ring, i))));
    /** @type {Map<string, Band>} */
    this.bands = new Map();
    /** Points beside those of the rings, deeper inside. @type {Array<Array<Point | undefined>> | null} */
    this.inner = null;
  }

  /**
   * A band along the inside of the edges that it shares with others, as an area: to fill that is a tenth of the work of
   * a broad line that is clipped to the outline.
   * @param {string} names
   * @param {number} depth
   */
  along(names, depth) {
    let found = this.bands.get(names);
    if (found) return found;
    const path = new Path2D();
    /** @type {Point[]} */
    const points = [];
    const inner = this.inner ??= inset(this.rings, depth);
    const others = names.split(" ").map((name) => outlineOf(name).edges);
    for (const [r, ring] of this.rings.entries()) {
      const shared = ring.map((_, i) => others.some((edges) => edges.has(edge(ring, i))));
      const start = shared.indexOf(false) + 1;
      for (let n = 0; n < ring.length; n++) {
        let i = (start + n) % ring.length;
        if (!shared[i]) continue;
        /** The way back, deeper inside. @type {Array<Point | undefined>} */
        const back = [];
        path.moveTo(...at(ring, i));
        points.push(at(ring, i));
        for (; n < ring.length && shared[i]; i = (start + ++n) % ring.length) {
          back.push(inner[r]?.[i]);
          path.lineTo(...at(ring, i + 1));
          points.push(at(ring, i + 1));
        }
        back.push(inner[r]?.[i]);
        const deeper = back.reverse().filter((point) => point !== undefined);
        for (const point of deeper) path.lineTo(...point);
        points.push(...deeper);
        path.closePath();
      }
    }
    const corner = (/** @type {(...all: number[]) => number} */ of) =>
      /** @type {Point} */ ([of(...points.map(([x]) => x)), of(...points.map(([, y]) => y))]);
    this.bands.set(names, found = { path, low: corner(Math.min), high: corner(Math.max) });
    return found;
  }
}

/**
 * Points deeper inside of what rings enclose, beside their own; where it is narrow, less deep.
 * @param {Point[][]} rings  holes go round the other way
 * @param {number} depth
 */
function inset(rings, depth) {
  const side = rings.reduce((sum, ring) => sum + areaOf(ring), 0) < 0 ? -depth : depth;
  return rings.map((ring) => {
    let last = at(ring, -1);
    const coarse = ring.filter((point) => {
      const far = Math.hypot(point[0] - last[0], point[1] - last[1]) >= NEAR;
      if (far) last = point;
      return far;
    });
    /** @type {Map<Point, Point>} */
    const deeper = new Map();
    coarse.forEach((point, i) => {
      const [[a, b], [c, d]] = [at(coarse, i - 1), at(coarse, i + 1)];
      const length = Math.hypot(c - a, d - b) || 1;
      for (let deep = side; !deeper.has(point) && Math.abs(deep) > depth / 8; deep /= 2) {
        const found = /** @type {Point} */ ([point[0] - ((d - b) / length) * deep, point[1] + ((c - a) / length) * deep]);
        if (within(rings, found)) deeper.set(point, found);
      }
      if (!deeper.has(point)) deeper.set(point, point);
    });
    return ring.map((point) => deeper.get(point));
  });
}

/**
 * Return true if rings enclose a point: a ray from it crosses them an odd number of times.
 * @param {Point[][]} rings
 * @param {Point} point
 */
function within(rings, [x, y]) {
  let inside = false;
  for (const ring of rings) {
    ring.forEach(([a, b], i) => {
      const [c, d] = at(ring, i + 1);
      if (b > y !== d > y && x < a + ((y - b) / (d - b)) * (c - a)) inside = !inside;
    });
  }
  return inside;
}

/** Twice the area of a ring; below zero where it goes round the other way. @param {Point[]} ring */
function areaOf(ring) {
  return ring.reduce((sum, [x, y], i) => sum + x * at(ring, i + 1)[1] - at(ring, i + 1)[0] * y, 0);
}

/**
 * @param {string} ring
 * @returns {Point[]}
 */
function pointsOf(ring) {
  let [x, y] = [0, 0];
  const numbers = (ring.match(/-?[\d.]+/g) ?? []).map(Number);
  return numbers.flatMap((_, i) => (i % 2 ? [] : [[x += numbers[i] ?? 0, y += numbers[i + 1] ?? 0]]));
}

/**
 * A point of a ring, counted round and round.
 * @param {Point[]} ring
 * @param {number} i
 */
function at(ring, i) {
  return /** @type {Point} */ (ring[(i + ring.length) % ring.length]);
}

/**
 * @param {Point[]} ring
 * @param {number} i
 */
function edge(ring, i) {
  const [[x, y], [u, v]] = [at(ring, i), at(ring, i + 1)];
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
   * @param {Mark[]} bare
   * @param {string} [transform]
   */
  constructor(view, bare, transform = "") {
    this.view = view;
    /** Content of the canvas where it has no marks, by key. */
    this.bare = new Map(bare.map((mark) => [keyOf(mark), mark]));
    this.unit = Number(/scale\(([\d.]+)\)/.exec(transform)?.[1] ?? 1);
    this.root = h("canvas", { class: "layer" });
    // It hides all below it, which need not be drawn then.
    this.context = this.root.getContext("2d", { alpha: false });
    /** The painted marks, by key. @type {Map<string, Mark>} */
    this.painted = new Map();
    /** @type {Mark[]} */
    this.marks = [];
    this.scale = 1;
    /** Origin of the outlines on the canvas. @type {Point} */
    this.origin = [0, 0];
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
    context.fillStyle = colourOf("$paper");
    context.fillRect(0, 0, root.width, root.height);
    // Like an image: as large as fits, in the middle.
    const scale = Math.min(root.width / width, root.height / height);
    const [x, y] = [(root.width - width * scale) / 2, (root.height - height * scale) / 2];
    this.scale = scale * this.unit;
    this.origin = [x - left * scale, y - top * scale];
    context.setTransform(this.scale, 0, 0, this.scale, ...this.origin);
    this.painted.clear();
    for (const mark of this.bare.values()) paint(context, mark);
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
      paint(context, this.bare.get(key) ?? mark);
      painted.delete(key);
    }
    for (const mark of marks) {
      const before = painted.get(keyOf(mark));
      if (before && same(before, mark)) continue;
      const other = before && bordersChanged(before, mark);
      if (other) this.within(outlineOf(linked(mark)).along(other, depthOf(mark)), () => paint(context, mark));
      else paint(context, mark);
      painted.set(keyOf(mark), mark);
    }
  }

  /**
   * Paint only round a band, to whole pixels: edges elsewhere need not be gone through.
   * @param {Band} band
   * @param {() => void} act
   */
  within({ low, high }, act) {
    const { context, origin: [x, y], scale } = this;
    if (!context) return;
    const [left, top] = [Math.floor(low[0] * scale + x) - 1, Math.floor(low[1] * scale + y) - 1];
    const [right, bottom] = [Math.ceil(high[0] * scale + x) + 1, Math.ceil(high[1] * scale + y) + 1];
    context.save();
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.beginPath();
    context.rect(left, top, right - left, bottom - top);
    context.clip();
    context.setTransform(scale, 0, 0, scale, x, y);
    act();
    context.restore();
  }
}

/**
 * The neighbours along which one mark has a band and the other has not, where they differ in nothing else.
 * @param {Mark} one
 * @param {Mark} other
 */
function bordersChanged([, one], [, other]) {
  if (one.fill !== other.fill || one.stroke !== other.stroke) return "";
  const [before, now] = [one, other].map((attributes) => String(attributes["data-along"] ?? "").split(" "));
  const changed = [...before ?? [], ...now ?? []].filter((name) => name && before?.includes(name) !== now?.includes(name));
  return changed.join(" ");
}

/** Return the depth to which a mark's band reaches into its province. @param {Mark} mark */
function depthOf(mark) {
  return Number(mark[1]["stroke-width"] ?? 1) / 2;
}

/** @param {Mark} mark */
function keyOf(mark) {
  return String(mark[1]["data-key"]);
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Mark} mark
 */
function paint(context, mark) {
  const outline = outlineOf(linked(mark));
  const { fill = "none", stroke = "none", "data-along": along } = mark[1];
  context.fillStyle = colourOf(fill);
  context.fill(outline.path);
  if (!along) return;
  context.fillStyle = colourOf(stroke);
  context.fill(outline.along(String(along), depthOf(mark)).path);
}
