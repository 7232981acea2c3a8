// The account's page: switches notices of the player's turn on or off in this browser.

const line = document.querySelector("[data-key]");
const button = document.querySelector("#push");
const state = document.querySelector("#push-state");

/** @param {string} text */
function bytesOf(text) {
  const raw = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
  return Uint8Array.from(raw, (sign) => sign.charCodeAt(0));
}

/** @param {string} text */
function say(text) {
  if (state) state.textContent = ` ${text}`;
}

/**
 * @param {string} endpoint
 * @param {boolean} wanted
 */
async function tell(endpoint, wanted) {
  const response = await fetch("/account/push", {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ endpoint, wanted }),
  });
  if (!response.ok) throw new Error((await response.json()).reason);
}

async function toggle(/** @type {ServiceWorkerRegistration} */ registration) {
  const known = await registration.pushManager.getSubscription();
  if (known) {
    await tell(known.endpoint, false);
    await known.unsubscribe();
    return false;
  }
  if ((await Notification.requestPermission()) !== "granted") throw new Error("This browser does not allow notices here.");
  const fresh = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytesOf(line?.getAttribute("data-key") ?? "") });
  await tell(fresh.endpoint, true);
  return true;
}

async function offer() {
  if (!(button instanceof HTMLButtonElement) || !line) return;
  if (!("serviceWorker" in navigator) || !("PushManager" in window)) {
    say("This browser cannot show notices; a page over https is needed.");
    return;
  }
  // Pages of ours must say where a script comes from before a browser takes it.
  const trusted = /** @type {any} */ (window).trustedTypes?.createPolicy("notices", { createScriptURL: () => "/notices-worker.js" });
  const registration = await navigator.serviceWorker.register(trusted ? trusted.createScriptURL("") : "/notices-worker.js");
  const show = (/** @type {boolean} */ on) => {
    button.textContent = on ? "No longer tell me in this browser" : "Tell me in this browser";
    say(on ? "This browser is told." : "");
  };
  show(Boolean(await registration.pushManager.getSubscription()));
  button.hidden = false;
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      show(await toggle(registration));
    } catch (error) {
      say(error instanceof Error && error.message ? error.message : "That did not work.");
    }
    button.disabled = false;
  });
}

offer().catch(() => say("Notices cannot be set up in this browser."));
