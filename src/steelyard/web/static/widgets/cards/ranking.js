import { element } from "../../elements.js";
import { WORDS, say } from "../../words.js";
import { Boards } from "../boards.js";
import { listenForDrag } from "../drag.js";
import { answerKey } from "../keys.js";
import { letterOf, whichOf } from "../names.js";
import { carry, makeRankCard, setDown } from "./rank-card.js";
import { makeEmpty, makePart, makeRow, rankHints, rankKeys, stateOf, placeOf, whereIs, withGaps } from "./rank-rows.js";
import { moveBy, putAt, rowOf, rowsOfRanks, take, tieOrUntie } from "./ranks.js";
import { clearTarget, showTarget, slotAt } from "./slots.js";

/**
 * @import { ItemOut, QuestionOut } from "../../types.js"
 * @import { DragActs } from "../drag.js"
 * @import { Point, Random } from "../types.js"
 * @import { Rows } from "./ranks.js"
 * @import { Target } from "./slots.js"
 */

const NOT_TO_DRAG = "button:not(.handle), a, audio, video, input";
const STEPS = new Map([["ArrowUp", -1], ["ArrowDown", 1]]);
const RELEASES = Object.freeze([" ", "Enter", "Escape"]);

/**
 * <steelyard-ranks>: a tray of items, and the rows they are placed in, highest rank on top. One row is one rank.
 * Every item starts in the tray, because an item that nobody placed has no answer. In and out: see Boards.
 */
export class Ranks extends HTMLElement {
  static tag = /** @type {const} */ ("steelyard-ranks");
  /** @type {ItemOut[]} */
  items = [];
  ties = true;
  name = "";
  /** @type {QuestionOut} */
  question;
  /** @type {Rows} */
  #rows = [];
  /** @type {ReturnType<typeof makeRankCard>[]} */
  #cards = [];
  /** @type {{ item: number, came: Rows } | null} */
  #held = null;
  /** @type {number | null} */
  #picked = null;
  #inactive = false;
  #tray = element("ul", { class: "rank-tray", role: "list" });
  #placed = element("ol", { class: "rank-rows", role: "list" });
  #speaker = element("p", { class: "unseen", "aria-live": "assertive" });

  get inactive() {
    return this.#inactive;
  }

  set inactive(inactive) {
    this.#inactive = inactive;
    this.#held = null;
    this.toggleAttribute("data-inactive", inactive);
    this.#paint();
  }

  get reason() {
    const letters = this.items.map((_, item) => item).filter((item) => this.answerOf(item) === null).map(letterOf);
    return say("place_which", { which: whichOf(letters, letters.length > 1 && letters.length === this.items.length) });
  }

  get hints() {
    return rankHints(this.ties);
  }

  get keys() {
    return rankKeys(this.ties, this.items.length);
  }

