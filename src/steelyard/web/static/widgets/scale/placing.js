import { element } from "../../elements.js";
import { WORDS, say } from "../../words.js";
import { holds, layOut } from "../cards/card-lanes.js";
import { Leaders, leadAside, leadDown } from "../cards/leaders.js";
import { ScaleLabels } from "./scale-labels.js";
import { ScaleView } from "./scale-view.js";
import { nearestStep } from "./steps.js";
import { PlaceCard } from "./place-card.js";

/**
 * @import { ScaleOut, SeedItemOut } from "../../types.js"
 * @import { Placed } from "../cards/card-lanes.js"
 * @import { Point, Random } from "../types.js"
 * @import { PlaceActs } from "./place-card.js"
 */

const GAP = 8;
const LEAST_LANES = 2;
const LEADER = 36;
const LOOKS = Object.freeze({
  wide: { size: 156, depth: 80 },
  pictures: { size: 116, depth: 116 },
  column: { size: 46, depth: 0 },
  columnPictures: { size: 72, depth: 0 },
});
const ENDS = Object.freeze({ wide: 48, column: 16 });

/**
 * <steelyard-placing>: several items that are moved from a tray onto one scale and along it. A card can also be
 * tapped, and then the line at the place where the card should go.
 * In: items [{index, ...}], scale, labelled, places (a Map of index to initial position).
 * Out: positions [{index, position}] of the placed items; event `change`.
 */
export class Placing extends HTMLElement {
  static tag = /** @type {const} */ ("steelyard-placing");
  /** @type {SeedItemOut[]} */
  items = [];
  /** @type {ScaleOut} */
  scale;
  labelled = true;
  /** @type {Map<number, number>} */
  places = new Map();
  /** @type {ScaleView} */
  #view;
  /** @type {PlaceCard[]} */
  #cards = [];
  /** @type {Map<PlaceCard, Placed>} */
  #placed = new Map();
  #length = 0;
  /** @type {PlaceCard | null} */
  #picked = null;
  #count = element("p", { class: "tray-count", "aria-live": "polite" });
  #tray = element("div", { class: "place-tray-cards" });
  #line = element("div", { class: "scale-line" }, element("span", { class: "solid" }));
  #leaders = new Leaders();
  #area = element("div", { class: "place-area" }, this.#leaders.layer);
  #narrow = window.matchMedia("(max-width: 699px) and (min-height: 480px)");
  #onNarrow = () => this.#turn();

  connectedCallback() {
    this.#narrow.addEventListener("change", this.#onNarrow);
    if (this.childElementCount > 0) return;
    this.#view = new ScaleView(this.scale);
    this.#cards = this.items.map((item) => new PlaceCard(item, this.#actsOf(), this.#leaders.add()));
    this.#build();
    this.#turn();
    for (const card of this.#cards) {
      const position = this.places.get(card.item.index);
      if (position !== undefined) this.#put(card, position);
    }
    new ResizeObserver(() => this.#measure()).observe(this.#area);
    this.#keepTray();
  }

  // The tray keeps the height that it has with all of its cards, so that the line does not move when they leave it.
  #keepTray() {
    const tray = this.#tray.parentElement ?? this.#tray;
    const inside = this.#cards.filter(({ position }) => position !== null).map(({ box }) => box);
    this.#tray.append(...inside);
    tray.style.minBlockSize = "";
    tray.style.minBlockSize = `${tray.offsetHeight}px`;
    this.#area.append(...inside);
  }

  disconnectedCallback() {
    this.#narrow.removeEventListener("change", this.#onNarrow);
  }

  get positions() {
    return this.#cards.flatMap(({ item: { index }, position }) => (position === null ? [] : [{ index, position }]));
  }

  get missing() {
    return this.#cards.length - this.positions.length;
  }

  focus() {
    (this.#cards.find(({ position }) => position === null) ?? this.#cards[0]).box.focus();
  }

  /**
   * Place all items at random, for simulations.
   * @param {Random} random
   */
  simulate(random) {
    for (const card of this.#cards) this.#put(card, this.scale.low + random() * (this.scale.high - this.scale.low));
  }

  get #vertical() {
    return this.#narrow.matches;
  }

  get #look() {
    const pictures = this.items.some(({ kind }) => kind === "image");
    if (this.#vertical) return pictures ? LOOKS.columnPictures : LOOKS.column;
    return pictures ? LOOKS.pictures : LOOKS.wide;
  }

  get #ends() {
    return this.#vertical ? ENDS.column : ENDS.wide;
  }

