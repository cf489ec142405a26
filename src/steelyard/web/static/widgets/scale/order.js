import { element } from "../../elements.js";
import { WORDS } from "../../words.js";
import { makeLetter } from "../letter.js";

/**
 * The lines of a list as they stand: most first, equal scores together.
 * `lines` are {letter, words, score (null until placed), cannotJudge}.
 */
export function orderOf(lines) {
  const placed = lines.filter((line) => !line.cannotJudge && line.score !== null);
  const scores = [...new Set(placed.map((line) => line.score))].sort((a, b) => b - a);
  return {
    groups: scores.map((score) => placed.filter((line) => line.score === score)),
    waiting: lines.filter((line) => !line.cannotJudge && line.score === null),
    steppedBack: lines.filter((line) => line.cannotJudge),
  };
}

/** The order as a column, most on top, for wide screens. */
export function paintColumn(place, order) {
  const aside = [
    ...order.waiting.map((line) => makeRow(line, WORDS.notPlaced, "open")),
    ...order.steppedBack.map((line) => makeRow(line, WORDS.cannotJudge, "open quiet")),
  ];
  const groups = order.groups.map(makeGroup);
  place.replaceChildren(...(groups.length > 0 ? [element("div", { class: "order-groups" }, groups)] : []), ...aside);
}

/** The order as one line, least first as on the sliders, for the dock of a phone. */
export function paintRow(place, { groups }) {
  const parts = [...groups].reverse().flatMap((group, index) => (index === 0 ? [] : [sign("<")]).concat(joined(group)));
  place.replaceChildren(...(parts.length > 0 ? parts : [element("span", { class: "order-none" }, WORDS.nonePlaced)]));
}

function makeGroup(group) {
  const rows = group.map((line) => makeRow(line, line.words, ""));
  const level = element("p", { class: "order-level" }, WORDS.level);
  return group.length > 1
    ? element("div", { class: "order-group tied" }, rows, level)
    : element("div", { class: "order-group" }, rows);
}

function makeRow({ letter }, words, look) {
  // Cut short, the words of an item keep their own beginning: `auto` looks at the text itself, not into a <bdi>.
  const shown = look === ""
    ? element("span", { class: "order-words", dir: "auto" }, words)
    : element("span", { class: "order-words" }, element("bdi", {}, words));
  return element("div", { class: "order-row" }, makeLetter(letter, look), shown);
}

function joined(group) {
  return group.flatMap(({ letter }, index) => (index === 0 ? [] : [sign("=")]).concat(makeLetter(letter)));
}

function sign(text) {
  return element("span", { class: "order-sign" }, text);
}
