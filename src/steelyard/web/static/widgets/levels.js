import { element } from "../elements.js";

/**
 * <steelyard-levels>: one of a few labelled steps; none is chosen at first.
 * In: scale (with levels), label, name (unique on the page), inactive (can't judge).
 * Out: score (null until chosen); event `answer` {act, score}.
 */
export class Levels extends HTMLElement {
  static tag = "steelyard-levels";
  #levels = [];
  #radios = [];
  #inactive = false;

  set scale(scale) {
    this.#levels = scale.levels;
  }

  set label(label) {
    this.setAttribute("aria-label", label);
  }

  get score() {
    const chosen = this.#radios.findIndex((radio) => radio.checked);
    return chosen < 0 ? null : this.#levels[chosen].value;
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
    this.style.setProperty("--levels", this.#levels.length);
    this.#radios = this.#levels.map((level) => this.#makeRadio(level));
    this.append(...this.#levels.map((level, index) => this.#makeLevel(level, index)));
  }

  /** The keys 1 to n choose a level; true when the key was one of them. The focus follows unless told not to. */
  press(key, { follow = true } = {}) {
    const radio = /^[1-9]$/.test(key) ? this.#radios[Number(key) - 1] : undefined;
    if (radio === undefined || this.#inactive) return false;
    if (follow) radio.focus();
    radio.checked = true;
    this.#announce("key");
    return true;
  }

  /** The place of the focus in this group: the chosen level, or the first. */
  focus() {
    const chosen = this.#radios.find((radio) => radio.checked);
    (chosen === undefined ? this.#radios[0] : chosen).focus();
  }

  /** Choose a level as a person with this source of randomness would. */
  simulate(random) {
    this.#radios[Math.floor(random() * this.#radios.length)].checked = true;
    this.#announce("choose");
  }

  // Named by itself: where a list has its level words in the head, they are not shown again in each line.
  #makeRadio({ text }) {
    const onchange = () => this.#announce("choose");
    return element("input", { type: "radio", name: this.name, "aria-label": text, autocomplete: "off", onchange });
  }

  #makeLevel(level, index) {
    const words = element("span", { class: "level-words" }, level.text);
    const key = element("kbd", { "aria-hidden": "true" }, String(index + 1));
    return element("label", { class: "level" }, this.#radios[index], words, index < 9 ? key : null);
  }

  #announce(act) {
    this.dispatchEvent(new CustomEvent("answer", { bubbles: true, detail: { act, score: this.score } }));
  }
}

customElements.define(Levels.tag, Levels);
