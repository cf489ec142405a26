import { Messages } from "./messages.js";

/** @import { Values } from "./messages.js" */

// The server puts the messages that the scripts of a page use into the page.
const source = globalThis.document?.getElementById("messages") ?? null;
const messages = new Messages(source === null ? {} : JSON.parse(source.textContent ?? "{}"), {
  language: source?.dataset.language ?? "en",
  direction: globalThis.document?.documentElement.dir ?? "ltr",
});

/** Every text of the scripts that does not come from the study, by its key in the message files. */
export const WORDS = messages.words;

/**
 * A message with values for its placeholders; `count` chooses the plural form.
 * @param {string} key
 * @param {Values} values
 */
export function say(key, values = {}) {
  return messages.say(key, values);
}

/**
 * A message in parts, between which elements are values.
 * @template {Node} Part
 * @param {string} key
 * @param {Readonly<Record<string, string | number | Part>>} values
 */
export function sayNodes(key, values) {
  return messages.parts(key, values);
}

/**
 * A list in words, such as "A and B".
 * @param {string[]} parts
 */
export function listOf(parts) {
  return messages.list(parts);
}

/**
 * A number as it is written in the language of the page.
 * @param {number} value
 */
export function numeral(value) {
  return messages.number(value);
}
