import { element, find, icon } from "../elements.js";
import { WORDS } from "../words.js";

/** The messages of a page, in its two live regions. */
class Notes {
  #notes;
  #toasts;

  /** @param {{ notes: HTMLElement, toasts: HTMLElement }} places */
  constructor({ notes, toasts }) {
    this.#notes = notes;
    this.#toasts = toasts;
  }

  /**
   * Amber: something is delayed, but nothing is lost.
   * @param {string} text
   * @param {{ words: string, run: () => void }} act
   */
  warn(text, act) {
    const button = element("button", { type: "button", class: "button quiet", onclick: act.run }, act.words);
    this.#show(element("div", { class: "note warn" }, icon("offline"), element("bdi", {}, text), button));
  }

  /**
   * Amber: something to know, until it is dismissed.
   * @param {string} text
   */
  inform(text) {
    const note = element("div", { class: "note warn", role: "status" }, icon("alert"), element("bdi", {}, text));
    note.append(makeDismiss(note));
    this.#show(note);
  }

  /**
   * Red: something failed, and what to do.
   * @param {string} text
   */
  bad(text) {
    const note = element("div", { class: "note bad", role: "alert" }, icon("alert"), element("bdi", {}, text));
    note.append(makeDismiss(note));
    this.#show(note);
  }

  /** @param {string} text */
  toast(text) {
    const toast = element("div", { class: "toast" }, element("bdi", {}, text));
    toast.append(makeDismiss(toast));
    this.#toasts.replaceChildren(toast);
  }

  clear() {
    this.#notes.replaceChildren();
    this.#toasts.replaceChildren();
  }

  // An unchanged note is not replaced, so that screen readers do not read it at every retry.
  /** @param {HTMLElement} note */
  #show(note) {
    if (this.#notes.textContent === note.textContent) return;
    this.#notes.replaceChildren(note);
  }
}

/** @param {HTMLElement} message */
function makeDismiss(message) {
  const onclick = () => message.remove();
  return element("button", { type: "button", class: "button quiet square", "aria-label": WORDS.dismiss, onclick },
    icon("cross"));
}

/**
 * The messages of a page, in its two live regions.
 * @param {Document} page
 */
export function notesOf(page) {
  return new Notes({ notes: find(page, "#notes"), toasts: find(page, "#toasts") });
}
