import assert from "node:assert/strict";
import { test } from "node:test";

import { holds, layOut } from "../../src/steelyard/web/static/widgets/cards/card-lanes.js";
import { randomFrom } from "./randomness.js";

const ROOM = { length: 800, size: 156, gap: 8, lanes: 2 };

test("a lane holds as many cards as fit with their gaps", () => {
  assert.equal(holds({ length: 156, size: 156, gap: 8 }), 1);
  assert.equal(holds({ length: 319, size: 156, gap: 8 }), 1);
  assert.equal(holds({ length: 320, size: 156, gap: 8 }), 2);
});

test("a card with room is centred on its place", () => {
  assert.deepEqual(layOut([{ key: "a", at: 400 }], ROOM).get("a"), { lane: 0, start: 322 });
});

test("cards never overlap and never leave the line", () => {
  const random = randomFrom(11);
  for (let at = 0; at < 2_000; at += 1) {
    const room = { ...ROOM, length: 320 + Math.floor(900 * random()), lanes: 1 + Math.floor(3 * random()) };
    const many = 1 + Math.floor(12 * random());
    const cards = Array.from({ length: many }, (_, key) => ({ key, at: room.length * random() }));
    const placed = [...layOut(cards, room).values()];
    assert.equal(placed.length, Math.min(cards.length, room.lanes * holds(room)));
    for (const { start } of placed) assert.ok(start >= -1e-6 && start + room.size <= room.length + 1e-6);
    for (const [index, one] of placed.entries()) {
      for (const other of placed.slice(index + 1)) {
        assert.ok(one.lane !== other.lane || Math.abs(one.start - other.start) >= room.size + room.gap - 1e-6);
      }
    }
  }
});

test("a card keeps its lane while it fits there", () => {
  const cards = [{ key: "a", at: 300 }, { key: "b", at: 330 }];
  const before = layOut(cards, ROOM);
  const after = layOut([{ key: "a", at: 300 }, { key: "b", at: 420 }], ROOM, before);
  assert.equal(after.get("b")?.lane, before.get("b")?.lane);
});
