import { element, find, hintsIf, icon, keyHints } from "../../elements.js";
import { WORDS, say } from "../../words.js";
import { makeCannotJudge } from "../cannot-judge.js";
import { Item, makeContext } from "../item.js";
import { latinKey } from "../keys.js";
import { Neighbours } from "./neighbours.js";
import { NumberFields } from "./number-fields.js";
import { Protocol } from "../protocol.js";
import { RangeControl } from "./range-control.js";
import { RangeHead } from "./range-head.js";
import { makeBoard } from "./scale-board.js";

/**
 * @import { QuestionOut } from "../../types.js"
 * @import { CellAnswer, Hint, Value } from "../types.js"
 * @import { ScaleBoard } from "./scale-board.js"
 * @typedef {{ board: ScaleBoard, control: RangeControl, head: RangeHead, numbers: NumberFields, between: HTMLElement,
 *   fill: (control: RangeControl) => void }} Part the page of one question
 */

const SIDES = /** @type {const} */ (["low", "high"]);
// While the low bound is placed, examples are shown at their high bounds, and the other way round.
const EXAMPLES_AT = Object.freeze({ low: /** @type {const} */ ("high"), high: /** @type {const} */ ("low") });

/**
 * <steelyard-range>: the lowest and then the highest possible position of one item. In and out: see Protocol.
 * Each question has two steps. submit() goes to the next step, and sends the answer after the last step.
 * @extends {Protocol<RangeControl>}
 */
export default class Range extends Protocol {
  static kind = "range";
  static tag = "steelyard-range";
  #stage = 0;
  /** @type {Part[]} */
  #places = [];
  /** @type {Neighbours} */
  #neighbours;
  #place = element("div", { class: "range-place" });
  /** @type {HTMLButtonElement | null} */
  #cannotJudge = null;
  #end = element("button", { type: "button", class: "button quiet keep-end" });
  #low = window.matchMedia("(max-height: 479px)");

