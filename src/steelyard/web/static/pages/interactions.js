/**
 * @import { Protocol } from "../widgets/protocol.js"
 * @import { Interaction, Value } from "../widgets/types.js"
 * @typedef {[at: number, item: number | null, question: number | null, act: string, value: Value]} Move
 */

// Largest size of the recorded moves of one answer, as text. The server stores a little more, for the count of
// dropped moves.
const LARGEST = 7_500;
const DRAG_PAUSE_MS = 50;

/** Records the actions that led to an answer: [milliseconds since shown, item, question, act, value]. */
export class Interactions {
  #shownAt = performance.now();
  /** @type {Move[]} */
  #kept = [];
  #room = LARGEST;
  #dropped = 0;
  #input = "keyboard";
  #target;

  /**
   * Listen to one protocol element.
   * @param {Protocol} target
   */
  constructor(target) {
    this.#target = target;
    target.addEventListener("interaction", ({ detail }) => this.#record(detail));
    target.addEventListener("pointerdown", ({ pointerType }) => {
      this.#input = pointerType === "mouse" ? "mouse" : "touch";
    });
    target.addEventListener("keydown", () => {
      this.#input = "keyboard";
    });
  }

  /** Duration, actions and page properties, which are sent with the answer. */
  summary() {
    const { clientWidth, clientHeight, dir } = document.documentElement;
    return {
      milliseconds: this.#elapsed(),
      interactions: [...this.#kept, ...this.#droppedEntry()],
      shown: {
        width: clientWidth,
        height: clientHeight,
        direction: dir === "rtl" ? "rtl" : "ltr",
        input: this.#input,
        ...this.#target.shown,
      },
    };
  }

  /** @param {Interaction} interaction */
  #record({ item, question, act, value }) {
    const at = this.#elapsed();
    // A drag fires at every pixel. One point per 50 ms shows its path, and the release shows its end.
    if (act === "drag" && at - (this.#kept.at(-1)?.[0] ?? -Infinity) < DRAG_PAUSE_MS) return;
    /** @type {Move} */
    const move = [at, item, question, act, value];
    const size = JSON.stringify(move).length + 2;
    if (this.#dropped > 0 || size > this.#room) {
      this.#dropped += 1;
      return;
    }
    this.#room -= size;
    this.#kept.push(move);
  }

  /** @returns {Move[]} */
  #droppedEntry() {
    return this.#dropped === 0 ? [] : [[this.#elapsed(), null, null, "dropped", this.#dropped]];
  }

  #elapsed() {
    return Math.round(performance.now() - this.#shownAt);
  }
}
