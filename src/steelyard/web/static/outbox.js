import { Refused, Unreachable, sendAnswer } from "./api.js";

const PREFIX = "steelyard-answer:";
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/** Keeps an answer on this device until the server has it. */
export class Outbox {
  #store;
  #wake = new EventTarget();

  constructor(store) {
    this.#store = store;
    window.addEventListener("online", () => this.tryNow());
  }

  /** Send one answer, however long it takes; `onWaiting` is called at each failure. */
  async send(answer, onWaiting) {
    this.#keep(answer);
    const state = await this.untilReached(() => this.#deliver(answer), onWaiting);
    this.#forget(answer.assignment);
    return state;
  }

  /** Send what an earlier visit could not; answers the server no longer wants are let go. */
  async sendKept(onWaiting) {
    for (const answer of this.#kept()) {
      await this.send(answer, onWaiting).catch((error) => {
        if (!(error instanceof Refused)) throw error;
        this.#forget(answer.assignment);
      });
    }
  }

  /** Ask again, with growing pauses, until the server answers. */
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

  // A 403 may mean an old session: the answer stays here and is sent when the rater's link is opened again.
  async #deliver(answer) {
    try {
      return await sendAnswer(answer);
    } catch (error) {
      if (error instanceof Refused && error.status !== 401 && error.status !== 403) this.#forget(answer.assignment);
      throw error;
    }
  }

  #pause(milliseconds) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#wake.addEventListener("wake", () => {
        clearTimeout(timer);
        resolve();
      }, { once: true });
    });
  }

  // Storage can be full or forbidden; then the answer lives in this page only, and sending goes on.
  #keep(answer) {
    try {
      this.#store.setItem(PREFIX + answer.assignment, JSON.stringify(answer));
    } catch (error) {
      if (!(error instanceof DOMException)) throw error;
    }
  }

  #forget(assignment) {
    this.#store.removeItem(PREFIX + assignment);
  }

  #kept() {
    const keys = Object.keys(this.#store).filter((key) => key.startsWith(PREFIX));
    return keys.map((key) => JSON.parse(this.#store.getItem(key)));
  }
}
