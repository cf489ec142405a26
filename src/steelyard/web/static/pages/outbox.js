import { Refused, Unreachable, sendAnswer } from "./api.js";

/** @import { Answer } from "./api.js" */

const PREFIX = "steelyard-answer:";
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
// The task was closed, or the answer does not fit, so sending it again cannot help. After a 403 it can help, because
// the rater may open their link again.
const FINAL = Object.freeze([409, 422]);

/** Keeps an answer on this device until the server has it. `rater` identifies one rater of one study. */
export class Outbox {
  #kept;
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
  async send(answer, onWaiting) {
    this.#kept.keep(answer);
    try {
      const state = await this.untilReached(() => sendAnswer(answer), onWaiting);
      this.#kept.forget(answer);
      return state;
    } catch (error) {
      if (error instanceof Refused && FINAL.includes(error.status)) this.#kept.forget(answer);
      throw error;
    }
  }

  /**
   * Send the answers that this rater could not send on an earlier visit. Returns the messages about answers that were
   * not stored. After a 403 an answer is kept for another visit.
   * @param {() => void} onWaiting
   */
  async sendKept(onWaiting) {
    /** @type {string[]} */
    const refusals = [];
    for (const answer of this.#kept.all()) {
      await this.send(answer, onWaiting).catch((error) => {
        if (!(error instanceof Refused)) throw error;
        if (FINAL.includes(error.status)) refusals.push(error.message);
      });
    }
    return refusals;
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
    withStorage((storage) => storage.setItem(this.#prefix + answer.assignment, JSON.stringify(answer)));
  }

  /** @param {Answer} answer */
  forget({ assignment }) {
    withStorage((storage) => storage.removeItem(this.#prefix + assignment));
  }

  all() {
    const texts = withStorage((storage) => Object.keys(storage)
      .filter((key) => key.startsWith(this.#prefix))
      .map((key) => storage.getItem(key)));
    return texts === null ? [] : texts.map(readAnswer).filter((answer) => answer !== null);
  }
}

/**
 * The result of `act`, or null if the browser does not allow storage.
 * @template T
 * @param {(storage: Storage) => T} act
 */
function withStorage(act) {
  try {
    return act(window.localStorage);
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    return null;
  }
}

/**
 * @param {string | null} text
 * @returns {Answer | null}
 */
function readAnswer(text) {
  try {
    return text === null ? null : JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return null;
  }
}
