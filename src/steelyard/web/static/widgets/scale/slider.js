import { element } from "../../elements.js";
import { WORDS, numeral, say } from "../../words.js";
import { ScaleView } from "./scale-view.js";
import { nearestLabel, nearestStep, stepBy } from "./steps.js";

/**
 * @import { ScaleOut } from "../../types.js"
 * @import { Random } from "../types.js"
 */

const BIG_STEP = 10;
const PAGES = new Map([["PageUp", BIG_STEP], ["PageDown", -BIG_STEP]]);
const TOUCH_SLOP = 8;
const UNLIMITED = Object.freeze({ low: -Infinity, high: Infinity });

/**
 * <steelyard-slider>: one position on a scale. It has no thumb before the first touch or key press.
 * In: scale, label, inactive (can't judge), view (the visible part of the scale, shared with other elements),
 * vertical. A handle of a range also has rest (its position before it is touched) and limits {low, high}.
 * Out: score (null until placed); event `answer` {act, score}. Methods: place(score, act), callOff(), press(event).
 */
export class Slider extends HTMLElement {
  static tag = /** @type {const} */ ("steelyard-slider");
  /** @type {number | null} */
  rest = null;
  #limits = UNLIMITED;
  /** @type {ScaleOut} */
  #scale;
  /** @type {ScaleView} */
  #view;
  /** @type {number | null} */
  #score = null;
  #inactive = false;
  #vertical = false;
  #mirrored = false;
  /** @type {{ x: number, y: number } | null} */
  #touch = null;
  #dragging = false;
  /** @type {DOMRect | null} */
  #box = null;
  #track = element("span", { class: "track" });
  #output = element("output", { class: "slider-value", "aria-hidden": "true" });

  /** @param {ScaleOut} scale */
  set scale(scale) {
    this.#scale = scale;
    this.#view ??= new ScaleView(scale);
  }

  /** @param {ScaleView} view */
  set view(view) {
    this.#view = view;
  }

  /** @param {string} label */
  set label(label) {
    this.setAttribute("aria-label", label);
  }

  /** @param {boolean} vertical */
  set vertical(vertical) {
    this.#vertical = vertical;
    this.toggleAttribute("data-vertical", vertical);
    this.setAttribute("aria-orientation", vertical ? "vertical" : "horizontal");
    this.#box = null;
  }

  /** @param {{ low: number, high: number }} limits */
  set limits(limits) {
    this.#limits = limits;
    this.#describeEnds();
  }

  get score() {
    return this.#score;
  }

