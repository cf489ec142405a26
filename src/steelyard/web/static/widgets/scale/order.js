import { element } from "../../elements.js";
import { WORDS } from "../../words.js";
import { makeLetter } from "../letter.js";

/**
 * @typedef {object} Line
 * @property {string} letter
 * @property {string} words
 * @property {number | null} score null until placed
 * @property {boolean} cannotJudge
 *
 * @typedef {ReturnType<typeof orderOf>} Order
 */

/**
 * The current order of the lines of a list: highest score first, equal scores together.
 * @param {Line[]} lines
 */
export function orderOf(lines) {
  const placed = lines.filter((line) => !line.cannotJudge && line.score !== null);
  const scores = [...new Set(placed.map(({ score }) => score ?? 0))].sort((a, b) => b - a);
  return {
    groups: scores.map((score) => placed.filter((line) => line.score === score)),
    waiting: lines.filter((line) => !line.cannotJudge && line.score === null),
    steppedBack: lines.filter((line) => line.cannotJudge),
  };
}

/**
 * Show the order as a column, highest on top, for wide screens.
 * @param {Element} place
 * @param {Order} order
 */
export function paintColumn(place, order) {
  const aside = [
    ...order.waiting.map((line) => makeRow(line, WORDS.not_placed, "open")),
    ...order.steppedBack.map((line) => makeRow(line, WORDS.cannot_judge, "open quiet")),
  ];
  const groups = order.groups.map(makeGroup);
  place.replaceChildren(...(groups.length > 0 ? [element("div", { class: "order-groups" }, groups)] : []), ...aside);
}

/**
 * Show the order as one line, lowest first as on the sliders, for phones.
 * @param {Element} place
 * @param {Order} order
 */
export function paintRow(place, { groups }) {
  const parts = [...groups].reverse().flatMap((group, index) => [...signBefore(index, "<"), ...joined(group)]);
  place.replaceChildren(...(parts.length > 0 ? parts : [element("span", { class: "order-none" }, WORDS.none_placed)]));
}

/** @param {Line[]} group */
function makeGroup(group) {
  const rows = group.map((line) => makeRow(line, line.words, ""));
  const level = element("p", { class: "order-level" }, WORDS.level);
  return group.length > 1
    ? element("div", { class: "order-group tied" }, rows, level)
    : element("div", { class: "order-group" }, rows);
}

/**
 * @param {Line} line
 * @param {string} words
 * @param {string} look
 */
function makeRow({ letter }, words, look) {
  // `dir="auto"` reads the text of the element but not of a <bdi> in it, and decides which end is cut off.
  const shown = look === ""
    ? element("span", { class: "order-words", dir: "auto" }, words)
    : element("span", { class: "order-words" }, element("bdi", {}, words));
  return element("div", { class: "order-row" }, makeLetter(letter, look), shown);
}

/** @param {Line[]} group */
function joined(group) {
  return group.flatMap(({ letter }, index) => [...signBefore(index, "="), makeLetter(letter)]);
}

/**
 * The sign between two letters; none before the first letter.
 * @param {number} index
 * @param {string} text
 */
function signBefore(index, text) {
  return index === 0 ? [] : [element("span", { class: "order-sign" }, text)];
}
