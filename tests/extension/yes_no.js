import { element } from "/static/elements.js";
import { makeCannotJudge } from "/static/widgets/cannot-judge.js";
import { Item, makeContext } from "/static/widgets/item.js";
import { Protocol } from "/static/widgets/protocol.js";

const WORDS = [["yes", "Yes", "y"], ["no", "No", "x"]];

/** Two buttons; `answer` is null until one of them is pressed. */
class Choice extends EventTarget {
  answer = null;
  #inactive = false;

  constructor() {
    super();
    this.buttons = WORDS.map(([word, text]) => element("button",
      { type: "button", class: "button", "aria-pressed": "false", onclick: () => this.choose(word) }, text));
    this.box = element("div", { class: "choices", role: "group" }, this.buttons);
  }

  get inactive() {
    return this.#inactive;
  }

  set inactive(inactive) {
    this.#inactive = inactive;
    this.box.inert = inactive;
  }

  choose(word) {
    this.answer = { answer: word };
    for (const [at, [each]] of WORDS.entries()) {
      this.buttons[at].setAttribute("aria-pressed", String(each === word));
    }
    this.dispatchEvent(new CustomEvent("answer", { detail: { act: "choose", score: word } }));
  }

  contains(node) {
    return this.box.contains(node);
  }

  focus() {
    this.buttons[0].focus();
  }

  simulate(random) {
    this.choose(random() < 0.5 ? "yes" : "no");
  }
}

/** <steelyard-yes-no>: one item; does it have the quality? In and out: see Protocol. */
export default class YesNo extends Protocol {
  static kind = "yes_no";
  static tag = "steelyard-yes-no";
  #cannotJudge = null;

  build() {
    const { items: [item], questions, shared } = this.task;
    const answers = questions.map((question, index) => this.#makeAnswer(question, index));
    if (this.task.cannot_judge) {
      this.#cannotJudge = makeCannotJudge("Can’t judge this", () => this.#toggle());
      this.acts.own.append(this.#cannotJudge);
    }
    this.append(
      ...[makeContext(shared), makeContext(item.context)].filter((part) => part !== null),
      Object.assign(element(Item.tag), { item }),
      ...answers,
      this.acts.bar);
  }

  get keys() {
    return [...WORDS.map(([, text, key]) => [[key.toUpperCase()], text]), ...this.cannotJudgeKeys];
  }

  press({ key }) {
    if (key.toLowerCase() === "n" && this.#cannotJudge !== null) return this.#toggle();
    const chosen = WORDS.find(([, , letter]) => letter === key.toLowerCase());
    const cell = this.focusedCell() ?? this.missing()[0] ?? this.cells[0];
    if (chosen === undefined || cell.cannotJudge) return false;
    cell.control.choose(chosen[0]);
    return true;
  }

  reasonFor() {
    return "Choose yes or no.";
  }

  repaint() {
    this.#cannotJudge?.setAttribute("aria-pressed", String(this.cells[0].cannotJudge));
  }

  #makeAnswer({ text }, index) {
    const control = new Choice();
    this.watch(control, { item: 0, question: index });
    this.addCell(0, index, control);
    const heading = element(index === 0 ? "h1" : "h2", { class: "question", tabindex: "-1", dir: "auto" }, text);
    return element("section", { class: "answer" }, heading, control.box);
  }

  #toggle() {
    this.setCannotJudge(this.cells, !this.cells[0].cannotJudge);
    return true;
  }
}

customElements.define(YesNo.tag, YesNo);
