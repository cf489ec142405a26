import { element } from "../elements.js";

/**
 * The box with a line's letter; `open` while nothing is placed there.
 * @param {string} letter
 * @param {string} look
 */
export function makeLetter(letter, look = "") {
  return element("span", { class: `letter ${look}` }, letter);
}
