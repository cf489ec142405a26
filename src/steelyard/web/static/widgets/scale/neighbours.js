import { element } from "../../elements.js";
import { WORDS } from "../../words.js";
import { addFolds } from "../fold.js";
import { Item } from "../item.js";

/**
 * @import { AnchorOut } from "../../types.js"
 * @import { Around, Entry } from "../types.js"
 */

const LONG = 160;

/** The item to judge, shown between its neighbours on the scale; `judged` is the element of the item. */
export class Neighbours {
  #below = makeSide("below");
  #above = makeSide("above");
  box;

  /** @param {HTMLElement} judged */
  constructor(judged) {
    this.box = element("div", { class: "beside-each-other" },
      this.#below.box,
      element("div", { class: "side this-one" }, element("p", { class: "side-name" }, WORDS.placeThis), judged),
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
   * Show the question of this step beside the neighbour that it refers to.
   * @param {"below" | "above"} side
   * @param {string} words
   */
  ask(side, words) {
    this.#below.ask(side === "below" ? words : null);
    this.#above.ask(side === "above" ? words : null);
  }
}

/** @param {"below" | "above"} side */
function makeSide(side) {
  const names = { below: [WORDS.justBelow, WORDS.below], above: [WORDS.justAbove, WORDS.above] }[side];
  const name = element("p", { class: "side-name" }, element("bdi", {}, names[0]));
  const card = element("div", { class: "side-card", role: "group", "aria-label": names[0] });
  /** @type {Entry | null} */
  let shown = null;
  return {
    box: element("div", { class: `side ${side}` }, name, card),
    /** @param {string | null} words */
    ask(words) {
      const question = words === null ? [names[0]] : [element("b", {}, `${names[1]}:`), ` ${words}?`];
      name.replaceChildren(element("bdi", {}, question));
    },
    /** @param {Entry | null} entry */
    show(entry) {
      if (entry === shown && card.childElementCount > 0) return;
      shown = entry;
      card.classList.toggle("own", entry?.anchor.own === true);
      card.classList.toggle("empty", entry === null);
      const none = [element("p", { class: "none" }, WORDS.noneHere)];
      card.replaceChildren(...(entry === null ? none : faceOf(entry.anchor)));
      if ((entry?.anchor.text ?? entry?.anchor.html ?? "").length > LONG) addFolds(card, Item.tag);
    },
  };
}

/** @param {AnchorOut} anchor */
function faceOf(anchor) {
  const item = Object.assign(element(Item.tag), { item: anchor });
  return anchor.own ? [element("b", { class: "whose" }, WORDS.yours), item] : [item];
}
