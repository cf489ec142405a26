import { element } from "../../elements.js";
import { wordsOf } from "../names.js";
import { nearestStep, stepBy } from "./steps.js";
import { faceOf } from "./anchor-cards.js";
import { PlaceDrag } from "../place-drag.js";

const BIG_STEP = 10;

/** One item that is placed freely: its card, its dot on the line and what leads there; position null in the tray. */
export class PlaceCard {
  position = null;
  #acts;
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
    // A finger along the tray of a phone scrolls it.
    const scrolls = event.pointerType === "touch" && this.position === null && this.#acts.isVertical();
    new PlaceDrag(event, {
      takes: (across, down) => !scrolls || down > across,
      room: this.#acts.room,
      onStart: () => this.#acts.hold(this),
      onMove: (point) => this.#acts.put(this, this.#acts.positionAt(point)),
      onEnd: () => this.#acts.letGo(),
      onTap: () => this.#acts.pick(this),
    });
  }
}
