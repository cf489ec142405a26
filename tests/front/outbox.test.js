import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

import { Refused, Unreachable } from "../../src/steelyard/web/static/pages/api.js";
import { Outbox } from "../../src/steelyard/web/static/pages/outbox.js";

/** @import { Answer } from "../../src/steelyard/web/static/pages/api.js" */

/** @type {Answer} */
const ANSWER = { assignment: "a1", answers: [], comment: "", milliseconds: 5, interactions: [], shown: {} };
const NEXT = { state: "finished", thanks: "/thanks" };
const ignore = () => {};

/** The browser's storage, which lists its keys as properties. */
class Storage {
  /** @param {string} key */
  getItem(key) {
    return Object.hasOwn(this, key) ? Reflect.get(this, key) : null;
  }

  /**
   * @param {string} key
   * @param {string} value
   */
  setItem(key, value) {
    Reflect.set(this, key, value);
  }

  /** @param {string} key */
  removeItem(key) {
    Reflect.deleteProperty(this, key);
  }
}

/**
 * Let the server give these answers, one after the other; null is no connection.
 * @param {...({ status: number, body: object } | null)} replies
 */
function serverSends(...replies) {
  const send = mock.fn(async (/** @type {string} */ _address, /** @type {RequestInit} */ _options) => {
    const reply = replies.length > 1 ? replies.shift() : replies[0];
    if (!reply) throw new TypeError("Failed to fetch");
    return new Response(JSON.stringify(reply.body), { status: reply.status });
  });
  globalThis.fetch = /** @type {any} */ (send);
  return send;
}

class Meta {
  content = "token";
}

beforeEach(() => {
  const page = Object.assign(new EventTarget(), { localStorage: new Storage() });
  Object.assign(globalThis, { window: page, HTMLMetaElement: Meta, document: { querySelector: () => new Meta() } });
});

const kept = () => Object.keys(globalThis.window.localStorage);

test("an answer is kept on the device until the server has it", async () => {
  const outbox = new Outbox("rater");
  const sent = serverSends({ status: 200, body: NEXT });
  const sending = outbox.send(ANSWER, ignore);
  assert.deepEqual(kept(), ["steelyard-answer:rater:a1"]);
  assert.deepEqual(await sending, NEXT);
  assert.deepEqual(kept(), []);
  assert.equal(sent.mock.callCount(), 1);
});

test("without a connection it is sent again, and at once when the connection is back", async () => {
  const outbox = new Outbox("rater");
  serverSends(null, { status: 503, body: {} }, { status: 200, body: NEXT });
  let waits = 0;
  const state = await outbox.send(ANSWER, () => {
    waits += 1;
    queueMicrotask(() => setImmediate(() => outbox.tryNow()));
  });
  assert.equal(waits, 2);
  assert.deepEqual(state, NEXT);
});

test("an answer that cannot be taken is forgotten, one that may be later is kept", async () => {
  const outbox = new Outbox("rater");
  serverSends({ status: 409, body: { message: "closed", next: NEXT } });
  await assert.rejects(outbox.send(ANSWER, ignore), Refused);
  assert.deepEqual(kept(), []);
  serverSends({ status: 403, body: { message: "no" } });
  await assert.rejects(outbox.send(ANSWER, ignore), Refused);
  assert.deepEqual(kept(), ["steelyard-answer:rater:a1"]);
});

test("answers kept on an earlier visit are sent, and refusals return their messages", async () => {
  serverSends({ status: 403, body: {} });
  await assert.rejects(new Outbox("rater").send(ANSWER, ignore), Refused);
  const sent = serverSends({ status: 422, body: { message: "That does not fit." } });
  assert.deepEqual(await new Outbox("rater").sendKept(ignore), { sent: 1, refusals: ["That does not fit."] });
  assert.equal(sent.mock.callCount(), 1);
  assert.deepEqual(kept(), []);
});

test("answers are sent one after the other, in the order in which they were given", async () => {
  const outbox = new Outbox("rater");
  const sent = serverSends({ status: 200, body: NEXT });
  const second = { ...ANSWER, assignment: "a2" };
  await Promise.all([outbox.send(ANSWER, ignore), outbox.send(second, ignore), outbox.sent]);
  const bodies = sent.mock.calls.map(({ arguments: [, options] }) => JSON.parse(String(options?.body)).assignment);
  assert.deepEqual(bodies, ["a1", "a2"]);
  assert.deepEqual(kept(), []);
});

test("answers of an earlier visit are sent in the order in which they were given", async () => {
  const clock = mock.method(Date, "now", () => 0);
  serverSends({ status: 403, body: {} });
  const outbox = new Outbox("rater");
  for (const [at, assignment] of ["b", "c", "a"].entries()) {
    clock.mock.mockImplementation(() => 1_000 - at);
    await assert.rejects(outbox.send({ ...ANSWER, assignment }, ignore), Refused);
  }
  const sent = serverSends({ status: 200, body: NEXT });
  await new Outbox("rater").sendKept(ignore);
  clock.mock.restore();
  const bodies = sent.mock.calls.map(({ arguments: [, options] }) => JSON.parse(String(options?.body)));
  assert.deepEqual(bodies.map(({ assignment }) => assignment), ["a", "c", "b"]);
  assert.deepEqual(bodies[0], { ...ANSWER, assignment: "a" });
});

test("nobody sends what another rater has kept, nor what cannot be read", async () => {
  globalThis.window.localStorage.setItem("steelyard-answer:other:a9", JSON.stringify(ANSWER));
  globalThis.window.localStorage.setItem("steelyard-answer:rater:a2", "{broken");
  const sent = serverSends({ status: 200, body: NEXT });
  assert.deepEqual(await new Outbox("rater").sendKept(ignore), { sent: 0, refusals: [] });
  assert.equal(sent.mock.callCount(), 0);
});

test("a mistake in the page is not taken for a missing connection", async () => {
  const request = () => Promise.reject(new RangeError("a mistake"));
  await assert.rejects(new Outbox("rater").untilReached(request, ignore), RangeError);
  assert.notEqual(new Unreachable("x").name, RangeError.name);
});
