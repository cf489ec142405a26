import { element, keyHints } from "../../elements.js";
import { WORDS, say } from "../../words.js";
import { makeCannotJudge } from "../cannot-judge.js";
import { makeLabels } from "./control.js";
import { Item, makeContext } from "../item.js";
import { answerKey } from "../keys.js";
import { ScaleProtocol } from "./scale-protocol.js";
import { Slider } from "./slider.js";

/**
 * @import { QuestionOut } from "../../types.js"
 * @import { Levels } from "../choices/levels.js"
 * @import { Cell, CellAnswer, Hint, Value } from "../types.js"
 * @import { Neighbours } from "./neighbours.js"
 * @import { ScaleBoard } from "./scale-board.js"
 * @typedef {typeof import("./ground.js")} Ground
 */

/** <steelyard-rating>: one item with one answer per question. In and out: see Protocol. */
export default class Rating extends ScaleProtocol {
  static kind = "rating";
  static tag = "steelyard-rating";
  /** @type {HTMLButtonElement | null} */
  #cannotJudge = null;
  /** @type {Map<number, ScaleBoard>} */
  #boards = new Map();

  build() {
    const { questions, shared } = this.task;
    this.toggleAttribute("data-several", questions.length > 1);
    if (this.ground !== null) {
      this.#buildGrounded(this.ground);
      return;
    }
    this.append(...[
      questions.length > 1 ? null : heading(questions[0].text),
      makeContext(shared),
      this.#makeItem(),
      this.#makePanel(),
      keyHints(this.#moves),
    ].filter((part) => part !== null));
  }

  /** @returns {Hint[]} */
  get keys() {
    const [board] = this.#boards.values();
    return [...this.answerKeys, ...(board?.keys ?? []), ...this.cannotJudgeKeys];
  }

  /** @returns {Record<string, Value>} */
  get shown() {
    const [board] = this.#boards.values();
    return board === undefined ? {} : { orientation: board.vertical ? "vertical" : "horizontal" };
  }

  /** @returns {Hint[]} */
  get #moves() {
    const { more, less } = this.arrows;
    const { levels } = this.task.questions[0].scale;
    if (levels !== null) return [[["1", "…", String(levels.length)], WORDS.choose_key]];
    return [
      [[more], WORDS.start_low_hint],
      [[less], WORDS.start_high_hint],
      [["⇧"], WORDS.big_steps_hint],
      [["Home", "End"], WORDS.ends_hint],
    ];
  }

  /**
   * Handle a key pressed anywhere on the page; true if this element used it.
   * @param {KeyboardEvent} event
   */
  press(event) {
    const key = answerKey(event);
    if (key === "n" && this.#cannotJudge !== null) {
      this.#toggleCannotJudge();
      return true;
    }
    const cell = this.focusedCell();
    const board = this.#boards.get(cell?.question ?? 0);
    if (board?.press(event)) return true;
    if (this.cells.length === 1) return this.cells[0].control.press(key) || this.#moveOnly(event);
    return cell === undefined ? this.pressNextMissing(key) : cell.control.press(key);
  }

