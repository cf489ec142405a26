import { element } from "../elements.js";
import { WORDS } from "../words.js";

/** Opens the dialogs of the page and fills in the keys of the task at hand. */
export class Dialogs {
  #instructions;
  #help;

  constructor(page) {
    this.#instructions = page.querySelector("#instructions");
    this.#help = page.querySelector("#help");
    page.querySelector("#open-instructions").addEventListener("click", () => this.#instructions.showModal());
  }

  showHelp(hints) {
    const rows = hints.map(([keys, words]) => element("tr", {},
      element("th", { scope: "row" }, keys.map((key) => element("kbd", {}, key))), element("td", {}, words)));
    this.#help.querySelector("tbody").replaceChildren(...rows);
    this.#help.showModal();
  }
}

/** The keys that work on every task. */
export const pageKeys = (undoable) => [
  [["Enter"], WORDS.next.toLowerCase()],
  ...(undoable ? [[["U"], WORDS.undoLast.toLowerCase()]] : []),
  [["?"], "these keys"],
];
