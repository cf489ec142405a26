import { Choices } from "./choices.js";

/** @import { ScaleOut } from "../../types.js" */

const MOST_DIGITS = 9;

/**
 * <steelyard-levels>: one of a few labelled steps; none is chosen at first.
 * In: scale (with levels), and as Choices. Out: score (null until chosen); event `answer` {act, score}.
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

  /** The place of the focus in this group: the chosen level, or the first, from where arrow keys choose. */
  focus() {
    const place = this.querySelector("input:checked") ?? this.querySelector("input");
    if (place instanceof HTMLElement) place.focus();
  }

  /**
   * The keys 1 to n choose a level; true when the key was one of them.
   * @param {string} key
   * @param {{ follow?: boolean }} follow
   */
  press(key, follow = {}) {
    const level = this.choices.find((choice) => choice.key === key);
    return level !== undefined && this.choose(level.value, follow);
  }
}

customElements.define(Levels.tag, Levels);
