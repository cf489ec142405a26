const PATIENCE_MS = 20_000;
const TOO_MANY_REQUESTS = 429;

/** The server was not reached, or cannot answer now: worth sending again. */
export class Unreachable extends Error {}

/** The server has answered no: `status`, `message` and, for a closed task, `next`. */
export class Refused extends Error {
  constructor(status, { message = "", next = null }) {
    super(message);
    this.status = status;
    this.next = next;
  }
}

/** GET /api/task */
export function fetchTask() {
  return ask("/api/task", { method: "GET" });
}

/** POST /api/answers; safe to send twice, the server counts one answer per assignment. */
export function sendAnswer(answer) {
  return post("/api/answers", answer);
}

/** POST /api/undo; `assignment` is that of the answer to take back, so sending twice takes back one. */
export function takeBack(assignment) {
  return post("/api/undo", { assignment });
}

/** GET /api/training: the exercise that comes next. */
export function fetchExercise() {
  return ask("/api/training", { method: "GET" });
}

/** POST /api/training: try an exercise, or one step of it. */
export function sendAttempt(attempt) {
  return post("/api/training", attempt);
}

/** GET /api/cold-start: the first examples as they stand. */
export function fetchColdStart() {
  return ask("/api/cold-start", { method: "GET" });
}

/** POST /api/cold-start/...: `act` is draw, agree, reopen or place. */
export function actOnColdStart(act, body) {
  return post(`/api/cold-start/${act}`, body);
}

function post(address, body) {
  const token = document.querySelector("meta[name=csrf]").content;
  const headers = { "Content-Type": "application/json", "X-CSRF-Token": token };
  return ask(address, { method: "POST", headers, body: JSON.stringify(body) });
}

async function ask(address, options) {
  const response = await reach(address, options);
  const later = response.status >= 500 || response.status === TOO_MANY_REQUESTS;
  if (later) throw new Unreachable(`status ${response.status}`);
  const answer = await readJson(response);
  if (!response.ok) throw new Refused(response.status, answer);
  return answer;
}

async function reach(address, options) {
  try {
    return await fetch(address, { ...options, cache: "no-store", signal: AbortSignal.timeout(PATIENCE_MS) });
  } catch (error) {
    throw new Unreachable(String(error), { cause: error });
  }
}

async function readJson(response) {
  try {
    return await response.json();
  } catch (error) {
    if (response.ok) throw new Unreachable("the answer broke off", { cause: error });
    return {};
  }
}
