import { element } from "../../elements.js";
import { WORDS } from "../../words.js";
import { Item, makeContext } from "../item.js";
import { letterOf } from "../names.js";
import { makeLetter } from "../letter.js";

/**
 * @import { ItemOut } from "../../types.js"
 * @typedef {ReturnType<typeof makeCard>} Card
 */

/**
 * Make two items as cards of equal weight; `mark(side)` marks the chosen one. Long texts are cut at the same height
 * on narrow pages and opened together, so that one text is never shown in full while the other is cut.
 * @param {ItemOut[]} items
 */
export function makePair(items) {
  const cards = items.map(makeCard);
  const box = element("div", { class: "pair" }, cards.map(({ card }) => card));
  for (const { fold } of cards) fold.addEventListener("click", () => toggleAll(box, cards));
  const watch = new ResizeObserver(() => cutEqually(box, cards));
  for (const { card } of cards) watch.observe(card);
  return { box, mark: (/** @type {string | null} */ side) => box.setAttribute("data-chosen", side ?? "none") };
}

/**
 * @param {ItemOut} item
 * @param {number} place
 */
function makeCard(item, place) {
  const letter = letterOf(place);
  const shown = Object.assign(element(Item.tag), { item, letter });
  const fold = element("button", { type: "button", class: "button quiet fold", "aria-expanded": "false", hidden: true },
    WORDS.show_all);
  const card = element("section", { class: "card pair-card", "aria-label": letter },
    element("div", { class: "pair-head" }, makeLetter(letter)), makeContext(item.context), shown, fold);
  return { card, shown, fold };
}

/**
 * @param {HTMLElement} box
 * @param {Card[]} cards
 */
function toggleAll(box, cards) {
  const open = box.toggleAttribute("data-all");
  for (const { fold } of cards) {
    fold.setAttribute("aria-expanded", String(open));
    fold.textContent = open ? WORDS.show_less : WORDS.show_all;
  }
}

/**
 * @param {HTMLElement} box
 * @param {Card[]} cards
 */
function cutEqually(box, cards) {
  const most = Number.parseFloat(getComputedStyle(box).getPropertyValue("--cut-at"));
  const isLong = (/** @type {Card} */ { shown }) => (shown.querySelector(".item-text")?.scrollHeight ?? 0) > most;
  const bothLong = cards.every(isLong);
  const line = Number.parseFloat(getComputedStyle(cards[0].shown.querySelector(".item-text") ?? box).lineHeight);
  if (line > 0) box.style.setProperty("--cut-lines", String(Math.max(3, Math.floor(most / line))));
  box.toggleAttribute("data-long", bothLong);
  for (const { fold } of cards) fold.hidden = !bothLong;
}
