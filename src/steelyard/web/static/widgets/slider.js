import { element } from "../elements.js";
import { WORDS, positionOf } from "../words.js";
import { nearestLabel, nearestStep, shareOf, stepBy } from "./steps.js";

const BIG_STEP = 10;
const TOUCH_SLOP = 8;

/**
 * <steelyard-slider>: one position on a scale; no thumb until the first touch or key.
 * In: scale, label, inactive (can't judge). Out: score (null until placed); event `answer` {act, score}.
 */
export class Slider extends HTMLElement {
  static tag = "steelyard-slider";
  #scale = null;
  #score = null;
  #inactive = false;
  #touch = null;
  #dragging = false;
  #track = element("span", { class: "track" });
  #output = element("output", { class: "slider-value", "aria-hidden": "true" });

  set scale(scale) {
    this.#scale = scale;
  }

  set label(label) {
    this.setAttribute("aria-label", label);
  }

  get score() {
    return this.#score;
  }

  get answer() {
    return this.#score === null ? null : { score: this.#score };
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
    if (this.childElementCount > 0) return;
    this.setAttribute("role", "slider");
    this.tabIndex = 0;
    this.setAttribute("aria-valuemin", this.#scale.low);
    this.setAttribute("aria-valuemax", this.#scale.high);
    this.toggleAttribute("data-value", this.#scale.show_value);
    this.append(this.#track, element("span", { class: "ring" }),
      element("span", { class: "thumb" }), this.#output);
    this.#listen();
    this.#describe();
  }

  /** Place the answer as a person with this source of randomness would. */
  simulate(random) {
    const { low, high } = this.#scale;
    this.#place(nearestStep(this.#scale, low + random() * (high - low)), "place");
  }

  /** A slider takes keys only while it has the focus. */
  press() {
    return false;
  }

  #listen() {
    this.addEventListener("keydown", (event) => this.#onKey(event));
    this.addEventListener("pointerdown", (event) => this.#onDown(event));
    this.addEventListener("pointermove", (event) => this.#onMove(event));
    this.addEventListener("pointerup", (event) => this.#onUp(event));
    this.addEventListener("pointercancel", () => this.#letGo());
    this.addEventListener("pointerleave", () => this.removeAttribute("data-hover"));
  }

  get #mirrored() {
    return getComputedStyle(this).direction === "rtl";
  }

  #onKey(event) {
    if (this.#inactive || event.altKey || event.ctrlKey || event.metaKey) return;
    const end = { Home: this.#scale.low, End: this.#scale.high }[event.key];
    const steps = this.#stepsOf(event);
    if (end === undefined && steps === 0) return;
    event.preventDefault();
    if (end !== undefined) this.#place(end, "jump");
    else if (this.#score === null) this.#place(steps > 0 ? this.#scale.low : this.#scale.high, "enter");
    else this.#place(stepBy(this.#scale, this.#score, steps), "step");
  }

  #stepsOf({ key, shiftKey }) {
    const forward = this.#mirrored ? "ArrowLeft" : "ArrowRight";
    const backward = this.#mirrored ? "ArrowRight" : "ArrowLeft";
    const size = shiftKey ? BIG_STEP : 1;
    if (key === forward || key === "ArrowUp") return size;
    if (key === backward || key === "ArrowDown") return -size;
    return { PageUp: BIG_STEP, PageDown: -BIG_STEP }[key] ?? 0;
  }

  #onDown(event) {
    if (this.#inactive || event.button !== 0) return;
    // A finger may be about to scroll: it has not answered before it lifts or moves along the line.
    if (event.pointerType === "touch") {
      this.#touch = { x: event.clientX, y: event.clientY };
      return;
    }
    this.#dragging = true;
    this.setPointerCapture(event.pointerId);
    this.#place(this.#scoreAt(event.clientX), "place");
  }

  #onMove(event) {
    this.#hover(event);
    if (this.#touch && !this.#dragging) this.#dragging = this.#movesAlong(event);
    if (this.#dragging) this.#place(this.#scoreAt(event.clientX), "drag");
  }

  #movesAlong({ clientX, clientY }) {
    const along = Math.abs(clientX - this.#touch.x);
    return along > TOUCH_SLOP && along > Math.abs(clientY - this.#touch.y);
  }

  #onUp(event) {
    if (!this.#touch && !this.#dragging) return;
    const act = this.#dragging ? "release" : "place";
    this.#letGo();
    this.#place(this.#scoreAt(event.clientX), act);
  }

  #letGo() {
    this.#touch = null;
    this.#dragging = false;
  }

  #hover({ pointerType, clientX }) {
    if (pointerType !== "mouse" || this.#inactive || this.#score !== null) return;
    this.setAttribute("data-hover", "");
    this.style.setProperty("--hover", this.#shareAt(clientX));
  }

  #shareAt(clientX) {
    const box = this.#track.getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (clientX - box.left) / box.width));
    return this.#mirrored ? 1 - share : share;
  }

  #scoreAt(clientX) {
    const { low, high } = this.#scale;
    return nearestStep(this.#scale, low + this.#shareAt(clientX) * (high - low));
  }

  #place(score, act) {
    const moved = score !== this.#score;
    if (!moved && act === "drag") return;
    this.#score = score;
    this.removeAttribute("data-hover");
    this.#describe();
    this.dispatchEvent(new CustomEvent("answer", { bubbles: true, detail: { act, score } }));
  }

  #describe() {
    this.toggleAttribute("data-placed", this.#score !== null);
    this.setAttribute("aria-disabled", String(this.#inactive));
    this.setAttribute("aria-valuetext", this.#spoken());
    if (this.#score === null) return;
    this.setAttribute("aria-valuenow", this.#score);
    this.style.setProperty("--at", shareOf(this.#scale, this.#score));
    this.#output.textContent = this.#score;
  }

  #spoken() {
    if (this.#inactive) return WORDS.cannotJudge;
    if (this.#score === null) return WORDS.notRated;
    const label = nearestLabel(this.#scale, this.#score);
    const position = positionOf(this.#score, this.#scale);
    return label === null ? position : `${position}, nearest to ${label.text}`;
  }
}

customElements.define(Slider.tag, Slider);