  // A single slider takes the arrow keys without having the focus. On a long page, up and down scroll.
  /** @param {KeyboardEvent} event */
  #moveOnly(event) {
    const { control } = this.cells[0];
    const scrolls = document.documentElement.scrollHeight > window.innerHeight + 1;
    if (!(control instanceof Slider) || control.inactive || event.key.startsWith("Page")) return false;
    if ((scrolls && ["ArrowUp", "ArrowDown"].includes(event.key)) || !control.move(event)) return false;
    control.focus({ preventScroll: true });
    return true;
  }

  /** @param {Cell[]} missing */
  reasonFor([first]) {
    const { questions } = this.task;
    if (questions.length > 1) return say("answer_question", { number: first.question + 1 });
    return questions[0].scale.levels === null ? WORDS.place_first : WORDS.choose_first;
  }

  /**
   * @param {Cell<Slider | Levels>} cell
   * @param {CellAnswer} saved
   */
  restoreCell(cell, saved) {
    super.restoreCell(cell, saved);
    this.#boards.get(cell.question)?.follow(/** @type {Slider} */ (cell.control));
  }

  /** @param {{ items: number[], examples: number[] } | null} wrong */
  markWrong(wrong) {
    super.markWrong(wrong);
    for (const board of this.#boards.values()) board.markWrong(wrong?.examples ?? []);
  }

  repaint() {
    this.#cannotJudge?.setAttribute("aria-pressed", String(this.cells[0].cannotJudge));
    this.toggleAttribute("data-stepped-back", this.cells[0].cannotJudge);
  }

  #makeItem() {
    const [item] = this.task.items;
    const { questions } = this.task;
    return element("section", { class: "card judged" },
      questions.length > 1 ? null : makeHint(questions[0]),
      makeContext(item.context),
      Object.assign(element(Item.tag), { item }));
  }

  // With examples along the scale, the item is shown between its neighbours, over the width of the page.
  /** @param {Ground} ground */
  #buildGrounded(ground) {
    const { questions, shared, items: [item] } = this.task;
    const several = questions.length > 1;
    const shown = Object.assign(element(Item.tag), { item });
    const judged = element("div", { class: "side-card" }, makeContext(item.context), shown);
    const neighbours = new ground.Neighbours(judged);
    const answers = questions.map((question, index) => (question.scale.grounded
      ? this.#makeGrounded(question, index, several, { ground, neighbours })
      : this.#makeAnswer(question, index, several)));
    this.#fillActs();
    this.setAttribute("data-grounded", "");
    this.append(
      element("div", { class: "range-body" },
        ...[several ? null : heading(questions[0].text), several ? null : makeHint(questions[0]), makeContext(shared),
          neighbours.box, ...answers].filter((part) => part !== null)),
      element("div", { class: "dock" }, this.acts.bar));
  }

  #makePanel() {
    const several = this.task.questions.length > 1;
    const answers = this.task.questions.map((question, index) => this.#makeAnswer(question, index, several));
    const tall = this.task.questions.some(({ scale }) => scale.levels !== null && scale.levels.length > 5);
    this.#fillActs();
    return element("section", { class: "panel", "aria-label": WORDS.your_answer, "data-tall": tall },
      answers, this.acts.bar);
  }

  #fillActs() {
    if (!this.task.cannot_judge) return;
    this.#cannotJudge = makeCannotJudge(WORDS.cannot_judge_this, () => this.#toggleCannotJudge());
    this.acts.own.append(this.#cannotJudge);
  }

  /**
   * @param {QuestionOut} question
   * @param {number} index
   * @param {boolean} several
   */
  #makeAnswer(question, index, several) {
    const { text, scale } = question;
    const { control } = this.makeCell(0, index, text);
    return element("div", { class: "answer" },
      several ? heading(`${index + 1}. ${text}`, index === 0 ? "h1" : "h2") : null,
      several ? makeHint(question) : null,
      control,
      scale.levels === null ? makeLabels(scale) : null);
  }

  /**
   * @param {QuestionOut} question
   * @param {number} index
   * @param {boolean} several
   * @param {{ ground: Ground, neighbours: Neighbours }} along
   */
  #makeGrounded(question, index, several, { ground, neighbours }) {
    const board = ground.makeBoard(this.task, question.scale);
    const slider = /** @type {Slider} */ (this.makeCell(0, index, question.text, board.view).control);
    board.sliders = [slider];
    board.addEventListener("around", ({ detail }) => neighbours.show(detail));
    slider.addEventListener("focus", () => board.follow(slider));
    this.#boards.set(index, board);
    return element("div", { class: "answer" },
      several ? heading(`${index + 1}. ${question.text}`, index === 0 ? "h1" : "h2") : null,
      several ? makeHint(question) : null,
      board);
  }

  #toggleCannotJudge() {
    this.setCannotJudge(this.cells, !this.cells[0].cannotJudge);
  }
}

/** @param {QuestionOut} question */
function makeHint({ hint }) {
  return hint === null ? null : element("p", { class: "item-hint", dir: "auto" }, hint);
}

/** @param {string} text */
function heading(text, tag = /** @type {"h1" | "h2"} */ ("h1")) {
  return element(tag, { class: "question", tabindex: "-1", dir: "auto" }, text);
}

customElements.define(Rating.tag, Rating);
