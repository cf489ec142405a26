import { Refused, Unreachable, actOnColdStart, fetchColdStart } from "./api.js";
import { element, icon, keyHints } from "../elements.js";
import { KeptPlaces } from "./kept-places.js";
import { Notes } from "./notes.js";
import { goesOn, listenForKeys } from "./page-keys.js";
import { Drawing } from "../widgets/cards/drawing.js";
import { Placing } from "../widgets/scale/placing.js";
import { WORDS, drawMore, keptOf, placeLast } from "../words.js";

const MARK_LENGTH = 16;

/** Lets somebody draw the first examples and place them on one scale. */
class ColdStartPage {
  #page;
  #place;
  #notes;
  #state = null;
  #widget = null;
  #bar = null;
  #isBusy = false;
  #places;

  constructor(page) {
    this.#page = page;
    this.#place = page.querySelector("#cold-start");
    this.#places = new KeptPlaces(page.querySelector("meta[name=csrf]").content.slice(0, MARK_LENGTH));
    this.#notes = new Notes({ notes: page.querySelector("#notes"), toasts: page.querySelector("#toasts") });
    listenForKeys(page, (event) => this.#press(event));
  }

  start() {
    return this.#ask(fetchColdStart);
  }

  async #ask(request) {
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      const state = await request();
      this.#notes.clear();
      this.#show(state);
    } catch (error) {
      this.#tell(error);
      if (error instanceof Refused) await this.#catchUp();
    } finally {
      this.#isBusy = false;
    }
  }

  #tell(error) {
    if (error instanceof Unreachable) this.#notes.bad(WORDS.unreachableNow);
    else if (error instanceof Refused) this.#notes.bad(error.message === "" ? WORDS.refused : error.message);
    else throw error;
  }

  // Several people may choose one set: what was refused may have been changed by another.
  async #catchUp() {
    try {
      const state = await fetchColdStart();
      if (this.#state === null || isSame(state, this.#state)) return;
      this.#show(state);
      this.#notes.bad(WORDS.examplesChanged);
    } catch (error) {
      if (!(error instanceof Refused)) this.#tell(error);
    }
  }

  #show(state) {
    const before = this.#state?.state;
    this.#state = state;
    if (state.state === "done") this.#leave();
    else if (state.state === "place") this.#showPlacing();
    else if (before === "draw") this.#widget.show(state);
    else this.#showDrawing();
  }

  #leave() {
    this.#places.forget();
    window.location.assign(this.#state.next ?? "/task");
  }

  #showDrawing() {
    const { items, dropped } = this.#state;
    const drawing = Object.assign(element(Drawing.tag), { items, dropped });
    const draw = element("button", { type: "button", id: "draw", class: "button", onclick: () => this.#draw() },
      element("span"), element("kbd", { "aria-hidden": "true" }, "D"));
    const words = { title: WORDS.chooseTitle, lead: WORDS.chooseLead, next: WORDS.placeThem };
    this.#fill({ step: 0, widget: drawing, own: draw, ...words });
    drawing.addEventListener("change", () => this.#paintDrawing());
    this.#paintDrawing();
  }

  #paintDrawing() {
    const { missing, kept, size } = this.#counts;
    const draw = this.#bar.own;
    draw.firstChild.textContent = drawMore(missing);
    draw.setAttribute("aria-disabled", String(missing === 0));
    this.#setProgress(missing === 0 ? "" : keptOf(kept, size));
  }

  get #counts() {
    const { size, of = Infinity } = this.#state;
    const kept = this.#widget.kept.length;
    return { kept, size: Math.min(size, of), missing: Math.max(0, Math.min(size, of) - kept) };
  }

  #draw() {
    if (this.#counts.missing > 0) this.#ask(() => actOnColdStart("draw", { keep: this.#widget.kept }));
  }

  #showPlacing() {
    const { items, scale, labelled, reopens } = this.#state;
    const placing = Object.assign(element(Placing.tag), { items, scale, labelled, places: this.#places.all });
    const arrows = getComputedStyle(this.#place).direction === "rtl" ? ["→", "←"] : ["←", "→"];
    const moves = [[["Tab"], WORDS.pickHint], [arrows, WORDS.moveHint], [["⇧", ...arrows], WORDS.bigStepsHint]];
    const words = { title: WORDS.placeTitle, lead: WORDS.placeLead, next: WORDS.saveScale };
    const own = [reopens ? this.#makeBack() : null, keyHints(moves)];
    this.#fill({ step: 1, widget: placing, own, ...words });
    placing.addEventListener("change", () => this.#paintPlacing());
    this.#paintPlacing();
  }

  #paintPlacing() {
    const { missing, positions } = this.#widget;
    this.#places.keep(positions);
    this.#setProgress(missing === 0 ? "" : placeLast(missing));
  }

  #makeBack() {
    const looks = { type: "button", id: "back", class: "button quiet", "aria-label": WORDS.backToChoosing };
    return element("button", { ...looks, onclick: () => this.#back() }, icon("undo", { mirrored: true }),
      element("span", { class: "wide-words" }, WORDS.backToChoosing),
      element("span", { class: "narrow-words" }, WORDS.backShort),
      element("kbd", { "aria-hidden": "true" }, "B"));
  }

  async #back() {
    await this.#ask(() => actOnColdStart("reopen", {}));
    if (this.#state.state === "draw" && this.#places.all.size > 0) this.#notes.toast(WORDS.placesKept);
  }

  #fill({ step, title, lead, widget, own, next }) {
    const looks = { id: "next", class: "button primary next", "aria-describedby": "reason" };
    const go = element("button", { type: "button", ...looks, onclick: () => this.#next() },
      next, element("kbd", { "aria-hidden": "true" }, "Enter"));
    const reason = element("p", { id: "reason", class: "reason", role: "status" });
    const heading = element("h1", { tabindex: "-1" }, title);
    this.#widget = widget;
    this.#bar = { own, go, reason };
    this.#place.replaceChildren(
      element("div", { class: "cold-body" },
        makeSteps(step), heading, element("p", { class: "cold-lead" }, lead), widget),
      element("div", { class: "dock" }, element("div", { class: "acts" },
        element("div", { class: "acts-row" }, element("div", { class: "acts-own" }, own), reason, go))));
    window.scrollTo(0, 0);
    heading.focus({ preventScroll: true });
  }

  #setProgress(reason) {
    this.#bar.reason.textContent = reason;
    this.#bar.reason.classList.remove("asked");
    this.#bar.go.setAttribute("aria-disabled", String(reason !== ""));
  }

  #next() {
    if (this.#bar.reason.textContent !== "") {
      this.#bar.reason.classList.add("asked");
      if (this.#state.state === "place") this.#widget.focus();
      return;
    }
    const isPlacing = this.#state.state === "place";
    this.#ask(() => (isPlacing
      ? actOnColdStart("place", { positions: this.#widget.positions })
      : actOnColdStart("agree", { keep: this.#widget.kept })));
  }

  #press(event) {
    if (this.#isBusy || this.#state === null) return false;
    if (goesOn(event)) this.#next();
    else if (event.key.toLowerCase() === "d" && this.#state.state === "draw") this.#draw();
    else if (event.key.toLowerCase() === "b" && this.#state.reopens) this.#back();
    else return false;
    return true;
  }
}

function isSame(one, other) {
  const marks = [one, other].map(({ state, items }) => [state, ...items.map(({ index }) => index)].join());
  return marks[0] === marks[1];
}

function makeSteps(at) {
  const steps = [WORDS.chooseExamples, WORDS.placeExamples].map((words, index) =>
    element("li", { class: "range-step", "data-done": index < at, "aria-current": index === at ? "step" : null },
      element("span", { class: "step-mark" }, index < at ? icon("check") : String(index + 1)),
      element("span", {}, words)));
  return element("ol", { class: "range-steps", role: "list" }, steps);
}

new ColdStartPage(document).start();
