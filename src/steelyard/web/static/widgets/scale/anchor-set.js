/**
 * @import { AnchorOut } from "../../types.js"
 * @import { Around, Entry } from "../types.js"
 */

const GROWTH = 1.15;

/** Where an anchor stands: at one of its bounds, or in the middle where answers are single values. */
export const STANDS = Object.freeze({
  middle: (/** @type {AnchorOut} */ { low, high }) => (low + high) / 2,
  low: (/** @type {AnchorOut} */ { low }) => low,
  high: (/** @type {AnchorOut} */ { high }) => high,
});

/** Anchors in the order of the scale, found by bisection. */
export class AnchorSet {
  /** @type {Entry[]} */
  #entries;

  /**
   * @param {AnchorOut[]} anchors
   * @param {(anchor: AnchorOut) => number} stand
   */
  constructor(anchors, stand) {
    this.#entries = anchors.map((anchor, place) => ({ anchor, at: stand(anchor), place }))
      .sort((one, other) => one.at - other.at || one.place - other.place);
  }

  get entries() {
    return this.#entries;
  }

  /**
   * The nearest on either side of a score; one that stands just there is on the side `level`.
   * @param {number} score
   * @param {"below" | "above"} level
   * @returns {Around}
   */
  around(score, level = "below") {
    const above = level === "below" ? this.#after(score) : this.#from(score);
    return { below: this.#entries[above - 1] ?? null, above: this.#entries[above] ?? null };
  }

  /**
   * At most `most` of those between two scores, as far apart as possible: from the lowest on, each at least a
   * distance from the one before, up to the highest; the distance grows until there are few enough.
   * @param {number} from
   * @param {number} to
   * @param {number} most
   * @param {number} distance
   * @returns {Entry[]}
   */
  spread(from, to, most, distance) {
    const end = this.#after(to);
    for (let gap = distance; ; gap *= GROWTH) {
      const kept = this.#apart(this.#from(from), end, gap);
      if (kept.length <= most) return kept.length < 2 ? kept : [...kept.slice(0, -1), this.#entries[end - 1]];
    }
  }

  /**
   * @param {number} start
   * @param {number} end
   * @param {number} gap
   */
  #apart(start, end, gap) {
    /** @type {Entry[]} */
    const kept = [];
    for (let index = start; index < end; index = Math.max(index + 1, this.#from(this.#entries[index].at + gap))) {
      kept.push(this.#entries[index]);
    }
    return kept;
  }

  /** @param {number} score */
  #from(score) {
    return this.#bisect((at) => at < score);
  }

  /** @param {number} score */
  #after(score) {
    return this.#bisect((at) => at <= score);
  }

  /** @param {(at: number) => boolean} isBefore */
  #bisect(isBefore) {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isBefore(this.#entries[middle].at)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
