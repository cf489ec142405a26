import { WORDS } from "../words.js";
import { makeControl } from "./scale/control.js";

/**
 * What every protocol element shares with the task page.
 * In, set once before it is shown: task; acts (the page's bar of buttons: the element puts acts.bar where
 * its layout wants it and may fill acts.own). Methods: submit(), reopen(), press(event), showMissing(),
 * simulate(random).
 * Out: keys [[keys, words], ...], step, answers, shown; events `progress` {ready, reason}, `interaction`
 * {item, question, act, value} and, once, `judgment` [answers].
 */
export class Protocol extends HTMLElement {
  task = null;
  acts = null;
  cells = [];
  #submitted = false;
  #told = null;

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.build();
    this.report();
  }

  /** One answer to come: an item under a question, on the question's scale. */
  makeCell(item, question, label, view = null) {
    const { scale } = this.task.questions[question];
    const control = makeControl(scale, { name: `answer-${question}-${item}`, label, view });
    this.watch(control, { item, question });
    return this.addCell(item, question, control);
  }

  /** One answer to come; its control has `answer` (null until given), `inactive`, focus() and simulate(random). */
  addCell(item, question, control) {
    const cell = { item, question, control, cannotJudge: false };
    this.cells.push(cell);
    return cell;
  }

  /** Record and report what is answered on `control`, of the given place or of the one that it names itself. */
  watch(control, place) {
    control.addEventListener("answer", (event) => {
      event.stopPropagation();
      const { act, score } = event.detail;
      this.interact({ ...place, ...event.detail }, act, score);
      this.report();
    });
  }

  setCannotJudge(cells, cannotJudge) {
    for (const cell of cells) {
      cell.cannotJudge = cannotJudge;
      cell.control.inactive = cannotJudge;
      this.interact(cell, cannotJudge ? "cannot_judge" : "can_judge", null);
    }
    this.report();
  }

  missing() {
    return this.cells.filter((cell) => !cell.cannotJudge && cell.control.answer === null);
  }

  /** Tell the page what is still to do, when that has changed. */
  report() {
    const missing = this.missing();
    const reason = missing.length === 0 ? "" : this.reasonFor(missing);
    this.repaint();
    if (reason === this.#told) return;
    this.#told = reason;
    this.#fire("progress", { ready: missing.length === 0, reason });
  }

  /** Which part of the answer is being made, from 1, where it is made in parts; else null. */
  get step() {
    return null;
  }

  /** What is answered so far. */
  get answers() {
    return this.cells.map(answerOf);
  }

  /** What this page has of its own to log beside its size and direction. */
  get shown() {
    return {};
  }

  submit() {
    if (this.#submitted || this.missing().length > 0) return;
    this.#submitted = true;
    this.#fire("judgment", this.answers);
  }

  /** Let the answer be submitted again, after the page could not hand it in. */
  reopen() {
    this.#submitted = false;
  }

  showMissing() {
    const [first] = this.missing();
    first?.control.focus();
  }

  /** Answer everything as a person with this source of randomness would. */
  simulate(random) {
    for (const cell of this.cells) cell.control.simulate(random);
  }

  /** The cell that has the focus, or undefined. */
  focusedCell() {
    return this.cells.find(({ control }) => control.contains(document.activeElement));
  }

  /** A digit pressed outside any answer goes to the first that is open; without the focus, so the next goes on. */
  pressNextMissing(key) {
    const [first] = this.missing();
    return first !== undefined && first.control.press(key, { follow: false });
  }

  /** Every key that answers, for the help. */
  get answerKeys() {
    const levels = this.task.questions.map(({ scale }) => scale.levels);
    const most = Math.max(0, ...levels.filter((each) => each !== null).map((each) => Math.min(9, each.length)));
    return [
      ...(levels.includes(null) ? this.#sliderKeys : []),
      ...(most > 0 ? [[["1", "…", String(most)], WORDS.chooseKeys]] : []),
    ];
  }

  get #sliderKeys() {
    const { more, less } = this.arrows;
    return [
      [[more, "↑"], WORDS.moreKeys],
      [[less, "↓"], WORDS.lessKeys],
      [["⇧ Shift", less, more], WORDS.bigSteps],
      [["Page Up", "Page Down"], WORDS.bigSteps],
      [["Home", "End"], WORDS.endKeys],
    ];
  }

  get mirrored() {
    return getComputedStyle(this).direction === "rtl";
  }

  get arrows() {
    return this.mirrored ? { more: "←", less: "→" } : { more: "→", less: "←" };
  }

  get cannotJudgeKeys() {
    return this.task.cannot_judge ? [[["N"], WORDS.cannotJudge]] : [];
  }

  /** Record what somebody did at an item under a question. */
  interact({ item, question }, act, value) {
    this.#fire("interaction", { item, question, act, value });
  }

  #fire(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

function answerOf({ item, question, control, cannotJudge }) {
  return cannotJudge ? { item, question, cannot_judge: true } : { item, question, ...control.answer };
}
