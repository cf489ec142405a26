/**
 * An unfinished ranking: rows of items, highest first. Items in one row are tied. Every function returns new rows.
 * @typedef {number[][]} Rows
 * @typedef {{ row: number, level: boolean }} Slot in that row (`level`), or in a new row before it; rows are
 *   counted without the item
 */

/**
 * The index of the item's row, or -1 while it is not placed.
 * @param {Rows} rows
 * @param {number} item
 */
export function rowOf(rows, item) {
  return rows.findIndex((row) => row.includes(item));
}

/**
 * @param {Rows} rows
 * @param {number} item
 */
export function take(rows, item) {
  return rows.map((row) => row.filter((each) => each !== item)).filter((row) => row.length > 0);
}

/**
 * @param {Rows} rows
 * @param {number} item
 * @param {Slot} slot
 */
export function putAt(rows, item, { row, level }) {
  const others = take(rows, item);
  if (level) return others.map((each, index) => (index === row ? [...each, item] : each));
  return [...others.slice(0, row), [item], ...others.slice(row)];
}

/**
 * Move an item one row up (-1) or down (1); an item in a tie leaves it.
 * @param {Rows} rows
 * @param {number} item
 * @param {number} step
 */
export function moveBy(rows, item, step) {
  const at = rowOf(rows, item);
  const alone = rows[at].length === 1;
  const wanted = alone ? at + step : at + (step > 0 ? 1 : 0);
  const last = take(rows, item).length;
  return putAt(rows, item, { row: Math.min(last, Math.max(0, wanted)), level: false });
}

/**
 * Tie an item with the row above; an item in a tie leaves it downwards.
 * @param {Rows} rows
 * @param {number} item
 */
export function tieOrUntie(rows, item) {
  const at = rowOf(rows, item);
  if (rows[at].length > 1) return putAt(rows, item, { row: at + 1, level: false });
  return at === 0 ? rows : putAt(rows, item, { row: at - 1, level: true });
}

/**
 * The rows of items with these ranks; an item of rank 0 is not placed.
 * @param {{ item: number, rank: number }[]} ranked
 * @returns {Rows}
 */
export function rowsOfRanks(ranked) {
  const placed = ranked.filter(({ rank }) => rank > 0);
  const ranks = [...new Set(placed.map(({ rank }) => rank))].sort((one, other) => one - other);
  return ranks.map((rank) => placed.filter((each) => each.rank === rank).map(({ item }) => item));
}
