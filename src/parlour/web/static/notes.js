// Events of the table in words for everybody: arrivals, departures, actions of a moderator.

/** @import {MatchState} from "./match_state.js" */
/** @import {GameEvent} from "./types.js" */

/**
 * Return the word that people read for a kind of foul.
 * @param {string} kind
 */
const foulWord = (kind) => (kind === "disconnected" ? "gone" : kind);

/** @type {Record<string, (e: GameEvent, state: MatchState) => string>} */
const WORDS = {
  joined: (e, state) => (e.by ? `${e.by} gave ${state.title(e.seat)} to ${e.name}` : state.begun ? `${e.name} sits down as ${state.title(e.seat)}` : ""),
  left: (e, state) => {
    const who = state.names[e.seat] || state.title(e.seat);
    return e.by ? `${e.by} took ${state.title(e.seat)} away from ${who}` : state.begun ? `${who} leaves ${state.title(e.seat)}` : "";
  },
  proclaimed: (e) => (e.by ? `${e.by} ${e.text}` : e.text),
  "turn ended": (_, state) => (state.inFavour && state.status !== "over" ? `The vote on a draw lapsed with the turn: ${state.inFavour} ${state.inFavour === 1 ? "was" : "were"} for it` : ""),
  extended: (e) => (e.seconds < 0 ? `${e.by} took time away` : `${e.by} gave more time`),
  "position set": (e) => `${e.by} set the position`,
  fouled: (e, state) => `${state.title(e.seat)}: ${foulWord(e.kind)}${e.detail && e.detail !== e.kind ? ` (${e.detail})` : ""}`,
  removed: (e, state) => `${state.title(e.seat)} is out: ${e.reason.replace(/^\w+/, foulWord)}`,
  paused: (e) => (e.by ? `${e.by} paused the match` : "The match is paused: too few are here"),
  resumed: (e) => (e.by ? `${e.by} resumed the match` : "The match continues"),
  "turn forced": (e) => `${e.by} ended the turn early`,
  ended: (e) => (e.by ? `${e.by} ended the match` : ""),
};

/**
 * Return the note of an event; nothing for most events.
 * @param {GameEvent} e
 * @param {MatchState} state
 */
export function noteOf(e, state) {
  return WORDS[e.event]?.(e, state) ?? "";
}
