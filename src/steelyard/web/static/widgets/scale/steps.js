/** The step of the scale nearest to a raw value; both ends count as steps. */
export function nearestStep({ low, high, step }, raw) {
  if (raw <= low) return low;
  if (raw >= high) return high;
  const score = low + Math.round((raw - low) / step) * step;
  return Math.min(high, withoutNoise(score));
}

/** The score so many steps up (or down) the scale. */
export function stepBy(scale, score, steps) {
  return nearestStep(scale, score + steps * scale.step);
}

/** Where a score stands between the ends, 0 to 1. */
export function shareOf({ low, high }, score) {
  return (score - low) / (high - low);
}

/** The label closest to a score, or null without labels. */
export function nearestLabel({ labels }, score) {
  const distance = (label) => Math.abs(label.at - score);
  return labels.reduce((best, label) => (best === null || distance(label) < distance(best) ? label : best), null);
}

// 0.1 * 3 is 0.30000000000000004; nobody chose that.
function withoutNoise(score) {
  return Number(score.toPrecision(12));
}
