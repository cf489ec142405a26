import { element } from "../../elements.js";
import { WORDS } from "../../words.js";

/**
 * @import { ScaleOut } from "../../types.js"
 * @import { Side } from "../types.js"
 * @import { RangeControl } from "./range-control.js"
 */

const SIDES = /** @type {const} */ (["low", "high"]);

/** A number field for each handle of a range, for people who prefer to type. The fields follow the handles. */
export class NumberFields {
  #control;
  #fields;

  /**
   * @param {RangeControl} control
   * @param {ScaleOut} scale
   * @param {string} name
   */
  constructor(control, { low, high }, name) {
    this.#control = control;
    this.#fields = {
      low: makeField(`${name}-low`, WORDS.lowest_place, { low, high }),
      high: makeField(`${name}-high`, WORDS.highest_place, { low, high }),
    };
    for (const side of SIDES) {
      const { input } = this.#fields[side];
      input.addEventListener("change", () => this.#take(side, input));
    }
    this.box = element("details", { class: "numbers" }, element("summary", {}, WORDS.type_number),
      element("div", { class: "number-fields" }, this.#fields.low.box, this.#fields.high.box));
  }

  show() {
    for (const side of SIDES) {
      const { input } = this.#fields[side];
      input.disabled = side !== this.#control.side;
      if (input !== document.activeElement) input.value = this.#typedOf(side);
    }
  }

  /**
   * @param {Side} side
   * @param {HTMLInputElement} input
   */
  #take(side, input) {
    const typed = input.valueAsNumber;
    if (Number.isFinite(typed)) this.#control[side].place(typed, "type");
    input.value = this.#typedOf(side);
  }

  /** @param {Side} side */
  #typedOf(side) {
    return String(this.#control[side].score ?? "");
  }
}

/**
 * @param {string} id
 * @param {string} words
 * @param {{ low: number, high: number }} scale
 */
function makeField(id, words, { low, high }) {
  const limits = { min: low, max: high, step: "any", inputmode: "decimal" };
  const input = element("input", { type: "number", id, class: "entry", ...limits });
  return { input, box: element("label", { for: id }, element("span", {}, words), input) };
}
