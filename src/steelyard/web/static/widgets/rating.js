import { element, keyHints } from "../elements.js";
import { WORDS, answerQuestion } from "../words.js";
import { makeCannotJudge } from "./cannot-judge.js";
import { makeLabels } from "./control.js";
import { Item, makeContext } from "./item.js";
import { Protocol } from "./protocol.js";

/** <steelyard-rating>: one item, one answer per question. In and out: see Protocol. */
export class Rating extends Protocol {
  static kind = "rating";
  static tag = "steelyard-rating";
  #cannotJudge = null;

  build() {
    const { questions, shared } = this.task;
    this.toggleAttribute("data-several", questions.length > 1);
    this.append(...[
      questions.length > 1 ? null : heading(questions[0].text),
      makeContext(shared),
      this.#makeItem(),
      this.#makePanel(),
      keyHints(this.#moves),
    ].filter((part) => part !== null));
  }

  get keys() {
    return [...this.answerKeys, ...this.cannotJudgeKeys];
  }

  get #moves() {
    const { more, less } = this.arrows;
    const { levels } = this.task.questions[0].scale;
    if (levels !== null) return [[["1", "…", String(levels.length)], "choose"]];
    return [
      [[more], "starts at the low end"],
      [[less], "starts at the high end"],
      [["⇧"], "bigger steps"],
      [["Home", "End"], "ends"],
    ];
  }

  /** Keys pressed anywhere on the page; true when this element took them. */
  press({ key }) {
    if (key.toLowerCase() === "n" && this.#cannotJudge !== null) {
      this.#toggleCannotJudge();
      return true;
    }
    if (this.cells.length === 1) return this.cells[0].control.press(key);
    const cell = this.focusedCell();
    return cell === undefined ? this.pressNextMissing(key) : cell.control.press(key);
  }

  reasonFor([first]) {
    const { questions } = this.task;
    if (questions.length > 1) return answerQuestion(first.question + 1);
    return questions[0].scale.levels === null ? WORDS.placeFirst : WORDS.chooseFirst;
  }

  repaint() {
    this.#cannotJudge?.setAttribute("aria-pressed", String(this.cells[0].cannotJudge));
    this.toggleAttribute("data-stepped-back", this.cells[0].cannotJudge);
  }

  #makeItem() {
    const [item] = this.task.items;
    const { questions } = this.task;
    return element("section", { class: "card judged" },
      questions.length > 1 ? null : makeHint(questions[0]),
      makeContext(item.context),
      Object.assign(element(Item.tag), { item }));
  }

  #makePanel() {
    const several = this.task.questions.length > 1;
    const answers = this.task.questions.map((question, index) => this.#makeAnswer(question, index, several));
    const tall = this.task.questions.some(({ scale }) => scale.levels !== null && scale.levels.length > 5);
    if (this.task.cannot_judge) {
      this.#cannotJudge = makeCannotJudge(WORDS.cannotJudgeThis, () => this.#toggleCannotJudge());
      this.acts.own.append(this.#cannotJudge);
    }
    return element("section", { class: "panel", "aria-label": WORDS.yourAnswer, "data-tall": tall },
      answers, this.acts.bar);
  }

  #makeAnswer(question, index, several) {
    const { text, scale } = question;
    const { control } = this.makeCell(0, index, text);
    return element("div", { class: "answer" },
      several ? heading(`${index + 1}. ${text}`, index === 0 ? "h1" : "h2") : null,
      several ? makeHint(question) : null,
      control,
      scale.levels === null ? makeLabels(scale) : null);
  }

  #toggleCannotJudge() {
    this.setCannotJudge(this.cells, !this.cells[0].cannotJudge);
  }
}

function makeHint({ hint }) {
  return hint === null ? null : element("p", { class: "item-hint", dir: "auto" }, hint);
}

function heading(text, tag = "h1") {
  return element(tag, { class: "question", tabindex: "-1", dir: "auto" }, text);
}

customElements.define(Rating.tag, Rating);
