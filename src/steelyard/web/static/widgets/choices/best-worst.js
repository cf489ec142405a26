import { element } from "../../elements.js";
import { WORDS } from "../../words.js";
import { Boards } from "../boards.js";
import { addFolds } from "../fold.js";
import { Item, makeContext } from "../item.js";
import { digitOf, holdArrows } from "../keys.js";
import { letterOf, nameOf } from "../names.js";

/**
 * @import { ItemOut, QuestionOut } from "../../types.js"
 * @import { Hint, Random } from "../types.js"
 * @typedef {"worst" | "best"} End
 */

const MOST_DIGITS = 9;
const LOOKS = Object.freeze({ worst: WORDS.least, best: WORDS.most });
const ENDS = /** @type {const} */ (["worst", "best"]);

/** <steelyard-extremes>: the most and the least of several items, never the same item. In and out: see Boards. */
export class Extremes extends HTMLElement {
  static tag = /** @type {const} */ ("steelyard-extremes");
  /** @type {ItemOut[]} */
  items = [];
  /** @type {QuestionOut} */
  question;
  ties = false;
  name = "";
  /** @type {Record<End, HTMLInputElement[]>} */
  #radios = { best: [], worst: [] };
  #inactive = false;

  get inactive() {
    return this.#inactive;
  }

  set inactive(inactive) {
    this.#inactive = inactive;
    this.toggleAttribute("data-inactive", inactive);
    for (const radio of ENDS.flatMap((end) => this.#radios[end])) radio.disabled = inactive;
  }

  get reason() {
    const [worst, best] = ENDS.map((end) => this.#chosen(end));
    if (best < 0 && worst < 0) return WORDS.choose_both;
    return best < 0 ? WORDS.choose_most : WORDS.choose_least;
  }

  // The keys are shown on the buttons.
  /** @returns {Hint[]} */
  get hints() {
    return [];
  }

  /** @returns {Hint[]} */
  get keys() {
    const last = String(Math.min(MOST_DIGITS, this.items.length));
    return [
      [["1", "…", last], WORDS.most_keys],
      [["⇧ 1", "…", `⇧ ${last}`], WORDS.least_keys],
      [["↑", "↓", "←", "→"], WORDS.cell_keys],
    ];
  }

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.setAttribute("role", "group");
    this.tabIndex = -1;
    for (const end of ENDS) this.#radios[end] = this.items.map((item, at) => this.#makeRadio(item, at, end));
    const rows = this.items.map((item, at) => this.#makeRow(item, at));
    this.append(element("ol", { class: "extremes", role: "list" }, rows));
    holdArrows(this);
  }

  /** @param {number} item */
  answerOf(item) {
    const [worst, best] = ENDS.map((end) => this.#chosen(end));
    if (best < 0 || worst < 0) return null;
    return { choice: item === best ? "best" : item === worst ? "worst" : "none" };
  }

  /** @param {number} item */
  draftOf(item) {
    const choice = ENDS.find((end) => this.#chosen(end) === item);
    return choice === undefined ? null : { choice };
  }

  /** @param {Map<number, Record<string, unknown>>} saved */
  restore(saved) {
    for (const [item, { choice }] of saved) {
      for (const end of ENDS) this.#radios[end][item].checked = choice === end;
    }
  }

  /**
   * A digit chooses the most, with Shift the least. Arrow keys go from button to button without choosing.
   * @param {KeyboardEvent} event
   */
  press(event) {
    if (event.key.startsWith("Arrow")) return this.#go(event.key);
    const digit = digitOf(event);
    const item = digit === null ? -1 : digit - 1;
    if (item < 0 || item >= this.items.length) return false;
    this.#choose(item, event.shiftKey ? "worst" : "best");
    return true;
  }

  /** @param {number[]} items */
  markWrong(items) {
    this.querySelectorAll(".extreme").forEach((row, item) => row.toggleAttribute("data-mistake", items.includes(item)));
  }

  /** Focus the whole group, so that no line is emphasised. */
  showMissing() {
    this.focus();
  }

  /**
   * Choose at random, for simulations.
   * @param {Random} random
   */
  simulate(random) {
    const best = Math.floor(random() * this.items.length);
    const step = 1 + Math.floor(random() * (this.items.length - 1));
    this.#choose(best, "best");
    this.#choose((best + step) % this.items.length, "worst");
  }

  /** @param {End} end */
  #chosen(end) {
    return this.#radios[end].findIndex((radio) => radio.checked);
  }

  /**
   * @param {number} item
   * @param {End} end
   */
  #choose(item, end) {
    const radio = this.#radios[end][item];
    radio.focus();
    radio.checked = true;
    this.#settle(item, end, "key");
  }

  // One item cannot be both, so the later choice replaces the earlier one.
  /**
   * @param {number} item
   * @param {End} end
   * @param {string} act
   */
  #settle(item, end, act) {
    const other = end === "best" ? "worst" : "best";
    this.#radios[other][item].checked = false;
    this.dispatchEvent(new CustomEvent("answer", { detail: { item, act, score: end } }));
  }

  /** @param {string} key */
  #go(key) {
    const at = ENDS.flatMap((end) => this.#radios[end]).findIndex((radio) => radio === document.activeElement);
    const rows = this.items.length;
    if (at < 0) return this.#focusOn(key === "ArrowUp" ? rows - 1 : 0, 0);
    const row = at % rows;
    const column = Math.floor(at / rows);
    const mirrored = getComputedStyle(this).direction === "rtl";
    if (key === "ArrowUp" || key === "ArrowDown") return this.#focusOn(row + (key === "ArrowUp" ? -1 : 1), column);
    return this.#focusOn(row, (key === "ArrowLeft") === mirrored ? 1 : 0);
  }

  /**
   * @param {number} row
   * @param {number} column
   */
  #focusOn(row, column) {
    this.#radios[ENDS[column]][row]?.focus();
    return true;
  }

  /**
   * @param {ItemOut} item
   * @param {number} at
   * @param {End} end
   */
  #makeRadio(item, at, end) {
    const label = `${LOOKS[end]}: ${nameOf(item, letterOf(at))}`;
    const onchange = () => this.#settle(at, end, "choose");
    const name = `${this.name}-${end}`;
    return element("input", { type: "radio", name, "aria-label": label, autocomplete: "off", onchange });
  }

  /**
   * @param {ItemOut} item
   * @param {number} at
   */
  #makeRow(item, at) {
    const shown = Object.assign(element(Item.tag), { item, letter: letterOf(at) });
    const box = element("div", { class: "board-item" }, makeContext(item.context), shown);
    addFolds(box, Item.tag);
    const key = (/** @type {End} */ end) => (end === "best" ? String(at + 1) : `⇧ ${at + 1}`);
    const choices = ENDS.map((end) => element("label", { class: "choice" }, this.#radios[end][at],
      element("span", { class: "choice-words" }, LOOKS[end]),
      at < MOST_DIGITS ? element("kbd", { "aria-hidden": "true" }, key(end)) : null));
    return element("li", { class: "extreme" }, box, element("div", { class: "extreme-choices" }, choices));
  }
}

/** <steelyard-best-worst>: the most and the least of several items. In and out: see Protocol. */
export default class BestWorst extends Boards {
  static kind = "best_worst";
  static tag = "steelyard-best-worst";

  makeBoard() {
    return element(Extremes.tag);
  }
}

customElements.define(Extremes.tag, Extremes);
customElements.define(BestWorst.tag, BestWorst);
