import { WORDS, listOf, say } from "../words.js";

/**
 * @import { ContentOut } from "../types.js"
 * @typedef {ContentOut & { kind: string }} Shown the visible content of an item
 */

const FIRST_LETTER = "A".charCodeAt(0);
const ALPHABET = 26;
const LONGEST_NAME = 80;
const MOST_NAMED = 2;
/** @type {Readonly<Record<string, string>>} */
const KINDS = Object.freeze({ audio: WORDS.kind_audio, video: WORDS.kind_video, image: WORDS.kind_image });

/**
 * The letter of the item at this place; after Z come A2, B2, ...
 * @param {number} place
 */
export function letterOf(place) {
  const letter = String.fromCharCode(FIRST_LETTER + (place % ALPHABET));
  return place < ALPHABET ? letter : `${letter}${Math.floor(place / ALPHABET) + 1}`;
}

/**
 * The beginning of the text of an item. A picture is represented by its description.
 * @param {Shown} item
 */
export function wordsOf({ kind, text, html, alt }) {
  if (text !== undefined) return text.slice(0, LONGEST_NAME);
  if (html === undefined) return alt ? alt : kindOf(kind);
  return (new DOMParser().parseFromString(html, "text/html").body.textContent ?? "").trim().slice(0, LONGEST_NAME);
}

/**
 * Letter and text of an item, for screen readers.
 * @param {Shown} item
 * @param {string} letter
 */
export function nameOf(item, letter) {
  const wordless = item.text === undefined && item.html === undefined && !item.alt;
  return wordless ? say("item_kind", { letter, kind: kindOf(item.kind) }) : describe(letter, wordsOf(item));
}

/**
 * The name of an item that has no text.
 * @param {string} kind
 */
export function kindOf(kind) {
  return KINDS[kind] ?? "";
}

/**
 * A name with the description of an item, if it has one.
 * @param {string} name
 * @param {string | undefined} text
 */
export function describe(name, text) {
  return text ? say("labelled", { label: name, text }) : name;
}

/**
 * The name of the button that enlarges a picture.
 * @param {string} alt
 */
export function enlarging(alt) {
  return alt === "" ? WORDS.enlarge : say("enlarge_named", { name: alt });
}

/**
 * What is missing, short enough for one line of a phone: all, a number, or the letters.
 * @param {string[]} letters
 * @param {boolean} all whether nothing was answered yet
 */
export function whichOf(letters, all) {
  if (all) return WORDS.each_one;
  return letters.length > MOST_NAMED ? say("the_others", { count: letters.length }) : listOf(letters);
}
