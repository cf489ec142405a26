import { element, keyHints } from "../elements.js";
import { WORDS, say } from "../words.js";
import { makeCannotJudge } from "./cannot-judge.js";
import { makeContext } from "./item.js";
import { latinKey } from "./keys.js";
import { Protocol } from "./protocol.js";

/**
 * @import { ItemOut, QuestionOut } from "../types.js"
 * @import { Cell, CellAnswer, Control, Hint, Random } from "./types.js"
 *
 * @typedef {object} BoardParts the properties of a board
 * @property {ItemOut[]} items
 * @property {QuestionOut} question
 * @property {boolean} ties
 * @property {string} name unique on the page
 * @property {boolean} inactive
 * @property {(item: number) => Record<string, unknown> | null} answerOf null until the item is answered
 * @property {(item: number) => Record<string, unknown> | null} [draftOf] the same before the board is complete
 * @property {(saved: Map<number, Record<string, unknown>>) => void} [restore] show an earlier answer again
 * @property {(items: number[]) => void} [markWrong] mark the items that are wrong in an exercise
 * @property {string} reason what is missing
 * @property {Hint[]} hints
 * @property {Hint[]} keys
 * @property {(event: KeyboardEvent) => boolean} press
 * @property {() => void} showMissing
 * @property {(random: Random) => void} simulate
 *
 * @typedef {HTMLElement & BoardParts} Board an element that fires `answer` with the item
 */

/**
 * A protocol whose items are answered together, with one board per question.
 */
export class Boards extends Protocol {
  /** @type {Board[]} */
  #boards = [];
  /** @type {HTMLButtonElement | null} */
  #cannotJudge = null;

  /**
   * Make the board of a question. Protocols override this.
   * @returns {Board}
   */
  makeBoard() {
    throw new Error("A protocol based on Boards must define makeBoard().");
  }

  build() {
    const { questions, shared } = this.task;
    this.#boards = questions.map((question, index) => this.#addBoard(question, index));
    this.#fillActs();
    const blocks = questions.map((question, index) => makeBlock(question, index, this.#boards[index]));
    this.append(
      element("div", { class: "board-body" }, makeContext(shared), blocks),
      element("div", { class: "dock" }, this.acts.bar));
  }

  get keys() {
    return [...this.#boards[0].keys, ...this.cannotJudgeKeys];
  }

  /**
   * Handle a key pressed anywhere on the page; true if this element used it.
   * @param {KeyboardEvent} event
   */
  press(event) {
    if (latinKey(event) === "n" && this.task.cannot_judge) return this.#toggleCannotJudge();
    const focused = this.#boards.find((board) => board.contains(document.activeElement));
    const board = focused ?? this.#openBoard() ?? this.#boards[0];
    return !board.inactive && board.press(event);
  }

  /** @param {Cell[]} missing */
  reasonFor([first]) {
    const { reason } = this.#boards[first.question];
    return this.#boards.length === 1 ? reason : say("question_reason", { number: first.question + 1, reason });
  }

  showMissing() {
    this.#openBoard()?.showMissing();
  }

  /** @param {{ items: number[], examples: number[] } | null} wrong */
  markWrong(wrong) {
    super.markWrong(wrong);
    for (const board of this.#boards) board.markWrong?.(wrong?.items ?? []);
  }

  /** @param {Random} random */
  simulate(random) {
    for (const board of this.#boards) board.simulate(random);
  }

  repaint() {
    const [first] = this.cells;
    this.#cannotJudge?.setAttribute("aria-pressed", String(first.cannotJudge));
    this.toggleAttribute("data-stepped-back", first.cannotJudge);
  }

  get draft() {
    return this.cells.map(({ item, question, cannotJudge, control }) => {
      const { draftOf } = this.#boards[question];
      const part = draftOf === undefined ? control.answer : draftOf.call(this.#boards[question], item);
      return { item, question, ...(cannotJudge ? { cannot_judge: true } : part) };
    });
  }

  /** @param {CellAnswer[]} draft */
  restore(draft) {
    this.#boards.forEach((board, question) => {
      const parts = draft.filter((saved) => saved.question === question);
      board.restore?.(new Map(parts.map((saved) => [saved.item, saved])));
    });
    super.restore(draft);
  }

  #openBoard() {
    const first = this.missing().at(0);
    return first === undefined ? undefined : this.#boards[first.question];
  }

  /**
   * @param {QuestionOut} question
   * @param {number} index
   */
  #addBoard(question, index) {
    const { items, ties } = this.task;
    const board = Object.assign(this.makeBoard(), { items, question, ties, name: `answer-${index}` });
    this.watch(board, { question: index });
    items.forEach((_, item) => this.addCell(item, index, cellOf(board, item)));
    return board;
  }

  #fillActs() {
    if (this.task.cannot_judge) {
      this.#cannotJudge = makeCannotJudge(WORDS.cannot_judge_these, () => this.#toggleCannotJudge());
      this.acts.own.append(this.#cannotJudge);
    }
    this.acts.own.append(keyHints(this.#boards[0].hints));
  }

  #toggleCannotJudge() {
    this.setCannotJudge(this.cells, !this.cells[0].cannotJudge);
    return true;
  }
}

/**
 * @param {Board} board
 * @param {number} item
 * @returns {Control}
 */
function cellOf(board, item) {
  return {
    get answer() {
      return board.answerOf(item);
    },
    get inactive() {
      return board.inactive;
    },
    set inactive(inactive) {
      board.inactive = inactive;
    },
  };
}

/**
 * @param {QuestionOut} question
 * @param {number} index
 * @param {Board} board
 */
function makeBlock({ text, hint }, index, board) {
  return element("section", { class: "board-block" },
    element(index === 0 ? "h1" : "h2", { class: "question", tabindex: "-1", dir: "auto" }, text),
    hint === null ? null : element("p", { class: "item-hint", dir: "auto" }, hint),
    board);
}
