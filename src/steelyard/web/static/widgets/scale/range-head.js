import { element, icon } from "../../elements.js";
import { FREE_MOVES, MOVES, WORDS } from "../../words.js";

/**
 * @import { QuestionOut } from "../../types.js"
 * @import { Side } from "../types.js"
 */

/** The question, the two steps of its answer, and what to do in the current step. */
export class RangeHead {
  #question;
  #heading;
  #steps = [makeStep("1", WORDS.lowestPlace), makeStep("2", WORDS.highestPlace)];
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
      : [FREE_MOVES[side]]));
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
  const [before, between, after] = MOVES[side][room];
  return element("span", { class: `${room}-words` },
    before, element("b", {}, sure), between, element("b", {}, not), after);
}

/**
 * @param {string} number
 * @param {string} words
 */
function makeStep(number, words) {
  const mark = element("span", { class: "step-mark" }, number);
  return { number, mark, box: element("li", { class: "range-step" }, mark, element("span", {}, words)) };
}
