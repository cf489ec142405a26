import { Refused, Unreachable, actOnColdStart, fetchColdStart } from "./api.js";
import { element, find, icon, keyHints } from "../elements.js";
import { KeptPlaces } from "./kept-places.js";
import { notesOf } from "./notes.js";
import { goesOn, listenForKeys } from "./page-keys.js";
import { Drawing } from "../widgets/cards/drawing.js";
import { latinKey } from "../widgets/keys.js";
import { Placing } from "../widgets/scale/placing.js";
import { WORDS, say } from "../words.js";

/**
 * @import { ColdStartOut } from "../types.js"
 * @import { Hint } from "../widgets/types.js"
 * @typedef {{ step: number, title: string, lead: string, widget: HTMLElement, own: (Node | null)[],
 *   next: string }} Page
 */

const MARK_LENGTH = 16;

/** Draws the first examples and places them on one scale. */
class ColdStartPage {
  #place;
  #notes;
  /** @type {ColdStartOut | null} */
  #state = null;
  /** @type {Drawing | null} */
  #drawing = null;
  /** @type {Placing | null} */
  #placing = null;
  #bar = { draw: element("button"), go: element("button"), reason: element("p") };
  #isBusy = false;
  #places;

  /** @param {Document} page */
  constructor(page) {
    this.#place = find(page, "#cold-start");
    this.#places = new KeptPlaces(find(page, "meta[name=csrf]", HTMLMetaElement).content.slice(0, MARK_LENGTH));
    this.#notes = notesOf(page);
    listenForKeys(page, (event) => this.#press(event));
  }

  async start() {
    await this.#ask(fetchColdStart);
    // The page opens with a first set. Nobody draws again what was dropped.
    if (this.#state?.state === "draw" && this.#state.items.length + this.#state.dropped.length === 0) this.#draw();
  }

  /** @param {() => Promise<ColdStartOut>} request */
  async #ask(request) {
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      const state = await request();
      this.#notes.clear();
      this.#show(state);
    } catch (error) {
      this.#showError(error);
      if (error instanceof Refused) await this.#catchUp();
    } finally {
      this.#isBusy = false;
    }
  }

