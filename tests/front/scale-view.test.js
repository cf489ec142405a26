import assert from "node:assert/strict";
import { test } from "node:test";

import { ScaleView } from "../../src/steelyard/web/static/widgets/scale/scale-view.js";
import { randomFrom } from "./randomness.js";

const SCALE = { low: 0, high: 100, step: 1, zoom: true, beyond: false };

test("what is under the pointer stays there while one zooms in", () => {
  const view = new ScaleView(SCALE);
  const before = view.scoreAt(0.3);
  assert.equal(view.zoomBy(0.5, 0.3), true);
  assert.ok(Math.abs(view.scoreAt(0.3) - before) < 1e-9);
});

test("without zoom the whole scale stays in view", () => {
  const view = new ScaleView({ ...SCALE, zoom: false });
  assert.equal(view.zoomBy(0.5), false);
  assert.equal(view.isWhole, true);
});

test("steps become finer the closer one looks, in numbers that people count in", () => {
  const view = new ScaleView(SCALE);
  view.zoomBy(0.1);
  assert.equal(view.step, 0.1);
  view.zoomBy(0.1);
  assert.equal(view.step, 0.01);
});

test("the whole scale is a stop on the way past its ends", () => {
  const view = new ScaleView({ ...SCALE, beyond: true });
  view.zoomBy(0.9);
  view.zoomBy(2);
  assert.equal(view.isWhole, true);
  view.zoomBy(2);
  assert.deepEqual([view.from, view.to], [-50, 150]);
  assert.equal(view.isOutside(120), true);
});

test("no way of zooming and moving shows more than the ends allow", () => {
  const random = randomFrom(7);
  for (const beyond of [false, true]) {
    const view = new ScaleView({ ...SCALE, beyond });
    for (let at = 0; at < 2_000; at += 1) {
      if (random() < 0.6) view.zoomBy(0.4 + 2 * random(), random());
      else view.centre(-100 + 300 * random());
      assert.ok(view.from >= view.ends.low - 1e-9 && view.to <= view.ends.high + 1e-9 && view.from < view.to);
    }
  }
});

test("a change of view is announced once, and no change is not", () => {
  const view = new ScaleView(SCALE);
  let changes = 0;
  view.addEventListener("view", () => {
    changes += 1;
  });
  view.showAll();
  assert.equal(changes, 0);
  view.zoomBy(0.5);
  assert.equal(changes, 1);
});

test("revealing a score moves the view as little as needed", () => {
  const view = new ScaleView(SCALE);
  view.zoomBy(0.2, 0);
  view.reveal(30);
  assert.deepEqual([view.from, view.to], [10, 30]);
});
