import { find } from "../elements.js";
import { WORDS, say } from "../words.js";

/**
 * Why the items of a task cannot be seen well on this screen; null if they can.
 * @param {Document} page with the least width of the study in its head
 * @param {Element} shown the element that shows the items
 */
export function tooSmallFor(page, shown) {
  const least = Number(find(page, "meta[name=least-width]", HTMLMetaElement).content);
  const { clientWidth } = page.documentElement;
  if (clientWidth < least) return say("too_narrow", { least, width: clientWidth });
  const parts = [...shown.querySelectorAll("steelyard-item .prose :is(table, pre)")];
  const cut = parts.some((part) => part.scrollWidth > part.clientWidth + 1);
  return cut ? WORDS.item_cut : null;
}
