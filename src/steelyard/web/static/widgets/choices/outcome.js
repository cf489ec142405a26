import { element } from "../../elements.js";
import { WORDS } from "../../words.js";
import "./choices.js";
import { digitOf, latinKey } from "../keys.js";
import { STRENGTHS } from "./strengths.js";

/**
 * @import { Choice, Random } from "../types.js"
 * @import { Choices } from "./choices.js"
 *
 * @typedef {object} Asked
 * @property {boolean} ties
 * @property {boolean} bothBad
 * @property {boolean} strength
 * @property {[left: string, right: string]} letters
 * @property {string} more text after a letter, may be ""
 * @property {boolean} mirrored
 * @property {boolean} pushes whether the choice is also sent
 */

const SIDES = /** @type {const} */ (["left", "right"]);

/**
 * <steelyard-outcome>: which of two items has more and, if the study asks, by how much.
 * In: asked, label, name, inactive.
 * Out: answer (null until complete), side ("left", "right" or null); event `answer` {act, score}.
 */
export class Outcome extends HTMLElement {
  static tag = /** @type {const} */ ("steelyard-outcome");
  /** @type {Asked} */
  asked;
  label = "";
  name = "";
  /** @type {Choices} */
  #outcome;
  /** @type {Choices | null} */
  #strength = null;
  #ask = element("div", { class: "strength" });

  get inactive() {
    return this.#outcome.inactive;
  }

  set inactive(inactive) {
    this.#outcome.inactive = inactive;
    this.#showStrength();
  }

  get side() {
    return SIDES.find((side) => side === this.#outcome.value) ?? null;
  }

  get answer() {
    const { value } = this.#outcome;
    if (value === null) return null;
    if (value === "both_bad") return { outcome: "tie", both_bad: true };
    if (this.side === null || this.#strength === null) return { outcome: value };
    return this.#strength.value === null ? null : { outcome: value, strength: this.#strength.value };
  }

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.#outcome = this.#makeChoices(choicesOf(this.asked), this.label, this.name);
    this.#outcome.addEventListener("answer", () => this.#changeSide(), { capture: true });
    this.append(this.#outcome);
    if (this.asked.strength) this.#appendStrength();
  }

  /**
   * Handle the keys of a comparison; true if this element used the key.
   * @param {KeyboardEvent} event
   * @param {{ follow?: boolean }} follow
   */
  press(event, follow = {}) {
    const { key } = event;
    if (this.#inStrength() && key.startsWith("Arrow")) return false;
    if (this.#outcome.choose(this.#valueOf(event), follow)) return true;
    const strength = STRENGTHS.find((each) => each.key === latinKey(event).toUpperCase());
    return this.side !== null && this.#strength !== null && strength !== undefined
      && this.#strength.choose(strength.value, follow);
  }

  focus() {
    (this.side === null ? this.#outcome : this.#strength ?? this.#outcome).focus();
  }

  /**
   * Show an earlier answer again.
   * @param {Record<string, unknown>} saved
   */
  restore({ outcome, both_bad: bothBad, strength }) {
    this.#outcome.restore({ outcome: bothBad === true ? "both_bad" : outcome });
    this.#strength?.restore({ outcome: strength });
    this.#showStrength();
  }

  /**
   * Answer at random, for simulations.
   * @param {Random} random
   */
  simulate(random) {
    this.#outcome.simulate(random);
    if (this.side !== null) this.#strength?.simulate(random);
  }

  /**
   * @param {readonly Choice[]} choices
   * @param {string} label
   * @param {string} name
   */
  #makeChoices(choices, label, name) {
    return Object.assign(element("steelyard-choices"), { choices, label, name, pushes: this.asked.pushes });
  }

  #appendStrength() {
    this.#strength = this.#makeChoices(STRENGTHS, WORDS.by_how_much, `${this.name}-strength`);
    this.#ask.append(
      element("span", { class: "strength-words", "aria-hidden": "true" }, WORDS.by_how_much), this.#strength);
    this.append(this.#ask);
    this.#showStrength();
  }

  #changeSide() {
    this.#strength?.clear();
    this.#showStrength();
  }

  // Invisible but still in the layout, so that nothing moves when a side is chosen.
  #showStrength() {
    if (this.#strength === null) return;
    const asks = this.side !== null && !this.#outcome.inactive;
    this.#ask.classList.toggle("waits", !asks);
    this.#strength.inactive = !asks;
  }

  #inStrength() {
    return this.#strength !== null && this.#strength.contains(document.activeElement);
  }

  /** @param {KeyboardEvent} event */
  #valueOf(event) {
    const { mirrored } = this.asked;
    const digit = digitOf(event);
    if (event.key === "ArrowLeft") return mirrored ? "right" : "left";
    if (event.key === "ArrowRight") return mirrored ? "left" : "right";
    if (event.key === "ArrowDown" || digit === 0) return "tie";
    if (latinKey(event) === "x") return "both_bad";
    return digit === 1 ? "left" : digit === 2 ? "right" : null;
  }
}

/**
 * @param {Asked} asked
 * @returns {Choice[]}
 */
function choicesOf({ ties, bothBad, letters, more, mirrored }) {
  const [first, second] = mirrored ? ["→", "←"] : ["←", "→"];
  return [
    { value: "left", letter: letters[0], text: more, key: first },
    ...(ties ? [{ value: "tie", text: WORDS.about_equal, key: "↓" }] : []),
    ...(bothBad ? [{ value: "both_bad", text: WORDS.both_bad, key: "X" }] : []),
    { value: "right", letter: letters[1], text: more, key: second },
  ];
}

customElements.define(Outcome.tag, Outcome);
