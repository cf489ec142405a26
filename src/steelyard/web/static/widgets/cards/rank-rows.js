import { element, hintsIf } from "../../elements.js";
import { WORDS, listOf, say } from "../../words.js";
import { letterOf, nameOf } from "../names.js";
import { rowOf } from "./ranks.js";

/**
 * @import { ItemOut } from "../../types.js"
 * @import { Hint } from "../types.js"
 * @import { Rows } from "./ranks.js"
 */

const MOST_DIGITS = 9;

/**
 * The keys shown under the board.
 * @param {boolean} ties
 * @returns {Hint[]}
 */
export function rankHints(ties) {
  return [[["1", "…"], WORDS.rank_hint], [["Space"], WORDS.grab_hint], [["↑", "↓"], WORDS.move_hint],
    ...hintsIf(ties, [["T"], WORDS.level])];
}

/**
 * All keys of the board.
 * @param {boolean} ties
 * @param {number} count
 * @returns {Hint[]}
 */
export function rankKeys(ties, count) {
  return [
    [["1", "…", String(Math.min(MOST_DIGITS, count))], WORDS.rank_keys],
    [["Space"], WORDS.grab_keys],
    [["↑", "↓"], WORDS.move_keys],
    ...hintsIf(ties, [["T"], WORDS.tie_keys]),
    [["Escape"], WORDS.let_go_keys],
  ];
}

/**
 * The rank of an item in words.
 * @param {Rows} rows
 * @param {number} item
 */
export function whereIs(rows, item) {
  const row = rowOf(rows, item);
  if (row < 0) return WORDS.not_placed;
  const level = rows[row].filter((each) => each !== item).map(letterOf);
  const place = { rank: row + 1, of: rows.length };
  return level.length === 0 ? say("ranked_at", place) : say("ranked_tied", { ...place, letters: listOf(level) });
}

/**
 * The letter of an item and its rank, for messages.
 * @param {Rows} rows
 * @param {number} item
 */
export function placeOf(rows, item) {
  return { letter: letterOf(item), where: whereIs(rows, item) };
}

/**
 * What the card of an item shows about its place.
 * @param {ItemOut} shown
 * @param {number} item
 * @param {Rows} rows
 */
export function stateOf(shown, item, rows) {
  const row = rowOf(rows, item);
  const level = row >= 0 && rows[row].length > 1;
  return {
    label: say("move_item", { name: nameOf(shown, letterOf(item)), where: whereIs(rows, item) }),
    placed: row >= 0,
    level,
    first: row === 0 && !level,
    last: row === rows.length - 1 && !level,
  };
}

/**
 * Make a part of the board: its title and its list.
 * @param {string} title
 * @param {HTMLElement} list
 */
export function makePart(title, list) {
  return element("section", { class: "rank-part" },
    element("p", { class: "rank-title" }, element("bdi", {}, title)), list);
}

/** @param {string} words */
export function makeEmpty(words) {
  return element("li", { class: "rank-empty" }, element("bdi", {}, words));
}

/**
 * Make one rank with its cards.
 * @param {HTMLElement[]} cards
 * @param {number} index
 */
export function makeRow(cards, index) {
  const isTied = cards.length > 1;
  return element("li", { class: isTied ? "rank-row tied" : "rank-row" },
    element("span", { class: "rank-number", "aria-hidden": "true" }, String(index + 1)),
    element("ul", { class: "rank-cards", role: "list" }, cards,
      isTied ? element("li", { class: "order-level" }, WORDS.level) : null));
}

/**
 * Put a button before, between and after the rows: each places the chosen item there.
 * @param {HTMLElement[]} made the elements of the rows
 * @param {Rows} rows
 * @param {{ item: number, letter: string, place: (row: number) => void }} picked
 */
export function withGaps(made, rows, { item, letter, place }) {
  const own = rowOf(rows, item);
  const isAlone = own >= 0 && rows[own].length === 1;
  /** @param {number} row */
  const gap = (row) => element("li", { class: "rank-gap" }, element("button",
    { type: "button", class: "button", "aria-label": say("place_at_rank", { letter, rank: row + 1 }),
      onclick: () => place(row) },
    WORDS.place_here));
  // Rows are counted without the chosen item. The gaps on both sides of its own row are one place.
  const parts = made.flatMap((row, index) => (isAlone && index === own
    ? [row] : [...(isAlone && index === own + 1 ? [] : [gap(isAlone && index > own ? index - 1 : index)]), row]));
  return isAlone && own === rows.length - 1 ? parts : [...parts, gap(isAlone ? rows.length - 1 : rows.length)];
}
