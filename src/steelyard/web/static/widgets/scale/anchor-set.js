/**
 * @import { AnchorOut } from "../../types.js"
 * @import { Around, Entry } from "../types.js"
 */

const GROWTH = 1.15;

/** The position of an anchor: one of its bounds, or the middle where answers are single values. */
export const POSITION_OF = Object.freeze({
  middle: (/** @type {AnchorOut} */ { low, high }) => (low + high) / 2,
  low: (/** @type {AnchorOut} */ { low }) => low,
  high: (/** @type {AnchorOut} */ { high }) => high,
});

/** Anchors sorted by position and searched by bisection. */
export class AnchorSet {
  /** @type {Entry[]} */
  #entries;

  /**
   * @param {AnchorOut[]} anchors
   * @param {(anchor: AnchorOut) => number} positionOf
   */
  constructor(anchors, positionOf) {
    this.#entries = anchors.map((anchor, place) => ({ anchor, at: positionOf(anchor), place }))
      .sort((one, other) => one.at - other.at || one.place - other.place);
  }

  get entries() {
    return this.#entries;
  }

  /**
   * The nearest anchors on either side of a score. An anchor exactly at the score counts as on the side `level`.
   * @param {number} score
   * @param {"below" | "above"} level
   * @returns {Around}
   */
  around(score, level = "below") {
    const above = level === "below" ? this.#after(score) : this.#from(score);
    return { below: this.#entries[above - 1] ?? null, above: this.#entries[above] ?? null };
  }

  /**
   * At most `most` anchors between two scores, as far apart as possible, including the lowest and the highest. Each
   * is at least `distance` from the one before. The distance grows until few enough anchors are left.
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
