import { element, icon } from "../elements.js";
import { WORDS } from "../words.js";

/**
 * @import { Progress } from "../widgets/types.js"
 *
 * @typedef {object} ActsSettings
 * @property {() => void} onNext
 * @property {() => void} [onUndo]
 * @property {boolean} canUndo
 * @property {boolean} comment whether the rater may write a comment
 * @property {boolean} [check] whether answers are checked, as in training
 */

/** The button bar under every task: buttons of the protocol, comment, undo, the reason to wait, and next. */
export class Acts {
  own = element("div", { class: "acts-own" });
  /** A message above the buttons. */
  note = element("div", { class: "acts-note", role: "alert" });
  #words = element("bdi");
  #reason = element("p", { id: "reason", class: "reason" }, this.#words);
  #next;
  #undo;
  /** @type {HTMLTextAreaElement | null} */
  #comment = null;
  /** @type {(open: boolean) => void} */
  #openComment = () => {};
  #check;
  #nextWords = element("span");

  /** @param {ActsSettings} settings */
  constructor({ onNext, onUndo = () => {}, canUndo, comment, check = false }) {
    this.#check = check;
    this.#next = makeNext(onNext, this.#nextWords);
    this.sayNext(WORDS.next);
    this.#undo = makeQuiet("undo-last", "undo", WORDS.undo_last, () => {
      if (canUndo) onUndo();
    });
    // Hidden but still in the layout, so that nothing moves between the first task and the second.
    this.#undo.setAttribute("aria-disabled", String(!canUndo));
    const { toggle, field } = comment ? this.#makeComment() : { toggle: null, field: null };
    const row = element("div", { class: "acts-row" }, this.own, toggle, this.#undo, this.#reason, this.#next);
    this.bar = element("div", { class: "acts" }, this.note, field, row);
  }

  /** The comment of the rater, or "". */
  get comment() {
    return this.#comment === null ? "" : this.#comment.value.trim();
  }

  /** @param {string} comment */
  set comment(comment) {
    if (this.#comment === null || comment === "") return;
    this.#comment.value = comment;
    this.#openComment(true);
  }

  get undoable() {
    return this.#undo.getAttribute("aria-disabled") === "false";
  }

  get ready() {
    return this.#next.getAttribute("aria-disabled") === "false";
  }

  /**
   * Set the text of the next button. Where answers are checked, it is always "Check".
   * @param {string} words
   */
  sayNext(words) {
    this.#nextWords.textContent = this.#check ? WORDS.check : words;
  }

  /**
   * Hide the next button of a page on which an answer needs no further button.
   * @param {boolean} hidden
   */
  hideNext(hidden) {
    this.bar.toggleAttribute("data-at-once", hidden);
  }

  /** @param {Progress} progress */
  setProgress({ ready, reason }) {
    this.#next.setAttribute("aria-disabled", String(!ready));
    this.#words.textContent = reason;
    this.#reason.classList.remove("asked");
  }

  /** Emphasise the reason after the rater pressed a disabled button. */
  stressReason() {
    this.#reason.classList.add("asked");
    return this.#words.textContent;
  }

  #makeComment() {
    const area = element("textarea", { id: "comment", class: "entry", rows: "2", maxlength: "2000", dir: "auto" });
    const label = element("label", { for: "comment" }, WORDS.comment_field);
    const field = element("div", { class: "comment-field", hidden: true }, label, area);
    const toggle = makeQuiet("comment-toggle", "comment", WORDS.comment, () => {
      this.#openComment(field.hidden);
      if (!field.hidden) area.focus();
    });
    toggle.setAttribute("aria-expanded", "false");
    this.#comment = area;
    this.#openComment = (open) => {
      field.hidden = !open;
      toggle.setAttribute("aria-expanded", String(open));
    };
    return { toggle, field };
  }
}

/**
 * @param {() => void} onNext
 * @param {HTMLElement} words
 */
function makeNext(onNext, words) {
  const next = element("button", {
    type: "button",
    id: "next",
    class: "button primary next",
    "aria-disabled": "true",
    "aria-describedby": "reason",
  }, words, element("kbd", { "aria-hidden": "true" }, "Enter"));
  // The second click of a double click belongs to the previous task.
  next.addEventListener("click", ({ detail }) => detail > 1 || onNext());
  return next;
}

/**
 * @param {string} name
 * @param {string} drawing
 * @param {string} words
 * @param {() => void} onclick
 */
function makeQuiet(name, drawing, words, onclick) {
  return element("button", { type: "button", class: `button quiet ${name}`, "aria-label": words, onclick },
    icon(drawing, { mirrored: true }), element("span", { class: "act-words" }, words));
}
