import { element } from "../../elements.js";
import { WORDS } from "../../words.js";
import { Slider } from "./slider.js";

/**
 * @import { ScaleOut } from "../../types.js"
 * @import { Answered, Random, Side } from "../types.js"
 * @import { ScaleView } from "./scale-view.js"
 */

const SIDES = /** @type {const} */ (["low", "high"]);
/** @type {readonly string[]} */
const AT_END = Object.freeze(["jump", "keep"]);

/** The two handles of a range. Each is placed in its own step. They may meet but not cross. */
export class RangeControl {
  #scale;
  #view;
  /** @type {Slider} */
  low;
  /** @type {Slider} */
  high;
  /** @type {Side} */
  side = "low";
  #kept = { low: false, high: false };

  /**
   * @param {ScaleOut} scale
   * @param {ScaleView} view
   * @param {string} label
   */
  constructor(scale, view, label) {
    this.#scale = scale;
    this.#view = view;
    this.low = makeHandle("low", { scale, view, label: `${WORDS.lowest_place}: ${label}`, rest: scale.low });
    this.high = makeHandle("high", { scale, view, label: `${WORDS.highest_place}: ${label}`, rest: scale.high });
    for (const side of SIDES) {
      this[side].addEventListener("answer", ({ detail }) => this.#note(side, detail));
    }
    this.select("low");
  }

  /** Null until both handles were moved, or deliberately left at the ends of the scale. */
  get answer() {
    const [low, high] = [this.low.score, this.high.score];
    if (low === null || high === null) return null;
    const outside = this.#view.isOutside(low) || this.#view.isOutside(high);
    return { low, high, kept_low: this.#kept.low, kept_high: this.#kept.high, outside };
  }

  /** The answer of the first step, with the high bound at the end of the scale; null before the first answer. */
  get half() {
    const low = this.low.score;
    if (low === null) return null;
    const high = Math.max(this.#scale.high, low);
    return { low, high, kept_low: this.#kept.low, kept_high: false, outside: this.#view.isOutside(low) };
  }

  /**
   * Show earlier bounds again, or only the lower one.
   * @param {Record<string, unknown>} saved
   */
  restore({ low, high, kept_low: keptLow, kept_high: keptHigh }) {
    this.low.restore({ score: low });
    this.high.restore({ score: high });
    this.#kept = { low: keptLow === true, high: keptHigh === true };
    this.#meet();
  }

  /** What was placed so far; null for a bound that was not. */
  get draft() {
    return { low: this.low.score, high: this.high.score, kept_low: this.#kept.low, kept_high: this.#kept.high };
  }

  get inactive() {
    return this.low.inactive;
  }

  set inactive(inactive) {
    this.low.inactive = inactive;
    this.high.inactive = inactive;
  }

  /**
   * Make this handle movable and the other one fixed.
   * @param {Side} side
   */
  select(side) {
    this.side = side;
    for (const each of SIDES) {
      this[each].toggleAttribute("data-still", each !== side);
      this[each].tabIndex = each === side ? 0 : -1;
    }
    this.#meet();
  }

  get handle() {
    return this[this.side];
  }

  /** Accept the end of the scale as the answer. */
  keep() {
    this.handle.place(this.side === "low" ? this.#scale.low : this.#scale.high, "keep");
  }

  focus() {
    this.handle.focus();
  }

  /** @param {Random} random */
  simulate(random) {
    const { low, high } = this.#scale;
    const [one, other] = [random(), random()].sort((a, b) => a - b);
    this.low.place(low + one * (high - low), "place");
    this.high.place(low + other * (high - low), "place");
  }

  /**
   * @param {Side} side
   * @param {Answered} answered
   */
  #note(side, { act, score }) {
    this.#kept[side] = AT_END.includes(act) && score === this.#scale[side];
    this.#meet();
  }

  #meet() {
    this.low.limits = { low: -Infinity, high: this.high.score ?? Infinity };
    this.high.limits = { low: this.low.score ?? -Infinity, high: Infinity };
  }
}

/**
 * @param {Side} side
 * @param {{ scale: ScaleOut, view: ScaleView, label: string, rest: number }} settings
 */
function makeHandle(side, settings) {
  return Object.assign(element(Slider.tag, { class: "control handle-flag", "data-side": side }), settings);
}
