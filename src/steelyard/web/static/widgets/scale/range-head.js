import { element, icon } from "../../elements.js";
import { MOVES, WORDS } from "../../words.js";

/** The question, where one is in its two steps, and what to do in this one. */
export class RangeHead {
  #question;
  #heading;
  #steps = [makeStep("1", WORDS.lowestPlace), makeStep("2", WORDS.highestPlace)];
  #told = element("p", { class: "step-words", dir: "auto", "aria-live": "polite" });

  constructor(question, { number, level }) {
    this.#question = question;
    const text = number > 0 ? `${number}. ${question.text}` : question.text;
    this.#heading = element(level, { class: "question", tabindex: "-1", dir: "auto" }, text);
    this.box = element("div", { class: "range-head" },
      element("div", { class: "range-title" }, this.#heading,
        element("ol", { class: "range-steps", role: "list" }, this.#steps.map(({ box }) => box))),
      question.hint === null ? null : element("p", { class: "item-hint", dir: "auto" }, question.hint),
      this.#told);
  }

  show(side) {
    const at = side === "low" ? 0 : 1;
    this.#steps.forEach(({ box, mark, number }, index) => {
      box.toggleAttribute("data-done", index < at);
      if (index === at) box.setAttribute("aria-current", "step");
      else box.removeAttribute("aria-current");
      mark.replaceChildren(index < at ? icon("check") : number);
    });
    const { lower, not_lower: notLower, higher, not_higher: notHigher } = this.#question;
    const comparatives = side === "low" ? [lower, notLower] : [higher, notHigher];
    this.#told.replaceChildren(makeMove("wide", side, comparatives), makeMove("narrow", side, comparatives));
  }

  focus() {
    this.#heading.focus({ preventScroll: true });
  }
}

function makeMove(room, side, [sure, not]) {
  const [before, between, after] = MOVES[side][room];
  return element("span", { class: `${room}-words` },
    before, element("b", {}, sure), between, element("b", {}, not), after);
}

function makeStep(number, words) {
  const mark = element("span", { class: "step-mark" }, number);
  return { number, mark, box: element("li", { class: "range-step" }, mark, element("span", {}, words)) };
}
