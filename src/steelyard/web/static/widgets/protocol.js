import { WORDS } from "../words.js";

/**
 * @import { TaskOut } from "../types.js"
 * @import { Acts } from "../pages/acts.js"
 * @import { Cell, CellAnswer, Control, Hint, Place, Random, Value } from "./types.js"
 */

// Milliseconds in which nobody reads a task. A press in this time is the second of a double click or double tap.
const UNREAD_MS = 400;

/**
 * The base class of protocol elements, and their interface to the task page. The module of a protocol exports its
 * element as `default`.
 * In, set once before the element is shown: task; ground (the module ground.js, or null if no scale has examples or
 * zoom); acts (the button bar: the element places acts.bar in its layout and may add buttons to acts.own).
 * Methods: submit(), reopen(), press(event), showMissing(), simulate(random), restore(draft).
 * Out: keys, step, answers, draft, shown; events `progress`, `interaction`, `complete` (a complete answer that needs no
 * further button) and, once, `judgment` with the answers.
 * @template {Control} [C=Control]
 */
export class Protocol extends HTMLElement {
  /** @type {TaskOut} */
  task;
  /** @type {typeof import("./scale/ground.js") | null} */
  ground = null;
  /** @type {Acts} */
  acts;
  /** @type {Cell<C>[]} */
  cells = [];
  #submitted = false;
  /** @type {string | null} */
  #reported = null;

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.build();
    this.report();
    if (this.sendsAtOnce) this.#ignorePresses(UNREAD_MS);
  }

  /** Show the task. Protocols override this. */
  build() {}

  /** Show the current state of the answer. Protocols override this. */
  repaint() {}

  /**
   * What is missing, as a sentence. Protocols override this.
   * @param {Cell<C>[]} _missing
   */
  reasonFor(_missing) {
    return "";
  }

  /**
   * The keys of this task and their effect.
   * @returns {Hint[]}
   */
  get keys() {
    return this.cannotJudgeKeys;
  }

  /**
   * Handle a key pressed anywhere on the page; true if this element used it.
   * @param {KeyboardEvent} _event
   */
  press(_event) {
    return false;
  }

  /**
   * Add an answer that the task asks for.
   * @param {number} item
   * @param {number} question
   * @param {C} control
   */
  addCell(item, question, control) {
    /** @type {Cell<C>} */
    const cell = { item, question, control, cannotJudge: false };
    this.cells.push(cell);
    return cell;
  }

  /**
   * Record and report answers given on `control`, for this place or for the item that the control names.
   * @param {HTMLElement} control
   * @param {Partial<Place> & { question: number }} place
   */
  watch(control, place) {
    control.addEventListener("answer", (event) => {
      event.stopPropagation();
      const { act, score, item = 0 } = event.detail;
      this.interact({ item, ...place }, act, score);
      this.report();
      this.#sendIfComplete();
    });
  }

  /**
   * @param {Cell<any>[]} cells
   * @param {boolean} cannotJudge
   */
  setCannotJudge(cells, cannotJudge) {
    for (const cell of cells) {
      cell.cannotJudge = cannotJudge;
      cell.control.inactive = cannotJudge;
      this.interact(cell, cannotJudge ? "cannot_judge" : "can_judge", null);
    }
    this.report();
    this.#sendIfComplete();
  }

  /** Whether the act that completes an answer also sends it. Protocols with one act per answer override this. */
  get sendsAtOnce() {
    return false;
  }

  // Clicks do not show whether they belong to a double tap: on Android each counts as the first.
  /** @param {number} milliseconds */
  #ignorePresses(milliseconds) {
    this.toggleAttribute("data-unread", true);
    setTimeout(() => this.removeAttribute("data-unread"), milliseconds);
  }

  #sendIfComplete() {
    if (this.sendsAtOnce && this.missing().length === 0) this.#fire("complete", null);
  }

  missing() {
    return this.cells.filter((cell) => !cell.cannotJudge && cell.control.answer === null);
  }

  /** Report to the page what is missing, if that has changed. */
  report() {
    const missing = this.missing();
    const reason = missing.length === 0 ? "" : this.reasonFor(missing);
    this.repaint();
    if (reason === this.#reported) return;
    this.#reported = reason;
    this.#fire("progress", { ready: missing.length === 0, reason });
  }

  /**
   * The current step of an answer with several steps, from 1; null if it has one step.
   * @returns {number | null}
   */
  get step() {
    return null;
  }

  /**
   * The answers so far.
   * @returns {CellAnswer[]}
   */
  get answers() {
    return this.cells.map(answerOf);
  }

  /**
   * The unfinished answer, from which `restore` shows it again.
   * @returns {CellAnswer[]}
   */
  get draft() {
    return this.answers;
  }

  /**
   * Show an earlier answer again, finished or not. Nothing is sent; the log notes that the answer was restored.
   * @param {CellAnswer[]} draft
   */
  restore(draft) {
    for (const saved of draft) {
      const cell = this.cells.find(({ item, question }) => item === saved.item && question === saved.question);
      if (cell !== undefined) this.restoreCell(cell, saved);
    }
    this.interact({ item: 0, question: 0 }, "restored", null);
    this.report();
  }

  /**
   * Show one part of an earlier answer again.
   * @param {Cell<C>} cell
   * @param {CellAnswer} saved
   */
  restoreCell(cell, saved) {
    cell.cannotJudge = saved.cannot_judge === true;
    if (cell.cannotJudge) cell.control.inactive = true;
    else cell.control.restore?.(saved);
  }

  /**
   * What the log should hold about this page besides its size and direction.
   * @returns {Record<string, Value>}
   */
  get shown() {
    return {};
  }

  submit() {
    if (this.#submitted || this.missing().length > 0) return;
    this.#submitted = true;
    this.#fire("judgment", this.answers);
  }

  /** Allow the answer to be submitted again after an error. */
  reopen() {
    this.#submitted = false;
  }

  /**
   * Mark what is wrong in an exercise; null removes the marks.
   * @param {{ items: number[], examples: number[] } | null} wrong
   */
  markWrong(wrong) {
    this.toggleAttribute("data-wrong", wrong !== null);
    for (const { item, control } of this.cells) {
      if (control instanceof HTMLElement) control.toggleAttribute("data-mistake", wrong?.items.includes(item) ?? false);
    }
  }

  showMissing() {
    this.missing().at(0)?.control.focus?.();
  }

  /**
   * Answer everything at random, for simulations.
   * @param {Random} random
   */
  simulate(random) {
    for (const cell of this.cells) cell.control.simulate?.(random);
  }

  /** The answer that has the focus, or undefined. */
  focusedCell() {
    return this.cells.find(({ control }) => control.contains?.(document.activeElement));
  }

  get mirrored() {
    return getComputedStyle(this).direction === "rtl";
  }

  get arrows() {
    return this.mirrored ? { more: "←", less: "→" } : { more: "→", less: "←" };
  }

  /** @returns {Hint[]} */
  get cannotJudgeKeys() {
    return this.task.cannot_judge ? [[["N"], WORDS.cannot_judge]] : [];
  }

  /**
   * Record an action of the rater at an item and a question.
   * @param {Place} place
   * @param {string} act
   * @param {Value} value
   */
  interact({ item, question }, act, value) {
    this.#fire("interaction", { item, question, act, value });
  }

  /**
   * @param {string} name
   * @param {unknown} detail
   */
  #fire(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

/**
 * @param {Cell} cell
 * @returns {CellAnswer}
 */
function answerOf({ item, question, control, cannotJudge }) {
  return cannotJudge ? { item, question, cannot_judge: true } : { item, question, ...control.answer };
}
