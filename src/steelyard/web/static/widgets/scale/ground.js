/** What stands along a scale beside its labels: examples, and a closer look. Loaded for tasks that have it. */
export { Neighbours } from "./neighbours.js";
export { makeBoard } from "./scale-board.js";
