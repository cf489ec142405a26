import { element } from "../../elements.js";

/**
 * @import { Choice, Random, Value } from "../types.js"
 * @typedef {HTMLInputElement | HTMLButtonElement} Part the radio button or the push button of a choice
 */

/**
 * <steelyard-choices>: a few answers of equal weight, of which one can be chosen. None is preselected.
 * In: choices, label, name (unique on the page), inactive (can't judge), pushes (push buttons instead of radio
 * buttons, where a choice is also sent: arrow keys may go through radio buttons without sending what they pass).
 * Out: value (null until chosen), answer; event `answer` {act, score}.
 */
export class Choices extends HTMLElement {
  /** @type {keyof HTMLElementTagNameMap} */
  static tag = "steelyard-choices";
  /** The class of each choice, and the field of the answer. */
  look = "choice";
  field = "outcome";
  name = "";
  pushes = false;
  /** @type {readonly Choice[]} */
  choices = [];
  /** @type {Part[]} */
  #parts = [];
  #chosen = -1;
  #inactive = false;

  /** @param {string} label */
  set label(label) {
    this.setAttribute("aria-label", label);
  }

  get value() {
    return this.#chosen < 0 ? null : this.choices[this.#chosen].value;
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
    for (const part of this.#parts) part.disabled = inactive;
  }

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.setAttribute("role", this.pushes ? "group" : "radiogroup");
    this.tabIndex = -1;
    this.style.setProperty("--choices", String(this.choices.length));
    const make = this.pushes ? makePush : makeRadio;
    const made = this.choices.map((choice, index) => make(this, choice, () => this.#take(index, "choose")));
    this.#parts = made.map(({ part }) => part);
    this.append(...made.map(({ box }) => box));
  }

  /**
   * Choose by a key; true if there is a choice with this value. The focus follows unless `follow` is false.
   * @param {Value} value
   */
  choose(value, { follow = true } = {}) {
    const index = this.choices.findIndex((choice) => choice.value === value);
    if (index < 0 || this.#inactive) return false;
    if (follow) this.#parts[index].focus();
    this.#take(index, "key");
    return true;
  }

  clear() {
    this.#show(-1);
  }

  /**
   * Show an earlier choice again; nothing is announced.
   * @param {Record<string, unknown>} saved
   */
  restore({ [this.field]: value }) {
    this.#show(this.choices.findIndex((choice) => choice.value === value));
  }

  /** Focus the chosen answer, or else the whole group, so that no answer is emphasised. */
  focus() {
    if (this.#chosen < 0) super.focus();
    else this.#parts[this.#chosen].focus();
  }

  /**
   * Choose at random, for simulations.
   * @param {Random} random
   */
  simulate(random) {
    this.#take(Math.floor(random() * this.#parts.length), "choose");
  }

  /**
   * @param {number} index
   * @param {string} act
   */
  #take(index, act) {
    this.#show(index);
    this.dispatchEvent(new CustomEvent("answer", { bubbles: true, detail: { act, score: this.value } }));
  }

  /** @param {number} chosen */
  #show(chosen) {
    this.#chosen = chosen;
    this.#parts.forEach((part, index) => {
      if (part instanceof HTMLInputElement) part.checked = index === chosen;
      else part.setAttribute("aria-pressed", String(index === chosen));
    });
  }
}

// With a label of its own: a list shows the words once in its header, not in each line.
/**
 * @param {Choices} group
 * @param {Choice} choice
 * @param {() => void} take
 */
function makeRadio({ name, look }, choice, take) {
  const label = labelOf(choice);
  const part = element("input", { type: "radio", name, "aria-label": label, autocomplete: "off", onchange: take });
  return { part, box: element("label", { class: look }, part, faceOf(choice, look)) };
}

/**
 * @param {Choices} group
 * @param {Choice} choice
 * @param {() => void} take
 */
function makePush({ look }, choice, take) {
  const looks = { class: look, "aria-label": labelOf(choice), "aria-pressed": "false", onclick: take };
  const part = element("button", { type: "button", ...looks }, faceOf(choice, look));
  return { part, box: part };
}

/** @param {Choice} choice */
function labelOf({ letter, text }) {
  return [letter, text].filter(Boolean).join(" ");
}

/**
 * @param {Choice} choice
 * @param {string} look
 */
function faceOf({ text, letter, key }, look) {
  return [
    letter ? element("span", { class: "letter" }, letter) : null,
    text ? element("span", { class: `${look}-words` }, text) : null,
    key ? element("kbd", { "aria-hidden": "true" }, key) : null,
  ];
}

customElements.define(Choices.tag, Choices);
