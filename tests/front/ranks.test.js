import assert from "node:assert/strict";
import { test } from "node:test";

import { moveBy, putAt, rowOf, take, tieOrUntie } from "../../src/steelyard/web/static/widgets/cards/ranks.js";
import { randomFrom } from "./randomness.js";

const ROWS = [[0], [1, 2], [3]];

test("an item has the rank of its row, and none before it is placed", () => {
  assert.equal(rowOf(ROWS, 2), 1);
  assert.equal(rowOf(ROWS, 9), -1);
});

test("an item that was level with others leaves them when it moves", () => {
  assert.deepEqual(moveBy(ROWS, 1, -1), [[0], [1], [2], [3]]);
  assert.deepEqual(moveBy(ROWS, 1, 1), [[0], [2], [1], [3]]);
});

test("nothing moves past the ends", () => {
  assert.deepEqual(moveBy(ROWS, 0, -1), ROWS);
  assert.deepEqual(moveBy(ROWS, 3, 1), ROWS);
});

test("an item becomes level with the row above, and leaves its row downwards", () => {
  assert.deepEqual(tieOrUntie(ROWS, 3), [[0], [1, 2, 3]]);
  assert.deepEqual(tieOrUntie(ROWS, 1), [[0], [2], [1], [3]]);
  assert.deepEqual(tieOrUntie(ROWS, 0), ROWS);
});

test("slots are counted without the item that is moved", () => {
  assert.deepEqual(putAt([[0], [1]], 0, { row: 1, level: false }), [[1], [0]]);
  assert.deepEqual(putAt([[0], [1]], 0, { row: 0, level: true }), [[1, 0]]);
});

test("no sequence of moves loses or doubles an item, and rows that were given stay as they were", () => {
  const random = randomFrom(5);
  let rows = [[0], [1], [2], [3], [4]];
  for (let at = 0; at < 3_000; at += 1) {
    const item = Math.floor(5 * random());
    const before = structuredClone(rows);
    const next = random() < 0.5 ? moveBy(rows, item, random() < 0.5 ? -1 : 1) : tieOrUntie(rows, item);
    assert.deepEqual(rows, before);
    assert.deepEqual(next.flat().toSorted(), [0, 1, 2, 3, 4]);
    assert.ok(next.every((row) => row.length > 0));
    rows = next;
  }
  assert.deepEqual(take([[0], [1]], 0), [[1]]);
});
