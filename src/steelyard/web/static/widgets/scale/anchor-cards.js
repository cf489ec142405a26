import { element } from "../../elements.js";
import { WORDS } from "../../words.js";
import { holds, layOut } from "../cards/card-lanes.js";
import { Leaders, leadAside, leadDown } from "../cards/leaders.js";
import { wordsOf } from "../names.js";

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

/** Card sizes in pixels: along the line, across it, number of lanes, and space for the leader lines. */
const LOOKS = Object.freeze({
  wide: { size: 156, depth: 80, lanes: 2, leader: 40 },
  pictures: { size: 116, depth: 116, lanes: 2, leader: 36 },
  strip: { size: 128, depth: 52, lanes: 2, leader: 18 },
  column: { size: 46, depth: 0, lanes: 1, leader: 44 },
  columnPictures: { size: 72, depth: 0, lanes: 1, leader: 44 },
});

/**
 * <steelyard-anchors>: examples along a scale, as cards that never overlap, each with a line to its position.
 * In: view, ends (pixels before the line's ends), strip (few small cards), vertical, labels, most, distance.
 * Methods: show(set), highlight(neighbours). Out: event `anchor` {at} when a card is activated.
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
  /** @type {Map<Shown, Placed>} */
  #placed = new Map();
  /** @type {Map<Shown, Card>} */
  #cards = new Map();
  #leaders = new Leaders();

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
    if (this.childElementCount > 0) return;
    this.append(this.#leaders.layer);
    this.view.addEventListener("view", () => this.#choose());
    new ResizeObserver(([{ contentRect }]) => this.#measure(contentRect)).observe(this);
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

  get #measures() {
    const pictures = (this.#set?.entries ?? []).some(({ anchor }) => anchor.kind === "image");
    if (this.#vertical) return pictures ? LOOKS.columnPictures : LOOKS.column;
    if (this.strip) return LOOKS.strip;
    return pictures ? LOOKS.pictures : LOOKS.wide;
  }

  #look() {
    const { size, depth, lanes, leader } = this.#measures;
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

  // Leave room for the two neighbours of the handle.
  #choose() {
    if (this.#set === null || this.#length === 0) return;
    const { from, to } = this.view;
    const { size, lanes } = this.#measures;
    const fitting = lanes * holds({ length: this.#length, size, gap: GAP }) - NEIGHBOURS;
    const most = Math.max(1, Math.min(this.most, fitting));
    this.#spread = this.#set.spread(from, to, most, this.distance * (to - from));
    this.#paint();
  }

  /** @returns {Shown[]} */
  get #shown() {
    const { from, to } = this.view;
    const near = [this.#around.below, this.#around.above]
      .filter((each) => each !== null).filter(({ at }) => at >= from && at <= to);
    const words = this.#vertical ? this.#words.filter(({ at }) => at > from && at < to) : [];
    return [...this.#spread, ...near.filter((each) => !this.#spread.includes(each)), ...words];
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
    const onclick = () => this.dispatchEvent(new CustomEvent("anchor", { bubbles: true, detail: { at } }));
    const looks = { class: anchor.own ? "anchor own" : "anchor" };
    return element("button", { type: "button", ...looks, onclick }, faceOf(anchor));
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
  const words = element("span", { class: "anchor-words", dir: "auto" }, anchor.text ?? wordsOf(anchor));
  return [...mark, ...(anchor.own ? [" · "] : []), words];
}

customElements.define(Anchors.tag, Anchors);
