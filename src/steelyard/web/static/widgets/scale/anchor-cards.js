import { element } from "../../elements.js";
import { WORDS } from "../../words.js";
import { holds, layOut } from "../cards/card-lanes.js";
import { Leaders, leadAside, leadDown } from "../cards/leaders.js";
import { wordsOf } from "../names.js";
import { openReading } from "./reading.js";

/**
 * @import { ContentOut, LabelOut } from "../../types.js"
 * @import { Placed } from "../cards/card-lanes.js"
 * @import { Around, Entry } from "../types.js"
 * @import { AnchorSet } from "./anchor-set.js"
 * @import { ScaleView } from "./scale-view.js"
 * @typedef {Entry | { label: string, at: number }} Shown an anchor, or a label beside a vertical line
 * @typedef {{ box: HTMLElement, leader: SVGPathElement, isNear: boolean, lane: number, start: number,
 *   at: number }} Card
 */

const GAP = 8;
const NEIGHBOURS = 2;
const ENDS = 2;

/** Card sizes in pixels: along the line, across it, lines of text, number of lanes, and space for the leader lines. */
const LOOKS = Object.freeze({
  wide: { size: 156, depth: 80, lines: 3, lanes: 2, leader: 40 },
  widePictures: { size: 100, depth: 92, lines: 0, lanes: 1, leader: 36 },
  short: { size: 156, depth: 78, lines: 3, lanes: 2, leader: 32 },
  shortPictures: { size: 96, depth: 66, lines: 0, lanes: 1, leader: 32 },
  low: { size: 132, depth: 58, lines: 2, lanes: 1, leader: 30 },
  lowPictures: { size: 72, depth: 58, lines: 0, lanes: 1, leader: 30 },
  strip: { size: 128, depth: 58, lines: 2, lanes: 2, leader: 18 },
  column: { size: 46, depth: 0, lines: 2, lanes: 1, leader: 44 },
  columnPictures: { size: 64, depth: 0, lines: 0, lanes: 1, leader: 44 },
  shortColumn: { size: 46, depth: 0, lines: 2, lanes: 1, leader: 44 },
  shortColumnPictures: { size: 56, depth: 0, lines: 0, lanes: 1, leader: 44 },
});

/**
 * <steelyard-anchors>: examples along a scale, as cards that never overlap, each with a line to its position.
 * In: view, ends (pixels before the line's ends), strip (few small cards), vertical, labels, most, distance.
 * Methods: show(set), highlight(neighbours). Out: event `anchor` {at} when a card is activated. A card whose text is
 * cut, or that shows a picture, first opens for reading.
 */
export class Anchors extends HTMLElement {
  static tag = /** @type {const} */ ("steelyard-anchors");
  /** @type {ScaleView} */
  view;
  ends = 0;
  strip = false;
  most = 7;
  distance = 0.08;
  /** @type {Shown[]} */
  #words = [];
  #vertical = false;
  /** @type {AnchorSet | null} */
  #set = null;
  #length = 0;
  /** @type {Entry[]} */
  #spread = [];
  /** @type {Around} */
  #around = { below: null, above: null };
  /** @type {number[]} */
  #wrong = [];
  /** @type {Map<Shown, Placed>} */
  #placed = new Map();
  /** @type {Map<Shown, Card>} */
  #cards = new Map();
  #leaders = new Leaders();
  #isShort = window.matchMedia("(max-height: 740px)");
  #isLow = window.matchMedia("(max-height: 479px)");
  #onShort = () => this.#set !== null && this.show(this.#set);

  /**
   * Labels of the scale. Beside a vertical line they are shown among the cards.
   * @param {LabelOut[]} labels
   */
  set labels(labels) {
    this.#words = labels.map(({ at, text }) => ({ at, label: text }));
  }

  /** @param {boolean} vertical */
  set vertical(vertical) {
    this.#vertical = vertical;
    this.toggleAttribute("data-vertical", vertical);
    this.#placed = new Map();
  }

