/** Examples along a scale and zoom. Loaded only for tasks that use them. */
export { Neighbours } from "./neighbours.js";
export { makeBoard } from "./scale-board.js";
