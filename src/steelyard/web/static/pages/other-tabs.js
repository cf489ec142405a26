/** Reports to the other tabs of a rater which tasks are done. `rater` identifies one rater of one study. */
export class OtherTabs {
  #channel;

  /**
   * @param {string} rater
   * @param {(assignment: string) => void} onDone another tab has answered this task, or undone it
   */
  constructor(rater, onDone) {
    this.#channel = new BroadcastChannel(`steelyard:${rater}`);
    this.#channel.addEventListener("message", ({ data }) => onDone(String(data)));
  }

  /** @param {string} assignment */
  report(assignment) {
    this.#channel.postMessage(assignment);
  }
}
