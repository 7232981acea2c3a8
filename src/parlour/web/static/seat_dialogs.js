// Dialogs about seats: take one, leave one, and what a moderator may do.

import { fill, h, icon } from "./dom.js";

/** @import {Table} from "./table.js" */
/** @import {Answer} from "./wire.js" */

/**
 * @param {Table} table
 * @param {string} title
 * @param {...(Node | null)} parts
 */
function open(table, title, ...parts) {
  const dialog = h("dialog", { "aria-label": title },
    h("h2", {}, title), parts, h("form", { method: "dialog" }, h("button", { class: "primary" }, "Close")));
  dialog.addEventListener("close", () => dialog.remove());
  table.root.append(dialog);
  dialog.showModal();
  return dialog;
}

/**
 * House agents to choose from, with their strength and temper.
 * @param {Record<string, any>} about
 */
export function agentOptions(about) {
  const words = (/** @type {string} */ name) => (about.tempers?.[name] ? `${name}: ${about.tempers[name]}` : name);
  return (about.agents ?? []).map((/** @type {string} */ name) => h("option", { value: name }, words(name)));
}

/**
 * Makes a function that sends a message when it is called: a refusal is written where problems are.
 * @param {{send: (message: Record<string, any>) => Promise<Answer>}} server
 * @param {HTMLElement} problem
 * @param {() => void} done
 */
export function asking(server, problem, done) {
  return (/** @type {Record<string, any>} */ message) => async () => {
    const answer = await server.send(message);
    fill(problem, answer.refused !== undefined ? answer.reason : null);
    if (answer.refused === undefined) done();
  };
}

/** Choose one of the free seats. @param {Table} table */
export function takeSeat(table) {
  const about = table.state.head.about ?? {};
  const password = h("input", { type: "password", name: "password", autocomplete: "off", "aria-label": "Password of the match" });
  const problem = h("p", { class: "refused", role: "alert" });
  const asked = about.password ? h("label", {}, "Password ", password) : null;
  const seats = table.freeSeats();
  if (!about.account) {
    open(table, "Take a seat", signIn(about, seats.map((chair) => [chair.seat, table.state.title(chair.seat)])));
    return;
  }
  const act = asking(table, problem, () => left(table, dialog));
  const dialog = open(table, "Take a seat",
    h("p", {}, "The seat is yours until the match ends or you leave it."), asked,
    h("div", { class: "choice" }, seats.map((chair) => h("button", {
      type: "button", onclick: () => act({ ask: "join", seat: chair.seat, password: password.value })(),
    }, table.state.title(chair.seat)))), problem);
}

/**
 * Return the form for a visitor without an account: join as a guest, or sign in and return.
 * @param {Record<string, any>} about
 * @param {Array<[string, string]>} seats
 */
export function signIn(about, seats) {
  const link = h("p", {}, signInLink("Sign in or open an account", ""), " and come back here.");
  if (!about.guests) return h("div", { class: "guest" }, h("p", {}, "Whoever plays here has an account."), link);
  return h("div", { class: "guest" },
    h("form", { method: "post", action: `${location.pathname}/sit`, class: "choice" },
      h("p", {}, "You are not signed in. Sit down as a guest:"),
      about.password ? h("label", {}, "Password ", h("input", { type: "password", name: "password", autocomplete: "off" })) : null,
      seats.map(([seat, title]) => h("button", { name: "seat", value: seat, class: "primary" }, `${title} as a guest`))),
    link);
}

/** A link to sign in, and to come back here. @param {string} [words] @param {string} [look] */
export function signInLink(words = "Sign in", look = "button") {
  return h("a", { class: look || null, href: `/signin?next=${encodeURIComponent(location.pathname)}` }, words);
}

/**
 * Load the page again: a player with a seat sees more, a player who left one sees less.
 * @param {Table} table
 * @param {HTMLDialogElement} dialog
 */
function left(table, dialog) {
  dialog.close();
  table.wire.restart();
}

/**
 * A question in place of choices, before something that is final; a second Enter does nothing.
 * @param {() => HTMLElement[]} choices
 */
function confirmation(choices) {
  const question = h("div", { class: "choice", role: "group", hidden: true });
  const show = (/** @type {boolean} */ asked) => {
    question.hidden = !asked;
    for (const choice of choices()) choice.hidden = asked;
  };
  const ask = (/** @type {Event} */ event, /** @type {string} */ what, /** @type {string} */ yes, /** @type {string} */ no, /** @type {() => Promise<void>} */ done) => {
    const from = /** @type {HTMLElement} */ (event.currentTarget);
    const close = () => {
      show(false);
      from.focus();
    };
    const keep = h("button", { type: "button", "aria-describedby": "sure", onclick: close }, no);
    fill(question, h("p", { id: "sure" }, what),
      h("button", { type: "button", class: "danger", "aria-describedby": "sure", onclick: async () => { await done(); close(); } }, yes), keep);
    question.setAttribute("aria-label", from.textContent ?? "");
    show(true);
    keep.focus();
  };
  return { question, ask };
}

