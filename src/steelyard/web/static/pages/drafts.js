import { readStored, withStorage } from "./storage.js";

/**
 * @import { CellAnswer } from "../widgets/types.js"
 * @typedef {{ assignment: string, cells: CellAnswer[], comment: string }} Draft
 */

const UNSENT = "steelyard-unsent:";
const SENT = "steelyard-sent:";
const MOST_SENT = 5;
const PAUSE_MS = 250;

/**
 * The answer that a rater has begun, and the last answers sent, on this device. An unsent answer survives a reload, and
 * an answer that is undone can be shown as it was. `rater` identifies one rater of one study.
 */
export class Drafts {
  #unsent;
  #sent;
  #timer = 0;
  /** @type {(() => Draft) | null} */
  #read = null;

  /** @param {string} rater */
  constructor(rater) {
    this.#unsent = UNSENT + rater;
    this.#sent = SENT + rater;
    window.addEventListener("pagehide", () => this.#write());
  }

  /**
   * Store the draft that `read` returns, shortly after the last change.
   * @param {() => Draft} read
   */
  follow(read) {
    this.#read = read;
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.#write(), PAUSE_MS);
  }

  /**
   * The unsent answer to this task, or null.
   * @param {string} assignment
   */
  unsent(assignment) {
    return this.#stored().find((draft) => draft.assignment === assignment) ?? null;
  }

  /**
   * Keep an answer that is being sent, in case it is undone.
   * @param {Draft} draft
   */
  keepSent(draft) {
    this.#drop();
    const others = this.#stored(this.#sent).filter(({ assignment }) => assignment !== draft.assignment);
    this.#store(this.#sent, [draft, ...others].slice(0, MOST_SENT));
  }

  /**
   * An answer that was sent from this device, or null.
   * @param {string} assignment
   */
  sent(assignment) {
    return this.#stored(this.#sent).find((draft) => draft.assignment === assignment) ?? null;
  }

  #write() {
    if (this.#read === null) return;
    const draft = this.#read();
    this.#read = null;
    this.#store(this.#unsent, [draft]);
  }

  #drop() {
    clearTimeout(this.#timer);
    this.#read = null;
    withStorage("localStorage", (storage) => storage.removeItem(this.#unsent));
  }

  /** @returns {Draft[]} */
  #stored(key = this.#unsent) {
    return readStored(withStorage("localStorage", (storage) => storage.getItem(key))) ?? [];
  }

  /**
   * @param {string} key
   * @param {Draft[]} drafts
   */
  #store(key, drafts) {
    withStorage("localStorage", (storage) => storage.setItem(key, JSON.stringify(drafts)));
  }
}
