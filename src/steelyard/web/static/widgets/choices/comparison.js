import { element, hintsIf } from "../../elements.js";
import { WORDS, say } from "../../words.js";
import { STRENGTHS } from "./strengths.js";
import { makeCannotJudge } from "../cannot-judge.js";
import { makeContext } from "../item.js";
import { holdArrows, latinKey } from "../keys.js";
import { letterOf } from "../names.js";
import { Outcome } from "./outcome.js";
import { makePair } from "./pair.js";
import { Protocol } from "../protocol.js";

/**
 * @import { QuestionOut } from "../../types.js"
 * @import { Cell, CellAnswer, Hint } from "../types.js"
 */

const RIGHT = 1;

/**
 * <steelyard-comparison>: two items side by side, and which of them has more. In and out: see Protocol.
 * @extends {Protocol<Outcome>}
 */
export default class Comparison extends Protocol {
  static kind = "comparison";
  static tag = "steelyard-comparison";
  /** @type {ReturnType<typeof makePair>} */
  #pair;
  /** @type {HTMLButtonElement | null} */
  #cannotJudge = null;

  build() {
    const { questions, shared, items } = this.task;
    const several = questions.length > 1;
    this.#pair = makePair(items);
    const answers = questions.map((question, index) => this.#makeAnswer(question, index, several));
    this.#fillActs();
    this.acts.hideNext(this.sendsAtOnce);
    this.append(
      element("div", { class: "pair-body" },
        several ? null : makeHeading(questions[0], questions[0].text, "h1"),
        makeContext(shared), this.#pair.box, several ? answers : null),
      element("div", { class: "dock" }, several ? null : answers, this.acts.bar));
    holdArrows(this);
  }

  get sendsAtOnce() {
    return this.task.questions.length === 1;
  }

  /** @param {CellAnswer[]} draft */
  restore(draft) {
    super.restore(draft);
    this.acts.hideNext(this.sendsAtOnce && this.missing().length > 0);
  }

  /** @returns {Hint[]} */
  get keys() {
    const { less, more } = this.arrows;
    const { ties, bothBad, strength } = this.#asked;
    return [
      [[less, "1"], say("choose_item_key", { letter: letterOf(0) })],
      [[more, "2"], say("choose_item_key", { letter: letterOf(RIGHT) })],
      ...hintsIf(ties, [["↓", "0"], WORDS.equal_key]),
      ...hintsIf(bothBad, [["X"], WORDS.both_bad_key]),
      ...hintsIf(strength, ...STRENGTHS.map(({ key, hint }) => /** @type {Hint} */ ([[key], hint]))),
      ...this.cannotJudgeKeys,
    ];
  }

  /**
   * Handle a key pressed anywhere on the page; true if this element used it.
   * @param {KeyboardEvent} event
   */
  press(event) {
    const focused = this.focusedCell();
    const open = this.missing().at(0);
    const cell = this.cells.length === 1 ? this.cells[0] : focused ?? open;
    if (latinKey(event) === "n" && this.task.cannot_judge) return this.#toggleCannotJudge();
    return cell !== undefined && cell.control.press(event, { follow: this.cells.length === 1 || cell === focused });
  }

  /** @param {Cell<Outcome>[]} missing */
  reasonFor([first]) {
    const reason = first.control.side === null ? WORDS.choose_one : WORDS.choose_strength;
    return this.cells.length === 1 ? reason : say("question_reason", { number: first.question + 1, reason });
  }

  repaint() {
    const [first] = this.cells;
    const chosen = this.cells.length === 1 && !first.cannotJudge ? first.control.side : null;
    this.#pair.mark(chosen);
    this.#cannotJudge?.setAttribute("aria-pressed", String(first.cannotJudge));
    this.toggleAttribute("data-stepped-back", first.cannotJudge);
  }

  // Both bad is a kind of tie.
  get #asked() {
    const { ties, both_bad: bothBad, strength } = this.task;
    return { ties, bothBad: ties && bothBad, strength };
  }

  /**
   * @param {QuestionOut} question
   * @param {number} index
   * @param {boolean} several
   */
  #makeAnswer(question, index, several) {
    /** @type {[string, string]} */
    const letters = [letterOf(0), letterOf(RIGHT)];
    const words = { letters, more: question.more ?? "", mirrored: this.mirrored };
    const asked = { ...this.#asked, ...words, pushes: this.sendsAtOnce };
    const control = Object.assign(element(Outcome.tag), { asked, label: question.text, name: `answer-${index}` });
    this.watch(control, { item: RIGHT, question: index });
    this.addCell(RIGHT, index, control);
    const tag = index === 0 ? "h1" : "h2";
    return several
      ? element("div", { class: "pair-answer" }, makeHeading(question, `${index + 1}. ${question.text}`, tag), control)
      : control;
  }

  #fillActs() {
    if (!this.task.cannot_judge) return;
    this.#cannotJudge = makeCannotJudge(WORDS.cannot_judge_these, () => this.#toggleCannotJudge());
    this.acts.own.append(this.#cannotJudge);
  }

  #toggleCannotJudge() {
    this.setCannotJudge(this.cells, !this.cells[0].cannotJudge);
    return true;
  }
}

/**
 * @param {QuestionOut} question
 * @param {string} text
 * @param {"h1" | "h2"} tag
 */
function makeHeading({ hint }, text, tag) {
  return element("div", { class: "pair-question" },
    element(tag, { class: "question", tabindex: "-1", dir: "auto" }, text),
    hint === null ? null : element("p", { class: "item-hint", dir: "auto" }, hint));
}

customElements.define(Comparison.tag, Comparison);
