import { element } from "../../elements.js";
import { sayNodes } from "../../words.js";

// In English, a comparison may begin with the word that links it: "every example with fewer dots".
const HAS_LINK = /^(with|without|that|which|who) /;

/**
 * A comparison of the question inside a sentence: "that is less filling", but "with fewer dots".
 * @param {string} comparison
 */
export function linked(comparison) {
  const bold = element("b", {}, comparison);
  return element("span", {}, HAS_LINK.test(comparison) ? bold : sayNodes("comparison_link", { comparison: bold }));
}

/**
 * A comparison without the word that links it: "less filling", "fewer dots".
 * @param {string} comparison
 */
export function unlinked(comparison) {
  return comparison.replace(HAS_LINK, "");
}
