import { icon } from "../elements.js";
import { WORDS, progressOf } from "../words.js";

const DRAWINGS = Object.freeze({ saved: "check", saving: "saving", offline: "offline", unreachable: "offline" });

/** Progress and the state of saving, in the bar on top. */
export class TopBar {
  #bar;

  constructor(bar) {
    this.#bar = bar;
  }

  showProgress({ done, of }) {
    const progress = this.#bar.querySelector("#progress");
    progress.hidden = false;
    progress.querySelector(".progress-words").textContent = progressOf({ done, of });
    const meter = progress.querySelector("progress");
    meter.max = of;
    meter.value = done;
  }

  /** `state` is one of the keys of DRAWINGS. */
  showState(state) {
    const place = this.#bar.querySelector("#save-state");
    place.dataset.state = state;
    place.replaceChildren(icon(DRAWINGS[state]), WORDS[state]);
  }

  clearState() {
    this.#bar.querySelector("#save-state").replaceChildren();
  }
}
