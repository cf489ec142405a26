import { element, icon } from "../../elements.js";
import { WORDS } from "../../words.js";

/**
 * @import { AnchorSet } from "./anchor-set.js"
 * @import { ScaleView } from "./scale-view.js"
 */

const SVG = "http://www.w3.org/2000/svg";
const IN = 0.5;
const OUT = 2;

/**
 * <steelyard-overview>: a small picture of the whole scale with its visible part, and buttons to zoom. Dragging
 * moves the visible part.
 * In: view. Methods: show(set) draws ticks for anchors; mark(scores) marks the handles, the moving one last.
 */
export class Overview extends HTMLElement {
  static tag = /** @type {const} */ ("steelyard-overview");
  /** @type {ScaleView} */
  view;
  #words = element("span", { class: "overview-words" });
  #ticks = document.createElementNS(SVG, "path");
  #bar = element("div", { class: "overview-bar" });
  #all = element("button", { type: "button", class: "button quiet show-all" }, WORDS.show_all_scale);
  /** @type {AnchorSet | null} */
  #set = null;
  #isPast = false;
  /** @type {(number | null)[]} */
  #scores = [];
  /** @type {HTMLElement[]} */
  #marks = [];
  /** @type {{ left: number, width: number, mirrored: boolean } | null} */
  #box = null;

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.#bar.append(this.#makeTicks(), element("span", { class: "overview-window" }));
    this.#all.addEventListener("click", () => this.view.showAll());
    this.append(this.#words, this.#bar,
      makeButton("reduce", WORDS.zoom_out, () => this.zoomOut()),
      makeButton("enlarge", WORDS.zoom_in, () => this.zoomIn()), this.#all);
    this.view.addEventListener("view", () => this.#paint());
    this.#listen();
    this.#paint();
  }

  /** Zoom in on the moving handle if it is visible, or else on the middle. */
  zoomIn() {
    const score = this.#scores.at(-1) ?? null;
    const share = score === null ? 0.5 : this.view.share(score);
    this.view.zoomBy(IN, share >= 0 && share <= 1 ? share : 0.5);
  }

  zoomOut() {
    this.view.zoomBy(OUT);
  }

  /** @param {AnchorSet} set */
  show(set) {
    this.#set = set;
    this.#paintTicks();
  }

  /** @param {(number | null)[]} scores */
  mark(scores) {
    this.#scores = scores;
    this.#paintMarks();
  }

  #paintTicks() {
    const parts = (this.#set?.entries ?? []).map(({ at }) => `M${this.#share(at).toFixed(4)} .25V.75`);
    this.#ticks.setAttribute("d", parts.join(""));
  }

  #paintMarks() {
    const scores = this.#scores;
    while (this.#marks.length < scores.length) {
      this.#marks.push(this.#bar.appendChild(element("span", { class: "overview-mark" })));
    }
    this.#marks.forEach((mark, index) => {
      const score = scores[index] ?? null;
      mark.hidden = score === null;
      if (score !== null) mark.style.setProperty("--at", String(this.#share(score)));
    });
  }

  #makeTicks() {
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("viewBox", "0 0 1 1");
    svg.setAttribute("preserveAspectRatio", "none");
    svg.setAttribute("aria-hidden", "true");
    svg.append(this.#ticks);
    return svg;
  }

  // The parts past the ends belong to the overview only while they are visible.
  get #whole() {
    return this.#isPast ? this.view.ends : this.view;
  }

  /** @param {number} score */
  #share(score) {
    const { low, high } = this.#whole;
    return (score - low) / (high - low);
  }

  #paint() {
    const { from, to, low, high, isWhole } = this.view;
    this.#turn(from < low || to > high);
    this.style.setProperty("--from", String(this.#share(from)));
    this.style.setProperty("--to", String(this.#share(to)));
    const part = this.#isPast ? WORDS.past_the_ends : WORDS.part_of_scale;
    this.#words.textContent = isWhole ? WORDS.whole_scale : part;
    this.#all.setAttribute("aria-disabled", String(isWhole));
  }

  /** @param {boolean} isPast */
  #turn(isPast) {
    if (isPast === this.#isPast) return;
    this.#isPast = isPast;
    this.#paintTicks();
    this.#paintMarks();
  }

  #listen() {
    this.#bar.addEventListener("pointerdown", (event) => {
      const mirrored = getComputedStyle(this).direction === "rtl";
      const { left, width } = this.#bar.getBoundingClientRect();
      this.#box = { left, width, mirrored };
      this.#bar.setPointerCapture(event.pointerId);
      this.#centre(event);
    });
    this.#bar.addEventListener("pointermove", (event) => this.#centre(event));
    this.#bar.addEventListener("pointerup", () => this.#letGo());
    this.#bar.addEventListener("pointercancel", () => this.#letGo());
  }

  #letGo() {
    this.#box = null;
  }

  /** @param {PointerEvent} event */
  #centre({ clientX }) {
    if (this.#box === null) return;
    const { left, width, mirrored } = this.#box;
    const across = (clientX - left) / width;
    const { low, high } = this.#whole;
    this.view.centre(low + (mirrored ? 1 - across : across) * (high - low));
  }
}

/**
 * @param {string} drawing
 * @param {string} label
 * @param {() => void} onclick
 */
function makeButton(drawing, label, onclick) {
  return element("button", { type: "button", class: "button square", "aria-label": label, title: label, onclick },
    icon(drawing));
}

customElements.define(Overview.tag, Overview);
