/**
 * @import { Point } from "./types.js"
 *
 * @typedef {object} DragActs the callbacks of a drag
 * @property {(across: number, down: number) => boolean} [takes] whether a move of this many pixels is a drag, not
 *   a scroll of the page; by default every move is a drag
 * @property {() => { top: number, bottom: number }} room the part of the window; the page scrolls near its ends
 * @property {() => void} [onStart] the pointer has moved
 * @property {(point: Point, moved: Moved) => void} onMove the pointer has moved, or the page has scrolled under it
 * @property {(point: Point) => void} onEnd the pointer was lifted
 * @property {() => void} onCancel Escape was pressed, or the browser has cancelled the pointer
 * @property {() => void} [onTap] the pointer was lifted without a move
 *
 * @typedef {{ across: number, down: number }} Moved pixels of the page since the press
 *
 * @typedef {object} PinchActs the callbacks of a pinch
 * @property {() => boolean} mayStart
 * @property {() => void} onStart two fingers touch
 * @property {(factor: number, point: Point) => void} onMove the zoom factor, and the point between the fingers
 */

const SLOP = 6;
const EDGE = 60;
const SCROLL_STEP = 9;

/**
 * Make an element draggable. `actsOf` returns the callbacks for a press, or null if the press drags nothing.
 * @param {HTMLElement} place
 * @param {(event: PointerEvent) => DragActs | null} actsOf
 */
export function listenForDrag(place, actsOf) {
  place.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !event.isPrimary) return;
    const acts = actsOf(event);
    if (acts !== null) new Drag(event, acts);
  });
}

/**
 * Make `place` zoom with two fingers.
 * @param {HTMLElement} place
 * @param {PinchActs} acts
 */
export function listenForPinch(place, acts) {
  new Pinch(place, acts);
}

/** One drag, from the press of the pointer to its release. */
class Drag {
  #acts;
  #start;
  #scrolled = window.scrollY;
  #point;
  #wentFar = false;
  #moving = false;
  #wasAway = { top: false, bottom: false };
  #over = new AbortController();

  /**
   * @param {PointerEvent} event
   * @param {DragActs} acts
   */
  constructor({ clientX, clientY, pointerId }, acts) {
    this.#acts = acts;
    this.#start = { clientX, clientY };
    this.#point = this.#start;
    const { signal } = this.#over;
    /** @type {(name: "pointermove" | "pointerup" | "pointercancel", act: (event: PointerEvent) => void) => void} */
    const listen = (name, act) => window.addEventListener(name, (event) => {
      if (event.pointerId === pointerId) act(event);
    }, { signal });
    listen("pointermove", (event) => this.#move(event));
    listen("pointerup", () => this.#lift());
    listen("pointercancel", () => this.#cancel());
    window.addEventListener("keydown", (event) => this.#stopOnEscape(event), { signal, capture: true });
  }

  /** @param {Point} point */
  #move({ clientX, clientY }) {
    this.#point = { clientX, clientY };
    if (!this.#moving) this.#begin();
    if (this.#moving) this.#follow();
  }

  #begin() {
    const across = Math.abs(this.#point.clientX - this.#start.clientX);
    const down = Math.abs(this.#point.clientY - this.#start.clientY);
    this.#wentFar ||= Math.hypot(across, down) > SLOP;
    this.#moving = this.#wentFar && (this.#acts.takes?.(across, down) ?? true);
    if (!this.#moving) return;
    this.#acts.onStart?.();
    this.#scroll();
  }

  #follow() {
    this.#acts.onMove(this.#point, {
      across: this.#point.clientX - this.#start.clientX,
      down: this.#point.clientY - this.#start.clientY + window.scrollY - this.#scrolled,
    });
  }

  // The page scrolls near an end if the pointer comes from elsewhere or moves towards the end. Picking up something
  // near an end does not scroll.
  #scroll() {
    if (this.#over.signal.aborted) return;
    const { top, bottom } = this.#acts.room();
    const moved = this.#point.clientY - this.#start.clientY;
    const before = window.scrollY;
    if (this.#pulls("top", this.#point.clientY - top, -moved)) window.scrollBy(0, -SCROLL_STEP);
    else if (this.#pulls("bottom", bottom - this.#point.clientY, moved)) window.scrollBy(0, SCROLL_STEP);
    if (window.scrollY !== before) this.#follow();
    requestAnimationFrame(() => this.#scroll());
  }

  /**
   * Whether the pointer scrolls the page towards this end.
   * @param {"top" | "bottom"} end
   * @param {number} distanceLeft
   * @param {number} movedTowards
   */
  #pulls(end, distanceLeft, movedTowards) {
    if (distanceLeft < EDGE) return this.#wasAway[end] || movedTowards > SLOP;
    this.#wasAway[end] = true;
    return false;
  }

  /** @param {KeyboardEvent} event */
  #stopOnEscape(event) {
    if (event.key !== "Escape" || !this.#moving) return;
    event.preventDefault();
    this.#cancel();
  }

  #lift() {
    this.#over.abort();
    if (this.#moving) this.#acts.onEnd(this.#point);
    else if (!this.#wentFar) this.#acts.onTap?.();
  }

  #cancel() {
    this.#over.abort();
    if (this.#moving) this.#acts.onCancel();
  }
}

/** Zooming with two fingers. */
class Pinch {
  #acts;
  #apart = 0;

  /**
   * @param {HTMLElement} place
   * @param {PinchActs} acts
   */
  constructor(place, acts) {
    this.#acts = acts;
    const active = { passive: false };
    place.addEventListener("touchstart", (event) => this.#onStart(event), active);
    place.addEventListener("touchmove", (event) => this.#onMove(event), active);
    place.addEventListener("touchend", ({ touches }) => touches.length < 2 && this.#end());
    place.addEventListener("touchcancel", () => this.#end());
  }

  /** @param {TouchEvent} event */
  #onStart(event) {
    if (event.touches.length !== 2 || !this.#acts.mayStart()) return;
    event.preventDefault();
    this.#apart = distance([...event.touches]);
    this.#acts.onStart();
  }

  /** @param {TouchEvent} event */
  #onMove(event) {
    if (this.#apart === 0 || event.touches.length !== 2) return;
    event.preventDefault();
    const touches = [...event.touches];
    const apart = Math.max(1, distance(touches));
    this.#acts.onMove(this.#apart / apart, between(touches));
    this.#apart = apart;
  }

  #end() {
    this.#apart = 0;
  }
}

/** @param {Point[]} points */
function distance([one, other]) {
  return Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
}

/** @param {Point[]} points */
function between([one, other]) {
  return { clientX: (one.clientX + other.clientX) / 2, clientY: (one.clientY + other.clientY) / 2 };
}
