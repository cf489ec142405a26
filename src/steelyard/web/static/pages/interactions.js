/**
 * @import { Protocol } from "../widgets/protocol.js"
 * @import { Interaction, Value } from "../widgets/types.js"
 * @typedef {[at: number, item: number | null, question: number | null, act: string, value: Value]} Move
 */

// Of all moves of one answer, as text: what the server stores at most, less room for the count of dropped ones.
const LARGEST = 7_500;
const DRAG_PAUSE_MS = 50;

/** Records how an answer came about: [milliseconds since shown, item, question, act, value]. */
export class Interactions {
  #shownAt = performance.now();
  /** @type {Move[]} */
  #kept = [];
  #room = LARGEST;
  #dropped = 0;
  #input = "keyboard";
  #target;

  /**
   * Listen to one protocol element from now on.
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

  /** The part of an answer that says how long it took, how it was made and on what kind of page. */
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
    // A drag fires at every pixel; its course is clear from a point each 50 ms, its end from the release.
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
