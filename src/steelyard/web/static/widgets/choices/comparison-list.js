import { element, hintsIf, keyHints } from "../../elements.js";
import { WORDS, say } from "../../words.js";
import { makeTick, makeTickLabel } from "../cannot-judge.js";
import "./choices.js";
import { addFolds } from "../fold.js";
import { Item, makeContext } from "../item.js";
import { digitOf, holdArrows, latinKey } from "../keys.js";
import { letterOf, nameOf, whichOf } from "../names.js";
import { makeLetter } from "../letter.js";
import { Protocol } from "../protocol.js";

/**
 * @import { ItemOut, QuestionOut } from "../../types.js"
 * @import { Cell, Choice, Hint } from "../types.js"
 * @import { Choices } from "./choices.js"
 * @typedef {{ cell: Cell<Choices>, row: HTMLElement, letter: HTMLElement, tick: HTMLInputElement | null }} Line
 */

const CHOICES = Object.freeze({ less: "left", equal: "tie", more: "right" });
const BY_DIGIT = Object.freeze([CHOICES.equal, CHOICES.less, CHOICES.equal, CHOICES.more]);

/**
 * <steelyard-comparison-list>: one reference item; each other item has less, about as much or more. In and out: see
 * Protocol.
 * @extends {Protocol<Choices>}
 */
export default class ComparisonList extends Protocol {
  static kind = "comparison_list";
  static tag = "steelyard-comparison-list";
  /** @type {Line[]} */
  #lines = [];
  /** @type {HTMLElement[]} */
  #counts = [];

  build() {
    const { questions, shared, items } = this.task;
    const blocks = questions.map((question, index) => this.#makeBlock(question, index));
    this.acts.own.append(keyHints(this.#hints));
    this.append(
      element("div", { class: "beside-body" },
        makeContext(shared), makeReference(items[0]), element("div", { class: "blocks" }, blocks)),
      element("div", { class: "dock" }, this.acts.bar));
    holdArrows(this);
  }

  /** @returns {Hint[]} */
  get keys() {
    const { less, more } = this.arrows;
    return [
      [["↑", "↓"], WORDS.row_keys],
      [[less, "1"], WORDS.less_key],
      ...hintsIf(this.task.ties, [["0", "2"], WORDS.equal_key]),
      [[more, "3"], WORDS.more_key],
      ...this.cannotJudgeKeys,
    ];
  }

  /** @returns {Hint[]} */
  get #hints() {
    const { less, more } = this.arrows;
    const middle = this.task.ties ? ["0"] : [];
    return [[["↑", "↓"], WORDS.line_hint], [[less, ...middle, more], WORDS.choose_key], ...this.cannotJudgeKeys];
  }

  /**
   * Handle a key pressed anywhere on the page; true if this element used it.
   * @param {KeyboardEvent} event
   */
  press(event) {
    const line = this.#lines.find(({ row }) => row.contains(document.activeElement));
    if (event.key === "ArrowUp" || event.key === "ArrowDown") return this.#go(line, event.key === "ArrowUp" ? -1 : 1);
    const wanted = line ?? this.#lines.find(({ cell }) => cell === this.missing()[0]);
    if (wanted === undefined) return false;
    if (latinKey(event) === "n" && wanted.tick !== null && line !== undefined) {
      wanted.tick.click();
      return true;
    }
    return wanted.cell.control.choose(this.#valueOf(event));
  }

  /** @param {Cell<Choices>[]} missing */
  reasonFor(missing) {
    const letters = [...new Set(missing.map(({ item }) => letterOf(item - 1)))];
    const all = letters.length > 1 && missing.length === this.cells.length;
    const which = whichOf(letters, all);
    return this.task.cannot_judge ? say("compare_which_or_tick", { which }) : say("compare_which", { which });
  }

  repaint() {
    const missing = this.missing();
    for (const { cell, row, letter, tick } of this.#lines) {
      row.toggleAttribute("data-stepped-back", cell.cannotJudge);
      if (tick !== null) tick.checked = cell.cannotJudge;
      letter.classList.toggle("open", cell.cannotJudge || missing.includes(cell));
    }
    this.#counts.forEach((count, question) => {
      const cells = this.cells.filter((cell) => cell.question === question);
      const done = cells.filter((cell) => !missing.includes(cell)).length;
      count.textContent = say("compared_of", { done, of: cells.length });
    });
  }

  /**
   * @param {Line | undefined} line
   * @param {number} step
   */
  #go(line, step) {
    const at = line === undefined ? (step > 0 ? 0 : this.#lines.length - 1) : this.#lines.indexOf(line) + step;
    this.#lines[at]?.cell.control.focus();
    return true;
  }

  /** @param {KeyboardEvent} event */
  #valueOf(event) {
    const { mirrored } = this;
    const digit = digitOf(event);
    if (event.key === "ArrowLeft") return mirrored ? CHOICES.more : CHOICES.less;
    if (event.key === "ArrowRight") return mirrored ? CHOICES.less : CHOICES.more;
    return digit === null ? null : BY_DIGIT[digit] ?? null;
  }

