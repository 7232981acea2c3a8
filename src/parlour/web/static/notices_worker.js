// The worker that shows notices: its browser is woken without a word, and it asks the server what waits.

/** @typedef {{title: string, address: string}} Waiting */

const worker = /** @type {any} */ (self);

worker.addEventListener("push", (/** @type {any} */ event) => {
  event.waitUntil(show());
});

worker.addEventListener("notificationclick", (/** @type {any} */ event) => {
  event.notification.close();
  event.waitUntil(worker.clients.openWindow(event.notification.data ?? "/"));
});

async function show() {
  /** @type {Waiting[]} */
  let matches = [];
  try {
    const response = await fetch("/waiting", { credentials: "same-origin" });
    matches = (await response.json()).matches ?? [];
  } catch {
    // A push message must always show a notice.
  }
  const [first] = matches;
  const title = matches.length > 1 ? `Your turn in ${matches.length} matches` : "Your turn";
  await worker.registration.showNotification(title, {
    body: matches.map((one) => one.title).join("\n").slice(0, 500), tag: "turn", data: matches.length === 1 ? first?.address : "/",
  });
}
