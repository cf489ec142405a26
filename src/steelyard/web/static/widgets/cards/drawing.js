import { element, find, icon } from "../../elements.js";
import { WORDS, say } from "../../words.js";
import { Item } from "../item.js";
import { wordsOf } from "../names.js";

/** @import { SeedItemOut } from "../../types.js" */

/**
 * <steelyard-drawing>: items drawn at random. Any of them can be dropped and restored.
 * In: items [{index, ...}], dropped (the same, from earlier draws). Out: kept [index, ...]; event `change`.
 */
export class Drawing extends HTMLElement {
  static tag = /** @type {const} */ ("steelyard-drawing");
  /** @type {SeedItemOut[]} */
  items = [];
  /** @type {SeedItemOut[]} */
  dropped = [];
  /** @type {SeedItemOut[]} */
  #all = [];
  /** @type {Set<number>} */
  #dropped = new Set();
  #cards = element("ul", { class: "drawn", role: "list" });
  #aside = element("div", { class: "dropped" });

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.append(this.#cards, this.#aside);
    this.#cards.addEventListener("keydown", (event) => this.#onKey(event));
    this.show(this);
  }

  /**
   * Show the items in the set and the items dropped from it.
   * @param {{ items: SeedItemOut[], dropped: SeedItemOut[] }} state
   */
  show({ items, dropped }) {
    this.#all = [...items, ...dropped];
    this.#dropped = new Set(dropped.map(({ index }) => index));
    this.#paint();
  }

  get kept() {
    return this.#all.map(({ index }) => index).filter((index) => !this.#dropped.has(index));
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const target = /** @type {Element} */ (event.target);
    const card = target.closest("[data-index]");
    if (event.key !== "Delete" || !(card instanceof HTMLElement)) return;
    event.preventDefault();
    this.#drop(Number(card.dataset.index));
  }

  /** @param {number} index */
  #drop(index) {
    const place = this.kept.indexOf(index);
    this.#dropped.add(index);
    this.#paint();
    const buttons = this.#cards.querySelectorAll("button.drop");
    const next = buttons[Math.min(place, buttons.length - 1)] ?? this.#aside.querySelector("button");
    if (next instanceof HTMLElement) next.focus();
  }

  /** @param {number} index */
  #takeBack(index) {
    this.#dropped.delete(index);
    this.#paint();
    find(this.#cards, `[data-index="${index}"] .drop`).focus();
  }

  #paint() {
    const kept = this.#all.filter(({ index }) => !this.#dropped.has(index));
    const dropped = this.#all.filter(({ index }) => this.#dropped.has(index));
    this.#cards.replaceChildren(...kept.map((item) => this.#makeCard(item)));
    const count = say("dropped_count", { count: dropped.length });
    this.#aside.replaceChildren(...(dropped.length === 0 ? [] : [
      element("p", { role: "status" }, count), ...dropped.map((item) => this.#makeChip(item))]));
    this.dispatchEvent(new Event("change"));
  }

  /** @param {SeedItemOut} item */
  #makeCard(item) {
    const label = say("labelled", { label: WORDS.drop, text: wordsOf(item) });
    const looks = { class: "button quiet drop", "aria-label": label };
    const drop = element("button", { type: "button", ...looks, onclick: () => this.#drop(item.index) },
      icon("cross"), element("span", {}, WORDS.drop));
    return element("li", { class: "card drawn-card", "data-index": item.index },
      Object.assign(element(Item.tag), { item }), drop);
  }

  /** @param {SeedItemOut} item */
  #makeChip(item) {
    const name = wordsOf(item);
    const looks = { class: "button quiet chip", "aria-label": say("bring_back", { name }) };
    return element("button", { type: "button", ...looks, onclick: () => this.#takeBack(item.index) },
      element("span", { dir: "auto" }, name), icon("undo", { mirrored: true }));
  }
}

customElements.define(Drawing.tag, Drawing);