  /**
   * @param {QuestionOut} question
   * @param {number} index
   */
  #makeBlock({ text, hint }, index) {
    const others = this.task.items.slice(1);
    const lines = others.map((item, place) => this.#makeLine(item, place, index));
    const count = element("bdi");
    this.#lines.push(...lines);
    this.#counts.push(count);
    return element("section", { class: "beside-block" },
      element(index === 0 ? "h1" : "h2", { class: "question", tabindex: "-1", dir: "auto" }, text),
      hint === null ? null : element("p", { class: "item-hint", dir: "auto" }, hint),
      element("div", { class: "beside-head" },
        element("p", {}, count), this.task.cannot_judge ? makeCannotHead() : null),
      element("ol", { class: "lines", role: "list" }, lines.map(({ row }) => row)));
  }

  /**
   * @param {ItemOut} item
   * @param {number} place
   * @param {number} question
   */
  #makeLine(item, place, question) {
    const name = letterOf(place);
    const control = Object.assign(element("steelyard-choices"), {
      choices: choicesOf(this.task), label: nameOf(item, name), name: `answer-${question}-${place}`,
    });
    this.watch(control, { item: place + 1, question });
    const cell = this.addCell(place + 1, question, control);
    const letter = makeLetter(name, "open");
    const tick = this.task.cannot_judge ? makeTick(this, cell, name) : null;
    const shown = Object.assign(element(Item.tag), { item, letter: name });
    const box = element("div", { class: "line-item" }, makeContext(item.context), shown);
    addFolds(box, Item.tag);
    const row = element("li", { class: "line" },
      letter, box, control, tick === null ? null : makeTickLabel(tick));
    return { cell, row, letter, tick };
  }
}

function makeCannotHead() {
  return element("span", { class: "head-cannot", "aria-hidden": "true" }, WORDS.cannot_judge_label);
}

/** @param {ItemOut} item */
function makeReference(item) {
  const shown = Object.assign(element(Item.tag), { item });
  const box = element("div", { class: "reference-item" }, makeContext(item.context), shown);
  addFolds(box, Item.tag);
  return element("aside", { class: "card reference", "aria-label": WORDS.compared_with },
    element("p", { class: "reference-name" }, element("bdi", {}, WORDS.compared_with)), box);
}

/**
 * @param {{ ties: boolean }} task
 * @returns {Choice[]}
 */
function choicesOf({ ties }) {
  return [
    { value: CHOICES.less, text: WORDS.less },
    ...(ties ? [{ value: CHOICES.equal, text: WORDS.about_equal }] : []),
    { value: CHOICES.more, text: WORDS.more },
  ];
}

customElements.define(ComparisonList.tag, ComparisonList);
