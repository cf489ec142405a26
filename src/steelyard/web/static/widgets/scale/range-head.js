import { element, icon } from "../../elements.js";
import { WORDS, sayNodes } from "../../words.js";
import { linked } from "./comparisons.js";

/**
 * @import { QuestionOut } from "../../types.js"
 * @import { Side } from "../types.js"
 * @typedef {{ sure: HTMLElement, stop: HTMLElement }} Comparisons
 */

/** What to do in a step; `narrow` is the text for phones. */
const MOVES = Object.freeze({
  low: {
    wide: (/** @type {Comparisons} */ values) => sayNodes("move_up", values),
    narrow: (/** @type {Comparisons} */ values) => sayNodes("move_up_short", values),
  },
  high: {
    wide: (/** @type {Comparisons} */ values) => sayNodes("move_down", values),
    narrow: (/** @type {Comparisons} */ values) => sayNodes("move_down_short", values),
  },
});

/** The question, the two steps of its answer, and what to do in the current step. */
export class RangeHead {
  #question;
  #heading;
  #steps = [makeStep("1", WORDS.lowest_place), makeStep("2", WORDS.highest_place)];
  #words = element("p", { class: "step-words", dir: "auto", "aria-live": "polite" });

  /**
   * @param {QuestionOut} question
   * @param {{ number: number, level: "h1" | "h2" }} heading
   */
  constructor(question, { number, level }) {
    this.#question = question;
    const text = number > 0 ? `${number}. ${question.text}` : question.text;
    this.#heading = element(level, { class: "question", tabindex: "-1", dir: "auto" }, text);
    this.box = element("div", { class: "range-head" },
      element("div", { class: "range-title" }, this.#heading,
        element("ol", { class: "range-steps", role: "list" }, this.#steps.map(({ box }) => box))),
      question.hint === null ? null : element("p", { class: "item-hint", dir: "auto" }, question.hint),
      this.#words);
  }

  /**
   * @param {Side} side
   * @param {boolean} hasExamples whether examples are shown along the scale
   */
  show(side, hasExamples) {
    const at = side === "low" ? 0 : 1;
    this.#steps.forEach(({ box, mark, number }, index) => {
      box.toggleAttribute("data-done", index < at);
      if (index === at) box.setAttribute("aria-current", "step");
      else box.removeAttribute("aria-current");
      mark.replaceChildren(index < at ? icon("check") : number);
    });
    const { lower, not_lower: notLower, higher, not_higher: notHigher } = this.#question;
    const comparatives = side === "low" ? [lower, notLower] : [higher, notHigher];
    this.#words.replaceChildren(...(hasExamples
      ? [makeMove("wide", side, comparatives), makeMove("narrow", side, comparatives)]
      : [side === "low" ? WORDS.move_freely_low : WORDS.move_freely_high]));
  }

  focus() {
    this.#heading.focus({ preventScroll: true });
  }
}

/**
 * @param {"wide" | "narrow"} room
 * @param {Side} side
 * @param {string[]} comparatives
 */
function makeMove(room, side, [sure, not]) {
  const values = { sure: linked(sure), stop: linked(not) };
  return element("span", { class: `${room}-words` }, MOVES[side][room](values));
}

/**
 * @param {string} number
 * @param {string} words
 */
function makeStep(number, words) {
  const mark = element("span", { class: "step-mark" }, number);
  return { number, mark, box: element("li", { class: "range-step" }, mark, element("span", {}, words)) };
}
