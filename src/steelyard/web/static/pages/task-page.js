import { Acts } from "./acts.js";
import { Ahead } from "./ahead.js";
import { Refused, Unreachable, fetchTask, takeBack } from "./api.js";
import { Dialogs, pageKeys } from "./dialogs.js";
import { Drafts } from "./drafts.js";
import { element, find } from "../elements.js";
import { Interactions } from "./interactions.js";
import { loadProtocol } from "./load-widget.js";
import { notesOf } from "./notes.js";
import { OtherTabs } from "./other-tabs.js";
import { Outbox } from "./outbox.js";
import { goesOn, listenForKeys } from "./page-keys.js";
import { Players } from "./players.js";
import { tooSmallFor } from "./screen-size.js";
import { TopBar } from "./top-bar.js";
import { latinKey } from "../widgets/keys.js";
import { WORDS } from "../words.js";

/**
 * @import { StateOut, TaskOut, TaskStateOut } from "../types.js"
 * @import { Protocol } from "../widgets/protocol.js"
 * @import { CellAnswer } from "../widgets/types.js"
 * @import { Draft } from "./drafts.js"
 * @import { SaveState } from "./top-bar.js"
 */

const ADDRESS = "/task";
const LOOK_AGAIN_MS = 30_000;

/** Fetches tasks, shows them with the element of their protocol, and sends the answers. */
class TaskPage {
  #place;
  #announcer;
  #notes;
  #top;
  #dialogs;
  #outbox;
  #drafts;
  #otherTabs;
  /** @type {{ assignment: string, protocol: Protocol, acts: Acts, last: string, interactions: Interactions,
   *   players: Players } | null} */
  #shown = null;
  #ahead = new Ahead();
  #sound = { volume: 1 };
  #busy = false;
  #lookTimer = 0;

  /** @param {Document} page */
  constructor(page) {
    const rater = find(page, "meta[name=rater]", HTMLMetaElement).content;
    this.#outbox = new Outbox(rater);
    this.#drafts = new Drafts(rater);
    this.#otherTabs = new OtherTabs(rater, (assignment) => this.#leaveTo(assignment));
    this.#place = find(page, "#task");
    this.#announcer = find(page, "#announce");
    this.#notes = notesOf(page);
    this.#top = new TopBar(find(page, ".top-bar"));
    this.#dialogs = new Dialogs(page);
    find(page, "#open-help").addEventListener("click", () => this.#help());
    find(page, "#open-stop").addEventListener("click", () => find(page, "#stop", HTMLDialogElement).showModal());
    listenForKeys(page, (event) => this.#press(event));
  }

  /** @param {StateOut | null} first what the page came with, so that the first task needs no further request */
  async start(first) {
    const { sent, refusals } = await this.#outbox.sendKept(() => this.#waitWith(WORDS.answer_kept, "offline"));
    const isOld = first === null || sent > 0 || this.#wasAnswered(first);
    await this.#look(isOld ? fetchTask : () => Promise.resolve(first));
    if (refusals.length > 0) this.#notes.bad([...new Set(refusals)].join(" "));
  }

  // An answer can arrive after the server has made this page, when a rater sends it and reloads at once.
  /** @param {StateOut} state */
  #wasAnswered(state) {
    return state.state === "task" && this.#drafts.sent(state.task.assignment) !== null;
  }

  async #look(request = fetchTask) {
    clearTimeout(this.#lookTimer);
    try {
      const state = await this.#outbox.untilReached(request, () => this.#waitWith(WORDS.no_task_yet, "unreachable"));
      this.#notes.clear();
      await this.#show(state);
      if (state.state === "task" && state.progress.done > 0) this.#top.showState("saved");
      this.#informIfTooSmall();
      this.#fetchAhead();
    } catch (error) {
      await this.#refuse(error);
    }
  }

  /** @param {StateOut} state */
  async #show(state) {
    this.#ahead.keep(state.state === "task" ? state.ahead : null);
    if (state.state === "task") await this.#showTask(state);
    else if (state.state === "paused") this.#showPause(state.message);
    else window.location.assign(state.thanks);
  }

