import { Acts } from "./acts.js";
import { Refused, Unreachable, fetchTask, takeBack } from "./api.js";
import { Dialogs, pageKeys } from "./dialogs.js";
import { element } from "../elements.js";
import { Interactions } from "./interactions.js";
import { Notes } from "./notes.js";
import { Outbox } from "./outbox.js";
import { goesOn, listenForKeys } from "./page-keys.js";
import { TopBar } from "./top-bar.js";
import { PROTOCOLS } from "../widgets/protocols.js";
import { WORDS, unknownProtocol } from "../words.js";

const LOOK_AGAIN_MS = 30_000;

/** Gets a task, shows its protocol element, sends what it answers. Knows nothing about how answers are made. */
class TaskPage {
  #place;
  #announcer;
  #notes;
  #top;
  #dialogs;
  #outbox;
  #shown = null;
  #busy = false;
  #lookTimer = 0;

  constructor(page) {
    this.#outbox = new Outbox(page.querySelector("meta[name=rater]").content);
    this.#place = page.querySelector("#task");
    this.#announcer = page.querySelector("#announce");
    this.#notes = new Notes({ notes: page.querySelector("#notes"), toasts: page.querySelector("#toasts") });
    this.#top = new TopBar(page.querySelector(".top-bar"));
    this.#dialogs = new Dialogs(page);
    page.querySelector("#open-help").addEventListener("click", () => this.#help());
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
      this.#notes.clear();
      this.#show(state);
      if (state.state === "task" && state.progress.done > 0) this.#top.showState("saved");
    } catch (error) {
      this.#refuse(error);
    }
  }

  #show(state) {
    this.#hold(false);
    if (state.state === "finished") window.location.assign(state.thanks);
    else if (state.state === "paused") this.#showPause(state.message);
    else this.#showTask(state);
  }

  #showPause(message) {
    this.#shown = null;
    const again = element("button", { type: "button", class: "button", onclick: () => this.#look() }, WORDS.lookAgain);
    this.#place.replaceChildren(element("div", { class: "pause" }, element("p", { role: "status" }, message), again));
    this.#lookTimer = setTimeout(() => this.#look(), LOOK_AGAIN_MS);
  }

  #showTask({ task, progress, can_undo: canUndo, last }) {
    if (!Object.hasOwn(PROTOCOLS, task.protocol)) {
      this.#notes.bad(unknownProtocol(task.protocol));
      return;
    }
    this.#top.showProgress(progress);
    const acts = new Acts({ onNext: () => this.#next(), onUndo: () => this.#undo(), canUndo, comment: task.comment });
    const protocol = Object.assign(document.createElement(PROTOCOLS[task.protocol]), { task, acts });
    protocol.addEventListener("progress", ({ detail }) => acts.setProgress(detail));
    protocol.addEventListener("judgment", ({ detail }) => this.#send(task, detail));
    this.#place.replaceChildren(protocol);
    this.#shown = { protocol, acts, last, interactions: new Interactions(protocol) };
    window.scrollTo(0, 0);
    protocol.querySelector("h1").focus({ preventScroll: true });
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

  async #send({ assignment }, answers) {
    const { acts, interactions } = this.#shown;
    const answer = { assignment, answers, comment: acts.comment, ...interactions.summary() };
    await this.#whileBusy(async () => {
      this.#top.showState("saving");
      const state = await this.#outbox.send(answer, () => this.#waitWith(WORDS.answerKept, "offline"));
      this.#notes.clear();
      this.#top.showState("saved");
      this.#show(state);
    });
  }

  async #undo() {
    if (this.#busy) return;
    await this.#whileBusy(async () => {
      const state = await takeBack(this.#shown.last);
      this.#notes.clear();
      this.#show(state);
      this.#notes.toast(state.undos_left === 0 ? `${WORDS.takenBack} ${WORDS.lastUndo}` : WORDS.takenBack);
    });
  }

  async #whileBusy(work) {
    this.#busy = true;
    try {
      await work();
    } catch (error) {
      this.#refuse(error);
    } finally {
      this.#busy = false;
    }
  }

  #refuse(error) {
    if (error instanceof Unreachable) {
      this.#notes.bad(WORDS.undoUnreachable);
      return;
    }
    if (!(error instanceof Refused)) throw error;
    this.#top.clearState();
    this.#hold(false);
    if (error.next === null) this.#shown?.protocol.reopen();
    else this.#show(error.next);
    this.#notes.bad(error.message === "" ? WORDS.refused : error.message);
  }

  #hold(held) {
    this.#place.classList.toggle("held", held);
    this.#place.inert = held;
  }

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

  #announce(text) {
    this.#announcer.textContent = "";
    // A live region speaks on change: the same words twice need a change in between.
    requestAnimationFrame(() => {
      this.#announcer.textContent = text;
    });
  }

  #press(event) {
    if (event.key === "?") return this.#run(() => this.#help());
    if (this.#busy || this.#shown === null) return false;
    if (event.key === "Enter") return goesOn(event) && this.#run(() => this.#next());
    if (event.key.toLowerCase() === "u" && this.#shown.acts.undoable) return this.#run(() => this.#undo());
    return this.#shown.protocol.press(event);
  }

  #run(act) {
    act();
    return true;
  }
}

new TaskPage(document).start();
