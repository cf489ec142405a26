import { Acts } from "./acts.js";
import { Refused, Unreachable, fetchExercise, sendAttempt } from "./api.js";
import { Dialogs, pageKeys } from "./dialogs.js";
import { element, find, icon } from "../elements.js";
import { loadProtocol } from "./load-widget.js";
import { notesOf } from "./notes.js";
import { goesOn, listenForKeys } from "./page-keys.js";
import { WORDS, practiceOf } from "../words.js";

/**
 * @import { ExerciseStateOut } from "../types.js"
 * @import { Protocol } from "../widgets/protocol.js"
 * @import { Progress } from "../widgets/types.js"
 */

/** Shows the exercises with the widgets of the study. Each step is checked and must be right before the next. */
class TrainingPage {
  #page;
  #place;
  #notes;
  #dialogs;
  /** @type {{ protocol: Protocol, acts: Acts, at: number, progress: Progress } | null} */
  #shown = null;
  #isHeld = false;
  #isBusy = false;

  /** @param {Document} page */
  constructor(page) {
    this.#page = page;
    this.#place = find(page, "#task");
    this.#notes = notesOf(page);
    this.#dialogs = new Dialogs(page);
    find(page, "#open-help").addEventListener("click", () => this.#help());
    listenForKeys(page, (event) => this.#press(event));
  }

  start() {
    return this.#whileBusy(() => this.#look());
  }

  async #look() {
    const state = await fetchExercise();
    if (state.state === "done") window.location.assign(state.next);
    else this.#show(state, await loadProtocol(state.task));
  }

  /**
   * @param {ExerciseStateOut} state
   * @param {Awaited<ReturnType<typeof loadProtocol>>} loaded
   */
  #show({ task, instructions_html: html, of, at }, { Protocol, ground }) {
    const acts = new Acts({ onNext: () => this.#check(), canUndo: false, comment: false, check: true });
    const protocol = Object.assign(new Protocol(), { task, acts, ground });
    this.#shown = { protocol, acts, at, progress: { ready: false, reason: "" } };
    protocol.addEventListener("progress", ({ detail }) => this.#progress(detail));
    protocol.addEventListener("interaction", () => this.#letGo());
    find(this.#page, "#practice").textContent = practiceOf({ at, of });
    this.#feedback().replaceChildren();
    this.#showInstructions(html);
    this.#place.replaceChildren(protocol);
    window.scrollTo(0, 0);
    find(protocol, "h1").focus({ preventScroll: true });
  }

  // The server has sanitised this HTML, and a detached document runs no scripts.
  /** @param {string} html */
  #showInstructions(html) {
    const parsed = new DOMParser().parseFromString(html, "text/html");
    find(this.#page, "#what-to-do-words").replaceChildren(...parsed.body.childNodes);
    Object.assign(find(this.#page, "#what-to-do", HTMLDetailsElement), { hidden: html.trim() === "", open: true });
  }

  /** @param {Progress} progress */
  #progress(progress) {
    if (this.#shown === null) return;
    this.#shown.progress = progress;
    if (!this.#isHeld) this.#shown.acts.setProgress(progress);
  }

  async #check() {
    if (this.#isBusy || this.#shown === null) return;
    const shown = this.#shown;
    const { protocol, acts } = shown;
    if (!acts.ready) {
      acts.stressReason();
      protocol.showMissing();
      return;
    }
    await this.#whileBusy(() => this.#attempt(shown));
  }

  /** @param {{ protocol: Protocol, acts: Acts, at: number }} shown */
  async #attempt(shown) {
    const { protocol, at } = shown;
    const { step, answers } = protocol;
    const { right, feedback } = await sendAttempt({ task: at, step, answers });
    this.#notes.clear();
    if (!right) this.#refuse(shown, feedback);
    else if (step === 1) this.#goOn(protocol, feedback);
    else await this.#look();
  }

  /**
   * @param {Protocol} protocol
   * @param {string} feedback
   */
  #goOn(protocol, feedback) {
    this.#feedback().replaceChildren(...(feedback === "" ? [] : [makeFeedback("good", WORDS.thatIsRight, feedback)]));
    protocol.submit();
  }

  // A wrong answer must be changed before it can be checked again.
  /**
   * @param {{ protocol: Protocol, acts: Acts }} shown
   * @param {string} feedback
   */
  #refuse({ protocol, acts }, feedback) {
    this.#isHeld = true;
    protocol.toggleAttribute("data-wrong", true);
    acts.setProgress({ ready: false, reason: WORDS.checkAgain });
    this.#feedback().replaceChildren(makeFeedback("bad", WORDS.notYet, feedback));
    find(this.#page, "#what-to-do", HTMLDetailsElement).open = false;
    this.#feedback().scrollIntoView({ block: "nearest" });
    protocol.reopen();
  }

  #letGo() {
    if (!this.#isHeld || this.#shown === null) return;
    const { protocol, acts, progress } = this.#shown;
    this.#isHeld = false;
    protocol.toggleAttribute("data-wrong", false);
    acts.setProgress(progress);
  }

  #feedback() {
    return find(this.#page, "#feedback");
  }

  /** @param {() => Promise<void>} work */
  async #whileBusy(work) {
    this.#isBusy = true;
    try {
      await work();
    } catch (error) {
      if (error instanceof Unreachable) this.#notes.bad(WORDS.unreachableNow);
      else if (error instanceof Refused) this.#notes.bad(error.message === "" ? WORDS.refused : error.message);
      else throw error;
    } finally {
      this.#isBusy = false;
    }
  }

  #help() {
    this.#dialogs.showHelp([...(this.#shown?.protocol.keys ?? []), ...pageKeys(false)]);
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    if (event.key === "?") {
      this.#help();
      return true;
    }
    if (this.#isBusy || this.#shown === null) return false;
    if (goesOn(event)) {
      this.#check();
      return true;
    }
    return this.#shown.protocol.press(event);
  }
}

/**
 * @param {"good" | "bad"} look
 * @param {string} title
 * @param {string} text
 */
function makeFeedback(look, title, text) {
  const heading = text.startsWith(title) ? null : element("p", { class: "feedback-title" }, title);
  return element("div", { class: `feedback ${look}` }, icon(look === "bad" ? "alert" : "check"),
    element("div", {}, heading, element("p", { dir: "auto" }, text)));
}

new TrainingPage(document).start();
