/**
 * @import { Point } from "../types.js"
 * @import { Slot } from "./ranks.js"
 * @typedef {"tray" | (Slot & { beside?: HTMLElement, drop: "before" | "level" | "after" })} Target
 */

const NEAR = 32;
const ROW_EDGE = 0.28;

/**
 * Where a card released at `point` would go: the tray, a slot of ranks.js, or null outside. The middle of a row
 * means a tie with the row; its edges mean a place between rows.
 * @param {Point} point
 * @param {{ tray: Element, rows: HTMLElement, card: HTMLElement, ties: boolean }} board
 * @returns {Target | null}
 */
export function slotAt(point, { tray, rows, card, ties }) {
  if (within(point, tray.getBoundingClientRect(), 0)) return "tray";
  const part = rows.parentElement ?? rows;
  if (!within(point, part.getBoundingClientRect(), NEAR)) return null;
  const others = otherRows(rows, card);
  const edge = ties ? ROW_EDGE : 0.5;
  for (const [row, other] of others.entries()) {
    const { top, height } = other.getBoundingClientRect();
    const share = (point.clientY - top) / height;
    if (share < edge) return { row, level: false, beside: other, drop: "before" };
    if (share < 1 - edge) return { row, level: true, beside: other, drop: "level" };
  }
  return { row: others.length, level: false, beside: others.at(-1), drop: "after" };
}

/**
 * Show where the card would go.
 * @param {HTMLElement} rows
 * @param {Target | null} slot
 */
export function showTarget(rows, slot) {
  clearTarget(rows);
  if (slot === null || slot === "tray") return;
  if (slot.beside === undefined) rows.dataset.drop = "first";
  else slot.beside.dataset.drop = slot.drop;
}

/** @param {HTMLElement} rows */
export function clearTarget(rows) {
  delete rows.dataset.drop;
  for (const row of rowsOf(rows)) delete row.dataset.drop;
}

// A card alone in its row is dragged together with the row.
/**
 * @param {HTMLElement} rows
 * @param {HTMLElement} card
 */
function otherRows(rows, card) {
  return rowsOf(rows).filter((row) => [...row.querySelectorAll(".rank-card")].some((each) => each !== card));
}

/** @param {HTMLElement} rows */
function rowsOf(rows) {
  return [...rows.querySelectorAll("li")].filter((row) => row.classList.contains("rank-row"));
}

/**
 * @param {Point} point
 * @param {DOMRect} box
 * @param {number} margin
 */
function within({ clientX: x, clientY: y }, { left, right, top, bottom }, margin) {
  return x >= left - margin && x <= right + margin && y >= top - margin && y <= bottom + margin;
}
