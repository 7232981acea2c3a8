// Input that the server has not accepted yet: one queue, kept in this browser, sent in order, and once. The server
// accepts a message with a key once, however often it is sent. After a restart it has forgotten the keys: then a
// message that was sent before is looked up among the events, and sent again only if it is missing.

/** @import {Answer} from "./wire.js" */
/** @import {Message} from "./match_state.js" */

/**
 * @typedef {object} Item
 * @property {string} key
 * @property {Record<string, any>} message
 * @property {string} label            what it is, for people
 * @property {string} slot             a newer message of the same slot replaces it
 * @property {number | null} turn      the turn in which alone it makes sense
 * @property {number | null} tried     the last event that was known when it was first sent; null if it was not
 */

/**
 * The functions that the queue needs from its page.
 * @typedef {object} Means
 * @property {(message: Record<string, any>) => Promise<Answer>} send
 * @property {() => Item[]} load
 * @property {(items: Item[]) => void} save
 * @property {() => number} turn
 * @property {() => number} known                 the number of the last event that is known
 * @property {(item: Item) => boolean} happened   whether something happened after it was tried that is its effect
 * @property {(item: Item, answer: Answer) => void} answered
 * @property {() => void} changed
 */

/** Refusals after which the same message may be taken later. */
const LATER = new Set(["offline", "late", "store", "busy", "closing", "too often"]);
const PAUSE = 2000;

export class Outbox {
  /** @param {Means} means */
  constructor(means) {
    this.means = means;
    /** @type {Item[]} */
    this.items = means.load();
    this.online = false;
    this.closed = false;
    /** The message that is on its way. @type {Item | null} */
    this.current = null;
    this.flushing = false;
    /** @type {Map<string, (answer: Answer) => void>} */
    this.waiting = new Map();
  }

  /**
   * Enter a message; the answer comes once the server has taken or refused it, however long that takes. One that
   * follows from an answer is sent first, before everything that was entered after the question.
   * @param {Record<string, any>} message
   * @param {{label: string, slot?: string, turn?: number | null, first?: boolean}} what
   * @returns {Promise<Answer>}
   */
  put(message, { label, slot = "", turn = null, first = false }) {
    const item = { key: crypto.randomUUID(), message, label, slot, turn, tried: null };
    if (slot) this.drop(slot);
    if (first) this.items.unshift(item);
    else this.items.push(item);
    this.note();
    const answer = new Promise((/** @type {(answer: Answer) => void} */ settle) => this.waiting.set(item.key, settle));
    this.flush();
    return answer;
  }

  /** Forget the messages of a slot that wait. @param {string} slot */
  drop(slot) {
    for (const old of this.items.filter((one) => one.slot === slot && one !== this.current)) {
      this.finish(old, { refused: 0, code: "replaced", reason: "" });
    }
  }

  /**
   * The newest message of a slot that waits.
   * @param {string} slot
   */
  pending(slot) {
    return this.items.findLast((item) => item.slot === slot);
  }

  /** The line is there or not; once it is there, all that waits is sent. @param {boolean} online */
  setOnline(online) {
    this.online = online;
    this.flush();
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
  }

  async flush() {
    if (this.flushing) return;
    this.flushing = true;
    clearTimeout(this.timer);
    try {
      await this.sendAll();
    } finally {
      this.flushing = false;
    }
  }

  async sendAll() {
    for (let item = this.items[0]; item && this.online && !this.closed; item = this.items[0]) {
      if (item.turn !== null && item.turn !== this.means.turn()) {
        this.finish(item, { refused: 0, code: "stale", reason: "The turn had ended." });
        continue;
      }
      if (item.tried !== null && this.means.happened(item)) {
        this.finish(item, { ok: 0, reason: "" });
        continue;
      }
      const answer = await this.attempt(item);
      if (this.closed) return; // whoever came after it has the item, and sends it with the same key
      if (answer.refused !== undefined && LATER.has(answer.code ?? "")) {
        // Without a line the page says when it is back; otherwise the server has something else to do.
        if (answer.code !== "offline" && !this.closed) this.timer = setTimeout(() => this.flush(), PAUSE);
        return;
      }
      this.finish(item, answer.code === "no change" ? { ok: 0, reason: "" } : answer);
    }
  }

  /** @param {Item} item */
  async attempt(item) {
    this.current = item;
    item.tried ??= this.means.known();
    this.note();
    try {
      return await this.means.send({ ...item.message, key: item.key });
    } finally {
      this.current = null;
    }
  }

  /**
   * @param {Item} item
   * @param {Answer} answer
   */
  finish(item, answer) {
    this.items = this.items.filter((one) => one !== item);
    this.note();
    const settle = this.waiting.get(item.key);
    this.waiting.delete(item.key);
    this.means.answered(item, answer);
    settle?.(answer);
  }

  note() {
    this.means.save(this.items);
    this.means.changed();
  }
}

/**
 * Return true if a message was recorded after an event.
 * @param {Message[]} messages
 * @param {Record<string, any>} message
 * @param {number} after
 */
export function wasSaid(messages, { intent, seat, to, text }, after) {
  if (intent !== "say") return false;
  const [bare, heard] = [plain(text), [...(to ?? [])].sort().join()];
  return messages.some((one) => one.k > after && one.seat === seat && plain(one.text) === bare && [...one.to].sort().join() === heard);
}

/** A message as it is compared: spaces between tokens may differ. @param {string} text */
function plain(text) {
  return text.replace(/\s+/g, "").toLowerCase();
}
