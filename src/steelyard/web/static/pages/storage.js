/**
 * The result of `act` on a storage of the browser, or null if the storage is full or blocked.
 * @template T
 * @param {"localStorage" | "sessionStorage"} name
 * @param {(storage: Storage) => T} act
 */
export function withStorage(name, act) {
  try {
    return act(window[name]);
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    return null;
  }
}

/**
 * The value of a stored text; null if there is none or it cannot be read.
 * @template T
 * @param {string | null} text
 * @returns {T | null}
 */
export function readStored(text) {
  try {
    return text === null ? null : JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return null;
  }
}
