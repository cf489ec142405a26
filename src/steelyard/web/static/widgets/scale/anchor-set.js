const GROWTH = 1.15;

/** Where an anchor stands: at one of its bounds, or in the middle where answers are single values. */
export const STANDS = Object.freeze({
  middle: ({ low, high }) => (low + high) / 2,
  low: ({ low }) => low,
  high: ({ high }) => high,
});

/** Anchors in the order of the scale, found by bisection. An entry is {anchor, at, place}. */
export class AnchorSet {
  #entries;

  constructor(anchors, stand) {
    this.#entries = anchors.map((anchor, place) => ({ anchor, at: stand(anchor), place }))
      .sort((one, other) => one.at - other.at || one.place - other.place);
  }

  get entries() {
    return this.#entries;
  }

  /** The nearest on either side of a score; one that stands just there is on the side `level`. */
  around(score, level = "below") {
    const above = level === "below" ? this.#after(score) : this.#from(score);
    return { below: this.#entries[above - 1] ?? null, above: this.#entries[above] ?? null };
  }

  /**
   * At most `most` of those between two scores, as far apart as possible: from the lowest on, each at least a
   * distance from the one before, up to the highest; the distance grows until there are few enough.
   */
  spread(from, to, most, distance) {
    const end = this.#after(to);
    for (let gap = distance; ; gap *= GROWTH) {
      const kept = this.#apart(this.#from(from), end, gap);
      if (kept.length <= most) return kept.length < 2 ? kept : [...kept.slice(0, -1), this.#entries[end - 1]];
    }
  }

  #apart(start, end, gap) {
    const kept = [];
    for (let index = start; index < end; index = Math.max(index + 1, this.#from(this.#entries[index].at + gap))) {
      kept.push(this.#entries[index]);
    }
    return kept;
  }

  #from(score) {
    return this.#bisect((at) => at < score);
  }

  #after(score) {
    return this.#bisect((at) => at <= score);
  }

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
