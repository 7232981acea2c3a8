// Downloads of a match: the sandbox from this turn, pictures, text, a saved game, the record, a film.

import { film, png, save } from "./downloads.js";
import { fill, h } from "./dom.js";

/** @import {Table} from "./table.js" */

/** Turns of a film at most. */
const LONGEST_FILM = 200;

/** @param {Table} table */
export function takeAway(table) {
  const problem = h("p", { class: "refused", role: "status" });
  const here = location.pathname;
  const name = table.id || "match";
  const turn = turnOf(table);
  const pictured = table.state.steps.some((step) => step.turn === turn);
  const picture = async (/** @type {number} */ number) => {
    const response = await fetch(`${here}/export/picture/${number}`);
    if (!response.ok) throw new Error(response.status === 429 ? "Too many pictures at once: try again in a while." : "That turn cannot be drawn.");
    return response.text();
  };
  const act = (/** @type {() => Promise<void>} */ work) => async () => {
    fill(problem, "");
    try {
      await work();
    } catch (error) {
      fill(problem, error instanceof Error ? error.message : "That did not work.");
    }
  };
  const sandbox = act(async () => {
    const answer = await table.send({ ask: "sandbox", turn });
    if (answer.refused !== undefined) throw new Error(answer.reason);
    location.href = answer.address;
  });
  const asSvg = act(async () => save(new Blob([await picture(turn)], { type: "image/svg+xml" }), `${name}-${turn}.svg`));
  const asPng = act(async () => save(await png(await picture(turn)), `${name}-${turn}.png`));
  const asFilm = act(async () => {
    const turns = table.state.steps.map((step) => step.turn).slice(0, LONGEST_FILM);
    async function* pictures() {
      for (const [at, number] of turns.entries()) {
        fill(problem, `Turn ${at + 1} of ${turns.length} …`);
        yield await picture(number);
      }
    }
    save(await film(pictures()), `${name}.webm`);
    fill(problem, "The film is saved.");
  });
  const button = (/** @type {string} */ words, /** @type {() => void} */ onclick, disabled = false) => h("button", { type: "button", onclick, disabled }, words);
  const link = (/** @type {string} */ words, /** @type {string} */ what) => h("a", { class: "button", href: `${here}/export/${what}`, download: true }, words);
  const dialog = h("dialog", { class: "take-away", "aria-label": "Take away" },
    h("h2", {}, "Take away"),
    h("section", { class: "way" }, h("h3", {}, "Try other orders"), h("p", {}, "The sandbox opens with this position. Its address can be shared and cited."),
      h("p", { class: "line" }, button("Sandbox from this turn", sandbox))),
    h("section", { class: "way" }, h("h3", {}, "This turn"), h("p", {}, pictured ? "The board with the orders of the turn that you look at." : "This turn is not over: look at an earlier one to have its picture."),
      h("p", { class: "line" }, button("SVG", asSvg, !pictured), button("PNG", asPng, !pictured))),
    h("section", { class: "way" }, h("h3", {}, "The whole match"), h("p", {}, "As far as you may see it."),
      h("p", { class: "line" }, link("Text", "text"), link("Record", "record"),
        table.state.oneByOne ? null : link("Saved game", "saved-game"),
        button("Film (WebM)", asFilm, !table.state.steps.length))),
    problem,
    h("form", { method: "dialog" }, h("button", { class: "primary" }, "Close")));
  dialog.addEventListener("close", () => dialog.remove());
  table.root.append(dialog);
  dialog.showModal();
}

/** The number of the turn that is looked at. @param {Table} table */
function turnOf(table) {
  return table.steps[table.index]?.turn ?? 0;
}
