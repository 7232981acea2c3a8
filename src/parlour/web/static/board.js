// The board: images for fixed parts, elements for the others, zoom, and the target under the pointer. It does not
// depend on a game.

import { Canvas } from "./canvas.js";
import { h, svg } from "./dom.js";
import { build, linked, outlines, paintWith, pointOf, redraw, shownAs, sync } from "./marks.js";
import { onTheme } from "./theme.js";

/** @import {Sheet, Frame, Mark} from "./types.js" */

/** @typedef {{kind: "ground" | "piece" | "result", place: string, seat: string, result: number, at: [number, number]}} Target */

const SMALL = 640;
const GLIDE = 300;
const DRAG = 8;
const MAX_ZOOM = 6;
const STILL = matchMedia("(prefers-reduced-motion: reduce)");

export class Board {
  /** @param {Sheet} sheet */
  constructor(sheet) {
    this.sheet = sheet;
    this.zoom = 1;
    this.labels = "labels";
    /** @type {Record<string, SVGElement>} */
    this.groups = {};
    /** @type {Record<string, HTMLImageElement>} */
    this.images = {};
    /** @type {Record<string, Canvas>} */
    this.canvases = {};
    /** @type {Map<string, Mark[]>} */
    this.shown = new Map();
    /** The layers that orders are shown in. @type {string[]} */
    this.resultLayers = [];
    /** @type {(target: Target | null, event: PointerEvent) => void} */
    this.onpoint = () => {};
    /** @type {(target: Target | null, event: PointerEvent) => void} */
    this.onhover = () => {};
    /** Returns true if the target can be dragged; then a drag does not move the board. @type {(target: Target) => boolean} */
    this.ongrab = () => false;
    this.stage = h("div", { class: "stage" });
    // Water continues around a board without a frame.
    const framed = "paper" in (sheet.paints.light ?? {});
    shape(sheet);
    this.root = h("div", { class: framed ? "board" : "board at-sea", "aria-hidden": "true" }, this.stage);
    this.defs = svg("defs");
    this.makeDefs();
    this.makeLayers();
    this.listen();
    this.unpaint = onTheme((theme) => this.paint(theme));
    this.watcher = new ResizeObserver(() => this.fit());
    this.watcher.observe(this.root);
  }

  /** Stop listening. */
  close() {
    this.unpaint();
    this.watcher.disconnect();
  }

  makeDefs() {
    const shapes = svg("defs");
    for (const [id, d] of Object.entries(this.sheet.outlines ?? {})) {
      outlines.set(id, d);
      shapes.append(svg("path", { id, d }));
    }
    const holder = svg("svg", { class: "defs", width: 0, height: 0, "aria-hidden": "true" });
    holder.append(shapes, this.defs);
    this.stage.append(holder);
  }

  makeLayers() {
    /** @type {SVGElement | null} */
    let sheet = null;
    let first = true;
    for (const [kind, name] of this.sheet.layers) {
      if (kind === "image") {
        const image = h("img", { class: "layer", alt: "", draggable: "false" });
        this.images[name] = image;
        this.stage.append(image);
        sheet = null;
        continue;
      }
      if (kind === "canvas") {
        const canvas = this.canvases[name] = new Canvas(this.sheet.view, this.sheet.bare?.[name] ?? [], this.sheet.transforms?.[name]);
        this.stage.append(canvas.root);
        sheet = null;
        continue;
      }
      if (!sheet) {
        sheet = svg("svg", { class: "layer", viewBox: this.sheet.view.join(" ") });
        this.stage.append(sheet);
      }
      const group = svg("g", { "data-layer": name });
      const transform = this.sheet.transforms?.[name];
      if (transform) group.setAttribute("transform", transform);
      this.groups[name] = group;
      sheet.append(group);
      // Marks below the pointer need not be searched when pieces are painted.
      if (first && this.makeGround(sheet)) sheet = null;
      first = false;
    }
    const top = svg("svg", { class: "layer", viewBox: this.sheet.view.join(" ") });
    this.groups.hints = svg("g", { "data-layer": "hints" });
    top.append(this.groups.hints);
    this.stage.append(top);
  }

