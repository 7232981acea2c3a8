// Times that the server wrote, in the reader's own zone.

/** @param {ParentNode} [root] */
export function localTimes(root = document) {
  for (const time of root.querySelectorAll("time[data-local]")) {
    const date = new Date(time.getAttribute("datetime") ?? "");
    const day = time.getAttribute("data-local") === "day";
    time.textContent = date.toLocaleString(undefined, day ? { dateStyle: "medium" } : { dateStyle: "medium", timeStyle: "short" });
  }
}
