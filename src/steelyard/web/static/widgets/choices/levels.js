import { Choices } from "./choices.js";

/** @import { ScaleOut } from "../../types.js" */

const MOST_DIGITS = 9;

/**
 * <steelyard-levels>: a few labelled steps, of which one can be chosen. None is preselected.
 * In: scale (with levels), and the same as Choices. Out: score (null until chosen); event `answer` {act, score}.
 */
export class Levels extends Choices {
  /** @type {"steelyard-levels"} */
  static tag = "steelyard-levels";
  look = "level";
  field = "score";

  /** @param {ScaleOut} scale */
  set scale({ levels }) {
    const keyOf = (/** @type {number} */ index) => (index < MOST_DIGITS ? String(index + 1) : null);
    this.choices = (levels ?? []).map((level, index) => ({ ...level, key: keyOf(index) }));
  }

  get score() {
    return /** @type {number | null} */ (this.value);
  }

  /** Focus the chosen level, or the first one, from which arrow keys choose. */
  focus() {
    const place = this.querySelector("input:checked") ?? this.querySelector("input");
    if (place instanceof HTMLElement) place.focus();
  }

  /**
   * Choose a level with the keys 1 to n; true if the key was one of them.
   * @param {string} key
   * @param {{ follow?: boolean }} follow
   */
  press(key, follow = {}) {
    const level = this.choices.find((choice) => choice.key === key);
    return level !== undefined && this.choose(level.value, follow);
  }
}

customElements.define(Levels.tag, Levels);
