// Asks the server what the pages about positions want to know: the sandboxes and the guide.

/**
 * The answer to a question; if the server does not answer, only the reason, for people.
 * @template T
 * @param {string} address
 * @param {Record<string, any>} question
 * @returns {Promise<T>}
 */
export async function answerTo(address, question) {
  try {
    const response = await fetch(address, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(question) });
    return await response.json();
  } catch {
    return /** @type {T} */ ({ reason: "The server does not answer. Try again when it does." });
  }
}
