/**
 * A ranking in the making: rows of items, most first; items of one row are level. Every function gives new rows.
 * A slot is {row, level}: level with that row, or in a row of its own before it; rows are counted without the item.
 */

/** The index of the item's row, or -1 while it is not placed. */
export function rowOf(rows, item) {
  return rows.findIndex((row) => row.includes(item));
}

export function take(rows, item) {
  return rows.map((row) => row.filter((each) => each !== item)).filter((row) => row.length > 0);
}

export function putAt(rows, item, { row, level }) {
  const others = take(rows, item);
  if (level) return others.map((each, index) => (index === row ? [...each, item] : each));
  return [...others.slice(0, row), [item], ...others.slice(row)];
}

/** One row up (-1) or down (1); an item that was level with others leaves them. */
export function moveBy(rows, item, step) {
  const at = rowOf(rows, item);
  const alone = rows[at].length === 1;
  const wanted = alone ? at + step : at + (step > 0 ? 1 : 0);
  const last = take(rows, item).length;
  return putAt(rows, item, { row: Math.min(last, Math.max(0, wanted)), level: false });
}

/** Level with the row above; an item that is level with others leaves them downwards. */
export function tieOrUntie(rows, item) {
  const at = rowOf(rows, item);
  if (rows[at].length > 1) return putAt(rows, item, { row: at + 1, level: false });
  return at === 0 ? rows : putAt(rows, item, { row: at - 1, level: true });
}
