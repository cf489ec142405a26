import { element, icon } from "../../elements.js";
import { WORDS, say } from "../../words.js";
import { addFolds } from "../fold.js";
import { Item, makeContext } from "../item.js";
import { letterOf } from "../names.js";
import { makeLetter } from "../letter.js";

/**
 * @import { ItemOut } from "../../types.js"
 * @typedef {{ place: () => void, up: () => void, down: () => void, tie: () => void,
 *   click: (event: MouseEvent) => void }} CardActs
 * @typedef {Record<"place" | "up" | "down" | "tie", HTMLButtonElement>} Buttons
 * @typedef {{ label: string, placed: boolean, level: boolean, first: boolean, last: boolean, held: boolean,
 *   inactive: boolean }} CardState
 */

/**
 * Make one item of a ranking with its handle and its buttons; `show` paints its state.
 * @param {ItemOut} item
 * @param {number} place
 * @param {{ acts: CardActs, ties: boolean, describedBy: string }} settings
 */
export function makeRankCard(item, place, { acts, ties, describedBy }) {
  const letter = letterOf(place);
  const handle = makeHandle(describedBy, acts.click);
  const buttons = {
    place: makeButton("place", "plus", WORDS.place, letter, acts.place),
    up: makeButton("up", "up", WORDS.up, letter, acts.up),
    down: makeButton("down", "down", WORDS.down, letter, acts.down),
    tie: makeButton("tie", "level", WORDS.tie, letter, acts.tie),
  };
  const shown = Object.assign(element(Item.tag), { item, letter });
  const box = element("div", { class: "board-item" }, makeContext(item.context), shown);
  addFolds(box, Item.tag);
  buttons.place.append(element("span", { "aria-hidden": "true" }, WORDS.place));
  const card = element("li", { class: "rank-card" }, handle, makeLetter(letter), box,
    element("div", { class: "rank-acts" }, buttons.place, ties ? buttons.tie : null, buttons.up, buttons.down));
  const show = (/** @type {CardState} */ state) => paint({ card, handle, buttons }, letter, state);
  return { card, handle, letter, show };
}

/**
 * @param {{ card: HTMLElement, handle: HTMLButtonElement, buttons: Buttons }} made
 * @param {string} letter
 * @param {CardState} state
 */
function paint({ card, handle, buttons }, letter, { label, placed, level, first, last, held, inactive }) {
  card.classList.toggle("held-card", held);
  handle.setAttribute("aria-label", label);
  handle.setAttribute("aria-pressed", String(held));
  buttons.place.hidden = placed;
  for (const button of [buttons.up, buttons.down, buttons.tie]) button.hidden = !placed;
  setUsable(handle, !inactive);
  setUsable(buttons.place, !inactive);
  setUsable(buttons.up, !inactive && !first);
  setUsable(buttons.down, !inactive && !last);
  setUsable(buttons.tie, !inactive && (level || !first));
  buttons.tie.setAttribute("aria-pressed", String(level));
  buttons.tie.setAttribute("aria-label", say("labelled", { label: level ? WORDS.untie : WORDS.tie, text: letter }));
  buttons.tie.title = level ? WORDS.untie : WORDS.tie;
}

/**
 * @param {HTMLElement} button
 * @param {boolean} usable
 */
function setUsable(button, usable) {
  button.setAttribute("aria-disabled", String(!usable));
}

/**
 * @param {string} describedBy
 * @param {(event: MouseEvent) => void} onclick
 */
function makeHandle(describedBy, onclick) {
  const state = { "aria-pressed": "false", "aria-describedby": describedBy };
  return element("button", { type: "button", class: "handle", "data-enter": "next", ...state, onclick }, icon("grip"));
}

/**
 * @param {string} name
 * @param {string} drawing
 * @param {string} words
 * @param {string} letter
 * @param {() => void} run
 */
function makeButton(name, drawing, words, letter, run) {
  const looks = { class: `button rank-${name}`, "aria-label": say("labelled", { label: words, text: letter }), title: words };
  const button = element("button", { type: "button", ...looks }, icon(drawing));
  button.addEventListener("click", () => button.getAttribute("aria-disabled") === "true" || run());
  return button;
}

/**
 * Move a card with the pointer.
 * @param {HTMLElement} card
 * @param {{ across: number, down: number }} moved
 */
export function carry(card, { across, down }) {
  card.classList.add("dragged");
  card.style.setProperty("--drag-x", `${across}px`);
  card.style.setProperty("--drag-y", `${down}px`);
}

/**
 * Put a dragged card back into the layout.
 * @param {HTMLElement} card
 */
export function setDown(card) {
  card.classList.remove("dragged");
  card.style.removeProperty("--drag-x");
  card.style.removeProperty("--drag-y");
}
