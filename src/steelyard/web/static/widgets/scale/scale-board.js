import { element } from "../../elements.js";
import { WORDS } from "../../words.js";
import { listenForPinch } from "../drag.js";
import { AnchorSet, POSITION_OF } from "./anchor-set.js";
import { Anchors } from "./anchor-cards.js";
import { latinKey } from "../keys.js";
import { Overview } from "./overview.js";
import { ScaleLabels } from "./scale-labels.js";
import { ScaleView } from "./scale-view.js";
import { Slider } from "./slider.js";

/**
 * @import { ScaleOut, TaskOut } from "../../types.js"
 * @import { Around, Hint, Point } from "../types.js"
 */

const WHEEL_STEP = 1.2;
const ENDS = Object.freeze({ wide: 48, thumb: 16 });

/**
 * Make the board for the scale of a task. A `strip` is shown above lines that have sliders of their own.
 * @param {TaskOut} task
 * @param {ScaleOut} scale
 */
export function makeBoard(task, scale, { strip = false } = {}) {
  const board = Object.assign(element(ScaleBoard.tag), { strip });
  board.setUp(task, scale);
  return board;
}

/**
 * <steelyard-scale>: a scale with labels, examples, the rater's own earlier answers, and zoom.
 * In: task; scale; sliders on its line; strip (a heading above lines that have sliders of their own).
 * Methods: showAnchorsAt(bound), follow(slider), press(event). Out: event `around` {below, above}.
 */
export class ScaleBoard extends HTMLElement {
  static tag = /** @type {const} */ ("steelyard-scale");
  /** @type {Slider[]} */
  sliders = [];
  strip = false;
  /** @type {ScaleView} */
  view;
  /** @type {TaskOut} */
  #task;
  /** @type {ScaleOut} */
  #scale;
  /** @type {AnchorSet | null} */
  #set = null;
  /** @type {"below" | "above"} */
  #level = "below";
  /** @type {Slider | null} */
  #active = null;
  /** @type {Around} */
  #around = { below: null, above: null };
  #line = element("div", { class: "scale-line" });
  #solid = element("span", { class: "solid" });
  #anchors = element(Anchors.tag);
  #overview = element(Overview.tag);
  /** @type {{ start: number, length: number, sign: number, vertical: boolean } | null} */
  #box = null;
  #narrow = window.matchMedia("(max-width: 699px) and (min-height: 480px)");
  #onNarrow = () => this.#turn();

