import assert from "node:assert/strict";
import { test } from "node:test";

import "./page.js";
import { digitOf } from "../../src/steelyard/web/static/widgets/keys.js";
import { letterOf, nameOf, whichOf, wordsOf } from "../../src/steelyard/web/static/widgets/names.js";
import { orderOf } from "../../src/steelyard/web/static/widgets/scale/order.js";
import { Messages } from "../../src/steelyard/web/static/messages.js";
import { say } from "../../src/steelyard/web/static/words.js";

test("items are called A to Z, then A2", () => {
  assert.deepEqual([0, 25, 26, 52].map(letterOf), ["A", "Z", "A2", "A3"]);
});

test("an item without text is named by its medium", () => {
  assert.equal(nameOf({ kind: "audio", url: "/a.mp3", alt: "" }, "B"), "Item B, audio");
  assert.equal(wordsOf({ kind: "image", url: "/a.png", alt: "A cat" }), "A cat");
  assert.equal(nameOf({ kind: "text", text: "Green tea" }, "A"), "A: Green tea");
});

test("missing answers are named while the names fit one line", () => {
  assert.equal(whichOf(["C"], false), "C");
  assert.equal(whichOf(["C", "D"], false), "C and D");
  assert.equal(whichOf(["C", "D", "E"], false), "the other 3");
  assert.equal(whichOf(["A", "B"], true), "each one");
});

test("counts have the right singular and plural", () => {
  assert.equal(say("place_last", { count: 1 }), "Place the last example.");
  assert.equal(say("place_last", { count: 3 }), "Place 3 more examples.");
});

test("a language has its own plural forms, numbers and lists", () => {
  const forms = { zero: "0:{count}", one: "1:{count}", two: "2:{count}", few: "f:{count}", many: "m:{count}",
    other: "o:{count}" };
  const arabic = new Messages({ forms }, { language: "ar", direction: "rtl" });
  assert.deepEqual([0, 1, 2, 3, 11, 100].map((count) => arabic.say("forms", { count })),
    ["0:0", "1:1", "2:2", "f:3", "m:11", "o:100"]);
  const german = new Messages({ size: "{count} Texte" }, { language: "de", direction: "ltr" });
  assert.equal(german.say("size", { count: 12_345.5 }), "12.345,5 Texte");
  assert.equal(german.list(["A", "B", "C"]), "A, B und C");
});

test("on a right-to-left page, texts are isolated from the words around them", () => {
  const arabic = new Messages({ next: "بعد {name}" }, { language: "ar", direction: "rtl" });
  assert.equal(arabic.say("next", { name: "A" }), "بعد \u2068A\u2069");
  assert.equal(arabic.list(["D", "E"]), "\u2068D\u2069 و\u2068E\u2069");
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