  build() {
    const { questions, shared, items: [item] } = this.task;
    const shown = Object.assign(element(Item.tag), { item });
    const judged = element("div", { class: "side-card" }, makeContext(item.context), shown);
    this.#neighbours = new Neighbours(judged);
    this.#places = questions.map((question, index) => this.#makePlace(question, index));
    this.#fillActs();
    this.append(
      element("div", { class: "range-body" }, makeContext(shared), this.#place),
      element("div", { class: "dock" }, this.acts.bar));
    this.#show();
  }

  /** 1 for the lowest position, 2 for the highest. */
  get step() {
    return (this.#stage % SIDES.length) + 1;
  }

  /**
   * The answers so far. In the first step the high bound is at the end of the scale.
   * @returns {CellAnswer[]}
   */
  get answers() {
    return this.step === 1 && !this.cells[0].cannotJudge
      ? this.cells.slice(0, this.#question + 1).map(({ item, question, control }) =>
        ({ item, question, ...(question === this.#question ? control.half : control.answer) }))
      : super.answers;
  }

  /**
   * Every bound placed so far, and the step that was shown.
   * @returns {CellAnswer[]}
   */
  get draft() {
    return this.cells.map(({ item, question, control, cannotJudge }) =>
      ({ item, question, stage: this.#stage, ...(cannotJudge ? { cannot_judge: true } : control.draft) }));
  }

  /** @param {CellAnswer[]} draft */
  restore(draft) {
    const last = SIDES.length * this.#places.length - 1;
    const { stage = last } = draft[0] ?? {};
    this.#stage = Math.min(last, Math.max(0, Number(stage)));
    super.restore(draft);
    this.#show();
    this.report();
  }

  /** @returns {Record<string, Value>} */
  get shown() {
    return { orientation: this.#current.board.vertical ? "vertical" : "horizontal" };
  }

  /** @returns {Hint[]} */
  get keys() {
    const { less, more } = this.arrows;
    return [
      [[less, more], WORDS.move_handle],
      [["⇧ Shift", less, more], WORDS.big_steps],
      [[this.#endKey], this.#endWords],
      ...this.#current.board.keys,
      ...hintsIf(this.#stage > 0, [["B"], WORDS.back_key]),
      ...this.cannotJudgeKeys,
    ];
  }

  /**
   * Handle a key pressed anywhere on the page; true if this element used it.
   * @param {KeyboardEvent} event
   */
  press(event) {
    const { control, board } = this.#current;
    if (latinKey(event) === "n" && this.#cannotJudge !== null) return this.#toggleCannotJudge();
    if (latinKey(event) === "b" && this.#stage > 0) return this.#back();
    if (this.cells[0].cannotJudge) return false;
    if (board.press(event)) return true;
    if (!control.handle.move(event)) return false;
    control.focus();
    return true;
  }

  submit() {
    if (this.missing().length > 0) return;
    const isLast = this.#stage === SIDES.length * this.#places.length - 1;
    if (isLast || this.cells[0].cannotJudge) super.submit();
    else this.#go(this.#stage + 1);
  }

  /** @param {{ items: number[], examples: number[] } | null} wrong */
  markWrong(wrong) {
    super.markWrong(wrong);
    this.#current.board.markWrong(wrong?.examples ?? []);
    this.#neighbours.markWrong(wrong?.examples ?? []);
  }

  missing() {
    const { control } = this.#current;
    return this.cells[0].cannotJudge || control.handle.score !== null ? [] : [this.cells[this.#question]];
  }

  reasonFor() {
    const isSmall = this.#current.board.vertical || this.#low.matches;
    return isSmall
      ? say("end_reason_short", { button: this.#shortEndWords })
      : say("end_reason", { button: this.#endWords });
  }

  repaint() {
    const { cannotJudge } = this.cells[0];
    this.#cannotJudge?.setAttribute("aria-pressed", String(cannotJudge));
    this.toggleAttribute("data-stepped-back", cannotJudge);
    const { control, numbers, fill } = this.#current;
    numbers.show();
    fill(control);
  }

  get #question() {
    return Math.floor(this.#stage / SIDES.length);
  }

  get #side() {
    return SIDES[this.step - 1];
  }

  get #current() {
    return this.#places[this.#question];
  }

  get #endKey() {
    return this.#side === "low" ? "Home" : "End";
  }

  get #endWords() {
    return this.#side === "low" ? WORDS.very_lowest : WORDS.very_highest;
  }

  get #shortEndWords() {
    return this.#side === "low" ? WORDS.very_lowest_short : WORDS.very_highest_short;
  }

  /**
   * @param {QuestionOut} question
   * @param {number} index
   * @returns {Part}
   */
  #makePlace(question, index) {
    const board = makeBoard(this.task, question.scale);
    const control = new RangeControl(question.scale, board.view, question.text);
    const between = element("span", { class: "between" });
    board.sliders = [control.low, control.high];
    for (const handle of board.sliders) this.watch(handle, { item: 0, question: index });
    this.addCell(0, index, control);
    board.addEventListener("around", ({ detail }) => this.#neighbours.show(detail));
    const several = this.task.questions.length > 1;
    const head = new RangeHead(question, { number: several ? index + 1 : 0, level: index === 0 ? "h1" : "h2" });
    const numbers = new NumberFields(control, question.scale, `answer-${index}`);
    const fill = makeFill(board, between);
    board.view.addEventListener("view", () => fill(control));
    return { board, control, head, numbers, between, fill };
  }

  #fillActs() {
    const looks = { class: "button quiet back-step", "aria-label": WORDS.back_to_lowest };
    const back = element("button", { type: "button", ...looks, onclick: () => this.#back() },
      icon("undo", { mirrored: true }), element("span", {}, WORDS.back_to_lowest));
    this.#end.addEventListener("click", () => this.#current.control.keep());
    if (this.task.cannot_judge) {
      this.#cannotJudge = makeCannotJudge(WORDS.cannot_judge_this, () => this.#toggleCannotJudge());
    }
    this.acts.own.append(...[back, this.#cannotJudge, this.#end].filter((part) => part !== null));
  }

  /** @param {number} stage */
  #go(stage) {
    this.#stage = stage;
    this.interact({ item: 0, question: this.#question }, "step", this.step);
    this.#show();
    this.report();
    this.#current.head.focus();
  }

  #back() {
    this.#go(this.#stage - 1);
    return true;
  }

  #show() {
    const { board, control, head, numbers } = this.#current;
    const side = this.#side;
    const asked = this.task.questions[this.#question];
    const hasExamples = this.task.anchors.length > 0;
    if (board.parentElement !== this.#place) this.#fillPlace();
    this.dataset.step = String(this.step);
    head.show(side, hasExamples);
    if (hasExamples && side === "low") this.#neighbours.ask("below", asked.lower);
    else if (hasExamples) this.#neighbours.ask("above", asked.higher);
    control.select(side);
    board.showAnchorsAt(EXAMPLES_AT[side]);
    board.follow(control.handle);
    numbers.show();
    this.#end.replaceChildren(
      element("span", { class: "wide-words" }, this.#endWords),
      element("span", { class: "narrow-words" }, this.#shortEndWords),
      element("kbd", { "aria-hidden": "true" }, this.#endKey));
    const shownAt = side === "low" ? WORDS.shown_at_highest : WORDS.shown_at_lowest;
    find(this.#place, ".shown-at bdi").textContent = hasExamples ? shownAt : "";
    this.acts.sayNext(side === "low" ? WORDS.next_highest : WORDS.save_and_next);
  }

  #fillPlace() {
    const { board, head, numbers, between } = this.#current;
    const { less, more } = this.arrows;
    const hints = keyHints([[[less, more], WORDS.move_hint], [["+", "−"], WORDS.zoom_hint]]);
    const foot = element("div", { class: "scale-foot" },
      element("p", { class: "shown-at" }, element("bdi")), hints, numbers.box);
    this.#place.replaceChildren(head.box, this.#neighbours.box, board, foot);
    find(board, ".solid").after(between);
  }

  #toggleCannotJudge() {
    this.setCannotJudge(this.cells, !this.cells[0].cannotJudge);
    return true;
  }
}

/**
 * Make the function that paints the part of the scale between two handles that are both placed.
 * @param {ScaleBoard} board
 * @param {HTMLElement} between
 */
function makeFill(board, between) {
  return (/** @type {RangeControl} */ { low, high }) => {
    between.hidden = low.score === null || (high.score === null && high.hasAttribute("data-still"));
    if (between.hidden) return;
    const clip = (/** @type {number | null} */ score) =>
      String(Math.min(1, Math.max(0, board.view.share(score ?? board.view.high))));
    between.style.setProperty("--from", clip(low.score));
    between.style.setProperty("--to", clip(high.score ?? high.rest));
  };
}

customElements.define(Range.tag, Range);
