import { element } from "../../elements.js";

/** @import { Choice, Random, Value } from "../types.js" */

/**
 * <steelyard-choices>: a few answers of equal weight, of which one can be chosen. None is preselected.
 * In: choices, label, name (unique on the page), inactive (can't judge).
 * Out: value (null until chosen), answer; event `answer` {act, score}.
 */
export class Choices extends HTMLElement {
  /** @type {keyof HTMLElementTagNameMap} */
  static tag = "steelyard-choices";
  /** The class of each choice, and the field of the answer. */
  look = "choice";
  field = "outcome";
  name = "";
  /** @type {readonly Choice[]} */
  choices = [];
  /** @type {HTMLInputElement[]} */
  #radios = [];
  #inactive = false;

  /** @param {string} label */
  set label(label) {
    this.setAttribute("aria-label", label);
  }

  get value() {
    const chosen = this.#radios.findIndex((radio) => radio.checked);
    return chosen < 0 ? null : this.choices[chosen].value;
  }

  get answer() {
    return this.value === null ? null : { [this.field]: this.value };
  }

  get inactive() {
    return this.#inactive;
  }

  set inactive(inactive) {
    this.#inactive = inactive;
    this.toggleAttribute("data-inactive", inactive);
    this.setAttribute("aria-disabled", String(inactive));
    for (const radio of this.#radios) radio.disabled = inactive;
  }

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.setAttribute("role", "radiogroup");
    this.tabIndex = -1;
    this.style.setProperty("--choices", String(this.choices.length));
    this.#radios = this.choices.map((choice) => this.#makeRadio(choice));
    this.append(...this.choices.map((choice, index) => this.#makeChoice(choice, this.#radios[index])));
  }

  /**
   * Choose by a key; true if there is a choice with this value. The focus follows unless `follow` is false.
   * @param {Value} value
   */
  choose(value, { follow = true } = {}) {
    const radio = this.#radios[this.choices.findIndex((choice) => choice.value === value)];
    if (radio === undefined || this.#inactive) return false;
    if (follow) radio.focus();
    radio.checked = true;
    this.#announce("key");
    return true;
  }

  clear() {
    for (const radio of this.#radios) radio.checked = false;
  }

  /** Focus the chosen answer, or else the whole group, so that no answer is emphasised. */
  focus() {
    const chosen = this.#radios.find((radio) => radio.checked);
    if (chosen === undefined) super.focus();
    else chosen.focus();
  }

  /**
   * Choose at random, for simulations.
   * @param {Random} random
   */
  simulate(random) {
    this.#radios[Math.floor(random() * this.#radios.length)].checked = true;
    this.#announce("choose");
  }

  // With a label of its own: a list shows the words once in its header, not in each line.
  /** @param {Choice} choice */
  #makeRadio({ text, letter }) {
    const label = [letter, text].filter(Boolean).join(" ");
    const onchange = () => this.#announce("choose");
    return element("input", { type: "radio", name: this.name, "aria-label": label, autocomplete: "off", onchange });
  }

  /**
   * @param {Choice} choice
   * @param {HTMLInputElement} radio
   */
  #makeChoice({ text, letter, key }, radio) {
    const { look } = this;
    return element("label", { class: look }, radio,
      letter ? element("span", { class: "letter" }, letter) : null,
      text ? element("span", { class: `${look}-words` }, text) : null,
      key ? element("kbd", { "aria-hidden": "true" }, key) : null);
  }

  /** @param {string} act */
  #announce(act) {
    this.dispatchEvent(new CustomEvent("answer", { bubbles: true, detail: { act, score: this.value } }));
  }
}

customElements.define(Choices.tag, Choices);