  get #mirrored() {
    return getComputedStyle(this).direction === "rtl";
  }

  /** @param {number | null} position */
  #spoken(position) {
    const { low, high } = this.scale;
    return position === null ? WORDS.not_placed_yet : say("position_of", { score: position, low, high });
  }

  /** @returns {PlaceActs} */
  #actsOf() {
    return {
      scale: this.scale,
      isVertical: () => this.#vertical,
      isMirrored: () => this.#mirrored,
      room: () => this.#room(),
      positionAt: (point) => this.#positionAt(point),
      put: (card, position) => this.#put(card, position),
      pick: (card) => this.#pick(card),
      hold: (card) => this.#hold(card),
      letGo: () => this.removeAttribute("data-moving"),
      spoken: (position) => this.#spoken(position),
    };
  }

  // The part of the window in which the line is visible, between the sticky tray and the dock.
  #room() {
    const tray = this.#tray.parentElement ?? this.#tray;
    const isSticky = getComputedStyle(tray).position === "sticky";
    const dock = this.closest("#cold-start")?.querySelector(".dock");
    return {
      top: isSticky ? tray.getBoundingClientRect().bottom : 0,
      bottom: dock?.getBoundingClientRect().top ?? window.innerHeight,
    };
  }

  /** @param {Point} point */
  #positionAt({ clientX, clientY }) {
    const { left, width, bottom, height } = this.#line.getBoundingClientRect();
    const up = (bottom - this.#ends - clientY) / (height - 2 * this.#ends);
    const across = (clientX - left - this.#ends) / (width - 2 * this.#ends);
    const share = this.#vertical ? up : this.#mirrored ? 1 - across : across;
    return nearestStep(this.scale, this.scale.low + share * (this.scale.high - this.scale.low));
  }

  /** @param {PlaceCard} card */
  #pick(card) {
    this.#picked = card;
    card.box.focus({ preventScroll: true });
  }

  // A touch does not set the focus. Nothing may move under the finger.
  /** @param {PlaceCard} card */
  #hold(card) {
    this.#picked = null;
    this.setAttribute("data-moving", "");
    card.box.focus({ preventScroll: true });
  }

  /** @param {Point} event */
  #onLine(event) {
    const card = this.#picked;
    if (card === null) return;
    this.#picked = null;
    this.#put(card, this.#positionAt(event));
    card.box.focus({ preventScroll: true });
  }

  #build() {
    const labels = this.labelled ? this.scale : { ...this.scale, labels: [] };
    const { box, lowEnd, highEnd } = new ScaleLabels(labels, this.#view);
    this.#tray.append(...this.#cards.map(({ box: card }) => card));
    this.#line.append(...this.#cards.map(({ dot }) => dot));
    this.#line.addEventListener("click", (event) => this.#onLine(event));
    this.append(
      element("div", { class: "place-tray" }, this.#count, this.#tray),
      element("div", { class: "place-scale" }, highEnd, box, this.#line, this.#area, lowEnd));
    this.#line.style.setProperty("--solid-from", "0");
    this.#line.style.setProperty("--solid-to", "1");
    this.#showCount();
  }

  #turn() {
    const { size, depth } = this.#look;
    this.toggleAttribute("data-vertical", this.#vertical);
    this.style.setProperty("--ends", `${this.#ends}px`);
    this.style.setProperty("--card-size", `${size}px`);
    this.style.setProperty("--card-depth", `${depth}px`);
    this.style.setProperty("--upright", `${Math.max(360, this.#cards.length * (size + GAP))}px`);
    this.#placed = new Map();
    this.#measure();
    this.#keepTray();
  }

  #measure() {
    this.#length = this.#vertical ? this.#area.clientHeight : this.#area.clientWidth;
    this.#paint();
  }

  /**
   * @param {PlaceCard} card
   * @param {number} position
   */
  #put(card, position) {
    card.position = position;
    // A card loses the focus when it is moved in the document.
    const hadFocus = document.activeElement === card.box;
    if (card.box.parentElement !== this.#area) this.#area.append(card.box);
    if (hadFocus) card.box.focus({ preventScroll: true });
    this.#paint();
    this.#showCount();
    this.dispatchEvent(new Event("change"));
  }

  #showCount() {
    this.#count.textContent = this.missing === 0 ? WORDS.all_placed : say("to_place_count", { count: this.missing });
    this.toggleAttribute("data-all-placed", this.missing === 0);
  }

  #paint() {
    if (this.#length === 0) return;
    const { size, depth } = this.#look;
    const fits = Math.max(1, holds({ length: this.#length, size, gap: GAP }));
    const lanes = this.#vertical ? 1 : Math.max(LEAST_LANES, Math.ceil(this.#cards.length / fits) + 1);
    const wanted = this.#cards.flatMap((card) =>
      (card.position === null ? [] : [{ key: card, at: this.#pixel(card.position) }]));
    this.#placed = layOut(wanted, { length: this.#length, size, gap: GAP, lanes }, this.#placed);
    this.style.setProperty("--area", `${LEADER + lanes * (depth + GAP)}px`);
    for (const [card, { lane, start }] of this.#placed) {
      const across = lane * (depth + GAP);
      const position = card.position ?? this.scale.low;
      const lead = this.#vertical ? leadAside : leadDown;
      const leader = lead(this.#pixel(position), { start, size, room: LEADER, across: LEADER + across });
      card.paint({ share: this.#view.share(position), along: start, across, leader });
    }
  }

  /** @param {number} position */
  #pixel(position) {
    const along = this.#ends + this.#view.share(position) * (this.#length - 2 * this.#ends);
    return this.#vertical ? this.#length - along : along;
  }
}

customElements.define(Placing.tag, Placing);
