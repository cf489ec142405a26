import { element } from "../../elements.js";
import { WORDS, say, sayNodes } from "../../words.js";
import { unlinked } from "./comparisons.js";
import { Item } from "../item.js";

/**
 * @import { AnchorOut } from "../../types.js"
 * @import { Around, Entry } from "../types.js"
 */

/** The item to judge, shown between its neighbours on the scale; `judged` is the element of the item. */
export class Neighbours {
  #below = makeSide("below");
  #above = makeSide("above");
  box;

  /** @param {HTMLElement} judged */
  constructor(judged) {
    this.box = element("div", { class: "beside-each-other" },
      this.#below.box,
      element("div", { class: "side this-one" }, element("p", { class: "side-name" }, WORDS.place_this), judged),
      this.#above.box);
    this.show({ below: null, above: null });
  }

  /**
   * Show these entries of an AnchorSet; null if there is no neighbour on that side.
   * @param {Around} around
   */
  show({ below, above }) {
    this.#below.show(below);
    this.#above.show(above);
  }

  /**
   * Mark these anchors as being on the wrong side of the handle.
   * @param {number[]} places
   */
  markWrong(places) {
    this.#below.markWrong(places);
    this.#above.markWrong(places);
  }

  /**
   * Show the question of this step beside the neighbour that it refers to.
   * @param {"below" | "above"} side
   * @param {string} words
   */
  ask(side, words) {
    this.#below.ask(side === "below" ? words : null);
    this.#above.ask(side === "above" ? words : null);
  }
}

/** @param {string} side */
const bold = (side) => element("b", {}, say("side_name", { side }));

/** @param {"below" | "above"} side */
function makeSide(side) {
  const names = { below: [WORDS.just_below, WORDS.below], above: [WORDS.just_above, WORDS.above] }[side];
  const name = element("p", { class: "side-name" }, element("bdi", {}, names[0]));
  const card = element("div", { class: "side-card", role: "group", "aria-label": names[0] });
  /** @type {Entry | null} */
  let shown = null;
  /** @type {number[]} */
  let wrong = [];
  return {
    /** @param {number[]} places */
    markWrong(places) {
      wrong = places;
      card.classList.toggle("wrong", shown !== null && wrong.includes(shown.place));
    },
    box: element("div", { class: `side ${side}` }, name, card),
    /** @param {string | null} words */
    ask(words) {
      const question = words === null
        ? [names[0]] : sayNodes("side_question", { side: bold(names[1]), comparison: unlinked(words) });
      name.replaceChildren(element("bdi", {}, question));
    },
    /** @param {Entry | null} entry */
    show(entry) {
      if (entry === shown && card.childElementCount > 0) return;
      shown = entry;
      card.classList.toggle("own", entry?.anchor.own === true);
      card.classList.toggle("empty", entry === null);
      card.classList.toggle("wrong", entry !== null && wrong.includes(entry.place));
      const none = [element("p", { class: "none" }, WORDS.none_here)];
      card.replaceChildren(...(entry === null ? none : faceOf(entry.anchor)));
    },
  };
}

/** @param {AnchorOut} anchor */
function faceOf(anchor) {
  const item = Object.assign(element(Item.tag), { item: anchor });
  return anchor.own ? [element("b", { class: "whose" }, WORDS.yours), item] : [item];
}
