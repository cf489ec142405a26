import { element } from "../../elements.js";
import { Levels } from "../choices/levels.js";
import { Slider } from "./slider.js";
import { shareOf } from "./steps.js";

const MOST_ROOM = 1 / 3;

/**
 * The control that a scale asks for; `name` is unique on the page, `label` is what a screen reader says, `view` is
 * the part of the scale that is shown, where that can change.
 */
export function makeControl(scale, { name, label, view = null }) {
  const control = element(scale.levels === null ? Slider.tag : Levels.tag, { class: "control" });
  return Object.assign(control, { name, scale, label }, view === null ? {} : { view });
}

/** The words of a slider's scale, each at its place; null when there are none. */
export function makeLabels({ low, high, labels }) {
  if (labels.length === 0) return null;
  // A third of a scale, three times over, must still be its end.
  const shares = labels.map((label) => Number(shareOf({ low, high }, label.at).toFixed(9)));
  const made = placeLabels(labels.map(({ text }, index) => ({ text, share: shares[index] })));
  return element("div", { class: "labels", "aria-hidden": "true" }, made);
}

/** Words at their places, from [{text, share}, ...]. */
export function placeLabels(placed) {
  const shares = placed.map(({ share }) => share);
  return placed.map((label, index) => makeLabel(label, shares, index));
}

function makeLabel({ text }, shares, index) {
  const share = shares[index];
  const side = share === 0 ? "low" : share === 1 ? "high" : "between";
  const made = element("span", { class: `label ${side}` }, text);
  made.style.setProperty("--at", share);
  made.style.setProperty("--room", roomFor(share, shares));
  return made;
}

// End labels grow inwards only, so they get more of the gap than half of a centred one; about a third of the line
// each, where there are three.
function roomFor(share, shares) {
  const gap = Math.min(1, ...shares.map((other) => Math.abs(other - share)).filter((distance) => distance > 0));
  const atEnd = share === 0 || share === 1;
  return atEnd ? Math.min(MOST_ROOM, gap * 0.61) : Math.min(gap * 0.7, 2 * share, 2 * (1 - share));
}
