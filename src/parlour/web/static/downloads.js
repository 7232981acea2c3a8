// Files that a page makes: pictures of what the server drew, and a film of them.

/** Pixels across pictures and films. */
const WIDE = 1400;
/** Milliseconds that a turn is shown in a film. */
const PACE = 700;

/**
 * Let the browser keep something as a file.
 * @param {Blob} blob
 * @param {string} name
 */
export function save(blob, name) {
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/**
 * @param {string} svg
 * @returns {Promise<HTMLImageElement>}
 */
async function imageOf(svg) {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  await image.decode();
  return image;
}

/**
 * A picture's shape: its height by its width.
 * @param {string} svg
 */
function shapeOf(svg) {
  const [, , across = 1, down = 1] = (/viewBox="([^"]*)"/.exec(svg)?.[1] ?? "0 0 1 1").split(/[ ,]+/).map(Number);
  return down / across || 1;
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {string} svg
 */
async function paint(canvas, svg) {
  const image = await imageOf(svg);
  const context = canvas.getContext("2d");
  if (!context) throw new Error("This browser cannot paint.");
  context.fillStyle = "#fff";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
}

/**
 * @param {string} svg
 * @param {number} wide
 */
function canvasFor(svg, wide) {
  const canvas = document.createElement("canvas");
  canvas.width = wide;
  canvas.height = 2 * Math.round((wide * shapeOf(svg)) / 2);
  return canvas;
}

/**
 * @param {string} svg
 * @returns {Promise<Blob>}
 */
export async function png(svg) {
  const canvas = canvasFor(svg, 2 * WIDE);
  await paint(canvas, svg);
  return new Promise((settle, fail) => canvas.toBlob((blob) => (blob ? settle(blob) : fail(new Error("This browser cannot paint."))), "image/png"));
}

/**
 * A film (WebM) of pictures that come one after the other.
 * @param {AsyncIterable<string>} pictures
 * @param {number} [pace]
 * @returns {Promise<Blob>}
 */
export async function film(pictures, pace = PACE) {
  /** @type {HTMLCanvasElement | null} */
  let canvas = null;
  /** @type {MediaRecorder | null} */
  let recorder = null;
  /** @type {Blob[]} */
  const parts = [];
  for await (const svg of pictures) {
    canvas ??= canvasFor(svg, WIDE);
    await paint(canvas, svg);
    if (!recorder) {
      recorder = new MediaRecorder(canvas.captureStream(10), { mimeType: "video/webm", videoBitsPerSecond: 4e6 });
      recorder.ondataavailable = (event) => parts.push(event.data);
      recorder.start();
    }
    await new Promise((settle) => setTimeout(settle, pace));
  }
  const made = recorder;
  if (!made) throw new Error("No turn is over yet.");
  await new Promise((settle) => { made.onstop = settle; made.stop(); });
  return new Blob(parts, { type: "video/webm" });
}
