import { element, icon } from "../../elements.js";
import { WORDS, actOn } from "../../words.js";
import { addFolds } from "../fold.js";
import { Item, makeContext } from "../item.js";
import { letterOf } from "../names.js";
import { makeLetter } from "../letter.js";

/**
 * One item of a ranking with its handle and its buttons; `acts` are {place, up, down, tie, click}.
 * `show({label, placed, level, first, last, held})` paints how it stands.
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
  return { card, handle, letter, show: (state) => paint({ card, handle, buttons }, letter, state) };
}

function paint({ card, handle, buttons }, letter, { label, placed, level, first, last, held, inactive }) {
  card.classList.toggle("held-card", held);
  handle.setAttribute("aria-label", label);
  handle.setAttribute("aria-pressed", String(held));
  buttons.place.hidden = placed;
  for (const name of ["up", "down", "tie"]) buttons[name].hidden = !placed;
  setUsable(handle, !inactive);
  setUsable(buttons.place, !inactive);
  setUsable(buttons.up, !inactive && !first);
  setUsable(buttons.down, !inactive && !last);
  setUsable(buttons.tie, !inactive && (level || !first));
  buttons.tie.setAttribute("aria-pressed", String(level));
  buttons.tie.setAttribute("aria-label", actOn(level ? WORDS.untie : WORDS.tie, letter));
  buttons.tie.title = level ? WORDS.untie : WORDS.tie;
}

function setUsable(button, usable) {
  button.setAttribute("aria-disabled", String(!usable));
}

function makeHandle(describedBy, onclick) {
  const state = { "aria-pressed": "false", "aria-describedby": describedBy };
  return element("button", { type: "button", class: "handle", "data-enter": "next", ...state, onclick }, icon("grip"));
}

function makeButton(name, drawing, words, letter, run) {
  const onclick = ({ currentTarget }) => currentTarget.getAttribute("aria-disabled") === "true" || run();
  const label = actOn(words, letter);
  return element("button", { type: "button", class: `button rank-${name}`, "aria-label": label, title: words, onclick },
    icon(drawing));
}
