import { element } from "../elements.js";
import { WORDS } from "../words.js";

/**
 * Add a button under each long text in `box` that shows all of it. Whether a text is cut depends on the page width.
 * @param {HTMLElement} box
 * @param {"steelyard-item"} tag
 */
export function addFolds(box, tag) {
  for (const item of box.querySelectorAll(tag)) addFold(item);
}

/** @param {HTMLElement} item */
function addFold(item) {
  const looks = { class: "button quiet fold", "aria-expanded": "false", hidden: true };
  const button = element("button", { type: "button", ...looks }, WORDS.show_all);
  button.addEventListener("click", () => {
    const open = item.toggleAttribute("data-all");
    button.setAttribute("aria-expanded", String(open));
    button.textContent = open ? WORDS.show_less : WORDS.show_all;
  });
  item.after(button);
  new ResizeObserver(() => {
    const isCut = overflows(item.querySelector(".item-text"));
    item.toggleAttribute("data-cut", isCut);
    button.hidden = !isCut && !item.hasAttribute("data-all");
  }).observe(item);
}

/** @param {Element | null} text */
function overflows(text) {
  return text !== null && text.scrollHeight > text.clientHeight + 1;
}
