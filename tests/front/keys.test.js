import assert from "node:assert/strict";
import { test } from "node:test";

import { answerKey, digitOf, latinKey } from "../../src/steelyard/web/static/widgets/keys.js";

/** @type {(key: string, code: string, shiftKey?: boolean) => { key: string, code: string, shiftKey: boolean }} */
const pressed = (key, code, shiftKey = false) => ({ key, code, shiftKey });

test("a Latin letter is itself, wherever the keyboard has it", () => {
  assert.equal(latinKey(pressed("n", "KeyN")), "n");
  assert.equal(latinKey(pressed("U", "KeyU", true)), "u");
  assert.equal(latinKey(pressed("n", "KeyL")), "n"); // Dvorak
});

test("a letter of another alphabet is the Latin letter of its key", () => {
  assert.equal(latinKey(pressed("ى", "KeyN")), "n"); // Arabic
  assert.equal(latinKey(pressed("ल", "KeyN")), "n"); // Hindi, InScript
  assert.equal(latinKey(pressed("т", "KeyN")), "n"); // Russian
});

test("digits of Arabic, Persian and Hindi keyboards are digits", () => {
  for (const seven of ["7", "٧", "۷", "७"]) {
    assert.equal(digitOf(pressed(seven, "Digit7")), 7);
    assert.equal(digitOf(pressed(seven, "Numpad7")), 7);
    assert.equal(answerKey(pressed(seven, "Digit7")), "7");
  }
});

test("a digit key without Shift is a digit on a French keyboard, and with Shift its sign stays", () => {
  assert.equal(answerKey(pressed("&", "Digit1")), "1");
  assert.equal(answerKey(pressed("!", "Digit1", true)), "!");
});

test("signs of shortcuts are found by their key", () => {
  assert.equal(latinKey(pressed("؟", "Slash", true)), "?");
  assert.equal(latinKey(pressed("य़", "Slash", true)), "?");
  assert.equal(latinKey(pressed("ृ", "Equal")), "=");
  assert.equal(latinKey(pressed("و", "Comma")), ",");
});

test("named keys, and keys without a Latin place, stay what they are", () => {
  assert.equal(latinKey(pressed("ArrowLeft", "ArrowLeft")), "ArrowLeft");
  assert.equal(latinKey(pressed(" ", "Space")), " ");
  assert.equal(latinKey(pressed("ö", "Semicolon")), "ö");
  assert.equal(digitOf(pressed("Enter", "Enter")), null);
});
