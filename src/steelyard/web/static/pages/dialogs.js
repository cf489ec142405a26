import { element, find, hintsIf } from "../elements.js";
import { WORDS } from "../words.js";

/** @import { Hint } from "../widgets/types.js" */

/** Opens the dialogs of the page and lists the keys of the current task. */
export class Dialogs {
  #instructions;
  #help;

  /** @param {Document} page */
  constructor(page) {
    this.#instructions = find(page, "#instructions", HTMLDialogElement);
    this.#help = find(page, "#help", HTMLDialogElement);
    find(page, "#open-instructions").addEventListener("click", () => this.#instructions.showModal());
  }

  /** @param {Hint[]} hints */
  showHelp(hints) {
    const rows = hints.map(([keys, words]) => element("tr", {},
      element("th", { scope: "row" }, keys.map((key) => element("kbd", {}, key))), element("td", {}, words)));
    find(this.#help, "tbody").replaceChildren(...rows);
    this.#help.showModal();
  }
}

/**
 * The keys that work on every task.
 * @param {boolean} undoable
 * @returns {Hint[]}
 */
export const pageKeys = (undoable) => [
  [["Enter"], WORDS.next_key],
  ...hintsIf(undoable, [["U"], WORDS.undo_key]),
  [["?"], WORDS.shortcuts_key],
];
