import { Acts } from "./acts.js";
import { Refused, Unreachable, fetchExercise, sendAttempt } from "./api.js";
import { Dialogs, pageKeys } from "./dialogs.js";
import { element, find, icon } from "../elements.js";
import { loadProtocol } from "./load-widget.js";
import { notesOf } from "./notes.js";
import { goesOn, listenForKeys } from "./page-keys.js";
import { latinKey } from "../widgets/keys.js";
import { WORDS, say } from "../words.js";

/**
 * @import { ExerciseStateOut, FeedbackOut } from "../types.js"
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
  #instructions = "";
  #narrow = window.matchMedia("(max-width: 699px), (max-height: 479px)");
  #short = window.matchMedia("(max-width: 699px), (max-height: 740px)");

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
    protocol.addEventListener("complete", () => this.#check());
    find(this.#page, "#practice").textContent = say("practice_of", { at: at + 1, of });
    this.#place.replaceChildren(protocol);
    this.#sayFeedback(null);
    window.scrollTo(0, 0);
    find(protocol, "h1").focus({ preventScroll: true });
    this.#showInstructions(html);
  }

  // The server has sanitised this HTML, and a detached document runs no scripts.
  /** @param {string} html */
  #showInstructions(html) {
    const parsed = new DOMParser().parseFromString(html, "text/html");
    const isEmpty = html.trim() === "";
    const again = html === this.#instructions;
    this.#instructions = html;
    find(this.#page, "#what-to-do-words").replaceChildren(...parsed.body.cloneNode(true).childNodes);
    find(this.#page, "#instructions-words").replaceChildren(...parsed.body.childNodes);
    Object.assign(find(this.#page, "#what-to-do", HTMLDetailsElement), { hidden: isEmpty, open: true });
    find(this.#page, "#open-instructions").hidden = isEmpty;
    // On a phone and in a low window they would push the scale off the screen.
    if (this.#short.matches && !isEmpty && !again) find(this.#page, "#instructions", HTMLDialogElement).showModal();
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
    const reply = await sendAttempt({ task: at, step, answers });
    this.#notes.clear();
    if (!reply.right) this.#refuse(shown, reply);
    else if (step === 1) this.#goOn(protocol, reply.feedback);
    else await this.#look();
  }

  /**
   * @param {Protocol} protocol
   * @param {string} feedback
   */
  #goOn(protocol, feedback) {
    this.#sayFeedback(feedback === "" ? null : makeFeedback("good", WORDS.that_is_right, [feedback]));
    protocol.submit();
  }

  // A wrong answer must be changed before it can be checked again.
  /**
   * @param {{ protocol: Protocol, acts: Acts }} shown
   * @param {FeedbackOut} reply
   */
  #refuse({ protocol, acts }, { feedback, items, examples }) {
    this.#isHeld = true;
    protocol.markWrong({ items, examples });
    acts.setProgress({ ready: false, reason: WORDS.check_again });
    const several = protocol.task.items.length > 2;
    const sides = [say("wrong_side", { count: examples.length })];
    const where = examples.length > 0 ? sides : several ? [WORDS.wrong_items] : [];
    this.#sayFeedback(makeFeedback("bad", WORDS.not_yet, [feedback, ...where]));
    find(this.#page, "#what-to-do", HTMLDetailsElement).open = false;
    protocol.reopen();
  }

  // On a phone the message is above the buttons, where it does not move the scale off the screen.
  /** @param {HTMLElement | null} feedback */
  #sayFeedback(feedback) {
    const above = find(this.#page, "#feedback");
    const note = this.#shown?.acts.note ?? above;
    const place = this.#narrow.matches ? note : above;
    for (const each of [above, note]) each.replaceChildren(...(feedback !== null && each === place ? [feedback] : []));
    if (feedback !== null) place.scrollIntoView({ block: "nearest" });
  }

  #letGo() {
    if (!this.#isHeld || this.#shown === null) return;
    const { protocol, acts, progress } = this.#shown;
    this.#isHeld = false;
    protocol.markWrong(null);
    acts.setProgress(progress);
  }

  /** @param {() => Promise<void>} work */
  async #whileBusy(work) {
    this.#isBusy = true;
    try {
      await work();
    } catch (error) {
      if (error instanceof Unreachable) this.#notes.bad(WORDS.unreachable_now);
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
    if (latinKey(event) === "?") {
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
 * @param {string[]} texts
 */
function makeFeedback(look, title, texts) {
  const heading = texts[0].startsWith(title) ? null : element("p", { class: "feedback-title" }, title);
  return element("div", { class: `feedback ${look}` }, icon(look === "bad" ? "alert" : "check"),
    element("div", {}, heading, texts.map((text) => element("p", { dir: "auto" }, text))));
}

new TrainingPage(document).start();
