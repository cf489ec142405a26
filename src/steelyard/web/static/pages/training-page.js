import { Acts } from "./acts.js";
import { Refused, Unreachable, fetchExercise, sendAttempt } from "./api.js";
import { Dialogs, pageKeys } from "./dialogs.js";
import { element, icon } from "../elements.js";
import { Notes } from "./notes.js";
import { goesOn, listenForKeys } from "./page-keys.js";
import { PROTOCOLS } from "../widgets/protocols.js";
import { WORDS, practiceOf } from "../words.js";

/** Shows the exercises with the page's own widgets; each step is checked, and only a right one goes on. */
class TrainingPage {
  #page;
  #place;
  #notes;
  #dialogs;
  #shown = null;
  #isHeld = false;
  #isBusy = false;

  constructor(page) {
    this.#page = page;
    this.#place = page.querySelector("#task");
    this.#notes = new Notes({ notes: page.querySelector("#notes"), toasts: page.querySelector("#toasts") });
    this.#dialogs = new Dialogs(page);
    page.querySelector("#open-help").addEventListener("click", () => this.#help());
    listenForKeys(page, (event) => this.#press(event));
  }

  start() {
    return this.#whileBusy(() => this.#look());
  }

  async #look() {
    const state = await fetchExercise();
    if (state.state === "done") window.location.assign(state.next ?? "/task");
    else this.#show(state);
  }

  #show({ task, instructions_html: html, of, at }) {
    const acts = new Acts({ onNext: () => this.#check(), canUndo: false, comment: false, check: true });
    const protocol = Object.assign(document.createElement(PROTOCOLS[task.protocol]), { task, acts });
    this.#shown = { protocol, acts, at, progress: null };
    protocol.addEventListener("progress", ({ detail }) => this.#progress(detail));
    protocol.addEventListener("interaction", () => this.#letGo());
    this.#page.querySelector("#practice").textContent = practiceOf({ at, of });
    this.#feedback().replaceChildren();
    this.#tell(html);
    this.#place.replaceChildren(protocol);
    window.scrollTo(0, 0);
    protocol.querySelector("h1").focus({ preventScroll: true });
  }

  // The server has sanitised this; the parser of a detached document runs no scripts.
  #tell(html) {
    const parsed = new DOMParser().parseFromString(html, "text/html");
    this.#page.querySelector("#told-words").replaceChildren(...parsed.body.childNodes);
    Object.assign(this.#page.querySelector("#told"), { hidden: html.trim() === "", open: true });
  }

  #progress(progress) {
    this.#shown.progress = progress;
    if (!this.#isHeld) this.#shown.acts.setProgress(progress);
  }

  async #check() {
    if (this.#isBusy || this.#shown === null) return;
    const { protocol, acts } = this.#shown;
    if (!acts.ready) {
      acts.stressReason();
      protocol.showMissing();
      return;
    }
    await this.#whileBusy(() => this.#attempt());
  }

  async #attempt() {
    const { protocol, at } = this.#shown;
    const { step, answers } = protocol;
    const { right, feedback } = await sendAttempt({ task: at, step, answers });
    this.#notes.clear();
    if (!right) this.#refuse(feedback);
    else if (step === 1) this.#goOn(feedback);
    else await this.#look();
  }

  #goOn(feedback) {
    this.#feedback().replaceChildren(...(feedback === "" ? [] : [makeFeedback("good", WORDS.thatIsRight, feedback)]));
    this.#shown.protocol.submit();
  }

  // What was wrong stays wrong until something is changed.
  #refuse(feedback) {
    const { protocol, acts } = this.#shown;
    this.#isHeld = true;
    protocol.toggleAttribute("data-wrong", true);
    acts.setProgress({ ready: false, reason: WORDS.checkAgain });
    this.#feedback().replaceChildren(makeFeedback("bad", WORDS.notYet, feedback));
    this.#page.querySelector("#told").open = false;
    this.#feedback().scrollIntoView({ block: "nearest" });
    protocol.reopen();
  }

  #letGo() {
    if (!this.#isHeld) return;
    const { protocol, acts, progress } = this.#shown;
    this.#isHeld = false;
    protocol.toggleAttribute("data-wrong", false);
    acts.setProgress(progress);
  }

  #feedback() {
    return this.#page.querySelector("#feedback");
  }

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

function makeFeedback(look, title, text) {
  const heading = text.startsWith(title) ? null : element("p", { class: "feedback-title" }, title);
  return element("div", { class: `feedback ${look}` }, icon(look === "bad" ? "alert" : "check"),
    element("div", {}, heading, element("p", { dir: "auto" }, text)));
}

new TrainingPage(document).start();
