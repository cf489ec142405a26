/**
 * @import { LabelOut } from "../../types.js"
 * @typedef {{ low: number, high: number, step: number }} Grid
 */

/**
 * The step of the scale nearest to a value; both ends count as steps.
 * @param {Grid} scale
 * @param {number} raw
 */
export function nearestStep({ low, high, step }, raw) {
  if (raw <= low) return low;
  if (raw >= high) return high;
  const score = low + Math.round((raw - low) / step) * step;
  return Math.min(high, withoutNoise(score));
}

/**
 * The score this many steps up (or, if negative, down) the scale.
 * @param {Grid} scale
 * @param {number} score
 * @param {number} steps
 */
export function stepBy(scale, score, steps) {
  return nearestStep(scale, score + steps * scale.step);
}

/**
 * The place of a score between the ends, from 0 to 1.
 * @param {{ low: number, high: number }} scale
 * @param {number} score
 */
export function shareOf({ low, high }, score) {
  return (score - low) / (high - low);
}

/**
 * The label closest to a score, or null without labels.
 * @param {{ labels: LabelOut[] }} scale
 * @param {number} score
 * @returns {LabelOut | null}
 */
export function nearestLabel({ labels }, score) {
  const distance = (/** @type {LabelOut} */ label) => Math.abs(label.at - score);
  return labels.reduce((best, label) => (distance(label) < distance(best) ? label : best), labels[0]) ?? null;
}

// 0.1 * 3 is 0.30000000000000004, which nobody chose.
/** @param {number} score */
function withoutNoise(score) {
  return Number(score.toPrecision(12));
}
