import { find, icon } from "../elements.js";
import { WORDS, say } from "../words.js";

/** @import { ProgressOut } from "../types.js" */
/** @typedef {"saved" | "saving" | "offline" | "unreachable"} SaveState */

/** @type {Readonly<Record<SaveState, string>>} */
const DRAWINGS = Object.freeze({ saved: "check", saving: "saving", offline: "offline", unreachable: "offline" });
/** @type {Readonly<Record<SaveState, string>>} */
const STATES = Object.freeze({
  saved: WORDS.saved,
  saving: WORDS.saving,
  offline: WORDS.offline,
  unreachable: WORDS.unreachable,
});

/** Progress and the state of saving, in the bar at the top. */
export class TopBar {
  #bar;

  /** @param {HTMLElement} bar */
  constructor(bar) {
    this.#bar = bar;
  }

  /** @param {ProgressOut} progress */
  showProgress({ done, of }) {
    const progress = find(this.#bar, "#progress");
    progress.hidden = false;
    find(progress, ".progress-words").textContent = say("progress_of", { at: Math.min(done + 1, of), of });
    const meter = find(progress, "progress", HTMLProgressElement);
    meter.max = of;
    meter.value = done;
  }

  /** @param {SaveState} state */
  showState(state) {
    const place = find(this.#bar, "#save-state");
    place.dataset.state = state;
    place.replaceChildren(icon(DRAWINGS[state]), STATES[state]);
  }

  clearState() {
    find(this.#bar, "#save-state").replaceChildren();
  }
}
