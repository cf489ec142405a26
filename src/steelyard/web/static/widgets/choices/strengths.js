import { WORDS } from "../../words.js";

/** How much more one item has than the other. The keys are the same in every language. */
export const STRENGTHS = Object.freeze([
  Object.freeze({ value: 1, text: WORDS.slightly, hint: WORDS.slightly_key, key: "S" }),
  Object.freeze({ value: 2, text: WORDS.clearly, hint: WORDS.clearly_key, key: "C" }),
  Object.freeze({ value: 3, text: WORDS.much, hint: WORDS.much_key, key: "M" }),
]);