  /**
   * Make the targets for clicks beside pieces, above the tints and below all else. Return true if there are any.
   * @param {SVGElement} sheet
   */
  makeGround(sheet) {
    const outlines = this.sheet.outlines ?? {};
    const ground = svg("g", { class: "ground", transform: "scale(.1)" });
    for (const place of Object.keys(this.sheet.places ?? {})) {
      if (outlines[place]) ground.append(svg("use", { href: `#${place}`, "data-place": place }));
    }
    sheet.append(ground);
    this.groups.ground = ground;
    return ground.hasChildNodes();
  }

  /** @param {string} theme */
  paint(theme) {
    const paints = this.sheet.paints[theme] ?? {};
    for (const [name, colour] of Object.entries(paints)) document.documentElement.style.setProperty(`--b-${name}`, colour);
    this.theme = theme;
    paintWith(paints);
    this.defs.replaceChildren(...(this.sheet.defs ?? []).map(build));
    for (const [layer, marks] of this.shown) {
      const group = this.groups[layer];
      if (group) redraw(group, marks);
    }
    for (const canvas of Object.values(this.canvases)) canvas.repaint();
    for (const name of Object.keys(this.images)) this.paintImage(name);
  }

  /** @param {string} name */
  paintImage(name) {
    const paints = this.sheet.paints[this.theme ?? "light"] ?? {};
    const body = this.sheet.images?.[name === "labels" ? this.labels : name] ?? "";
    const paths = () =>
      Object.entries(this.sheet.outlines ?? {}).map(([id, d]) => `<path id="${id}" d="${d}"/>`).join("");
    const bare = () => Object.values(this.sheet.bare ?? {}).flat().map((mark) => this.sheet.outlines?.[linked(mark)]).join("");
    const text = body.replace("%outlines%", paths).replace("%bare%", bare).replace(/\$([\w-]+)/g, (_, paint) => paints[paint] ?? "none");
    const picture = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${this.sheet.view.join(" ")}">${text}</svg>`;
    const image = this.images[name];
    if (image) image.src = `data:image/svg+xml,${encodeURIComponent(picture)}`;
  }

  /** Give the stage the size of its room, times the zoom. */
  fit() {
    const [, , width, height] = this.sheet.view;
    const room = this.root.getBoundingClientRect();
    if (!room.width || !room.height) return;
    const scale = Math.min(room.width / width, room.height / height) * this.zoom;
    const [left, across] = whole(room.left, room.width, width * scale);
    const [top, down] = whole(room.top, room.height, height * scale);
    Object.assign(this.stage.style, { width: `${across}px`, height: `${down}px`, marginLeft: `${left}px`, marginTop: `${top}px` });
    for (const canvas of Object.values(this.canvases)) canvas.resize(across * devicePixelRatio, down * devicePixelRatio);
    const small = width * scale < SMALL;
    this.stage.classList.toggle("small", small);
    const labels = small && this.sheet.images?.["labels.small"] ? "labels.small" : this.codes ? "labels.tags" : "labels";
    if (labels !== this.labels && this.sheet.images?.[labels]) {
      this.labels = labels;
      this.paintImage("labels");
    }
  }

  /** Show sea codes instead of names, or names again. */
  toggleCodes() {
    this.codes = !this.codes;
    this.fit();
  }

  /**
   * Zoom round a point of the screen, or round the middle.
   * @param {number} factor
   * @param {{x: number, y: number}} [about]
   */
  zoomBy(factor, about) {
    const box = this.root.getBoundingClientRect();
    const x = (about?.x ?? box.left + box.width / 2) - box.left;
    const y = (about?.y ?? box.top + box.height / 2) - box.top;
    const before = this.zoom;
    this.zoom = Math.min(MAX_ZOOM, Math.max(1, this.zoom * factor));
    const grown = this.zoom / before;
    const [left, top] = [this.root.scrollLeft, this.root.scrollTop];
    this.fit();
    this.root.scrollLeft = (left + x) * grown - x;
    this.root.scrollTop = (top + y) * grown - y;
    this.root.classList.toggle("zoomed", this.zoom > 1);
  }

