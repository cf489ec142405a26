import assert from "node:assert/strict";
import { test } from "node:test";

import { digitOf } from "../../src/steelyard/web/static/widgets/keys.js";
import { letterOf, nameOf, wordsOf } from "../../src/steelyard/web/static/widgets/names.js";
import { orderOf } from "../../src/steelyard/web/static/widgets/scale/order.js";
import { compareLines, placeLast, placeLines, progressOf } from "../../src/steelyard/web/static/words.js";

test("items are called A to Z, then A2", () => {
  assert.deepEqual([0, 25, 26, 52].map(letterOf), ["A", "Z", "A2", "A3"]);
});

test("an item without text is named by its medium", () => {
  assert.equal(nameOf({ kind: "audio", url: "/a.mp3", alt: "" }, "B"), "Item B, audio");
  assert.equal(wordsOf({ kind: "image", url: "/a.png", alt: "A cat" }), "A cat");
  assert.equal(nameOf({ kind: "text", text: "Green tea" }, "A"), "A: Green tea");
});

test("missing answers are named while the names fit one line", () => {
  const open = { all: false, cannotJudge: false };
  assert.equal(placeLines(["C"], open), "Place C.");
  assert.equal(placeLines(["C", "D"], open), "Place C and D.");
  const words = placeLines(["C", "D", "E"], { ...open, cannotJudge: true });
  assert.equal(words, "Place the other 3, or tick “Can’t judge”.");
  assert.equal(compareLines(["A", "B"], { ...open, all: true }), "Compare each one.");
});

test("counts have the right singular and plural", () => {
  assert.equal(placeLast(1), "Place the last example.");
  assert.equal(placeLast(3), "Place 3 more examples.");
  assert.equal(progressOf({ done: 3, of: 3 }), "3 of 3");
});

test("a digit is read with Shift and on any keyboard", () => {
  assert.equal(digitOf({ key: "3", code: "Digit3" }), 3);
  assert.equal(digitOf({ key: "&", code: "Digit1" }), 1);
  assert.equal(digitOf({ key: "a", code: "KeyA" }), null);
});

test("the order of a list has the highest first, ties together, and open lines separately", () => {
  const line = (/** @type {string} */ letter, /** @type {number | null} */ score, cannotJudge = false) =>
    ({ letter, words: letter, score, cannotJudge });
  const { groups, waiting, steppedBack } = orderOf([line("A", 0), line("B", 70), line("C", null), line("D", 70),
    line("E", 50, true)]);
  assert.deepEqual(groups.map((group) => group.map(({ letter }) => letter)), [["B", "D"], ["A"]]);
  assert.deepEqual(waiting.map(({ letter }) => letter), ["C"]);
  assert.deepEqual(steppedBack.map(({ letter }) => letter), ["E"]);
});
