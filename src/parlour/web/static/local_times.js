// Times that the server wrote, in the reader's own zone.

export function localTimes() {
  for (const time of document.querySelectorAll("time[data-local]")) {
    const date = new Date(time.getAttribute("datetime") ?? "");
    const day = time.getAttribute("data-local") === "day";
    time.textContent = day ? date.toLocaleDateString(undefined, { dateStyle: "medium" }) : moment(date);
  }
}

/**
 * A time; its day is named if it is near.
 * @param {Date} date
 */
function moment(date) {
  const midnight = (/** @type {Date} */ of) => Date.UTC(of.getFullYear(), of.getMonth(), of.getDate());
  const days = (midnight(date) - midnight(new Date())) / 86_400_000;
  if (Math.abs(days) > 1) return date.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  const named = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" }).format(days, "day");
  return `${named}, ${date.toLocaleTimeString(undefined, { timeStyle: "short" })}`;
}
