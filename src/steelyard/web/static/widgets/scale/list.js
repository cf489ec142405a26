import { element, find, keyHints } from "../../elements.js";
import { WORDS, say } from "../../words.js";
import { makeTick, makeTickLabel } from "../cannot-judge.js";
import { makeLabels } from "./control.js";
import { addFolds } from "../fold.js";
import { Item, makeContext } from "../item.js";
import { answerKey } from "../keys.js";
import { makeLetter } from "../letter.js";
import { letterOf, nameOf, whichOf, wordsOf } from "../names.js";
import { orderOf, paintColumn, paintRow } from "./order.js";
import { ScaleProtocol } from "./scale-protocol.js";

/**
 * @import { ItemOut, LevelOut, QuestionOut } from "../../types.js"
 * @import { Levels } from "../choices/levels.js"
 * @import { Cell, Hint } from "../types.js"
 * @import { ScaleBoard } from "./scale-board.js"
 * @import { Slider } from "./slider.js"
 * @typedef {{ cell: Cell<Slider | Levels>, row: HTMLElement, letter: HTMLElement, tick: HTMLInputElement | null,
 *   words: string }} Line
 */

/**
 * <steelyard-list>: several items with one answer each, and their current order.
 * In and out: see Protocol.
 */
export default class List extends ScaleProtocol {
  static kind = "list";
  static tag = "steelyard-list";
  /** @type {Line[]} */
  #lines = [];
  /** @type {ReturnType<typeof makeOrder>[]} */
  #orders = [];
  /** @type {(ScaleBoard | null)[]} */
  #boards = [];

