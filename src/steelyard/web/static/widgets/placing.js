import { element } from "../elements.js";
import { WORDS, positionOf, toPlaceCount } from "../words.js";
import { holds, layOut } from "./card-lanes.js";
import { Leaders, leadAside, leadDown } from "./leaders.js";
import { ScaleLabels } from "./scale-labels.js";
import { ScaleView } from "./scale-view.js";
import { PlaceCard } from "./place-card.js";

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
 * <steelyard-placing>: several items on one scale, each moved freely from a tray onto the line and along it.
 * In: items [{index, ...}], scale, labelled. Out: positions [{index, position}] of those placed; event `change`.
 */
export class Placing extends HTMLElement {
  static tag = "steelyard-placing";
  items = [];
  scale = null;
  labelled = true;
  #view = null;
  #cards = [];
  #placed = new Map();
  #length = 0;
  #count = element("p", { class: "tray-count", "aria-live": "polite" });
  #tray = element("div", { class: "place-tray-cards" });
  #line = element("div", { class: "scale-line" }, element("span", { class: "solid" }));
  #leaders = new Leaders();
  #area = element("div", { class: "place-area" }, this.#leaders.layer);
  #narrow = window.matchMedia("(max-width: 699px)");
  #onNarrow = () => this.#turn();

  connectedCallback() {
    this.#narrow.addEventListener("change", this.#onNarrow);
    if (this.childElementCount > 0) return;
    this.#view = new ScaleView(this.scale);
    this.#cards = this.items.map((item) => new PlaceCard(item, this.#actsOf(), this.#leaders.add()));
    this.#build();
    this.#turn();
    new ResizeObserver(() => this.#measure()).observe(this.#area);
  }

  disconnectedCallback() {
    this.#narrow.removeEventListener("change", this.#onNarrow);
  }

  get positions() {
    return this.#cards.filter(({ position }) => position !== null)
      .map(({ item, position }) => ({ index: item.index, position }));
  }

  get missing() {
    return this.#cards.length - this.positions.length;
  }

  focus() {
    (this.#cards.find(({ position }) => position === null) ?? this.#cards[0]).box.focus();
  }

  /** Place everything as a person with this source of randomness would. */
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

  #actsOf() {
    return {
      scale: this.scale,
      isVertical: () => this.#vertical,
      isMirrored: () => getComputedStyle(this).direction === "rtl",
      line: this.#line,
      ends: () => (this.#vertical ? ENDS.column : ENDS.wide),
      put: (card, position) => this.#put(card, position),
      spoken: (position) => (position === null ? WORDS.notPlacedYet : positionOf(position, this.scale)),
    };
  }

  #build() {
    const labels = this.labelled ? this.scale : { ...this.scale, labels: [] };
    const { box, lowEnd, highEnd } = new ScaleLabels(labels, this.#view);
    this.#tray.append(...this.#cards.map(({ box: card }) => card));
    this.#line.append(...this.#cards.map(({ dot }) => dot));
    this.append(
      element("div", { class: "place-tray" }, this.#count, this.#tray),
      element("div", { class: "place-scale" }, highEnd, box, this.#line, this.#area, lowEnd));
    this.#line.style.setProperty("--solid-from", 0);
    this.#line.style.setProperty("--solid-to", 1);
    this.#tell();
  }

  #turn() {
    const { size, depth } = this.#look;
    this.toggleAttribute("data-vertical", this.#vertical);
    this.style.setProperty("--ends", `${this.#vertical ? ENDS.column : ENDS.wide}px`);
    this.style.setProperty("--card-size", `${size}px`);
    this.style.setProperty("--card-depth", `${depth}px`);
    this.style.setProperty("--upright", `${Math.max(360, this.#cards.length * (size + GAP))}px`);
    this.#placed = new Map();
    this.#measure();
  }

  #measure() {
    this.#length = this.#vertical ? this.#area.clientHeight : this.#area.clientWidth;
    this.#paint();
  }

  #put(card, position) {
    card.position = position;
    // Moving a card in the document takes the focus from it.
    const hadFocus = document.activeElement === card.box;
    if (card.box.parentElement !== this.#area) this.#area.append(card.box);
    if (hadFocus) card.box.focus({ preventScroll: true });
    this.#paint();
    this.#tell();
    this.dispatchEvent(new Event("change"));
  }

  #tell() {
    this.#count.textContent = this.missing === 0 ? WORDS.allPlaced : toPlaceCount(this.missing);
    this.toggleAttribute("data-all-placed", this.missing === 0);
  }

  #paint() {
    if (this.#length === 0) return;
    const { size, depth } = this.#look;
    const on = this.#cards.filter(({ position }) => position !== null);
    const fits = Math.max(1, holds({ length: this.#length, size, gap: GAP }));
    const lanes = this.#vertical ? 1 : Math.max(LEAST_LANES, Math.ceil(this.#cards.length / fits) + 1);
    const wanted = on.map((card) => ({ key: card, at: this.#pixel(card.position) }));
    this.#placed = layOut(wanted, { length: this.#length, size, gap: GAP, lanes }, this.#placed);
    this.style.setProperty("--area", `${LEADER + lanes * (depth + GAP)}px`);
    for (const [card, { lane, start }] of this.#placed) {
      const across = lane * (depth + GAP);
      const lead = this.#vertical ? leadAside : leadDown;
      const leader = lead(this.#pixel(card.position), { start, size, room: LEADER, across: LEADER + across });
      card.paint({ share: this.#view.share(card.position), along: start, across, leader });
    }
  }

  #pixel(position) {
    const ends = this.#vertical ? ENDS.column : ENDS.wide;
    const along = ends + this.#view.share(position) * (this.#length - 2 * ends);
    return this.#vertical ? this.#length - along : along;
  }
}

customElements.define(Placing.tag, Placing);
