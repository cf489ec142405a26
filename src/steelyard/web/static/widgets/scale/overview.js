import { element, icon } from "../../elements.js";
import { WORDS } from "../../words.js";

const SVG = "http://www.w3.org/2000/svg";
const IN = 0.5;
const OUT = 2;

/**
 * <steelyard-overview>: the whole scale small, what of it is shown, and buttons to look closer.
 * In: view; show(set) for the ticks of anchors; mark(scores) for the handles, the moving one last. Dragging on it
 * moves what is shown.
 */
export class Overview extends HTMLElement {
  static tag = "steelyard-overview";
  view = null;
  #words = element("span", { class: "overview-words" });
  #ticks = document.createElementNS(SVG, "path");
  #bar = element("div", { class: "overview-bar" });
  #all = element("button", { type: "button", class: "button quiet show-all" }, WORDS.showAllScale);
  #set = null;
  #isPast = false;
  #scores = [];
  #marks = [];
  #box = null;

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.#bar.append(this.#makeTicks(), element("span", { class: "overview-window" }));
    this.#all.addEventListener("click", () => this.view.showAll());
    this.append(this.#words, this.#bar,
      makeButton("reduce", WORDS.zoomOut, () => this.zoomOut()),
      makeButton("enlarge", WORDS.zoomIn, () => this.zoomIn()), this.#all);
    this.view.addEventListener("view", () => this.#paint());
    this.#listen();
    this.#paint();
  }

  /** Look closer, at the moving handle where it is in view. */
  zoomIn() {
    const score = this.#scores.at(-1) ?? null;
    const share = score === null ? 0.5 : this.view.share(score);
    this.view.zoomBy(IN, share >= 0 && share <= 1 ? share : 0.5);
  }

  zoomOut() {
    this.view.zoomBy(OUT);
  }

  show(set) {
    this.#set = set;
    this.#paintTicks();
  }

  mark(scores) {
    this.#scores = scores;
    this.#paintMarks();
  }

  #paintTicks() {
    const parts = this.#set.entries.map(({ at }) => `M${this.#share(at).toFixed(4)} .25V.75`);
    this.#ticks.setAttribute("d", parts.join(""));
  }

  #paintMarks() {
    const scores = this.#scores;
    while (this.#marks.length < scores.length) {
      this.#marks.push(this.#bar.appendChild(element("span", { class: "overview-mark" })));
    }
    this.#marks.forEach((mark, index) => {
      mark.hidden = (scores[index] ?? null) === null;
      if (!mark.hidden) mark.style.setProperty("--at", this.#share(scores[index]));
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

  // What lies past the ends is part of the overview only while it is looked at.
  get #whole() {
    return this.#isPast ? this.view.ends : this.view;
  }

  #share(score) {
    const { low, high } = this.#whole;
    return (score - low) / (high - low);
  }

  #paint() {
    const { from, to, low, high, isWhole } = this.view;
    this.#turn(from < low || to > high);
    this.style.setProperty("--from", this.#share(from));
    this.style.setProperty("--to", this.#share(to));
    const part = this.#isPast ? WORDS.pastTheEnds : WORDS.partOfScale;
    this.#words.textContent = isWhole ? WORDS.wholeScale : part;
    this.#all.setAttribute("aria-disabled", String(isWhole));
  }

  #turn(isPast) {
    if (isPast === this.#isPast) return;
    this.#isPast = isPast;
    if (this.#set !== null) this.#paintTicks();
    this.#paintMarks();
  }

  #listen() {
    this.#bar.addEventListener("pointerdown", (event) => {
      const mirrored = getComputedStyle(this).direction === "rtl";
      this.#box = { ...this.#bar.getBoundingClientRect().toJSON(), mirrored };
      this.#bar.setPointerCapture(event.pointerId);
      this.#centre(event);
    });
    this.#bar.addEventListener("pointermove", (event) => this.#box !== null && this.#centre(event));
    for (const name of ["pointerup", "pointercancel"]) this.#bar.addEventListener(name, () => this.#letGo());
  }

  #letGo() {
    this.#box = null;
  }

  #centre({ clientX }) {
    const { left, width, mirrored } = this.#box;
    const across = (clientX - left) / width;
    const { low, high } = this.#whole;
    this.view.centre(low + (mirrored ? 1 - across : across) * (high - low));
  }
}

function makeButton(drawing, label, onclick) {
  return element("button", { type: "button", class: "button square", "aria-label": label, title: label, onclick },
    icon(drawing));
}

customElements.define(Overview.tag, Overview);
