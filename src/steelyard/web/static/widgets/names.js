import { itemOf, kindOf } from "../words.js";

/**
 * @import { ContentOut } from "../types.js"
 * @typedef {ContentOut & { kind: string }} Shown the visible content of an item
 */

const FIRST_LETTER = "A".charCodeAt(0);
const ALPHABET = 26;
const LONGEST_NAME = 80;

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
  return wordless ? itemOf(item.kind, letter) : `${letter}: ${wordsOf(item)}`;
}
