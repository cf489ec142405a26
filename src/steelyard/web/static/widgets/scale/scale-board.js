import { element } from "../../elements.js";
import { WORDS } from "../../words.js";
import { AnchorSet, STANDS } from "./anchor-set.js";
import { Anchors } from "./anchor-cards.js";
import { Overview } from "./overview.js";
import { Pinch } from "../pinch.js";
import { ScaleLabels } from "./scale-labels.js";
import { ScaleView } from "./scale-view.js";

const WHEEL_STEP = 1.2;
const ENDS = Object.freeze({ wide: 48, thumb: 16 });

/** Is there more along this scale than labels, or more of it than is shown at once? */
export const isGrounded = ({ anchors = [] }, { levels, zoom }) =>
  levels === null && (anchors.length > 0 || zoom === true);

/** A board for the scale of a task, before it is shown; a `strip` stands over lines that hold their own sliders. */
export function makeBoard(task, scale, { strip = false } = {}) {
  const board = Object.assign(element(ScaleBoard.tag), { strip });
  board.setUp(task, scale);
  return board;
}

/**
 * <steelyard-scale>: a scale with whatever grounds it: labels, examples, the rater's own answers; and closer looks.
 * In: task, scale; sliders that it holds on its line; strip (for a head over lines that hold their sliders).
 * Methods: stand(where the anchors stand), follow(slider), press(event). Out: event `around` {below, above}.
 */
export class ScaleBoard extends HTMLElement {
  static tag = "steelyard-scale";
  sliders = [];
  strip = false;
  #task = null;
  #scale = null;
  #set = null;
  #level = "below";
  #active = null;
  #around = { below: null, above: null };
  #line = element("div", { class: "scale-line" });
  #solid = element("span", { class: "solid" });
  #anchors = element(Anchors.tag);
  #overview = element(Overview.tag);
  #box = null;
  #narrow = window.matchMedia("(max-width: 699px)");
  #onNarrow = () => this.#turn();

  /** Set once, before it is shown. */
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
    this.stand("middle");
    this.follow(this.sliders[0] ?? this.#active);
  }

  disconnectedCallback() {
    this.#narrow.removeEventListener("change", this.#onNarrow);
  }

  /** Have the anchors stand at their lower or upper bounds, or in the middle. */
  stand(where) {
    this.#level = where === "low" ? "above" : "below";
    this.#set = new AnchorSet(this.#task.anchors ?? [], STANDS[where]);
    this.#anchors.show(this.#set);
    this.#overview.show(this.#set);
    this.#compare();
  }

  /** This slider is the one that is being placed. */
  follow(slider) {
    this.#active = slider;
    this.#compare();
  }

  /** Keys that look closer or farther; true when it was one of them. */
  press({ key }) {
    const act = { "+": () => this.#overview.zoomIn(), "=": () => this.#overview.zoomIn(),
      "-": () => this.#overview.zoomOut(), 0: () => this.view.showAll() }[key];
    if (act === undefined || !this.view.zooms) return false;
    act();
    return true;
  }

  get keys() {
    return this.view.zooms ? [[["+", "−"], WORDS.zoomKeys], [["0"], WORDS.showAllScale.toLowerCase()]] : [];
  }

  #build() {
    const labels = this.#task.labels_shown === false ? { ...this.#scale, labels: [] } : this.#scale;
    const { box, lowEnd, highEnd } = new ScaleLabels(labels, this.view);
    this.#anchors.strip = this.strip;
    this.#anchors.labels = labels.labels;
    this.#anchors.hidden = (this.#task.anchors ?? []).length === 0;
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
    this.addEventListener("answer", ({ target }) => this.follow(target), { capture: true });
    this.addEventListener("anchor", ({ detail }) => this.#active?.place(detail.at, "anchor"));
    for (const part of [this.#line, this.#overview]) {
      part.addEventListener("wheel", (event) => this.#onWheel(event), { passive: false });
    }
    this.#line.addEventListener("pointerenter", () => {
      this.#box = null;
    });
    new Pinch(this, {
      onStart: () => this.#startPinch(),
      onPinch: (factor, point) => this.view.zoomBy(factor, this.#shareAt(point)),
      may: () => this.view.zooms,
    });
  }

  #startPinch() {
    this.#box = null;
    this.sliders.forEach((slider) => slider.callOff());
  }

  // Where nothing more can be zoomed, the wheel scrolls the page as ever.
  #onWheel(event) {
    if (event.deltaY === 0) return;
    const factor = event.deltaY < 0 ? 1 / WHEEL_STEP : WHEEL_STEP;
    const share = event.currentTarget === this.#line ? this.#shareAt(event) : 0.5;
    if (this.view.zoomBy(factor, share)) event.preventDefault();
  }

  #shareAt({ clientX, clientY }) {
    this.#box ??= this.#readBox();
    const { start, length, sign, vertical } = this.#box;
    return Math.min(1, Math.max(0, (sign * ((vertical ? clientY : clientX) - start)) / length));
  }

  #readBox() {
    // A strip shows no line of its own, but is as wide as those under it.
    const { left, right, bottom, width, height } = (this.strip ? this : this.#line).getBoundingClientRect();
    const ends = parseFloat(this.style.getPropertyValue("--ends"));
    const mirrored = getComputedStyle(this).direction === "rtl";
    if (this.vertical) return { start: bottom - ends, length: height - 2 * ends, sign: -1, vertical: true };
    const along = { length: width - 2 * ends, vertical: false };
    return mirrored ? { start: right - ends, sign: -1, ...along } : { start: left + ends, sign: 1, ...along };
  }

  #paintView() {
    const { view } = this;
    this.#line.style.setProperty("--solid-from", Math.max(0, view.share(view.low)));
    this.#line.style.setProperty("--solid-to", Math.min(1, view.share(view.high)));
    this.#line.toggleAttribute("data-past", view.from < view.low || view.to > view.high);
    this.#line.toggleAttribute("data-more-low", view.from > view.low);
    this.#line.toggleAttribute("data-more-high", view.to < view.high);
  }

  #compare() {
    if (this.#set === null) return;
    const stands = this.#active === null ? null : this.#active.score ?? this.#active.rest;
    const scores = this.sliders.filter((each) => each !== this.#active).map(({ score }) => score);
    this.#overview.mark([...scores, stands]);
    const around = stands === null ? { below: null, above: null } : this.#set.around(stands, this.#level);
    if (around.below === this.#around.below && around.above === this.#around.above) return;
    this.#around = around;
    this.#anchors.stand(around);
    this.dispatchEvent(new CustomEvent("around", { detail: around }));
  }
}

customElements.define(ScaleBoard.tag, ScaleBoard);
