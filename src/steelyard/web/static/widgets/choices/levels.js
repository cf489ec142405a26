import { Choices } from "./choices.js";

const MOST_DIGITS = 9;

/**
 * <steelyard-levels>: one of a few labelled steps; none is chosen at first.
 * In: scale (with levels), and as Choices. Out: score (null until chosen); event `answer` {act, score}.
 */
export class Levels extends Choices {
  static tag = "steelyard-levels";
  static look = "level";
  static field = "score";

  set scale({ levels }) {
    this.choices = levels.map((level, index) => ({ ...level, key: index < MOST_DIGITS ? String(index + 1) : null }));
  }

  get score() {
    return this.value;
  }

  /** The place of the focus in this group: the chosen level, or the first, from where arrow keys choose. */
  focus() {
    (this.querySelector("input:checked") ?? this.querySelector("input")).focus();
  }

  /** The keys 1 to n choose a level; true when the key was one of them. */
  press(key, follow) {
    const level = this.choices.find((choice) => choice.key === key);
    return level !== undefined && this.choose(level.value, follow);
  }
}

customElements.define(Levels.tag, Levels);
