// The line to the server: one WebSocket per page. It reconnects automatically, and continues where it was cut.
//
// An answer is delivered after all events before it, so the state then is not older than the answer.
//
// A connection that was cut silently looks like an idle one: after some time without messages, or when the person
// returns to the page, the page sends a ping.

/** @import {Telling, MatchHead} from "./types.js" */

/** @typedef {{ok?: number, refused?: number, code?: string, reason: string, k?: number} & Record<string, any>} Answer */

/** Milliseconds before the next try; somebody who looks is back within three seconds of the server. */
const FIRST = 400;
const LONGEST = 2_200;
const UNSEEN = 30_000;
const OPENING = 8_000;
const PATIENCE = 20_000;
const QUIET = 40_000;

/** The closing code of what this person may not see. */
export const FORBIDDEN = 4403;

/** Closing codes of ours after which trying again is of no use. */
const FINAL = new Map([
  [4404, "There is no such match."],
  [FORBIDDEN, "You may not look at this match."],
  [4410, "This page is older than the server; load it again."],
]);

export class Wire {
  /** @param {string} path */
  constructor(path) {
    this.path = path;
    /** The number of the next event, once there is a state. @type {number | null} */
    this.since = null;
    /** True while another head is to come: the number is that of a view which may no longer be this person's. */
    this.stale = false;
    this.wait = FIRST;
    this.number = 0;
    this.closed = false;
    /** True if a message has arrived since the last ping. */
    this.heard = true;
    /** @type {Map<number, {settle: (answer: Answer) => void, timer: number, answer?: Answer}>} */
    this.open = new Map();
    /** The number with which this page has caught up; null if it has, or if the server has not greeted it. @type {number | null} */
    this.due = null;
    /** @type {WebSocket | null} */
    this.socket = null;
    /** Done when all that has come is taken. @type {Promise<void>} */
    this.reading = Promise.resolve();
    /** @type {(head: MatchHead) => void | Promise<void>} */
    this.onhead = () => {};
    /** @type {(telling: Telling) => void} */
    this.ontelling = () => {};
    /** @type {(online: boolean, seconds: number) => void} */
    this.online = () => {};
    /** @type {(reason: string, code: number) => void} */
    this.onend = () => {};
    const back = () => (this.socket ? this.probe() : this.hurry());
    window.addEventListener("online", back);
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) back();
    });
  }

  connect() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}${this.path}`);
    this.socket = socket;
    // A browser lets an attempt that nobody answers hang for minutes.
    this.expect(socket, OPENING);
    socket.onopen = () => {
      this.expect(socket, PATIENCE);
      socket.send(JSON.stringify(this.since === null || this.stale ? {} : { since: this.since }));
    };
    socket.binaryType = "arraybuffer";
    socket.onmessage = (event) => this.receive(socket, event.data);
    socket.onclose = (event) => {
      if (this.socket === socket) this.lost(event.code);
    };
  }

  /**
   * Cut the line unless something comes in time.
   * @param {WebSocket} socket
   * @param {number} wait
   */
  expect(socket, wait) {
    clearTimeout(this.quiet);
    this.quiet = setTimeout(() => this.cut(socket), wait);
  }

  /**
   * Give a line up, and try a new one.
   * @param {WebSocket} socket
   */
  cut(socket) {
    if (this.socket !== socket) return;
    this.lost(0);
    socket.close();
  }

  /**
   * Unpack a message, and take it after those that came before it.
   * @param {WebSocket} socket
   * @param {string | ArrayBuffer} data
   */
  receive(socket, data) {
    if (this.socket === socket) this.listen();
    const before = this.reading;
    const message = typeof data === "string" ? data : unpacked(data);
    this.reading = (async () => {
      const text = await message;
      await before.catch(() => {});
      if (this.socket === socket) await this.take(JSON.parse(text));
    })();
  }

  /** Something has come: the line is good, and nobody asks for a while. */
  listen() {
    this.heard = true;
    clearTimeout(this.quiet);
    this.quiet = setTimeout(() => this.probe(), QUIET);
  }

  /** Ask for a sign of life; without one the line is cut. */
  async probe() {
    const socket = this.socket;
    if (socket?.readyState !== WebSocket.OPEN || !this.heard) return;
    this.heard = false;
    await this.send({ ask: "alive" });
    if (!this.heard) this.cut(socket);
  }

  /** @param {any} message */
  async take(message) {
    if (message.head) {
      this.since = this.due = message.next;
      this.stale = false;
      // It may be another view, with numbers of its own; all that had happened by the answers is in it.
      for (const waiting of this.open.values()) if (waiting.answer) waiting.answer.k = 0;
      try {
        await this.onhead(message.head);
      } catch {
        // Something that belongs to it could not be fetched: without it the page would stay empty, so all is tried anew.
        this.since = this.due = null;
        this.socket?.close();
        return;
      }
    } else if (message.e) {
      // A message that arrives twice counts once.
      if (this.since !== null && message.k < this.since) return;
      this.since = message.k + 1;
      this.ontelling(message);
    } else if (message.welcome !== undefined) {
      this.due = message.next ?? message.welcome;
    } else {
      const waiting = this.open.get(message.ok ?? message.refused);
      if (waiting) waiting.answer = message;
    }
    this.wait = FIRST;
    this.settle();
  }

  /** Give out the answers to which nothing is missing, and say that the line is back once it has caught up. */
  settle() {
    const since = this.since ?? 0;
    if (this.due !== null && since >= this.due) {
      this.due = null;
      this.online(true, 0);
    }
    for (const [number, { settle, timer, answer }] of this.open) {
      if (!answer || Number(answer.k ?? 0) > since) continue;
      clearTimeout(timer);
      this.open.delete(number);
      settle(answer);
    }
  }

  /** @param {number} code */
  lost(code) {
    this.drop();
    const reason = FINAL.get(code);
    if (reason || this.closed) {
      this.closed = true;
      if (reason) this.onend(reason, code);
      return;
    }
    const wait = this.wait * (0.8 + 0.4 * Math.random());
    this.online(false, Math.round(wait / 1000));
    this.timer = setTimeout(() => this.connect(), wait);
    this.wait = Math.min(document.hidden ? UNSEEN : LONGEST, this.wait * 2);
  }

  /** Handle the loss of the socket: its open questions stay without an answer. */
  drop() {
    this.socket = this.due = null;
    this.heard = true;
    clearTimeout(this.quiet);
    for (const [number, { settle, timer }] of this.open) {
      clearTimeout(timer);
      settle({ refused: number, code: "offline", reason: "The line to the server is cut." });
    }
    this.open.clear();
  }

  /** Try now instead of later. */
  hurry() {
    if (this.socket || this.closed) return;
    clearTimeout(this.timer);
    this.connect();
  }

  /** Nothing more is to come. */
  end() {
    this.closed = true;
    this.socket?.close();
  }

  /** Get another head, as somebody who may see something else. Questions on an open line keep their answers. */
  async restart() {
    if (this.closed) return;
    this.stale = true;
    const socket = this.socket;
    if (socket?.readyState === WebSocket.OPEN && (await this.send({ ask: "anew" })).refused === undefined) return;
    if (this.socket !== socket) return;
    this.drop();
    socket?.close();
    clearTimeout(this.timer);
    this.connect();
  }

  /**
   * Send something that is answered.
   * @param {Record<string, any>} message
   * @returns {Promise<Answer>}
   */
  send(message) {
    const number = ++this.number;
    return new Promise((settle) => {
      if (!this.socket || this.socket.readyState !== WebSocket.OPEN) {
        settle({ refused: number, code: "offline", reason: "The line to the server is cut. Try again when it is back." });
        return;
      }
      const timer = setTimeout(() => {
        const answer = this.open.get(number)?.answer;
        this.open.delete(number);
        settle(answer ?? { refused: number, code: "late", reason: "The server did not answer in time." });
      }, PATIENCE);
      this.open.set(number, { settle, timer });
      this.socket.send(JSON.stringify({ id: number, ...message }));
    });
  }
}

/**
 * @param {ArrayBuffer} data
 * @returns {Promise<string>}
 */
function unpacked(data) {
  return new Response(new Blob([data]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}
