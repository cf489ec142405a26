import { element } from "../elements.js";

/**
 * Make the box with the letter of a line; its look is `open` while the line has no answer.
 * @param {string} letter
 * @param {string} look
 */
export function makeLetter(letter, look = "") {
  return element("span", { class: `letter ${look}` }, letter);
}
