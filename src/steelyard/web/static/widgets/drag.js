const SLOP = 6;
const EDGE = 72;
const SCROLL_STEP = 10;
const NOT_TO_DRAG = "button:not(.handle), a, audio, video, input";

/**
 * Let a card be dragged: by its handle with any pointer, anywhere with a mouse.
 * `onMove(point)` and `onDrop(point)` get the pointer's {x, y} in the window; `onDrop(null)` says it was called off.
 */
export function makeDraggable(card, acts) {
  card.addEventListener("pointerdown", (event) => {
    const onHandle = event.target.closest(".handle") !== null;
    const may = onHandle || (event.pointerType === "mouse" && event.target.closest(NOT_TO_DRAG) === null);
    if (!may || event.button !== 0 || !acts.mayStart()) return;
    new Drag(card, event, acts);
  });
}

class Drag {
  #card;
  #acts;
  #start;
  #point;
  #moving = false;
  #over = new AbortController();

  constructor(card, event, acts) {
    this.#card = card;
    this.#acts = acts;
    this.#start = { x: event.clientX, y: event.clientY + window.scrollY };
    const { signal } = this.#over;
    window.addEventListener("pointermove", (moved) => this.#move(moved), { signal });
    window.addEventListener("pointerup", () => this.#end(this.#point), { signal });
    window.addEventListener("pointercancel", () => this.#end(null), { signal });
    window.addEventListener("keydown", (pressed) => this.#stopOnEscape(pressed), { signal, capture: true });
  }

  #move({ clientX, clientY }) {
    this.#point = { x: clientX, y: clientY };
    const far = Math.hypot(clientX - this.#start.x, clientY + window.scrollY - this.#start.y) > SLOP;
    if (!this.#moving && far) this.#begin();
    if (this.#moving) this.#follow();
  }

  #begin() {
    this.#moving = true;
    this.#card.classList.add("dragged");
    window.getSelection().removeAllRanges();
    this.#scroll();
  }

  #follow() {
    const { x, y } = this.#point;
    this.#card.style.setProperty("--drag-x", `${x - this.#start.x}px`);
    this.#card.style.setProperty("--drag-y", `${y + window.scrollY - this.#start.y}px`);
    this.#acts.onMove(this.#point);
  }

  // Near the top or the bottom of the window the page follows.
  #scroll() {
    if (this.#over.signal.aborted) return;
    const before = window.scrollY;
    if (this.#point.y < EDGE) window.scrollBy(0, -SCROLL_STEP);
    else if (this.#point.y > window.innerHeight - this.#acts.covered() - EDGE) window.scrollBy(0, SCROLL_STEP);
    if (window.scrollY !== before) this.#follow();
    requestAnimationFrame(() => this.#scroll());
  }

  #stopOnEscape(event) {
    if (event.key !== "Escape" || !this.#moving) return;
    event.preventDefault();
    this.#end(null);
  }

  #end(point) {
    this.#over.abort();
    if (!this.#moving) return;
    this.#card.classList.remove("dragged");
    this.#card.style.removeProperty("--drag-x");
    this.#card.style.removeProperty("--drag-y");
    this.#acts.onDrop(point);
  }
}
