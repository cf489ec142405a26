import { element, keyHints } from "../elements.js";
import { WORDS, inQuestion } from "../words.js";
import { makeCannotJudge } from "./cannot-judge.js";
import { makeContext } from "./item.js";
import { Protocol } from "./protocol.js";

/**
 * A protocol whose items are answered together: one board for each question.
 * A board is an element. In: items, question, ties, name, inactive. Out: answerOf(item) (null until given), reason
 * (what is still to do), hints, keys; event `answer` {item, act, score}. Methods: press(event), showMissing(),
 * simulate(random).
 */
export class Boards extends Protocol {
  #boards = [];
  #cannotJudge = null;

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

  /** Keys pressed anywhere on the page; true when this element took them. */
  press(event) {
    if (event.key.toLowerCase() === "n" && this.task.cannot_judge) return this.#toggleCannotJudge();
    const focused = this.#boards.find((board) => board.contains(document.activeElement));
    const board = focused ?? this.#openBoard() ?? this.#boards[0];
    return !board.inactive && board.press(event);
  }

  reasonFor([first]) {
    const { reason } = this.#boards[first.question];
    return this.#boards.length === 1 ? reason : inQuestion(first.question + 1, reason);
  }

  showMissing() {
    this.#openBoard()?.showMissing();
  }

  simulate(random) {
    for (const board of this.#boards) board.simulate(random);
  }

  repaint() {
    const [first] = this.cells;
    this.#cannotJudge?.setAttribute("aria-pressed", String(first.cannotJudge));
    this.toggleAttribute("data-stepped-back", first.cannotJudge);
  }

  #openBoard() {
    const [first] = this.missing();
    return first === undefined ? undefined : this.#boards[first.question];
  }

  #addBoard(question, index) {
    const { items, ties } = this.task;
    const board = element(this.constructor.board);
    Object.assign(board, { items, question, ties: ties !== false, name: `answer-${index}` });
    this.watch(board, { question: index });
    items.forEach((_, item) => this.addCell(item, index, cellOf(board, item)));
    return board;
  }

  #fillActs() {
    if (this.task.cannot_judge) {
      this.#cannotJudge = makeCannotJudge(WORDS.cannotJudgeThese, () => this.#toggleCannotJudge());
      this.acts.own.append(this.#cannotJudge);
    }
    this.acts.own.append(keyHints(this.#boards[0].hints));
  }

  #toggleCannotJudge() {
    this.setCannotJudge(this.cells, !this.cells[0].cannotJudge);
    return true;
  }
}

function cellOf(board, item) {
  return {
    get answer() {
      return board.answerOf(item);
    },
    set inactive(inactive) {
      board.inactive = inactive;
    },
  };
}

function makeBlock({ text, hint }, index, board) {
  return element("section", { class: "board-block" },
    element(index === 0 ? "h1" : "h2", { class: "question", tabindex: "-1", dir: "auto" }, text),
    hint === null ? null : element("p", { class: "item-hint", dir: "auto" }, hint),
    board);
}
