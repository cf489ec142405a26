import { WORDS } from "../words.js";

/**
 * @import { TaskOut } from "../types.js"
 * @import { Acts } from "../pages/acts.js"
 * @import { Cell, CellAnswer, Control, Hint, Place, Random, Value } from "./types.js"
 */

/**
 * What every protocol element shares with the task page. The module of a protocol has its element as `default`.
 * In, set once before it is shown: task; ground (the module ground.js, or null where no scale is grounded); acts
 * (the page's bar of buttons: the element puts acts.bar where its layout wants it and may fill acts.own). Methods:
 * submit(), reopen(), press(event), showMissing(), simulate(random).
 * Out: keys, step, answers, shown; events `progress`, `interaction` and, once, `judgment` with the answers.
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
  }

  /** Fill the element with its task; each protocol has its own. */
  build() {}

  /** Show the answer as it is now; each protocol has its own. */
  repaint() {}

  /**
   * What is still to do, in words; each protocol has its own.
   * @param {Cell<C>[]} _missing
   */
  reasonFor(_missing) {
    return "";
  }

  /**
   * The keys of this task with what they do.
   * @returns {Hint[]}
   */
  get keys() {
    return this.cannotJudgeKeys;
  }

  /**
   * A key pressed anywhere on the page; true when this element took it.
   * @param {KeyboardEvent} _event
   */
  press(_event) {
    return false;
  }

  /**
   * One answer to come.
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
   * Record and report what is answered on `control`, of the given place or of the one that it names itself.
   * @param {HTMLElement} control
   * @param {Partial<Place> & { question: number }} place
   */
  watch(control, place) {
    control.addEventListener("answer", (event) => {
      event.stopPropagation();
      const { act, score, item = 0 } = event.detail;
      this.interact({ item, ...place }, act, score);
      this.report();
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
  }

  missing() {
    return this.cells.filter((cell) => !cell.cannotJudge && cell.control.answer === null);
  }

  /** Tell the page what is still to do, when that has changed. */
  report() {
    const missing = this.missing();
    const reason = missing.length === 0 ? "" : this.reasonFor(missing);
    this.repaint();
    if (reason === this.#reported) return;
    this.#reported = reason;
    this.#fire("progress", { ready: missing.length === 0, reason });
  }

  /**
   * Which part of the answer is being made, from 1, where it is made in parts; else null.
   * @returns {number | null}
   */
  get step() {
    return null;
  }

  /**
   * What is answered so far.
   * @returns {CellAnswer[]}
   */
  get answers() {
    return this.cells.map(answerOf);
  }

  /**
   * What this page has of its own to log beside its size and direction.
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

  /** Let the answer be submitted again, after the page could not hand it in. */
  reopen() {
    this.#submitted = false;
  }

  showMissing() {
    this.missing().at(0)?.control.focus?.();
  }

  /**
   * Answer everything as a person with this source of randomness would.
   * @param {Random} random
   */
  simulate(random) {
    for (const cell of this.cells) cell.control.simulate?.(random);
  }

  /** The cell that has the focus, or undefined. */
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
    return this.task.cannot_judge ? [[["N"], WORDS.cannotJudge]] : [];
  }

  /**
   * Record what somebody did at an item under a question.
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