  connectedCallback() {
    if (this.childElementCount > 0) return;
    const how = element("p", { class: "unseen", id: `${this.name}-how` }, WORDS.how_to_move);
    this.#cards = this.items.map((item, place) => this.#makeCard(item, place, how.id));
    this.append(how, this.#speaker,
      makePart(WORDS.to_place, this.#tray), makePart(this.question.most ?? WORDS.most_on_top, this.#placed));
    this.#listen();
    this.#paint();
  }

  /** @param {number} item */
  answerOf(item) {
    const row = rowOf(this.#rows, item);
    return row < 0 || this.#held?.item === item ? null : { rank: row + 1 };
  }

  /**
   * Show an earlier order again.
   * @param {Map<number, Record<string, unknown>>} saved
   */
  restore(saved) {
    this.#rows = rowsOfRanks([...saved].map(([item, { rank }]) => ({ item, rank: Number(rank ?? 0) })));
    this.#paint();
  }

  /**
   * Arrow keys go from card to card, or move the grabbed card. Space and T act on the card that has the focus.
   * @param {KeyboardEvent} event
   */
  press(event) {
    const item = this.#cards.findIndex(({ card }) => card.contains(document.activeElement));
    const step = STEPS.get(event.key);
    if (step !== undefined) return this.#held === null ? this.#go(item, step) : this.#step(this.#held.item, step);
    if (this.#held !== null && RELEASES.includes(event.key)) return this.#release(this.#held, event.key !== "Escape");
    return this.#pressCard(item, answerKey(event));
  }

  /**
   * @param {number} item
   * @param {string} key
   */
  #pressCard(item, key) {
    if (item < 0) return false;
    if (/^[1-9]$/.test(key) && Number(key) <= this.items.length) {
      this.#insert(item, Number(key) - 1);
      return true;
    }
    if (key === " " && document.activeElement === this.#cards[item].handle) return this.#toggleHold(item);
    if (key !== "t" || !this.ties || rowOf(this.#rows, item) < 0) return false;
    this.#change(item, tieOrUntie(this.#rows, item), "tie");
    this.#focusHandle(item);
    return true;
  }

  /** @param {number[]} items */
  markWrong(items) {
    this.#cards.forEach(({ card }, item) => card.toggleAttribute("data-mistake", items.includes(item)));
  }

  showMissing() {
    this.#focusHandle(this.#waiting[0]);
  }

  /**
   * Place all items at random, for simulations.
   * @param {Random} random
   */
  simulate(random) {
    for (const item of this.#waiting) {
      const row = Math.floor(random() * (this.#rows.length + 1));
      this.#change(item, putAt(this.#rows, item, { row, level: false }), "place");
    }
  }

  // Keys on a card are handled before those of the page: a held arrow key repeats, and Enter first releases the card.
  #listen() {
    this.addEventListener("keydown", (event) => {
      const target = /** @type {Element} */ (event.target);
      const ours = !event.ctrlKey && !event.altKey && !event.metaKey && target.closest("audio, video") === null;
      const again = event.repeat && [" ", "Enter"].includes(event.key) && target.matches(".handle");
      if (ours && !this.#inactive && (again || this.press(event))) event.preventDefault();
    });
    this.addEventListener("keyup", (event) => {
      const target = /** @type {Element} */ (event.target);
      if (event.key === " " && target.matches(".handle")) event.preventDefault();
    });
    this.addEventListener("focusout", ({ relatedTarget }) => {
      if (relatedTarget instanceof HTMLElement) this.#letGoFor(relatedTarget);
    });
  }

  get #waiting() {
    return this.items.map((_, item) => item).filter((item) => rowOf(this.#rows, item) < 0);
  }

  /**
   * @param {ItemOut} item
   * @param {number} place
   * @param {string} describedBy
   */
  #makeCard(item, place, describedBy) {
    const made = makeRankCard(item, place, {
      ties: this.ties,
      describedBy,
      acts: {
        place: () => this.#placeLast(place),
        up: () => this.#act(place, (rows) => moveBy(rows, place, -1), "up"),
        down: () => this.#act(place, (rows) => moveBy(rows, place, 1), "down"),
        tie: () => this.#act(place, (rows) => tieOrUntie(rows, place), "tie"),
        // Only a click by a screen reader: keys are handled elsewhere, and a pointer drags.
        click: ({ detail }) => detail === 0 && !this.#inactive && this.#toggleHold(place),
      },
    });
    listenForDrag(made.card, (event) => this.#dragOf(place, event));
    return made;
  }

  // Any pointer can drag the handle; a mouse can drag the whole card.
  /**
   * @param {number} item
   * @param {PointerEvent} event
   * @returns {DragActs | null}
   */
  #dragOf(item, { target: pressed, pointerType }) {
    const target = /** @type {Element} */ (pressed);
    const onHandle = target.closest(".handle") !== null;
    if (this.#inactive || (!onHandle && target.closest(NOT_TO_DRAG) !== null)) return null;
    const { card } = this.#cards[item];
    return {
      takes: () => onHandle || pointerType === "mouse",
      onTap: () => this.#pick(item),
      room: () => ({ top: 0, bottom: this.#dock?.getBoundingClientRect().top ?? window.innerHeight }),
      onStart: () => window.getSelection()?.removeAllRanges(),
      onMove: (point, moved) => {
        carry(card, moved);
        showTarget(this.#placed, this.#slotAt(point, item));
      },
      onEnd: (point) => this.#drop(item, this.#slotAt(point, item)),
      onCancel: () => this.#drop(item, null),
    };
  }

  get #dock() {
    return this.closest("#task")?.querySelector(".dock");
  }

  /**
   * @param {Point} point
   * @param {number} item
   */
  #slotAt(point, item) {
    const { card } = this.#cards[item];
    return slotAt(point, { tray: this.#tray.parentElement ?? this.#tray, rows: this.#placed, card, ties: this.ties });
  }

  /**
   * @param {number} item
   * @param {Target | null} slot
   */
  #drop(item, slot) {
    clearTarget(this.#placed);
    setDown(this.#cards[item].card);
    if (slot === null) return;
    this.#change(item, slot === "tray" ? take(this.#rows, item) : putAt(this.#rows, item, slot), "drop");
  }

  /** @param {number} item */
  #placeLast(item) {
    this.#change(item, putAt(this.#rows, item, { row: this.#rows.length, level: false }), "place");
    this.#say(say("let_go", placeOf(this.#rows, item)));
    this.#goOn(item);
  }

  // The button keeps the focus, so that it can be pressed again.
  /**
   * @param {number} item
   * @param {(rows: Rows) => Rows} change
   * @param {string} act
   */
  #act(item, change, act) {
    const focused = document.activeElement;
    this.#change(item, change(this.#rows), act);
    if (focused instanceof HTMLElement) focused.focus();
    this.#say(say("let_go", placeOf(this.#rows, item)));
  }

  /**
   * @param {number} item
   * @param {Rows} rows
   * @param {string} act
   */
  #change(item, rows, act) {
    this.#rows = rows;
    this.#picked = null;
    this.#paint();
    const row = rowOf(rows, item);
    this.dispatchEvent(new CustomEvent("answer", { detail: { item, act, score: row < 0 ? null : row + 1 } }));
  }

  /** @param {number} item */
  #toggleHold(item) {
    if (this.#held !== null) return this.#release(this.#held, true);
    const came = this.#rows;
    this.#held = { item, came };
    const waits = rowOf(came, item) < 0;
    this.#change(item, waits ? putAt(came, item, { row: came.length, level: false }) : came, "grab");
    this.#focusHandle(item);
    this.#say(say("grabbed", placeOf(this.#rows, item)));
    return true;
  }

  /**
   * @param {number} item
   * @param {number} step
   */
  #step(item, step) {
    this.#change(item, moveBy(this.#rows, item, step), step < 0 ? "up" : "down");
    this.#focusHandle(item);
    this.#say(whereIs(this.#rows, item));
    return true;
  }

  /**
   * @param {{ item: number, came: Rows }} held
   * @param {boolean} keep
   */
  #release({ item, came }, keep) {
    this.#held = null;
    this.#change(item, keep ? this.#rows : came, keep ? "release" : "put_back");
    this.#focusHandle(item);
    this.#say(keep ? say("let_go", placeOf(this.#rows, item)) : WORDS.put_back);
    if (keep && rowOf(came, item) < 0) this.#goOn(item);
    return true;
  }

  // A grabbed card that loses the focus is released at its current place.
  /** @param {HTMLElement} next */
  #letGoFor(next) {
    if (this.#held === null || this.#cards[this.#held.item].card.contains(next)) return;
    const { item } = this.#held;
    this.#held = null;
    this.#change(item, this.#rows, "release");
    next.focus();
  }

  /** @param {number} item */
  #goOn(item) {
    this.#focusHandle(this.#waiting.find((each) => each > item) ?? this.#waiting[0] ?? item);
  }

  /**
   * @param {number} item
   * @param {number} step
   */
  #go(item, step) {
    const order = [...this.#waiting, ...this.#rows.flat()];
    const at = item < 0 ? (step > 0 ? 0 : order.length - 1) : order.indexOf(item) + step;
    if (at >= 0 && at < order.length) this.#focusHandle(order[at]);
    return true;
  }

  /** @param {number} item */
  #focusHandle(item) {
    this.#cards[item]?.handle.focus();
  }

  /** @param {string} words */
  #say(words) {
    this.#speaker.textContent = words;
  }

  #paint() {
    const waiting = this.#waiting.map((item) => this.#cards[item].card);
    this.#tray.replaceChildren(...(waiting.length > 0 ? waiting : [makeEmpty(WORDS.all_placed)]));
    const made = this.#rows.map((row, index) => makeRow(row.map((item) => this.#cards[item].card), index));
    const rows = this.#picked === null ? made : withGaps(made, this.#rows, this.#gapsOf(this.#picked));
    this.#placed.replaceChildren(...(rows.length > 0 ? rows : [makeEmpty(WORDS.drop_here)]));
    this.#cards.forEach((card, item) => card.show(this.#stateOf(item)));
  }

  /** @param {number} item */
  #gapsOf(item) {
    return { item, letter: letterOf(item), place: (/** @type {number} */ row) => this.#insert(item, row) };
  }

  /**
   * Place an item before this row, counted without the item.
   * @param {number} item
   * @param {number} row
   */
  #insert(item, row) {
    this.#picked = null;
    const isNew = rowOf(this.#rows, item) < 0;
    const last = take(this.#rows, item).length;
    this.#change(item, putAt(this.#rows, item, { row: Math.min(row, last), level: false }), "place");
    this.#say(say("let_go", placeOf(this.#rows, item)));
    if (isNew) this.#goOn(item);
    else this.#focusHandle(item);
  }

  // A tap on a card chooses it, and its places are shown between the rows; a second tap cancels.
  /** @param {number} item */
  #pick(item) {
    this.#picked = this.#picked === item || this.#rows.length === 0 ? null : item;
    this.#paint();
  }

  /** @param {number} item */
  #stateOf(item) {
    const held = this.#held?.item === item || this.#picked === item;
    return { ...stateOf(this.items[item], item, this.#rows), held, inactive: this.#inactive };
  }
}

/** <steelyard-ranking>: several items put in order, highest first. In and out: see Protocol. */
export default class Ranking extends Boards {
  static kind = "ranking";
  static tag = "steelyard-ranking";

  makeBoard() {
    return element(Ranks.tag);
  }
}

customElements.define(Ranks.tag, Ranks);
customElements.define(Ranking.tag, Ranking);