  get answer() {
    if (this.#score === null) return null;
    return this.#view.isOutside(this.#score) ? { score: this.#score, outside: true } : { score: this.#score };
  }

  get inactive() {
    return this.#inactive;
  }

  set inactive(inactive) {
    this.#inactive = inactive;
    this.toggleAttribute("data-inactive", inactive);
    this.#describe();
  }

  connectedCallback() {
    this.#mirrored = getComputedStyle(this).direction === "rtl";
    if (this.childElementCount > 0) return;
    this.setAttribute("role", "slider");
    this.tabIndex = 0;
    this.#describeEnds();
    this.toggleAttribute("data-value", this.#scale.show_value);
    this.append(this.#track, element("span", { class: "ring" }),
      element("span", { class: "thumb" }), this.#output);
    this.#listen();
    this.#describe();
  }

  /**
   * Place a random answer, for simulations.
   * @param {Random} random
   */
  simulate(random) {
    const { low, high } = this.#scale;
    this.place(this.#nearest(low + random() * (high - low)), "place");
  }

  /**
   * A slider has no digit keys, and handles its other keys only while it has the focus.
   * @param {string} _key
   * @param {{ follow?: boolean }} _follow
   */
  press(_key, _follow = {}) {
    return false;
  }

  /**
   * Move the thumb by a key; false if the key does not move sliders.
   * @param {KeyboardEvent} event
   */
  move(event) {
    const end = new Map([["Home", this.#ends.low], ["End", this.#ends.high]]).get(event.key);
    const steps = this.#stepsOf(event);
    if (end === undefined && steps === 0) return false;
    const position = this.#score ?? this.rest;
    if (end !== undefined) this.place(end, "jump");
    else if (position === null) this.place(steps > 0 ? this.#scale.low : this.#scale.high, "enter");
    else this.place(stepBy(this.#grid, position, steps), "step");
    if (this.#score !== null) this.#view.reveal(this.#score);
    return true;
  }

  /**
   * Place the answer; `act` is the kind of action that placed it.
   * @param {number} score
   * @param {string} act
   */
  place(score, act) {
    const { low, high } = this.#within(this.#view.reach);
    const placed = Math.min(high, Math.max(low, score));
    if (placed === this.#score && act === "drag") return;
    this.#score = placed;
    this.removeAttribute("data-hover");
    this.#describe();
    this.dispatchEvent(new CustomEvent("answer", { bubbles: true, detail: { act, score: placed } }));
  }

  /**
   * Show an earlier answer again; nothing is announced.
   * @param {Record<string, unknown>} saved
   */
  restore({ score }) {
    if (typeof score !== "number") return;
    this.#score = score;
    this.#describe();
  }

  /** Cancel a touch or drag, so that it does not become an answer. */
  callOff() {
    this.#touch = null;
    this.#dragging = false;
  }

  #listen() {
    this.addEventListener("keydown", (event) => this.#onKey(event));
    this.addEventListener("pointerenter", () => {
      this.#box = null;
    });
    this.addEventListener("pointerdown", (event) => this.#onDown(event));
    this.addEventListener("pointermove", (event) => this.#onMove(event));
    this.addEventListener("pointerup", (event) => this.#onUp(event));
    this.addEventListener("pointercancel", () => this.callOff());
    this.addEventListener("pointerleave", () => this.removeAttribute("data-hover"));
    this.#view.addEventListener("view", () => this.#describe());
  }

  // Home and End go to the ends of the scale, even if answers beyond them are allowed.
  get #ends() {
    return this.#within(this.#scale);
  }

  /** @param {{ low: number, high: number }} ends */
  #within({ low, high }) {
    return { low: Math.max(low, this.#limits.low), high: Math.min(high, this.#limits.high) };
  }

  get #grid() {
    return { ...this.#view.ends, step: this.#view.step };
  }

  /** @param {number} raw */
  #nearest(raw) {
    return nearestStep(this.#grid, raw);
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    if (this.#inactive || event.altKey || event.ctrlKey || event.metaKey) return;
    if (this.move(event)) event.preventDefault();
  }

  /** @param {KeyboardEvent} event */
  #stepsOf({ key, shiftKey }) {
    const forward = this.#mirrored ? "ArrowLeft" : "ArrowRight";
    const backward = this.#mirrored ? "ArrowRight" : "ArrowLeft";
    const size = shiftKey ? BIG_STEP : 1;
    if (key === forward || key === "ArrowUp") return size;
    if (key === backward || key === "ArrowDown") return -size;
    return PAGES.get(key) ?? 0;
  }

  /** @param {PointerEvent} event */
  #onDown(event) {
    if (this.#inactive || event.button !== 0 || !event.isPrimary) return;
    this.#box = null;
    // A finger may be about to scroll, so it gives an answer only when it lifts or moves along the line.
    if (event.pointerType === "touch") {
      this.#touch = { x: event.clientX, y: event.clientY };
      return;
    }
    this.#dragging = true;
    this.setPointerCapture(event.pointerId);
    this.place(this.#scoreAt(event), "place");
  }

  /** @param {PointerEvent} event */
  #onMove(event) {
    this.#hover(event);
    if (this.#touch !== null && !this.#dragging) this.#dragging = this.#movesAlong(event, this.#touch);
    if (this.#dragging) this.place(this.#scoreAt(event), "drag");
  }

  /**
   * @param {PointerEvent} event
   * @param {{ x: number, y: number }} touch
   */
  #movesAlong({ clientX, clientY }, touch) {
    const across = Math.abs(clientX - touch.x);
    const down = Math.abs(clientY - touch.y);
    const [along, aside] = this.#vertical ? [down, across] : [across, down];
    return along > TOUCH_SLOP && along > aside;
  }

  /** @param {PointerEvent} event */
  #onUp(event) {
    if (this.#touch === null && !this.#dragging) return;
    const act = this.#dragging ? "release" : "place";
    this.callOff();
    this.place(this.#scoreAt(event), act);
  }

  /** @param {PointerEvent} event */
  #hover(event) {
    if (event.pointerType !== "mouse" || this.#inactive || this.#score !== null || this.rest !== null) return;
    this.setAttribute("data-hover", "");
    this.style.setProperty("--hover", String(this.#shareAt(event)));
  }

  // Read once per touch, not at each move: reading forces the browser to lay out the page.
  /** @param {PointerEvent} event */
  #shareAt({ clientX, clientY }) {
    this.#box ??= this.#track.getBoundingClientRect();
    const { left, width, bottom, height } = this.#box;
    const raw = this.#vertical ? (bottom - clientY) / height : (clientX - left) / width;
    const share = Math.min(1, Math.max(0, raw));
    return this.#mirrored && !this.#vertical ? 1 - share : share;
  }

  /** @param {PointerEvent} event */
  #scoreAt(event) {
    return this.#nearest(this.#view.scoreAt(this.#shareAt(event)));
  }

  #describeEnds() {
    const { low, high } = this.#ends;
    this.setAttribute("aria-valuemin", String(low));
    this.setAttribute("aria-valuemax", String(high));
  }

  #describe() {
    this.toggleAttribute("data-placed", this.#score !== null);
    this.setAttribute("aria-disabled", String(this.#inactive));
    this.setAttribute("aria-valuetext", this.#spoken());
    const position = this.#score ?? this.rest;
    if (position === null) return;
    this.setAttribute("aria-valuenow", String(position));
    const share = this.#view.share(position);
    this.toggleAttribute("data-off", share < 0 || share > 1);
    this.style.setProperty("--at", String(Math.min(1, Math.max(0, share))));
    this.#output.textContent = numeral(position);
  }

  #spoken() {
    if (this.#inactive) return WORDS.cannot_judge;
    if (this.#score === null) return WORDS.not_rated;
    const label = nearestLabel(this.#scale, this.#score);
    const { low, high } = this.#scale;
    const spoken = say("position_of", { score: this.#score, low, high });
    return label === null ? spoken : say("near_label", { position: spoken, label: label.text });
  }
}

customElements.define(Slider.tag, Slider);
