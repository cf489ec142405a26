const CLOSEST = 1 / 100;
const FARTHEST = 2;
const FINEST = 1 / 10_000;
const STEPS_IN_VIEW = 100;

/**
 * The visible part of a scale; event `view` when it changes. Without `zoom` it is always the whole scale. With
 * `beyond` it can be zoomed out past the ends.
 */
export class ScaleView extends EventTarget {
  #step;
  #zooms;

  /** @param {{ low: number, high: number, step: number, zoom?: boolean, beyond?: boolean }} scale */
  constructor({ low, high, step, zoom = false, beyond = false }) {
    super();
    this.low = low;
    this.high = high;
    this.#step = step;
    this.#zooms = zoom;
    const room = beyond ? ((FARTHEST - 1) / 2) * (high - low) : 0;
    /** The lowest and the highest possible answer. */
    this.ends = Object.freeze({ low: low - room, high: high + room });
    this.from = low;
    this.to = high;
  }

  get zooms() {
    return this.#zooms;
  }

  get isWhole() {
    return this.from === this.low && this.to === this.high;
  }

  /** The answers possible now. Answers past an end of the scale are possible only while that part is visible. */
  get reach() {
    return { low: Math.min(this.low, this.from), high: Math.max(this.high, this.to) };
  }

  /**
   * The place of a score in the visible part, which runs from 0 to 1.
   * @param {number} score
   */
  share(score) {
    return (score - this.from) / (this.to - this.from);
  }

  /** @param {number} share */
  scoreAt(share) {
    return this.from + share * (this.to - this.from);
  }

  /** The smallest step: that of the study, or finer when zoomed in. */
  get step() {
    if (this.to - this.from >= this.high - this.low) return this.#step;
    const fine = Math.max(FINEST * (this.high - this.low), (this.to - this.from) / STEPS_IN_VIEW);
    return Math.min(this.#step, roundDown(fine));
  }

  /** @param {number} score */
  isOutside(score) {
    return score < this.low || score > this.high;
  }

  /**
   * Show `factor` times as much of the scale, with the point at `share` fixed; true if that changed anything.
   * @param {number} factor
   * @param {number} share
   */
  zoomBy(factor, share = 0.5) {
    if (!this.#zooms) return false;
    const span = this.#fitting(this.to - this.from, factor);
    const from = this.scoreAt(share) - share * span;
    return this.#show(from, span);
  }

  showAll() {
    return this.#show(this.low, this.high - this.low);
  }

  /**
   * Move this score to the middle, as far as the ends allow.
   * @param {number} score
   */
  centre(score) {
    const span = this.to - this.from;
    return this.#show(score - span / 2, span);
  }

  /**
   * Move as little as needed to make this score visible.
   * @param {number} score
   */
  reveal(score) {
    const span = this.to - this.from;
    if (score < this.from) return this.#show(score, span);
    return score > this.to && this.#show(score - span, span);
  }

  // Zooming out stops at the whole scale; a further step goes past its ends.
  /**
   * @param {number} span
   * @param {number} factor
   */
  #fitting(span, factor) {
    const whole = this.high - this.low;
    const wanted = Math.max(CLOSEST * whole, Math.min(span * factor, this.ends.high - this.ends.low));
    const passes = (span < whole && wanted > whole) || (span > whole && wanted < whole);
    return passes || Math.abs(wanted - whole) < whole * 1e-9 ? whole : wanted;
  }

  /**
   * @param {number} wanted
   * @param {number} span
   */
  #show(wanted, span) {
    const isInside = span <= this.high - this.low && this.from >= this.low && this.to <= this.high;
    const { low, high } = isInside ? this : this.ends;
    const from = span === this.high - this.low && this.ends.low === this.low
      ? this.low : Math.max(low, Math.min(wanted, high - span));
    if (from === this.from && from + span === this.to) return false;
    this.from = from;
    this.to = from + span;
    this.dispatchEvent(new Event("view"));
    return true;
  }
}

// Steps are 1, 2 or 5 times a power of ten.
/** @param {number} step */
function roundDown(step) {
  const power = 10 ** Math.floor(Math.log10(step) + 1e-9);
  const digit = step / power;
  return (digit >= 5 - 1e-9 ? 5 : digit >= 2 - 1e-9 ? 2 : 1) * power;
}
