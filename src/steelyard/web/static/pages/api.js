import { find } from "../elements.js";

/**
 * @import { ColdStartOut, FeedbackOut, StateOut, TrainingOut } from "../types.js"
 * @import { CellAnswer } from "../widgets/types.js"
 *
 * @typedef {object} Answer an answer as it is sent
 * @property {string} assignment
 * @property {CellAnswer[]} answers
 * @property {string} comment
 * @property {number} milliseconds
 * @property {unknown[][]} interactions
 * @property {Record<string, unknown>} shown
 */

const PATIENCE_MS = 20_000;
const TOO_MANY_REQUESTS = 429;

/** The server was not reached or cannot answer now, so the request can be repeated. */
export class Unreachable extends Error {}

/** The server refused the request: `status`, `message` and, for a closed task, `next`. */
export class Refused extends Error {
  /**
   * @param {number} status
   * @param {{ message?: string, next?: StateOut | null }} refusal
   */
  constructor(status, { message = "", next = null }) {
    super(message);
    this.status = status;
    this.next = next;
  }
}

/**
 * GET /api/task: the current task.
 * @returns {Promise<StateOut>}
 */
export function fetchTask() {
  return ask("/api/task", { method: "GET" });
}

/**
 * GET /api/task?ahead=true: the current task and the one after it, which is then assigned to this rater.
 * @returns {Promise<StateOut>}
 */
export function fetchAhead() {
  return ask("/api/task?ahead=true", { method: "GET" });
}

/**
 * POST /api/answers, which returns the next task and the one after it. It can be sent twice: the server counts one
 * answer per assignment.
 * @param {Answer} answer
 * @returns {Promise<StateOut>}
 */
export function sendAnswer(answer) {
  return post("/api/answers?ahead=true", answer);
}

/**
 * POST /api/undo. `assignment` identifies the answer to undo, so a repeated request undoes only one.
 * @param {string} assignment
 * @returns {Promise<StateOut>}
 */
export function takeBack(assignment) {
  return post("/api/undo", { assignment });
}

/**
 * GET /api/training: the next exercise.
 * @returns {Promise<TrainingOut>}
 */
export function fetchExercise() {
  return ask("/api/training", { method: "GET" });
}

/**
 * POST /api/training: send an attempt at an exercise, or at one step of it.
 * @param {{ task: number, step: number | null, answers: CellAnswer[] }} attempt
 * @returns {Promise<FeedbackOut>}
 */
export function sendAttempt(attempt) {
  return post("/api/training", attempt);
}

/**
 * GET /api/cold-start: the current state of the first examples.
 * @returns {Promise<ColdStartOut>}
 */
export function fetchColdStart() {
  return ask("/api/cold-start", { method: "GET" });
}

/**
 * POST /api/cold-start/<act>
 * @param {"draw" | "find" | "agree" | "reopen" | "place"} act
 * @param {object} body
 * @returns {Promise<ColdStartOut>}
 */
export function actOnColdStart(act, body) {
  return post(`/api/cold-start/${act}`, body);
}

/**
 * @param {string} address
 * @param {object} body
 */
function post(address, body) {
  const token = find(document, "meta[name=csrf]", HTMLMetaElement).content;
  const headers = { "Content-Type": "application/json", "X-CSRF-Token": token };
  return ask(address, { method: "POST", headers, body: JSON.stringify(body) });
}

/**
 * @param {string} address
 * @param {RequestInit} options
 */
async function ask(address, options) {
  const response = await reach(address, options);
  const later = response.status >= 500 || response.status === TOO_MANY_REQUESTS;
  if (later) throw new Unreachable(`status ${response.status}`);
  const answer = await readJson(response);
  if (!response.ok) throw new Refused(response.status, answer);
  return answer;
}

/**
 * @param {string} address
 * @param {RequestInit} options
 */
async function reach(address, options) {
  try {
    return await fetch(address, { ...options, cache: "no-store", signal: AbortSignal.timeout(PATIENCE_MS) });
  } catch (error) {
    throw new Unreachable(String(error), { cause: error });
  }
}

/** @param {Response} response */
async function readJson(response) {
  try {
    return await response.json();
  } catch (error) {
    if (response.ok) throw new Unreachable("incomplete response", { cause: error });
    return {};
  }
}