  /** @param {string} message */
  #showPause(message) {
    this.#hold(false);
    this.#shown = null;
    const again = element("button", { type: "button", class: "button", onclick: () => this.#look() }, WORDS.look_again);
    this.#place.replaceChildren(element("div", { class: "pause" }, element("p", { role: "status" }, message), again));
    this.#lookTimer = window.setTimeout(() => this.#look(), LOOK_AGAIN_MS);
  }

  /** @param {TaskStateOut} state */
  async #showTask({ task, progress, can_undo: canUndo, last, notice }) {
    const { Protocol, ground } = await this.#load(task);
    this.#hold(false);
    this.#top.showProgress(progress);
    const acts = new Acts({ onNext: () => this.#next(), onUndo: () => this.#undo(), canUndo, comment: task.comment });
    const protocol = Object.assign(new Protocol(), { task, acts, ground });
    const players = new Players(protocol, task, this.#sound);
    protocol.addEventListener("progress", ({ detail }) => acts.setProgress(players.gate(detail)));
    protocol.addEventListener("judgment", ({ detail }) => this.#send(task, detail));
    protocol.addEventListener("complete", () => this.#complete(acts));
    this.#shown?.players.stop();
    this.#place.replaceChildren(protocol);
    players.follow((allowed) => acts.setProgress(allowed));
    const interactions = new Interactions(protocol);
    this.#shown = { assignment: task.assignment, protocol, acts, last, interactions, players };
    this.#followDraft();
    if (notice !== "") this.#notes.bad(notice);
    window.scrollTo(0, 0);
    find(protocol, "h1").focus({ preventScroll: true });
  }

  // A message about a widget that could not be loaded ends when it is.
  /** @param {TaskOut} task */
  async #load(task) {
    let waited = false;
    const protocol = await this.#outbox.untilReached(() => loadProtocol(task), () => {
      waited = true;
      this.#waitWith(WORDS.no_task_yet, "unreachable");
    });
    if (waited) this.#notes.clear();
    return protocol;
  }

  #followDraft() {
    const { assignment, protocol, acts } = this.#open;
    this.#restore(this.#drafts.unsent(assignment));
    const follow = () => this.#drafts.follow(() => ({ assignment, cells: protocol.draft, comment: acts.comment }));
    protocol.addEventListener("interaction", follow);
    acts.bar.addEventListener("input", follow);
  }

  /** @param {Draft | null} draft */
  #restore(draft) {
    if (draft === null) return;
    const { protocol, acts } = this.#open;
    protocol.restore(draft.cells);
    acts.comment = draft.comment;
  }

  // Called only while a task is shown.
  get #open() {
    if (this.#shown === null) throw new Error("No task is shown.");
    return this.#shown;
  }

