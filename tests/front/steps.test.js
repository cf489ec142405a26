import assert from "node:assert/strict";
import { test } from "node:test";

import { nearestLabel, nearestStep, shareOf, stepBy } from "../../src/steelyard/web/static/widgets/scale/steps.js";

const SCALE = { low: 0, high: 1, step: 0.1 };

test("a score is on a step of the scale, without the noise of floating point", () => {
  assert.equal(nearestStep(SCALE, 0.31), 0.3);
  assert.equal(stepBy(SCALE, 0.2, 1), 0.3);
});

test("both ends are steps, even where the last step is shorter", () => {
  const scale = { low: 0, high: 10, step: 4 };
  assert.equal(nearestStep(scale, 9.9), 8);
  assert.equal(nearestStep(scale, 10), 10);
  assert.equal(nearestStep(scale, 99), 10);
  assert.equal(stepBy(scale, 10, -1), 8);
});

test("no number of steps leaves the scale", () => {
  assert.equal(stepBy(SCALE, 0.5, 100), 1);
  assert.equal(stepBy(SCALE, 0.5, -100), 0);
});

test("a share says where a score is between the ends", () => {
  assert.equal(shareOf({ low: -50, high: 50 }, 0), 0.5);
});

test("the nearest label is found, and none where there are none", () => {
  const labels = [{ at: 0, text: "Few" }, { at: 1, text: "Many" }];
  assert.equal(nearestLabel({ labels }, 0.7)?.text, "Many");
  assert.equal(nearestLabel({ labels: [] }, 0.7), null);
});
