// Unsent input is kept in this browser: it survives a reload, a lost connection and a restart of the server.

const PREFIX = "parlour.draft.";
const MOST = 40;

/**
 * @param {string} name
 * @param {unknown} value
 */
export function keep(name, value) {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify({ at: Date.now(), value }));
    tidy();
  } catch {
    // Without storage drafts live as long as the page.
  }
}

/**
 * @param {string} name
 * @returns {any}
 */
export function kept(name) {
  try {
    const text = localStorage.getItem(PREFIX + name);
    return text === null ? undefined : JSON.parse(text).value;
  } catch {
    return undefined;
  }
}

/** @param {string} name */
export function forget(name) {
  try {
    localStorage.removeItem(PREFIX + name);
  } catch {
    // Nothing was kept.
  }
}

/** Old drafts make room for new ones. */
function tidy() {
  const names = Object.keys(localStorage).filter((name) => name.startsWith(PREFIX));
  if (names.length <= MOST) return;
  const age = (/** @type {string} */ name) => Number(JSON.parse(localStorage.getItem(name) ?? "{}").at ?? 0);
  names.sort((a, b) => age(a) - age(b));
  for (const name of names.slice(0, names.length - MOST)) localStorage.removeItem(name);
}
