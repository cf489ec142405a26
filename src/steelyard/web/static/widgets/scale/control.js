import { element } from "../../elements.js";
import { Levels } from "../choices/levels.js";
import { Slider } from "./slider.js";
import { shareOf } from "./steps.js";

/**
 * @import { ScaleOut } from "../../types.js"
 * @import { ScaleView } from "./scale-view.js"
 * @typedef {{ text: string, share: number }} PlacedLabel
 */

const MOST_ROOM = 1 / 3;
const MOST_WHOLE = 20; // letters of a word that is not broken

/**
 * Make the control of a scale. `name` is unique on the page, `label` is read by screen readers, and `view` is the
 * visible part of the scale, if it can change.
 * @param {ScaleOut} scale
 * @param {{ name: string, label: string, view?: ScaleView | null }} settings
 * @returns {Slider | Levels}
 */
export function makeControl(scale, { name, label, view = null }) {
  if (scale.levels !== null) return Object.assign(element(Levels.tag, { class: "control" }), { name, scale, label });
  const slider = Object.assign(element(Slider.tag, { class: "control" }), { scale, label });
  return view === null ? slider : Object.assign(slider, { view });
}

/**
 * Make the labels of a slider at their positions; null if there are none.
 * @param {ScaleOut} scale
 */
export function makeLabels({ low, high, labels }) {
  if (labels.length === 0) return null;
  // Rounding, so that three thirds of a scale are exactly its end.
  const shares = labels.map((label) => Number(shareOf({ low, high }, label.at).toFixed(9)));
  const made = placeLabels(labels.map(({ text }, index) => ({ text, share: shares[index] })));
  return element("div", { class: "labels", "aria-hidden": "true" }, made);
}

/**
 * Make labels at their positions.
 * @param {PlacedLabel[]} placed
 */
export function placeLabels(placed) {
  const shares = placed.map(({ share }) => share);
  return placed.map((label, index) => makeLabel(label, shares, index));
}

/**
 * @param {PlacedLabel} label
 * @param {number[]} shares
 * @param {number} index
 */
function makeLabel({ text }, shares, index) {
  const share = shares[index];
  const side = share === 0 ? "low" : share === 1 ? "high" : "between";
  const made = element("span", { class: `label ${side}` }, text);
  made.classList.toggle("whole", side !== "between" && text.split(/\s+/u).every(({ length }) => length <= MOST_WHOLE));
  made.style.setProperty("--at", String(share));
  made.style.setProperty("--room-in-one-row", String(roomFor(share, shares)));
  const sameRow = shares.filter((_, other) => other % 2 === index % 2);
  made.style.setProperty("--room-in-two-rows", String(roomFor(share, sameRow)));
  return made;
}

// End labels grow inwards only, so they get more of the gap than a centred label does. With three labels each gets
// about a third of the line.
/**
 * @param {number} share
 * @param {number[]} shares
 */
function roomFor(share, shares) {
  const gap = Math.min(1, ...shares.map((other) => Math.abs(other - share)).filter((distance) => distance > 0));
  const atEnd = share === 0 || share === 1;
  return atEnd ? Math.min(MOST_ROOM, gap * 0.61) : Math.min(gap * 0.7, 2 * share, 2 * (1 - share));
}