  /** @param {unknown} error */
  #showError(error) {
    if (error instanceof Unreachable) this.#notes.bad(WORDS.unreachable_now);
    else if (error instanceof Refused) this.#notes.bad(error.message === "" ? WORDS.refused : error.message);
    else throw error;
  }

  // Several people may choose one set together, so another person may have changed it.
  async #catchUp() {
    try {
      const state = await fetchColdStart();
      if (this.#state === null || isSame(state, this.#state)) return;
      this.#show(state);
      this.#notes.bad(WORDS.examples_changed);
    } catch (error) {
      if (!(error instanceof Refused)) this.#showError(error);
    }
  }

  /** @param {ColdStartOut} state */
  #show(state) {
    const before = this.#state?.state;
    this.#state = state;
    if (state.state === "done") this.#leave(state);
    else if (state.state === "place") this.#showPlacing(state);
    else if (before === "draw") this.#drawing?.show(state);
    else this.#showDrawing(state);
  }

  /** @param {ColdStartOut} state */
  #leave({ next }) {
    this.#places.forget();
    window.location.assign(next);
  }

  /** @param {ColdStartOut} state */
  #showDrawing({ items, dropped, search }) {
    const drawing = Object.assign(element(Drawing.tag), { items, dropped });
    const draw = element("button", { type: "button", id: "draw", class: "button", onclick: () => this.#draw() },
      element("span"), element("kbd", { "aria-hidden": "true" }, "D"));
    const words = { title: WORDS.choose_title, lead: WORDS.choose_lead, next: WORDS.place_them };
    this.#drawing = drawing;
    const widget = search ? element("div", {}, this.#makeSearch(), drawing) : drawing;
    this.#fill({ step: 0, widget, own: [draw], ...words });
    this.#bar.draw = draw;
    drawing.addEventListener("change", () => this.#paintDrawing());
    this.#paintDrawing();
  }

  #makeSearch() {
    const looks = { id: "search-words", class: "entry", placeholder: WORDS.search_items };
    const words = element("input", { type: "search", ...looks, maxlength: "200" });
    const go = element("button", { class: "button" }, WORDS.find_items);
    /** @param {SubmitEvent} event */
    const onsubmit = (event) => {
      event.preventDefault();
      this.#ask(() => actOnColdStart("find", { keep: this.#kept, words: words.value }));
    };
    return element("form", { class: "cold-search", role: "search", onsubmit },
      element("label", { for: "search-words" }, WORDS.search_items), words, go);
  }

  #paintDrawing() {
    const { missing, more, kept, size } = this.#counts;
    const { draw } = this.#bar;
    find(draw, "span").textContent = say("draw_more", { count: more });
    draw.setAttribute("aria-disabled", String(more === 0));
    this.#setProgress(missing === 0 ? "" : say("kept_of", { kept, size, count: missing }));
  }

  get #counts() {
    const size = Math.min(this.#state?.size ?? 0, this.#state?.of ?? 0);
    const kept = this.#kept.length;
    const missing = Math.max(0, size - kept);
    // A complete set can be extended, one example at a time.
    const more = missing > 0 ? missing : Math.min(1, (this.#state?.of ?? 0) - kept);
    return { kept, size, missing, more };
  }

  get #kept() {
    return this.#drawing?.kept ?? [];
  }

  #draw() {
    const { more } = this.#counts;
    if (more > 0) this.#ask(() => actOnColdStart("draw", { keep: this.#kept, more }));
  }

  /** @param {ColdStartOut} state */
  #showPlacing({ items, question: { scale }, labelled, reopens }) {
    const placing = Object.assign(element(Placing.tag), { items, scale, labelled, places: this.#places.all });
    const arrows = getComputedStyle(this.#place).direction === "rtl" ? ["→", "←"] : ["←", "→"];
    /** @type {Hint[]} */
    const moves = [[["Tab"], WORDS.pick_hint], [arrows, WORDS.move_hint], [["⇧", ...arrows], WORDS.big_steps_hint]];
    const words = { title: WORDS.place_title, lead: WORDS.place_lead, next: WORDS.save_scale };
    const own = [reopens ? this.#makeBack() : null, keyHints(moves)];
    this.#placing = placing;
    this.#fill({ step: 1, widget: placing, own, ...words });
    placing.addEventListener("change", () => this.#paintPlacing(placing));
    this.#paintPlacing(placing);
  }

  /** @param {Placing} placing */
  #paintPlacing({ missing, positions }) {
    this.#places.keep(positions);
    this.#setProgress(missing === 0 ? "" : say("place_last", { count: missing }));
  }

  #makeBack() {
    const looks = { type: "button", id: "back", class: "button quiet", "aria-label": WORDS.back_to_choosing };
    return element("button", { ...looks, onclick: () => this.#back() }, icon("undo", { mirrored: true }),
      element("span", { class: "wide-words" }, WORDS.back_to_choosing),
      element("span", { class: "narrow-words" }, WORDS.back_short),
      element("kbd", { "aria-hidden": "true" }, "B"));
  }

  async #back() {
    await this.#ask(() => actOnColdStart("reopen", {}));
    if (this.#state?.state === "draw" && this.#places.all.size > 0) this.#notes.toast(WORDS.places_kept);
  }

  /** @param {Page} page */
  #fill({ step, title, lead, widget, own, next }) {
    const looks = { id: "next", class: "button primary next", "aria-describedby": "reason" };
    const go = element("button", { type: "button", ...looks, onclick: () => this.#next() },
      next, element("kbd", { "aria-hidden": "true" }, "Enter"));
    const reason = element("p", { id: "reason", class: "reason", role: "status" });
    const heading = element("h1", { tabindex: "-1" }, title);
    this.#bar = { ...this.#bar, go, reason };
    this.#place.replaceChildren(
      element("div", { class: "cold-body" },
        makeSteps(step), heading, element("p", { class: "cold-lead" }, lead), widget),
      element("div", { class: "dock" }, element("div", { class: "acts" },
        element("div", { class: "acts-row" }, element("div", { class: "acts-own" }, own), reason, go))));
    window.scrollTo(0, 0);
    heading.focus({ preventScroll: true });
  }

  /** @param {string} reason */
  #setProgress(reason) {
    this.#bar.reason.textContent = reason;
    this.#bar.reason.classList.remove("asked");
    this.#bar.go.setAttribute("aria-disabled", String(reason !== ""));
  }

  #next() {
    const isPlacing = this.#state?.state === "place";
    if (this.#bar.reason.textContent !== "") {
      this.#bar.reason.classList.add("asked");
      if (isPlacing) this.#placing?.focus();
      return;
    }
    this.#ask(() => (isPlacing
      ? actOnColdStart("place", { positions: this.#placing?.positions ?? [] })
      : actOnColdStart("agree", { keep: this.#kept })));
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    if (this.#isBusy || this.#state === null) return false;
    if (goesOn(event)) this.#next();
    else if (latinKey(event) === "d" && this.#state.state === "draw") this.#draw();
    else if (latinKey(event) === "b" && this.#state.reopens) this.#back();
    else return false;
    return true;
  }
}

/**
 * @param {ColdStartOut} one
 * @param {ColdStartOut} other
 */
function isSame(one, other) {
  const marks = [one, other].map(({ state, items }) => [state, ...items.map(({ index }) => index)].join());
  return marks[0] === marks[1];
}

/** @param {number} at */
function makeSteps(at) {
  const steps = [WORDS.choose_examples, WORDS.place_examples].map((words, index) =>
    element("li", { class: "range-step", "data-done": index < at, "aria-current": index === at ? "step" : null },
      element("span", { class: "step-mark" }, index < at ? icon("check") : String(index + 1)),
      element("span", {}, words)));
  return element("ol", { class: "range-steps", role: "list" }, steps);
}

new ColdStartPage(document).start();
