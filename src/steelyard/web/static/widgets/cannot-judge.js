import { element } from "../elements.js";
import { WORDS } from "../words.js";

/** @import { Cell } from "./types.js" */

/**
 * Make the button that marks a whole task as "can't judge", or removes the mark.
 * @param {string} words
 * @param {() => void} onclick
 */
export function makeCannotJudge(words, onclick) {
  const looks = { class: "button quiet cannot-judge", "aria-pressed": "false" };
  return element("button", { type: "button", ...looks, onclick },
    element("span", { class: "wide-words" }, words),
    element("span", { class: "narrow-words" }, WORDS.cannot_judge_label),
    element("kbd", { "aria-hidden": "true" }, "N"));
}

/**
 * Make the box that marks one line as "can't judge".
 * @param {{ setCannotJudge(cells: Cell[], cannotJudge: boolean): void }} protocol
 * @param {Cell} cell
 * @param {string} letter
 */
export function makeTick(protocol, cell, letter) {
  const label = `${WORDS.cannot_judge_label}: ${letter}`;
  const tick = element("input", { type: "checkbox", autocomplete: "off", "aria-label": label });
  tick.addEventListener("change", () => protocol.setCannotJudge([cell], tick.checked));
  return tick;
}

/** @param {HTMLInputElement} tick */
export function makeTickLabel(tick) {
  return element("label", { class: "line-cannot" }, tick, element("span", {}, WORDS.cannot_judge_label));
}
