import { WORDS } from "../../words.js";
import { Protocol } from "../protocol.js";
import { makeControl } from "./control.js";

/**
 * @import { Levels } from "../choices/levels.js"
 * @import { Hint } from "../types.js"
 * @import { ScaleView } from "./scale-view.js"
 * @import { Slider } from "./slider.js"
 */

/**
 * A protocol whose answers are given on a scale, with sliders or levels. In and out: see Protocol.
 * @extends {Protocol<Slider | Levels>}
 */
export class ScaleProtocol extends Protocol {
  /**
   * Add the answer for an item and a question, on the scale of the question.
   * @param {number} item
   * @param {number} question
   * @param {string} label
   * @param {ScaleView | null} view
   */
  makeCell(item, question, label, view = null) {
    const { scale } = this.task.questions[question];
    const control = makeControl(scale, { name: `answer-${question}-${item}`, label, view });
    this.watch(control, { item, question });
    return this.addCell(item, question, control);
  }

  /**
   * Use a digit pressed outside all answers for the first open one. It does not take the focus, so that the next
   * digit goes to the next open answer.
   * @param {string} key
   */
  pressNextMissing(key) {
    const first = this.missing().at(0);
    return first !== undefined && first.control.press(key, { follow: false });
  }

  /**
   * All keys that give answers, for the list of shortcuts.
   * @returns {Hint[]}
   */
  get answerKeys() {
    const levels = this.task.questions.map(({ scale }) => scale.levels);
    const most = Math.max(0, ...levels.map((each) => Math.min(9, each?.length ?? 0)));
    return [
      ...(levels.includes(null) ? this.#sliderKeys : []),
      ...(most > 0 ? [/** @type {Hint} */ ([["1", "…", String(most)], WORDS.choose_key])] : []),
    ];
  }

  /** @returns {Hint[]} */
  get #sliderKeys() {
    const { more, less } = this.arrows;
    return [
      [[more, "↑"], WORDS.more_keys],
      [[less, "↓"], WORDS.less_keys],
      [["⇧ Shift", less, more], WORDS.big_steps],
      [["Page Up", "Page Down"], WORDS.big_steps],
      [["Home", "End"], WORDS.end_keys],
    ];
  }
}
