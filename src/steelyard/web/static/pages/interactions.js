// Of all moves of one answer, as text: what the server stores at most, less room for the count of dropped ones.
const LARGEST = 7_500;
const DRAG_PAUSE_MS = 50;

/** Records how an answer came about: [milliseconds since shown, item, question, act, value]. */
export class Interactions {
  #shownAt = performance.now();
  #kept = [];
  #room = LARGEST;
  #dropped = 0;
  #input = "keyboard";
  #target;

  /** Listen to one protocol element from now on. */
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

  #record({ item, question, act, value }) {
    const at = this.#elapsed();
    // A drag fires at every pixel; its course is clear from a point each 50 ms, its end from the release.
    if (act === "drag" && this.#kept.length > 0 && at - this.#kept.at(-1)[0] < DRAG_PAUSE_MS) return;
    const move = [at, item, question, act, value];
    const size = JSON.stringify(move).length + 2;
    if (this.#dropped > 0 || size > this.#room) {
      this.#dropped += 1;
      return;
    }
    this.#room -= size;
    this.#kept.push(move);
  }

  #droppedEntry() {
    return this.#dropped === 0 ? [] : [[this.#elapsed(), null, null, "dropped", this.#dropped]];
  }

  #elapsed() {
    return Math.round(performance.now() - this.#shownAt);
  }
}
