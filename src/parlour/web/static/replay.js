// A replay in a file of its own: unpacks the match that lies beside this script and shows it.

import { find, h, fill } from "./dom.js";
import { MatchPage } from "./page.js";
import { MatchState } from "./match_state.js";

/** @returns {Promise<import("./types.js").MatchHead>} */
async function unpack() {
  const text = find("#match").textContent ?? "";
  const bytes = Uint8Array.from(atob(text.trim()), (sign) => sign.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(plain).json();
}

try {
  const page = new MatchPage(new MatchState(await unpack()), find("#page"));
  if (!location.hash) page.go(0);
} catch (error) {
  fill(find("#page"), h("p", { class: "empty" }, `This browser cannot show the match: ${error}`));
  throw error;
}
