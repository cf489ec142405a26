import { element } from "../elements.js";
import { wordsOf } from "./names.js";
import { nearestStep, stepBy } from "./steps.js";
import { faceOf } from "./anchor-cards.js";

const BIG_STEP = 10;
const SLOP = 6;

/** One item that is placed freely: its card, its dot on the line and what leads there; position null in the tray. */
export class PlaceCard {
  position = null;
  #acts;
  #over = null;
  dot = element("span", { class: "place-dot", hidden: true });

  constructor(item, acts, leader) {
    this.item = item;
    this.leader = leader;
    this.#acts = acts;
    this.box = element("div", { class: "anchor place-card", role: "slider", tabindex: "0",
      "aria-label": wordsOf(item), "aria-valuemin": acts.scale.low, "aria-valuemax": acts.scale.high }, faceOf(item));
    this.box.addEventListener("keydown", (event) => this.#onKey(event));
    this.box.addEventListener("pointerdown", (event) => this.#onDown(event));
    for (const [name, on] of [["focus", true], ["blur", false]]) {
      this.box.addEventListener(name, () => this.#stress(on));
    }
    this.#describe();
  }

  /** Show where it stands: on the line, and its card in the lanes below. */
  paint({ share, along, across, leader }) {
    this.leader.setAttribute("d", leader);
    this.dot.hidden = false;
    this.dot.style.setProperty("--at", share);
    this.box.style.setProperty("--along", `${along}px`);
    this.box.style.setProperty("--across", `${across}px`);
    this.#describe();
  }

  #stress(on) {
    this.dot.classList.toggle("moving", on);
    this.leader.classList.toggle("near", on);
  }

  #describe() {
    this.box.setAttribute("aria-valuetext", this.#acts.spoken(this.position));
    this.box.setAttribute("aria-valuenow", this.position ?? this.#acts.scale.low);
  }

  #onKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const { scale } = this.#acts;
    const end = { Home: scale.low, End: scale.high }[event.key];
    const steps = this.#stepsOf(event);
    if (end === undefined && steps === 0) return;
    event.preventDefault();
    if (end !== undefined) this.#acts.put(this, end);
    else if (this.position === null) this.#acts.put(this, steps > 0 ? scale.low : scale.high);
    else this.#acts.put(this, stepBy(scale, this.position, steps));
  }

  #stepsOf({ key, shiftKey }) {
    const [more, less] = this.#acts.isMirrored() ? ["ArrowLeft", "ArrowRight"] : ["ArrowRight", "ArrowLeft"];
    const size = shiftKey ? BIG_STEP : 1;
    if (key === more || key === "ArrowUp") return size;
    if (key === less || key === "ArrowDown") return -size;
    return { PageUp: BIG_STEP, PageDown: -BIG_STEP }[key] ?? 0;
  }

  #onDown(event) {
    if (event.button !== 0 || !event.isPrimary) return;
    const start = { x: event.clientX, y: event.clientY };
    const line = this.#acts.line.getBoundingClientRect();
    this.#over = new AbortController();
    const { signal } = this.#over;
    let moving = false;
    window.addEventListener("pointermove", (moved) => {
      moving ||= Math.hypot(moved.clientX - start.x, moved.clientY - start.y) > SLOP;
      if (moving) this.#acts.put(this, this.#positionAt(moved, line));
    }, { signal });
    for (const name of ["pointerup", "pointercancel"]) {
      window.addEventListener(name, () => this.#over.abort(), { signal });
    }
  }

  #positionAt({ clientX, clientY }, { left, width, bottom, height }) {
    const { scale, isVertical, isMirrored } = this.#acts;
    const ends = this.#acts.ends();
    const up = (bottom - ends - clientY) / (height - 2 * ends);
    const across = (clientX - left - ends) / (width - 2 * ends);
    const share = isVertical() ? up : isMirrored() ? 1 - across : across;
    return nearestStep(scale, scale.low + share * (scale.high - scale.low));
  }
}
