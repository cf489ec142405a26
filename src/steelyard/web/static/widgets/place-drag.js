const SLOP = 6;
const EDGE = 48;
const SCROLL_STEP = 8;

/**
 * One touch of a card, until it ends: onStart() once it moves, then onMove(point) as the pointer goes or the page
 * scrolls under it; onEnd(), or onTap() if it never moved. Points are {clientX, clientY}. `takes(across, down)` says
 * whether a move of so many pixels is one of the card, not one that scrolls.
 * Near an end of `room()`, {top, bottom} in the window, the page scrolls; not before the pointer has been away from
 * that end, so that taking a card that lies there scrolls nothing.
 */
export class PlaceDrag {
  #acts;
  #start;
  #point;
  #wentFar = false;
  #moving = false;
  #wasAway = { top: false, bottom: false };
  #over = new AbortController();

  constructor({ clientX, clientY, pointerId }, acts) {
    this.#acts = acts;
    this.#start = { clientX, clientY };
    const { signal } = this.#over;
    const listen = (name, act) => window.addEventListener(name, (event) => {
      if (event.pointerId === pointerId) act(event);
    }, { signal });
    listen("pointermove", (event) => this.#move(event));
    listen("pointerup", () => this.#end(acts.onTap));
    listen("pointercancel", () => this.#end());
  }

  #move({ clientX, clientY }) {
    this.#point = { clientX, clientY };
    if (!this.#moving) this.#begin();
    if (this.#moving) this.#acts.onMove(this.#point);
  }

  #begin() {
    const across = Math.abs(this.#point.clientX - this.#start.clientX);
    const down = Math.abs(this.#point.clientY - this.#start.clientY);
    this.#wentFar ||= Math.hypot(across, down) > SLOP;
    this.#moving = this.#wentFar && this.#acts.takes(across, down);
    if (!this.#moving) return;
    this.#acts.onStart();
    this.#scroll();
  }

  #scroll() {
    if (this.#over.signal.aborted) return;
    const { top, bottom } = this.#acts.room();
    const near = { top: this.#point.clientY < top + EDGE, bottom: this.#point.clientY > bottom - EDGE };
    const before = window.scrollY;
    if (near.top && this.#wasAway.top) window.scrollBy(0, -SCROLL_STEP);
    else if (near.bottom && this.#wasAway.bottom) window.scrollBy(0, SCROLL_STEP);
    if (window.scrollY !== before) this.#acts.onMove(this.#point);
    for (const end of ["top", "bottom"]) this.#wasAway[end] ||= !near[end];
    requestAnimationFrame(() => this.#scroll());
  }

  #end(onTap = () => {}) {
    this.#over.abort();
    if (this.#moving) this.#acts.onEnd();
    else if (!this.#wentFar) onTap();
  }
}
