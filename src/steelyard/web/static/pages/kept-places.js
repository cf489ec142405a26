import { readStored, withStorage } from "./storage.js";

const PREFIX = "steelyard-places:";

/**
 * Unsaved positions of examples, by item. They survive going back to the choice of examples and, if the browser
 * allows storage, a reload. `person` identifies one person in one study.
 */
export class KeptPlaces {
  #key;
  #places;

  /** @param {string} person */
  constructor(person) {
    this.#key = PREFIX + person;
    /** @type {[number, number][] | null} */
    const kept = readStored(withStorage("sessionStorage", (storage) => storage.getItem(this.#key)));
    this.#places = new Map(kept ?? []);
  }

  /** A Map of item to position. */
  get all() {
    return new Map(this.#places);
  }

  /** @param {{ index: number, position: number }[]} positions */
  keep(positions) {
    for (const { index, position } of positions) this.#places.set(index, position);
    withStorage("sessionStorage", (storage) => storage.setItem(this.#key, JSON.stringify([...this.#places])));
  }

  forget() {
    this.#places.clear();
    withStorage("sessionStorage", (storage) => storage.removeItem(this.#key));
  }
}