  connectedCallback() {
    for (const query of [this.#isShort, this.#isLow]) query.addEventListener("change", this.#onShort);
    if (this.childElementCount > 0) return;
    this.append(this.#leaders.layer);
    this.view.addEventListener("view", () => this.#choose());
    new ResizeObserver(([{ contentRect }]) => this.#measure(contentRect)).observe(this);
  }

  disconnectedCallback() {
    for (const query of [this.#isShort, this.#isLow]) query.removeEventListener("change", this.#onShort);
  }

  /**
   * Show these anchors along the line.
   * @param {AnchorSet} set
   */
  show(set) {
    this.#set = set;
    for (const { box, leader } of this.#cards.values()) {
      box.remove();
      leader.remove();
    }
    this.#cards.clear();
    this.#placed = new Map();
    this.#look();
    this.#choose();
  }

  /**
   * Highlight the nearest anchors below and above the handle. Either may be null.
   * @param {Around} around
   */
  highlight(around) {
    if (around.below === this.#around.below && around.above === this.#around.above) return;
    this.#around = around;
    this.#paint();
  }

  /**
   * Mark these anchors as being on the wrong side of the handle, and show them even if there is little room.
   * @param {number[]} places
   */
  markWrong(places) {
    this.#wrong = places;
    this.#paint();
  }

  get #measures() {
    const pictures = (this.#set?.entries ?? []).some(({ anchor }) => anchor.kind === "image");
    if (this.strip && !this.#vertical) return LOOKS.strip;
    return pictures ? LOOKS[/** @type {const} */ (`${this.#room}Pictures`)] : LOOKS[this.#room];
  }

  get #room() {
    if (this.#vertical) return this.#isShort.matches ? "shortColumn" : "column";
    return this.#isLow.matches ? "low" : this.#isShort.matches ? "short" : "wide";
  }

  #look() {
    const { size, depth, lines, lanes, leader } = this.#measures;
    this.style.setProperty("--card-lines", String(lines));
    this.style.setProperty("--card-size", `${size}px`);
    this.style.setProperty("--card-depth", `${depth}px`);
    this.style.setProperty("--leader", `${leader}px`);
    this.style.setProperty("--cards-depth", `${leader + lanes * (depth + GAP)}px`);
  }

  /** @param {DOMRectReadOnly} box */
  #measure({ width, height }) {
    const length = this.#vertical ? height : width;
    if (length === this.#length || this.#set === null) return;
    this.#length = length;
    this.#choose();
  }

  // Leave room for the two neighbours of the handle, but show examples at both ends if they fit beside them.
  #choose() {
    if (this.#set === null || this.#length === 0) return;
    const { from, to } = this.view;
    const most = Math.max(ENDS, Math.min(this.most, this.#capacity - NEIGHBOURS));
    this.#spread = this.#set.spread(from, to, most, this.distance * (to - from));
    this.#paint();
  }

  get #capacity() {
    const { size, lanes } = this.#measures;
    return lanes * holds({ length: this.#length, size, gap: GAP });
  }

  // In the order in which cards get room. Those on the wrong side and the neighbours of the handle are never dropped.
  /** @returns {Shown[]} */
  get #shown() {
    const { from, to } = this.view;
    const isInView = (/** @type {Entry} */ { at }) => at >= from && at <= to;
    const wrong = (this.#set?.entries ?? []).filter(({ place }) => this.#wrong.includes(place)).filter(isInView);
    const near = [this.#around.below, this.#around.above].filter((each) => each !== null).filter(isInView);
    const isCrowded = new Set([...wrong, ...near, ...this.#spread]).size > this.#capacity;
    const order = isCrowded ? [...wrong, ...near, ...this.#spread] : [...wrong, ...this.#spread, ...near];
    const words = this.#vertical ? this.#words.filter(({ at }) => at > from && at < to) : [];
    return [...new Set(order), ...words];
  }

  #paint() {
    if (this.#length === 0) return;
    const shown = this.#shown;
    const { size, lanes } = this.#measures;
    const cards = shown.map((entry) => ({ key: entry, at: this.#pixel(entry.at) }));
    this.#placed = layOut(cards, { length: this.#length, size, gap: GAP, lanes }, this.#placed);
    for (const [entry, card] of this.#cards) if (!this.#placed.has(entry)) this.#takeOff(entry, card);
    for (const [entry, place] of this.#placed) this.#put(entry, place);
  }

  /** @param {number} at */
  #pixel(at) {
    const along = this.ends + this.view.share(at) * (this.#length - 2 * this.ends);
    return this.#vertical ? this.#length - along : along;
  }

  /**
   * @param {Shown} entry
   * @param {Card} card
   */
  #takeOff(entry, { box, leader }) {
    box.remove();
    leader.remove();
    this.#cards.delete(entry);
  }

  /**
   * @param {Shown} entry
   * @param {Placed} placed
   */
  #put(entry, { lane, start }) {
    const card = this.#cards.get(entry) ?? this.#make(entry);
    const isNear = entry === this.#around.below || entry === this.#around.above;
    if (card.isNear !== isNear) {
      card.isNear = isNear;
      card.box.classList.toggle("near", isNear);
      card.leader.classList.toggle("near", isNear);
    }
    card.box.classList.toggle("wrong", "place" in entry && this.#wrong.includes(entry.place));
    const at = this.#pixel(entry.at);
    if (card.lane === lane && card.start === start && card.at === at) return;
    Object.assign(card, { lane, start, at });
    this.#move(card);
  }

  /** @param {Card} card */
  #move({ box, leader, lane, start, at }) {
    const { size, depth, leader: room } = this.#measures;
    const across = room + lane * (depth + GAP);
    box.style.setProperty("--along", `${start}px`);
    box.style.setProperty("--across", `${lane * (depth + GAP)}px`);
    const lead = this.#vertical ? leadAside : leadDown;
    leader.setAttribute("d", lead(at, { start, size, room, across }));
  }

  /**
   * @param {Shown} entry
   * @returns {Card}
   */
  #make(entry) {
    const box = "label" in entry
      ? element("span", { class: "anchor-label", "aria-hidden": "true" }, entry.label)
      : this.#makeAnchor(entry);
    const leader = this.#leaders.add();
    box.dataset.at = String(entry.at);
    this.append(box);
    const card = { box, leader, isNear: false, lane: -1, start: 0, at: 0 };
    this.#cards.set(entry, card);
    return card;
  }

  /** @param {Entry} entry */
  #makeAnchor({ anchor, at }) {
    const move = () => this.dispatchEvent(new CustomEvent("anchor", { bubbles: true, detail: { at } }));
    const looks = { class: anchor.own ? "anchor own" : "anchor" };
    const card = element("button", { type: "button", ...looks }, faceOf(anchor));
    card.addEventListener("click", () => (isWhole(card) ? move() : openReading(anchor, move)));
    return card;
  }
}

/**
 * The content of an anchor card: its picture, or its text.
 * @param {ContentOut & { kind: string, own?: boolean }} anchor
 */
export function faceOf(anchor) {
  const mark = anchor.own ? [element("b", { class: "whose" }, WORDS.yours)] : [];
  if (anchor.kind === "image") {
    return [element("img", { src: anchor.url ?? "", alt: anchor.alt ?? "", draggable: "false" }), ...mark];
  }
  const words = anchor.text ?? wordsOf(anchor);
  // `dir="auto"` reads the text of the element but not of a <bdi> in it.
  return anchor.own
    ? [element("span", { class: "anchor-words" }, ...mark, " · ", element("bdi", {}, words))]
    : [element("span", { class: "anchor-words", dir: "auto" }, words)];
}

/**
 * Whether all of a card can be read: a text that is not cut.
 * @param {HTMLElement} card
 */
function isWhole(card) {
  const words = card.querySelector(".anchor-words");
  return words !== null && words.scrollHeight <= words.clientHeight + 1;
}

customElements.define(Anchors.tag, Anchors);
