const NEAR = 32;
const ROW_EDGE = 0.28;

/**
 * Where a card would be put that is let go at `point`: {tray: true}, a slot of ranks.js, or null outside.
 * The middle of a row is level with it, its edges lie between rows.
 */
export function slotAt(point, { tray, rows, card, ties }) {
  if (within(point, tray.getBoundingClientRect(), 0)) return { tray: true };
  if (!within(point, rows.parentElement.getBoundingClientRect(), NEAR)) return null;
  const others = otherRows(rows, card);
  const edge = ties ? ROW_EDGE : 0.5;
  for (const [row, other] of others.entries()) {
    const { top, height } = other.getBoundingClientRect();
    const share = (point.y - top) / height;
    if (share < edge) return { row, level: false, before: other };
    if (share < 1 - edge) return { row, level: true, on: other };
  }
  return { row: others.length, level: false, after: others.at(-1) };
}

/** Show where the card would go. */
export function showTarget(rows, slot) {
  clearTarget(rows);
  if (slot === null || slot.tray) return;
  if (slot.level) slot.on.dataset.drop = "level";
  else if (slot.before !== undefined) slot.before.dataset.drop = "before";
  else if (slot.after !== undefined) slot.after.dataset.drop = "after";
  else rows.dataset.drop = "first";
}

export function clearTarget(rows) {
  delete rows.dataset.drop;
  for (const row of rows.children) delete row.dataset.drop;
}

// A card that is alone in its row takes the row with it.
function otherRows(rows, card) {
  return [...rows.children].filter((row) => row.classList.contains("rank-row")
    && [...row.querySelectorAll(".rank-card")].some((each) => each !== card));
}

function within({ x, y }, { left, right, top, bottom }, margin) {
  return x >= left - margin && x <= right + margin && y >= top - margin && y <= bottom + margin;
}
