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
    this.#places = new Map(read(this.#key));
  }

  /** A Map of item to position. */
  get all() {
    return new Map(this.#places);
  }

  /** @param {{ index: number, position: number }[]} positions */
  keep(positions) {
    for (const { index, position } of positions) this.#places.set(index, position);
    withStorage((storage) => storage.setItem(this.#key, JSON.stringify([...this.#places])));
  }

  forget() {
    this.#places.clear();
    withStorage((storage) => storage.removeItem(this.#key));
  }
}

/**
 * @param {string} key
 * @returns {[number, number][]}
 */
function read(key) {
  try {
    return JSON.parse(withStorage((storage) => storage.getItem(key)) ?? "[]");
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return [];
  }
}

/**
 * The result of `act`, or null if storage is full or blocked.
 * @template T
 * @param {(storage: Storage) => T} act
 */
function withStorage(act) {
  try {
    return act(window.sessionStorage);
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    return null;
  }
}