  /**
   * Show marks in a layer.
   * @param {string} layer
   * @param {Mark[]} marks
   * @param {Array<[string, string]>} [moved]  keys before and now of what went elsewhere
   */
  set(layer, marks, moved = []) {
    if (this.shown.get(layer) === marks) return;
    const [group, canvas] = [this.groups[layer], this.canvases[layer]];
    if (group || canvas) this.shown.set(layer, marks);
    if (group) sync(group, marks, moved);
    canvas?.set(marks);
  }

  /**
   * Show orders, in place of those that are shown.
   * @param {Record<string, Mark[]>} layers
   */
  setResults(layers) {
    const none = Object.fromEntries(this.resultLayers.map((layer) => [layer, []]));
    this.resultLayers = Object.keys(layers);
    for (const [layer, marks] of Object.entries({ ...none, ...layers })) this.set(layer, marks);
  }

  /**
   * Show a frame; pieces that moved glide to where they are now.
   * @param {Frame} frame
   * @param {Array<[string, string]>} [moved]
   */
  setFrame(frame, moved = []) {
    const still = STILL.matches || !moved.length;
    const before = still ? new Map() : this.pointsOf(new Set(moved.map(([from]) => from)));
    for (const [layer, marks] of Object.entries(frame.layers)) if (marks) this.set(layer, marks, moved);
    if (still) return;
    const pieces = new Map(moved.map(([from, to]) => [to, from]));
    for (const [layer, marks] of Object.entries(frame.layers)) {
      for (const mark of marks ?? []) this.glide(layer, mark, before.get(pieces.get(String(mark[1]["data-key"])) ?? ""));
    }
  }

  /**
   * Return the present positions of the marks with these keys.
   * @param {Set<string>} keys
   */
  pointsOf(keys) {
    /** @type {Map<string, [number, number]>} */
    const found = new Map();
    for (const marks of this.shown.values()) {
      for (const mark of marks) {
        const key = String(mark[1]["data-key"]);
        const point = keys.has(key) ? pointOf(mark) : null;
        if (point) found.set(key, point);
      }
    }
    return found;
  }

  /**
   * @param {string} layer
   * @param {Mark} mark
   * @param {[number, number] | undefined} start
   */
  glide(layer, mark, start) {
    const end = start && pointOf(mark);
    const element = end && shownAs(this.groups[layer], String(mark[1]["data-key"]));
    if (!start || !end || !element) return;
    // A group that has a place of its own needs both ends; one whose parts have it only the way.
    const own = element.hasAttribute("transform");
    const at = (/** @type {[number, number]} */ [x, y]) =>
      own ? `translate(${x}px, ${y}px)` : `translate(${x - end[0]}px, ${y - end[1]}px)`;
    element.animate([{ transform: at(start) }, { transform: at(end) }], {
      duration: GLIDE,
      easing: "cubic-bezier(.4, 0, .2, 1)",
    });
  }

  /**
   * Return the position of a pointer on the board.
   * @param {PointerEvent | MouseEvent} event
   * @returns {[number, number]}
   */
  pointAt(event) {
    const box = this.stage.getBoundingClientRect();
    const [left, top, width, height] = this.sheet.view;
    return [
      left + ((event.clientX - box.left) / box.width) * width,
      top + ((event.clientY - box.top) / box.height) * height,
    ];
  }

  /**
   * @param {PointerEvent} event
   * @returns {Target | null}
   */
  targetOf(event) {
    // Not the event's target: fingers keep the one on which they came down.
    const hit = document.elementFromPoint(event.clientX, event.clientY);
    const at = this.pointAt(event);
    const piece = hit?.closest(".unit, .penguin");
    if (piece) {
      const place = piece.getAttribute("data-area") ?? piece.getAttribute("data-spot") ?? "";
      const seat = piece.getAttribute("data-power") ?? piece.getAttribute("data-seat") ?? "";
      return { kind: "piece", place, seat, result: -1, at };
    }
    const result = hit?.closest("[data-result]");
    if (result) return { kind: "result", place: "", seat: "", result: Number(result.getAttribute("data-result")), at };
    const ground = hit?.closest("[data-place], [data-spot]");
    if (!ground) return null;
    const place = ground.getAttribute("data-place") ?? ground.getAttribute("data-spot") ?? "";
    return { kind: "ground", place, seat: "", result: -1, at };
  }

