import { element } from "../../elements.js";
import { WORDS } from "../../words.js";

/** A field for each handle of a range, for those who would rather type its place; both follow the handles. */
export class NumberFields {
  #control;
  #fields;

  constructor(control, { low, high }, name) {
    this.#control = control;
    this.#fields = {
      low: makeField(`${name}-low`, WORDS.lowestPlace, { low, high }),
      high: makeField(`${name}-high`, WORDS.highestPlace, { low, high }),
    };
    for (const [side, { input }] of Object.entries(this.#fields)) {
      input.addEventListener("change", () => this.#take(side, input));
    }
    this.box = element("details", { class: "numbers" }, element("summary", {}, WORDS.typeNumber),
      element("div", { class: "number-fields" }, this.#fields.low.box, this.#fields.high.box));
  }

  show() {
    for (const [side, { input }] of Object.entries(this.#fields)) {
      input.disabled = side !== this.#control.side;
      if (input !== document.activeElement) input.value = this.#control[side].score ?? "";
    }
  }

  #take(side, input) {
    const typed = input.valueAsNumber;
    if (Number.isFinite(typed)) this.#control[side].place(typed, "type");
    input.value = this.#control[side].score ?? "";
  }
}

function makeField(id, words, { low, high }) {
  const limits = { min: low, max: high, step: "any", inputmode: "decimal" };
  const input = element("input", { type: "number", id, class: "entry", ...limits });
  return { input, box: element("label", { for: id }, element("span", {}, words), input) };
}
