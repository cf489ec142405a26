import assert from "node:assert/strict";
import { test } from "node:test";

import { AnchorSet, POSITION_OF } from "../../src/steelyard/web/static/widgets/scale/anchor-set.js";
import { randomFrom } from "./randomness.js";

/** @import { AnchorOut } from "../../src/steelyard/web/static/types.js" */

/** @returns {AnchorOut} */
const anchor = (/** @type {number} */ low, high = low) => ({ kind: "text", text: String(low), low, high, own: false });

const setOf = (/** @type {number[]} */ ...places) => new AnchorSet(places.map((at) => anchor(at)), POSITION_OF.middle);

test("neighbours are the nearest anchors on either side", () => {
  const { below, above } = setOf(80, 10, 40).around(50);
  assert.deepEqual([below?.at, above?.at], [40, 80]);
});

test("an anchor just at the score is on the side that is asked for", () => {
  assert.equal(setOf(10, 40).around(40, "below").below?.at, 40);
  assert.equal(setOf(10, 40).around(40, "above").above?.at, 40);
});

test("past the last anchor there is no neighbour", () => {
  assert.equal(setOf(10, 40).around(90).above, null);
  assert.equal(setOf().around(90).below, null);
});

test("anchors are shown at the bound that the step of a range compares with", () => {
  const anchors = [anchor(10, 30)];
  assert.equal(new AnchorSet(anchors, POSITION_OF.low).entries[0].at, 10);
  assert.equal(new AnchorSet(anchors, POSITION_OF.high).entries[0].at, 30);
  assert.equal(new AnchorSet(anchors, POSITION_OF.middle).entries[0].at, 20);
});

test("a spread has no more than allowed, keeps its distance and reaches from the lowest to the highest", () => {
  const random = randomFrom(3);
  for (let at = 0; at < 300; at += 1) {
    const places = Array.from({ length: 1 + Math.floor(40 * random()) }, () => 100 * random());
    const most = 1 + Math.floor(8 * random());
    const spread = setOf(...places).spread(0, 100, most, 5);
    assert.ok(spread.length >= 1 && spread.length <= most);
    const shown = spread.map((entry) => entry.at);
    assert.equal(shown[0], Math.min(...places));
    if (shown.length > 1) assert.equal(shown.at(-1), Math.max(...places));
    // The last one may be closer, because the highest anchor is always shown.
    for (let i = 1; i < shown.length - 1; i += 1) assert.ok(shown[i] - shown[i - 1] >= 5);
  }
});
