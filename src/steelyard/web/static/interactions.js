const MOST_KEPT = 500;
const DRAG_PAUSE_MS = 50;

/** Records how an answer came about: [milliseconds since shown, item, question, act, value]. */
export class Interactions {
  #shownAt = performance.now();
  #kept = [];
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
    if (this.#kept.length < MOST_KEPT) this.#kept.push([at, item, question, act, value]);
    else this.#dropped += 1;
  }

  #droppedEntry() {
    return this.#dropped === 0 ? [] : [[this.#elapsed(), null, null, "dropped", this.#dropped]];
  }

  #elapsed() {
    return Math.round(performance.now() - this.#shownAt);
  }
}
