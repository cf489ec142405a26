import { element } from "../../elements.js";
import { placeLabels } from "./control.js";

/**
 * @import { ScaleOut } from "../../types.js"
 * @import { ScaleView } from "./scale-view.js"
 */

const EDGE = 0.12;

/** The labels of a scale at their positions in the visible part. The next label outside is shown at the edge. */
export class ScaleLabels {
  #scale;
  #view;
  box = element("div", { class: "labels", "aria-hidden": "true" });
  /** The labels of the two ends, for a vertical line. */
  lowEnd = element("p", { class: "end-label", "aria-hidden": "true" });
  highEnd = element("p", { class: "end-label", "aria-hidden": "true" });

  /**
   * @param {ScaleOut} scale
   * @param {ScaleView} view
   */
  constructor(scale, view) {
    this.#scale = scale;
    this.#view = view;
    view.addEventListener("view", () => this.#paint());
    this.#paint();
  }

  #paint() {
    const placed = this.#scale.labels.map(({ at, text }) => ({ text, share: this.#view.share(at) }));
    const before = placed.findLast(({ share }) => share < EDGE);
    const after = placed.find(({ share }) => share > 1 - EDGE);
    const shown = [
      ...(before === undefined ? [] : [{ share: 0, text: before.share < 0 ? `‹ ${before.text}` : before.text }]),
      ...placed.filter(({ share }) => share >= EDGE && share <= 1 - EDGE),
      ...(after === undefined ? [] : [{ share: 1, text: after.share > 1 ? `${after.text} ›` : after.text }]),
    ];
    this.box.replaceChildren(...placeLabels(shown));
    this.lowEnd.textContent = before === undefined ? "" : shown[0].text;
    this.highEnd.textContent = after === undefined ? "" : shown[shown.length - 1].text;
  }
}