  listen() {
    /** @type {Map<number, PointerEvent>} */
    const down = new Map();
    /** @type {{x: number, y: number, left: number, top: number, moved: boolean, start: Target | null, grabbed: boolean} | null} */
    let drag = null;
    let spread = 0;
    const apart = () => {
      const [a, b] = [...down.values()];
      return a && b ? Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY) : 0;
    };
    this.root.addEventListener("pointerdown", (event) => {
      if (event.button > 0) return;
      // A click on a moving piece means its destination.
      for (const glide of this.stage.getAnimations({ subtree: true })) glide.finish();
      down.set(event.pointerId, event);
      spread = apart();
      drag = {
        x: event.clientX, y: event.clientY, left: this.root.scrollLeft, top: this.root.scrollTop,
        moved: down.size > 1, start: event.pointerType === "touch" ? null : this.targetOf(event), grabbed: false,
      };
    });
    this.root.addEventListener("pointermove", (event) => {
      if (!down.has(event.pointerId)) {
        this.onhover(this.targetOf(event), event);
        return;
      }
      down.set(event.pointerId, event);
      if (!drag) return;
      const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
      if (Math.hypot(dx, dy) >= DRAG && !drag.moved) {
        drag.moved = true;
        drag.grabbed = drag.start?.kind === "piece" && this.ongrab(drag.start);
        if (drag.grabbed) this.root.setPointerCapture(event.pointerId);
      }
      if (drag.grabbed) {
        this.onhover(this.targetOf(event), event);
      } else if (down.size === 2) {
        const now = apart();
        if (spread > 0 && now > 0) this.zoomBy(now / spread, { x: event.clientX, y: event.clientY });
        spread = now;
      } else if (drag.moved && event.pointerType === "mouse") {
        this.root.scrollLeft = drag.left - dx;
        this.root.scrollTop = drag.top - dy;
      }
    });
    const lift = (/** @type {PointerEvent} */ event, /** @type {boolean} */ done) => {
      const mine = down.delete(event.pointerId);
      if (mine && done && drag && (!drag.moved || drag.grabbed)) this.onpoint(this.targetOf(event), event);
      if (!down.size) drag = null;
    };
    this.root.addEventListener("pointerup", (event) => lift(event, true));
    this.root.addEventListener("pointercancel", (event) => lift(event, false));
    this.root.addEventListener("pointerleave", (event) => {
      if (!down.has(event.pointerId)) this.onhover(null, event);
    });
    this.root.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey && this.zoom === 1 && event.deltaY > 0) return;
      event.preventDefault();
      this.zoomBy(Math.exp(-event.deltaY / 400), { x: event.clientX, y: event.clientY });
    }, { passive: false });
  }
}

/**
 * Set the shape of the board for the page's style: on a narrow page the board gets exactly the room that it needs.
 * @param {Sheet} sheet
 */
function shape({ view: [, , width, height] }) {
  const { style } = document.documentElement;
  style.setProperty("--board-height", `${((100 * height) / width).toFixed(1)}vw`);
  style.setProperty("--board-ratio", (width / height).toFixed(3));
}

/**
 * Return the margin and the length that put both edges of a stage on whole pixels, in the middle of its room: layers
 * between pixels are blended again, point by point, at each change. The room itself may begin and end between pixels.
 * @param {number} start  of the room, on the screen
 * @param {number} room
 * @param {number} size  that is wanted
 * @returns {[number, number]}
 */
function whole(start, room, size) {
  const length = size > room ? Math.round(size) : Math.floor(size);
  const first = Math.max(Math.ceil(start), Math.round(start + (room - length) / 2));
  return [first - start, length];
}
