import { Refused, Unreachable, sendAnswer } from "./api.js";
import { readStored, withStorage } from "./storage.js";

/**
 * @import { Answer } from "./api.js"
 * @typedef {Answer & { kept_at?: number }} Kept an answer in storage, with the time in milliseconds
 */

const PREFIX = "steelyard-answer:";
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
// The task was closed, or the answer does not fit, so sending it again cannot help. After a 403 it can help, because
// the rater may open their link again.
const FINAL = Object.freeze([409, 422]);

/**
 * Keeps answers on this device until the server has them, and sends them one after the other. `rater` identifies one
 * rater of one study.
 */
export class Outbox {
  #kept;
  /** @type {Promise<unknown>} */
  #sending = Promise.resolve();
  /** Whether an answer could not be sent yet. */
  isWaiting = false;
  #wake = new EventTarget();

  /** @param {string} rater */
  constructor(rater) {
    this.#kept = new KeptAnswers(rater);
    window.addEventListener("online", () => this.tryNow());
  }

  /**
   * Send one answer and retry until it arrives; `onWaiting` is called after each failure.
   * @param {Answer} answer
   * @param {() => void} onWaiting
   */
  send(answer, onWaiting) {
    this.#kept.keep(answer);
    const sent = this.#sending.then(() => this.#sendNow(answer, onWaiting));
    this.#sending = sent.catch(() => {});
    return sent;
  }

  /** Resolves when no answer is left to send. */
  get sent() {
    return this.#sending;
  }

  /**
   * @param {Answer} answer
   * @param {() => void} onWaiting
   */
  async #sendNow(answer, onWaiting) {
    const onFailure = () => {
      this.isWaiting = true;
      onWaiting();
    };
    try {
      const state = await this.untilReached(() => sendAnswer(answer), onFailure);
      this.#kept.forget(answer);
      return state;
    } catch (error) {
      if (error instanceof Refused && FINAL.includes(error.status)) this.#kept.forget(answer);
      throw error;
    } finally {
      this.isWaiting = false;
    }
  }

  /**
   * Send the answers that this rater could not send on an earlier visit. Returns how many there were, and the messages
   * about those that were not stored. After a 403 an answer is kept for another visit.
   * @param {() => void} onWaiting
   */
  async sendKept(onWaiting) {
    /** @type {string[]} */
    const refusals = [];
    const kept = this.#kept.all();
    for (const answer of kept) {
      await this.send(answer, onWaiting).catch((error) => {
        if (!(error instanceof Refused)) throw error;
        if (FINAL.includes(error.status)) refusals.push(error.message);
      });
    }
    return { sent: kept.length, refusals };
  }

  /**
   * Repeat a request, with growing pauses, until the server answers.
   * @template T
   * @param {() => Promise<T>} request
   * @param {() => void} onWaiting
   */
  async untilReached(request, onWaiting) {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      try {
        return await request();
      } catch (error) {
        if (!(error instanceof Unreachable)) throw error;
        onWaiting();
        await this.#pause(pause);
      }
    }
  }

  tryNow() {
    this.#wake.dispatchEvent(new Event("wake"));
  }

  /** @param {number} milliseconds */
  #pause(milliseconds) {
    return new Promise((/** @type {(value?: void) => void} */ resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#wake.addEventListener("wake", () => {
        clearTimeout(timer);
        resolve();
      }, { once: true });
    });
  }
}

/** The answers of one rater in the browser's storage. If storage is full or blocked, nothing is kept. */
class KeptAnswers {
  #prefix;

  /** @param {string} rater */
  constructor(rater) {
    this.#prefix = `${PREFIX}${rater}:`;
  }

  /** @param {Answer} answer */
  keep(answer) {
    const text = JSON.stringify({ ...answer, kept_at: Date.now() });
    withStorage("localStorage", (storage) => storage.setItem(this.#prefix + answer.assignment, text));
  }

  /** @param {Answer} answer */
  forget({ assignment }) {
    withStorage("localStorage", (storage) => storage.removeItem(this.#prefix + assignment));
  }

  /** The answers in the order in which they were given; storage has no order of its own. */
  all() {
    const texts = withStorage("localStorage", (storage) => Object.keys(storage)
      .filter((key) => key.startsWith(this.#prefix))
      .map((key) => storage.getItem(key)));
    const answers = (texts ?? []).map((text) => /** @type {Kept | null} */ (readStored(text)));
    return answers.filter((answer) => answer !== null)
      .sort((one, other) => (one.kept_at ?? 0) - (other.kept_at ?? 0))
      .map(({ kept_at: _, ...answer }) => answer);
  }
}
