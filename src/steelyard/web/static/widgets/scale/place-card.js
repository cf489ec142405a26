import { element } from "../../elements.js";
import { wordsOf } from "../names.js";
import { stepBy } from "./steps.js";
import { faceOf } from "./anchor-cards.js";
import { listenForDrag } from "../drag.js";

/**
 * @import { ScaleOut, SeedItemOut } from "../../types.js"
 * @import { DragActs } from "../drag.js"
 * @import { Point } from "../types.js"
 *
 * @typedef {object} PlaceActs what a card needs from its board
 * @property {ScaleOut} scale
 * @property {() => boolean} isVertical
 * @property {() => boolean} isMirrored
 * @property {() => { top: number, bottom: number }} room
 * @property {(point: Point) => number} positionAt
 * @property {(card: PlaceCard, position: number) => void} put
 * @property {(card: PlaceCard) => void} pick
 * @property {(card: PlaceCard) => void} hold
 * @property {() => void} letGo
 * @property {(position: number | null) => string} spoken
 */

const BIG_STEP = 10;
const PAGES = new Map([["PageUp", BIG_STEP], ["PageDown", -BIG_STEP]]);

/** One item to place: its card, its dot on the line and the leader between them. Its position is null in the tray. */
export class PlaceCard {
  /** @type {number | null} */
  position = null;
  #acts;
  dot = element("span", { class: "place-dot", hidden: true });

  /**
   * @param {SeedItemOut} item
   * @param {PlaceActs} acts
   * @param {SVGPathElement} leader
   */
  constructor(item, acts, leader) {
    this.item = item;
    this.leader = leader;
    this.#acts = acts;
    this.box = element("div", { class: "anchor place-card", role: "slider", tabindex: "0",
      "aria-label": wordsOf(item), "aria-valuemin": acts.scale.low, "aria-valuemax": acts.scale.high }, faceOf(item));
    this.box.addEventListener("keydown", (event) => this.#onKey(event));
    listenForDrag(this.box, (event) => this.#dragOf(event));
    this.box.addEventListener("focus", () => this.#stress(true));
    this.box.addEventListener("blur", () => this.#stress(false));
    this.#describe();
  }

  /**
   * Show the position on the line, and the card in the lanes below.
   * @param {{ share: number, along: number, across: number, leader: string }} place
   */
  paint({ share, along, across, leader }) {
    this.leader.setAttribute("d", leader);
    this.dot.hidden = false;
    this.dot.style.setProperty("--at", String(share));
    this.box.style.setProperty("--along", `${along}px`);
    this.box.style.setProperty("--across", `${across}px`);
    this.#describe();
  }

  /** @param {boolean} on */
  #stress(on) {
    this.dot.classList.toggle("moving", on);
    this.leader.classList.toggle("near", on);
  }

  #describe() {
    this.box.setAttribute("aria-valuetext", this.#acts.spoken(this.position));
    this.box.setAttribute("aria-valuenow", String(this.position ?? this.#acts.scale.low));
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const { scale } = this.#acts;
    const end = new Map([["Home", scale.low], ["End", scale.high]]).get(event.key);
    const steps = this.#stepsOf(event);
    if (end === undefined && steps === 0) return;
    event.preventDefault();
    if (end !== undefined) this.#acts.put(this, end);
    else if (this.position === null) this.#acts.put(this, steps > 0 ? scale.low : scale.high);
    else this.#acts.put(this, stepBy(scale, this.position, steps));
  }

  /** @param {KeyboardEvent} event */
  #stepsOf({ key, shiftKey }) {
    const [more, less] = this.#acts.isMirrored() ? ["ArrowLeft", "ArrowRight"] : ["ArrowRight", "ArrowLeft"];
    const size = shiftKey ? BIG_STEP : 1;
    if (key === more || key === "ArrowUp") return size;
    if (key === less || key === "ArrowDown") return -size;
    return PAGES.get(key) ?? 0;
  }

  /**
   * @param {PointerEvent} event
   * @returns {DragActs}
   */
  #dragOf({ pointerType }) {
    // On a phone, moving a finger along the tray scrolls the tray.
    const scrolls = pointerType === "touch" && this.position === null && this.#acts.isVertical();
    return {
      takes: (across, down) => !scrolls || down > across,
      room: this.#acts.room,
      onStart: () => this.#acts.hold(this),
      onMove: (point) => this.#acts.put(this, this.#acts.positionAt(point)),
      onEnd: () => this.#acts.letGo(),
      onCancel: () => this.#acts.letGo(),
      onTap: () => this.#acts.pick(this),
    };
  }
}
