/** Two fingers on `place`: onStart(); then onPinch(how many times as much to show, the point between them). */
export class Pinch {
  #acts;
  #apart = 0;

  constructor(place, acts) {
    this.#acts = acts;
    const active = { passive: false };
    place.addEventListener("touchstart", (event) => this.#onStart(event), active);
    place.addEventListener("touchmove", (event) => this.#onMove(event), active);
    place.addEventListener("touchend", ({ touches }) => touches.length < 2 && this.#end());
    place.addEventListener("touchcancel", () => this.#end());
  }

  #onStart(event) {
    if (event.touches.length !== 2 || !this.#acts.may()) return;
    event.preventDefault();
    this.#apart = distance(event.touches);
    this.#acts.onStart();
  }

  #onMove(event) {
    if (this.#apart === 0 || event.touches.length !== 2) return;
    event.preventDefault();
    const apart = Math.max(1, distance(event.touches));
    this.#acts.onPinch(this.#apart / apart, between(event.touches));
    this.#apart = apart;
  }

  #end() {
    this.#apart = 0;
  }
}

const distance = ([one, other]) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);

const between = ([one, other]) =>
  ({ clientX: (one.clientX + other.clientX) / 2, clientY: (one.clientY + other.clientY) / 2 });
