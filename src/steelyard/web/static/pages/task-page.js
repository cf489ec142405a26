import { Acts } from "./acts.js";
import { Refused, Unreachable, fetchTask, takeBack } from "./api.js";
import { Dialogs, pageKeys } from "./dialogs.js";
import { element, find } from "../elements.js";
import { Interactions } from "./interactions.js";
import { loadProtocol } from "./load-widget.js";
import { notesOf } from "./notes.js";
import { Outbox } from "./outbox.js";
import { goesOn, listenForKeys } from "./page-keys.js";
import { TopBar } from "./top-bar.js";
import { WORDS } from "../words.js";

/**
 * @import { StateOut, TaskOut, TaskStateOut } from "../types.js"
 * @import { Protocol } from "../widgets/protocol.js"
 * @import { CellAnswer } from "../widgets/types.js"
 * @import { SaveState } from "./top-bar.js"
 */

const LOOK_AGAIN_MS = 30_000;

/** Fetches tasks, shows them with the element of their protocol, and sends the answers. */
class TaskPage {
  #place;
  #announcer;
  #notes;
  #top;
  #dialogs;
  #outbox;
  /** @type {{ protocol: Protocol, acts: Acts, last: string, interactions: Interactions } | null} */
  #shown = null;
  #busy = false;
  #lookTimer = 0;

  /** @param {Document} page */
  constructor(page) {
    this.#outbox = new Outbox(find(page, "meta[name=rater]", HTMLMetaElement).content);
    this.#place = find(page, "#task");
    this.#announcer = find(page, "#announce");
    this.#notes = notesOf(page);
    this.#top = new TopBar(find(page, ".top-bar"));
    this.#dialogs = new Dialogs(page);
    find(page, "#open-help").addEventListener("click", () => this.#help());
    listenForKeys(page, (event) => this.#press(event));
  }

  async start() {
    const refusals = await this.#outbox.sendKept(() => this.#waitWith(WORDS.answerKept, "offline"));
    await this.#look();
    if (refusals.length > 0) this.#notes.bad([...new Set(refusals)].join(" "));
  }

  async #look() {
    clearTimeout(this.#lookTimer);
    try {
      const state = await this.#outbox.untilReached(fetchTask, () => this.#waitWith(WORDS.noTaskYet, "unreachable"));
      await this.#show(state);
      this.#notes.clear();
      if (state.state === "task" && state.progress.done > 0) this.#top.showState("saved");
    } catch (error) {
      await this.#refuse(error);
    }
  }

  /** @param {StateOut} state */
  async #show(state) {
    if (state.state === "task") await this.#showTask(state);
    else if (state.state === "paused") this.#showPause(state.message);
    else window.location.assign(state.thanks);
  }

  /** @param {string} message */
  #showPause(message) {
    this.#hold(false);
    this.#shown = null;
    const again = element("button", { type: "button", class: "button", onclick: () => this.#look() }, WORDS.lookAgain);
    this.#place.replaceChildren(element("div", { class: "pause" }, element("p", { role: "status" }, message), again));
    this.#lookTimer = window.setTimeout(() => this.#look(), LOOK_AGAIN_MS);
  }

  /** @param {TaskStateOut} state */
  async #showTask({ task, progress, can_undo: canUndo, last }) {
    const waiting = () => this.#waitWith(WORDS.noTaskYet, "unreachable");
    const { Protocol, ground } = await this.#outbox.untilReached(() => loadProtocol(task), waiting);
    this.#hold(false);
    this.#top.showProgress(progress);
    const acts = new Acts({ onNext: () => this.#next(), onUndo: () => this.#undo(), canUndo, comment: task.comment });
    const protocol = Object.assign(new Protocol(), { task, acts, ground });
    protocol.addEventListener("progress", ({ detail }) => acts.setProgress(detail));
    protocol.addEventListener("judgment", ({ detail }) => this.#send(task, detail));
    this.#place.replaceChildren(protocol);
    this.#shown = { protocol, acts, last, interactions: new Interactions(protocol) };
    window.scrollTo(0, 0);
    find(protocol, "h1").focus({ preventScroll: true });
  }

  #next() {
    if (this.#busy || this.#shown === null) return;
    const { protocol, acts } = this.#shown;
    if (acts.ready) {
      protocol.submit();
      return;
    }
    this.#announce(acts.stressReason());
    protocol.showMissing();
  }

  /**
   * @param {TaskOut} task
   * @param {CellAnswer[]} answers
   */
  async #send({ assignment }, answers) {
    if (this.#shown === null) return;
    const { acts, interactions } = this.#shown;
    const answer = { assignment, answers, comment: acts.comment, ...interactions.summary() };
    await this.#whileBusy(async () => {
      this.#top.showState("saving");
      const state = await this.#outbox.send(answer, () => this.#waitWith(WORDS.answerKept, "offline"));
      this.#notes.clear();
      this.#top.showState("saved");
      await this.#show(state);
    });
  }

  async #undo() {
    if (this.#busy || this.#shown === null) return;
    const { last } = this.#shown;
    await this.#whileBusy(async () => {
      const state = await takeBack(last);
      this.#notes.clear();
      await this.#show(state);
      this.#notes.toast(state.state === "task" && state.undos_left === 0 ? `${WORDS.takenBack} ${WORDS.lastUndo}` : WORDS.takenBack);
    });
  }

  /** @param {() => Promise<void>} work */
  async #whileBusy(work) {
    this.#busy = true;
    try {
      await work();
    } catch (error) {
      await this.#refuse(error);
    } finally {
      this.#busy = false;
    }
  }

  /** @param {unknown} error */
  async #refuse(error) {
    if (error instanceof Unreachable) {
      this.#notes.bad(WORDS.undoUnreachable);
      return;
    }
    if (!(error instanceof Refused)) throw error;
    this.#top.clearState();
    this.#hold(false);
    if (error.next === null) this.#shown?.protocol.reopen();
    else await this.#show(error.next);
    this.#notes.bad(error.message === "" ? WORDS.refused : error.message);
  }

  /** @param {boolean} held */
  #hold(held) {
    this.#place.classList.toggle("held", held);
    this.#place.inert = held;
  }

  /**
   * @param {string} text
   * @param {SaveState} state
   */
  #waitWith(text, state) {
    this.#top.showState(state);
    this.#hold(true);
    this.#notes.warn(text, { words: WORDS.tryNow, run: () => this.#outbox.tryNow() });
  }

  #help() {
    const protocolKeys = this.#shown === null ? [] : this.#shown.protocol.keys;
    const undoable = this.#shown !== null && this.#shown.acts.undoable;
    this.#dialogs.showHelp([...protocolKeys, ...pageKeys(undoable)]);
  }

  /** @param {string} text */
  #announce(text) {
    this.#announcer.textContent = "";
    // Screen readers read a live region only when it changes, so repeated text needs a change in between.
    requestAnimationFrame(() => {
      this.#announcer.textContent = text;
    });
  }

  /**
   * @param {KeyboardEvent} event
   * @returns {boolean}
   */
  #press(event) {
    if (event.key === "?") return this.#run(() => this.#help());
    if (this.#busy || this.#shown === null) return false;
    if (event.key === "Enter") return goesOn(event) && this.#run(() => this.#next());
    if (event.key.toLowerCase() === "u" && this.#shown.acts.undoable) return this.#run(() => this.#undo());
    return this.#shown.protocol.press(event);
  }

  /** @param {() => void} act */
  #run(act) {
    act();
    return true;
  }
}

new TaskPage(document).start();