  /**
   * Call once, before the element is shown.
   * @param {TaskOut} task
   * @param {ScaleOut} scale
   */
  setUp(task, scale) {
    this.#task = task;
    this.#scale = scale;
    this.view = new ScaleView(scale);
    Object.assign(this.#anchors, { view: this.view, ...task.anchors_spread });
    this.#overview.view = this.view;
  }

  get vertical() {
    return this.#narrow.matches && !this.strip;
  }

  connectedCallback() {
    this.#narrow.addEventListener("change", this.#onNarrow);
    if (this.childElementCount > 0) return;
    this.#build();
    this.#turn();
    this.view.addEventListener("view", () => this.#paintView());
    this.#listen();
    this.#paintView();
    this.showAnchorsAt("middle");
    this.follow(this.sliders[0] ?? this.#active);
  }

  disconnectedCallback() {
    this.#narrow.removeEventListener("change", this.#onNarrow);
  }

  /**
   * Show the anchors at their low bounds, at their high bounds or at their middles.
   * @param {keyof typeof POSITION_OF} where
   */
  showAnchorsAt(where) {
    this.#level = where === "low" ? "above" : "below";
    this.#set = new AnchorSet(this.#task.anchors, POSITION_OF[where]);
    this.#anchors.show(this.#set);
    this.#overview.show(this.#set);
    this.#compare();
  }

  /** @param {number[]} places anchors on the wrong side of the handle */
  markWrong(places) {
    this.#anchors.markWrong(places);
  }

  /**
   * Compare the anchors with this slider from now on.
   * @param {Slider | null} slider
   */
  follow(slider) {
    this.#active = slider;
    this.#compare();
  }

  /**
   * Handle the keys that zoom; true if the key was one of them.
   * @param {KeyboardEvent} event
   */
  press(event) {
    if (!this.view.zooms) return false;
    const key = latinKey(event);
    if (key === "+" || key === "=") this.#overview.zoomIn();
    else if (key === "-") this.#overview.zoomOut();
    else if (key === "0") this.view.showAll();
    else return false;
    return true;
  }

  /** @returns {Hint[]} */
  get keys() {
    return this.view.zooms ? [[["+", "−"], WORDS.zoom_keys], [["0"], WORDS.show_all_key]] : [];
  }

  #build() {
    const labels = this.#task.labels_shown ? this.#scale : { ...this.#scale, labels: [] };
    const { box, lowEnd, highEnd } = new ScaleLabels(labels, this.view);
    this.#anchors.strip = this.strip;
    this.#anchors.labels = labels.labels;
    this.#anchors.hidden = this.#task.anchors.length === 0;
    this.#overview.hidden = !this.view.zooms;
    this.#line.append(this.#solid, ...this.sliders);
    this.append(highEnd, box, this.#line, this.#anchors, lowEnd, this.#overview);
    this.toggleAttribute("data-strip", this.strip);
    this.toggleAttribute("data-bare", this.#anchors.hidden);
  }

  #turn() {
    const ends = this.strip || this.vertical ? ENDS.thumb : ENDS.wide;
    this.toggleAttribute("data-vertical", this.vertical);
    this.style.setProperty("--ends", `${ends}px`);
    Object.assign(this.#anchors, { vertical: this.vertical, ends });
    for (const slider of this.sliders) slider.vertical = this.vertical;
    if (this.#set !== null) this.#anchors.show(this.#set);
  }

  #listen() {
    this.addEventListener("answer", ({ target }) => target instanceof Slider && this.follow(target), { capture: true });
    this.addEventListener("anchor", ({ detail }) => this.#active?.place(detail.at, "anchor"));
    this.#line.addEventListener("wheel", (event) => this.#onWheel(event), { passive: false });
    this.#overview.addEventListener("wheel", (event) => this.#onWheel(event), { passive: false });
    this.#line.addEventListener("pointerenter", () => {
      this.#box = null;
    });
    listenForPinch(this, {
      mayStart: () => this.view.zooms,
      onStart: () => this.#startPinch(),
      onMove: (factor, point) => this.view.zoomBy(factor, this.#shareAt(point)),
    });
  }

  #startPinch() {
    this.#box = null;
    this.sliders.forEach((slider) => slider.callOff());
  }

  // If the scale cannot be zoomed further, the wheel scrolls the page.
  /** @param {WheelEvent} event */
  #onWheel(event) {
    if (event.deltaY === 0) return;
    const factor = event.deltaY < 0 ? 1 / WHEEL_STEP : WHEEL_STEP;
    const share = event.currentTarget === this.#line ? this.#shareAt(event) : 0.5;
    if (this.view.zoomBy(factor, share)) event.preventDefault();
  }

  /** @param {Point} point */
  #shareAt({ clientX, clientY }) {
    this.#box ??= this.#readBox();
    const { start, length, sign, vertical } = this.#box;
    return Math.min(1, Math.max(0, (sign * ((vertical ? clientY : clientX) - start)) / length));
  }

  #readBox() {
    // A strip has no line of its own, but is as wide as the lines below it.
    const { left, right, bottom, width, height } = (this.strip ? this : this.#line).getBoundingClientRect();
    const ends = parseFloat(this.style.getPropertyValue("--ends"));
    const mirrored = getComputedStyle(this).direction === "rtl";
    if (this.vertical) return { start: bottom - ends, length: height - 2 * ends, sign: -1, vertical: true };
    const along = { length: width - 2 * ends, vertical: false };
    return mirrored ? { start: right - ends, sign: -1, ...along } : { start: left + ends, sign: 1, ...along };
  }

  #paintView() {
    const { view } = this;
    this.#line.style.setProperty("--solid-from", String(Math.max(0, view.share(view.low))));
    this.#line.style.setProperty("--solid-to", String(Math.min(1, view.share(view.high))));
    this.#line.toggleAttribute("data-past", view.from < view.low || view.to > view.high);
    this.#line.toggleAttribute("data-more-low", view.from > view.low);
    this.#line.toggleAttribute("data-more-high", view.to < view.high);
  }

  #compare() {
    if (this.#set === null) return;
    const position = this.#active === null ? null : this.#active.score ?? this.#active.rest;
    const scores = this.sliders.filter((each) => each !== this.#active).map(({ score }) => score);
    this.#overview.mark([...scores, position]);
    const around = position === null ? { below: null, above: null } : this.#set.around(position, this.#level);
    if (around.below === this.#around.below && around.above === this.#around.above) return;
    this.#around = around;
    this.#anchors.highlight(around);
    this.dispatchEvent(new CustomEvent("around", { detail: around }));
  }
}

customElements.define(ScaleBoard.tag, ScaleBoard);