/** Ways to give up a seat. @param {Table} table */
export function leaveSeat(table) {
  const { state } = table;
  const about = state.head.about ?? {};
  const seat = table.entry.seat || table.own[0] || "";
  const problem = h("p", { class: "refused", role: "alert" });
  const seeks = (about.seeking ?? []).includes(seat);
  const act = asking(table, problem, () => left(table, dialog));
  const agent = h("select", { "aria-label": "House agent" }, agentOptions(about));
  agent.value = String(about.agent ?? "");
  const running = state.status !== "forming";
  const leave = act({ intent: "leave", seat });
  const { question, ask } = confirmation(() => [...dialog.querySelectorAll("section")]);
  const resign = (/** @type {Event} */ event) => ask(event, `${table.state.title(seat)} is no longer yours, and anybody may take it.`, "Resign for good", "Play on", leave);
  const way = (/** @type {string} */ title, /** @type {string} */ what, /** @type {Array<Node | null>} */ ...controls) =>
    h("section", { class: "way" }, h("h3", {}, title), h("p", {}, what), h("p", { class: "line" }, controls));
  const dialog = open(table, `Leave ${table.state.title(seat)}`,
    running ? way("Ask for a replacement", "You play on until somebody takes over. All are told.",
      h("button", { type: "button", onclick: act({ ask: "seek replacement", seeks: !seeks }) }, seeks ? "Keep the seat after all" : "Ask for a replacement")) : null,
    running ? way("Let an agent stand in", "It plays for you until you take your seat back.",
      agent, h("button", { type: "button", onclick: () => act({ ask: "stand in", seat, agent: agent.value })() }, "Let it play")) : null,
    way(running ? "Resign" : "Stand up", running ? "You leave for good. Your units get no orders until somebody takes the seat." : "The seat is free again.",
      h("button", { type: "button", class: "danger", onclick: running ? resign : leave }, running ? "Resign" : "Stand up")),
    question, problem);
}

/** Let the player who opened the match moderate it, or no longer. @param {Table} table */
export async function agree(table) {
  await table.askArrangements();
  const { accord } = table.state.head.about ?? {};
  if (!accord) return;
  const problem = h("p", { class: "refused", role: "alert" });
  const choose = asking(table, problem, () => dialog.close())({ ask: "agree", agrees: !accord.own });
  const dialog = open(table, "Moderator",
    h("p", {}, "Nobody moderates this match, because the player who opened it plays in it. That player may moderate once all other players agree. A moderator can pause, give more time, end a turn or the match, and replace players. All players see what a moderator does."),
    h("p", { class: "tally" }, `${accord.agree} of ${accord.of} agree.`),
    h("p", { class: "line" }, h("button", { type: "button", onclick: choose }, accord.own ? "Agree no longer" : "Agree")),
    problem);
}

/** Return the actions of a moderator. @param {Table} table */
export function moderate(table) {
  const { state } = table;
  const about = state.head.about ?? {};
  const problem = h("p", { class: "refused", role: "status" });
  const act = asking(table, problem, () => fill(problem, "Done, and announced to all."));
  const seat = h("select", { "aria-label": "Seat" }, state.seats.map((chair) => h("option", { value: chair.seat }, table.state.title(chair.seat))));
  const agent = h("select", { "aria-label": "House agent" }, agentOptions(about));
  agent.value = String(about.agent ?? "");
  const minutes = h("input", { type: "number", min: "1", value: "10", "aria-label": "Minutes" });
  const paused = state.status === "paused";
  const choice = h("div", { class: "choice" },
    state.status === "forming" ? h("button", { type: "button", onclick: act({ intent: "start", by: "" }) }, "Start now") : null,
    h("button", { type: "button", onclick: act({ intent: paused ? "resume" : "pause", by: "" }) }, icon(paused ? "play" : "pause"), paused ? "Resume" : "Pause"),
    h("button", { type: "button", onclick: act({ intent: "force turn", by: "" }) }, "End the turn now"),
    h("button", { type: "button", onclick: (/** @type {Event} */ event) => ask(event, "It ends for everybody, and nobody can take it up again.", "End it for good", "Go on playing", act({ intent: "cancel", by: "" })) }, "End the match"));
  const { question, ask } = confirmation(() => [choice, seating]);
  const substitute = (/** @type {Event} */ event) => {
    const { name, present } = state.chair(seat.value);
    const replace = act({ ask: "replace by agent", seat: seat.value, agent: agent.value });
    if (present) ask(event, `${name} loses the seat ${table.state.title(seat.value)}, and ${agent.value} plays on.`, "Take the seat away", "Leave it as it is", replace);
    else replace();
  };
  const seating = h("p", { class: "line" }, seat, " is played by ", agent, h("button", { type: "button", onclick: substitute }, "Substitute"));
  open(table, "Moderate", h("p", {}, "All players are told what you do here."), choice, question,
    h("p", { class: "line" }, "Give ", minutes, " more minutes ",
      h("button", { type: "button", onclick: () => act({ intent: "extend", by: "", seconds: Number(minutes.value) * 60 })() }, "Extend")),
    seating, problem);
}