  build() {
    const { questions, shared } = this.task;
    const blocks = questions.map((question, index) => this.#makeBlock(question, index));
    const onlyRow = questions.length === 1 ? this.#orders[0].row : null;
    this.acts.own.append(keyHints(this.#hints));
    this.append(
      element("div", { class: "list-body" }, makeContext(shared), blocks),
      element("div", { class: "dock" }, onlyRow, this.acts.bar));
  }

  /** @returns {Hint[]} */
  get keys() {
    const board = this.#boards.find((each) => each !== null);
    return [this.#tabKey, ...this.answerKeys, ...(board?.keys ?? []), ...this.cannotJudgeKeys];
  }

  // The boxes stay in the Tab order for people who use only Tab and Space, or do not know the key N.
  /** @returns {Hint} */
  get #tabKey() {
    return [["Tab"], this.task.cannot_judge ? WORDS.next_line_or_box : WORDS.next_line];
  }

  /** @returns {Hint[]} */
  get #hints() {
    const { more, less } = this.arrows;
    const { levels } = this.task.questions[0].scale;
    /** @type {Hint} */
    const choose = [["1", "…", String(levels?.length)], WORDS.choose_key];
    /** @type {Hint} */
    const move = levels === null ? [[less, more], WORDS.move_hint] : choose;
    return [this.#tabKey, move, ...this.cannotJudgeKeys];
  }

  /**
   * Handle a key pressed anywhere on the page; true if this element used it.
   * @param {KeyboardEvent} event
   */
  press(event) {
    const key = answerKey(event);
    const line = this.#lines.find(({ row }) => row.contains(document.activeElement));
    if (this.#boards[line?.cell.question ?? 0]?.press(event)) return true;
    if (line === undefined) return this.pressNextMissing(key);
    if (key === "n" && line.tick !== null) {
      line.tick.click();
      return true;
    }
    return line.cell.control.press(key);
  }

  /** @param {Cell[]} missing */
  reasonFor(missing) {
    const letters = [...new Set(missing.map(({ item }) => letterOf(item)))];
    const all = letters.length > 1 && missing.length === this.cells.length;
    const which = whichOf(letters, all);
    return this.task.cannot_judge ? say("place_which_or_tick", { which }) : say("place_which", { which });
  }

  repaint() {
    for (const line of this.#lines) {
      line.row.toggleAttribute("data-stepped-back", line.cell.cannotJudge);
      if (line.tick !== null) line.tick.checked = line.cell.cannotJudge;
      line.letter.classList.toggle("open", line.cell.cannotJudge || line.cell.control.score === null);
    }
    this.#orders.forEach(({ column, row }, question) => this.#paintOrder(question, column, row));
  }

  /**
   * @param {number} question
   * @param {HTMLElement} column
   * @param {HTMLElement} row
   */
  #paintOrder(question, column, row) {
    const lines = this.#lines.filter(({ cell }) => cell.question === question);
    const order = orderOf(lines.map(({ cell, words }) => ({
      letter: letterOf(cell.item), words, score: cell.control.score, cannotJudge: cell.cannotJudge,
    })));
    paintColumn(find(column, ".order-column"), order);
    paintRow(find(row, ".order-line"), order);
  }

  /**
   * @param {QuestionOut} question
   * @param {number} index
   */
  #makeBlock(question, index) {
    const { scale } = question;
    const ground = scale.grounded ? this.ground : null;
    this.#boards.push(ground?.makeBoard(this.task, scale, { strip: true }) ?? null);
    const lines = this.task.items.map((item, place) => this.#makeLine(item, place, index));
    this.#lines.push(...lines);
    const order = makeOrder(question);
    this.#orders.push(order);
    return element("section", { class: "block", "data-levels": question.scale.levels !== null },
      element("div", { class: "block-lines" },
        element(index === 0 ? "h1" : "h2", { class: "question", tabindex: "-1", dir: "auto" }, question.text),
        this.#makeHead(question, lines, this.#boards[index]),
        element("ol", { class: "lines", role: "list" }, lines.map(({ row }) => row)),
        this.task.questions.length > 1 ? order.row : null),
      order.column);
  }

  /**
   * @param {QuestionOut} question
   * @param {Line[]} lines
   * @param {ScaleBoard | null} board
   */
  #makeHead({ hint, scale }, lines, board) {
    const words = board ?? (scale.levels === null ? makeLabels(scale) : makeLevelLabels(scale.levels));
    if (board !== null) for (const line of lines) this.#followLine(line, lines, board);
    const cannot = element("span", { class: "head-cannot", "aria-hidden": "true" }, WORDS.cannot_judge_label);
    return element("div", { class: "line-head" },
      element("span", { class: "head-hint", dir: "auto" }, hint === null ? "" : hint),
      element("div", { class: "head-labels" }, words),
      this.task.cannot_judge ? cannot : null);
  }

  // The examples above the lines refer to the line being answered; activating an example moves the handle there.
  /**
   * @param {Line} line
   * @param {Line[]} lines
   * @param {ScaleBoard} board
   */
  #followLine({ cell, row }, lines, board) {
    const control = /** @type {Slider} */ (cell.control);
    const follow = () => {
      for (const line of lines) line.row.toggleAttribute("data-followed", line.row === row);
      board.follow(control);
    };
    control.addEventListener("focus", follow);
    control.addEventListener("answer", follow);
    if (row === lines[0].row) follow();
  }

  /**
   * @param {ItemOut} item
   * @param {number} place
   * @param {number} question
   */
  #makeLine(item, place, question) {
    const words = wordsOf(item);
    const view = this.#boards[question]?.view ?? null;
    const cell = this.makeCell(place, question, nameOf(item, letterOf(place)), view);
    const letter = makeLetter(letterOf(place), "open");
    const tick = this.task.cannot_judge ? makeTick(this, cell, letterOf(place)) : null;
    const shown = Object.assign(element(Item.tag), { item, letter: letterOf(place) });
    const box = element("div", { class: "line-item" }, makeContext(item.context), shown);
    addFolds(box, Item.tag);
    const row = element("li", { class: "line" }, letter,
      box,
      cell.control,
      tick === null ? null : makeTickLabel(tick));
    return { cell, row, letter, tick, words };
  }
}

/** @param {QuestionOut} question */
function makeOrder({ most }) {
  const column = element("aside", { class: "order", "aria-label": WORDS.order_so_far },
    element("p", { class: "order-title" }, WORDS.order_so_far),
    most === null ? null : element("p", { class: "order-most" }, element("bdi", {}, most)),
    element("div", { class: "order-column" }));
  const row = element("div", { class: "order-short" },
    element("bdi", {}, WORDS.your_order), element("span", { class: "order-line" }));
  return { column, row };
}

/** @param {LevelOut[]} levels */
function makeLevelLabels(levels) {
  const words = levels.map(({ text }) => element("span", {}, text));
  return element("div", { class: "level-labels", "aria-hidden": "true" }, words);
}

customElements.define(List.tag, List);