  #informIfTooSmall() {
    const words = this.#shown === null ? null : tooSmallFor(document, this.#shown.protocol);
    if (words !== null) this.#notes.inform(words);
  }

  /** @param {string} assignment */
  #leaveTo(assignment) {
    if (this.#busy || this.#shown?.assignment !== assignment) return;
    this.#hold(true);
    this.#notes.warn(WORDS.answered_elsewhere, { words: WORDS.continue_here, run: () => this.#look() });
  }

  // A complete answer is sent at once, unless something else is missing, such as an item that was not played.
  /** @param {Acts} acts */
  #complete(acts) {
    if (!acts.ready) acts.hideNext(false);
    this.#next();
  }

  /**
   * @param {Promise<unknown>} sent
   * @param {string} assignment
   */
  async #reportWhen(sent, assignment) {
    await sent.then(() => this.#otherTabs.report(assignment), () => {});
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
    this.#drafts.keepSent({ assignment, cells: answers, comment: acts.comment });
    await this.#whileBusy(async () => {
      this.#top.showState("saving");
      const ahead = this.#ahead.state;
      const sent = this.#outbox.send(answer, () => this.#waitToSend());
      this.#reportWhen(sent, assignment);
      if (ahead === null) {
        if (this.#outbox.isWaiting) this.#waitToSend();
        await this.#show(await this.#whenSaved(sent));
      } else {
        this.#notes.clear();
        this.#continueAfter(sent);
        await this.#show(ahead);
      }
    });
  }

  /** @param {Promise<StateOut>} sent */
  async #whenSaved(sent) {
    const state = await sent;
    this.#notes.clear();
    this.#top.showState("saved");
    return state;
  }

  // The next task is on the page already, so its answer may be on its way too when this one has arrived.
  /** @param {Promise<StateOut>} sent */
  async #continueAfter(sent) {
    try {
      await this.#confirm(await this.#whenSaved(sent));
    } catch (error) {
      await this.#refuse(error);
    }
  }

  // A task stays on the page while it is assigned to this rater.
  /** @param {StateOut} state */
  async #confirm(state) {
    if (this.#busy) return;
    if (state.state !== "task" || state.task.assignment !== this.#shown?.assignment) {
      await this.#show(state);
      return;
    }
    this.#ahead.keep(state.ahead);
    if (state.notice !== "") this.#notes.bad(state.notice);
  }

  async #fetchAhead() {
    const assignment = this.#shown?.assignment;
    if (assignment === undefined) return;
    await this.#ahead.fetch(assignment, () => this.#shown?.assignment === assignment && !this.#busy);
  }

  // On a task that was here already, the rater can go on without a connection.
  #waitToSend() {
    if (this.#busy) this.#waitWith(WORDS.answer_kept, "offline");
    else this.#warn(WORDS.go_on_offline, "offline");
  }

  async #undo() {
    if (this.#busy || this.#shown === null) return;
    if (this.#outbox.isWaiting) {
      this.#notes.bad(WORDS.undo_unreachable);
      return;
    }
    const { last, assignment } = this.#shown;
    await this.#whileBusy(async () => {
      await this.#outbox.sent;
      const state = await takeBack(last);
      this.#otherTabs.report(assignment);
      this.#notes.clear();
      await this.#show(state);
      if (state.state === "task") this.#restore(this.#drafts.sent(last));
      this.#notes.toast(state.state === "task" && state.undos_left === 0 ? `${WORDS.taken_back} ${WORDS.last_undo}` : WORDS.taken_back);
    });
    await this.#fetchAhead();
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
      this.#notes.bad(WORDS.undo_unreachable);
      return;
    }
    if (!(error instanceof Refused)) throw error;
    this.#top.clearState();
    this.#hold(false);
    if (error.next === null) this.#shown?.protocol.reopen();
    else await this.#confirm(error.next);
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
    this.#hold(true);
    this.#warn(text, state);
  }

  /**
   * @param {string} text
   * @param {SaveState} state
   */
  #warn(text, state) {
    this.#top.showState(state);
    this.#notes.warn(text, { words: WORDS.try_now, run: () => this.#outbox.tryNow() });
  }

  #help() {
    const protocolKeys = this.#shown === null ? [] : [...this.#shown.protocol.keys, ...this.#shown.players.keys];
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
    if (latinKey(event) === "?") return this.#run(() => this.#help());
    if (this.#busy || this.#shown === null) return false;
    if (event.key === "Enter") return goesOn(event) && this.#run(() => this.#next());
    if (latinKey(event) === "u" && this.#shown.acts.undoable) return this.#run(() => this.#undo());
    return this.#shown.protocol.press(event) || this.#shown.players.press(event);
  }

  /** @param {() => void} act */
  #run(act) {
    act();
    return true;
  }
}

// A personal link answers with this page. The address bar should not show the link, which is secret.
if (window.location.pathname !== ADDRESS) window.history.replaceState(null, "", ADDRESS);
new TaskPage(document).start(JSON.parse(find(document, "#first-state").textContent));
