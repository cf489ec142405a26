import { element, icon } from "../../elements.js";
import { WORDS } from "../../words.js";
import { Item } from "../item.js";

/**
 * @import { AnchorOut } from "../../types.js"
 */

/**
 * Show the whole of an example over the page. Reading it gives no answer; a button moves the handle to it.
 * @param {AnchorOut} anchor
 * @param {() => void} move
 */
export function openReading(anchor, move) {
  const close = element("button", { class: "button quiet square", "aria-label": WORDS.close }, icon("cross"));
  const place = element("button", { class: "button", onclick: move }, WORDS.move_here);
  const item = Object.assign(element(Item.tag, { class: "reading-item", tabindex: "0" }), { item: anchor });
  const dialog = element("dialog", { class: "reading", "aria-label": WORDS.example },
    element("form", { method: "dialog", class: "dialog-head" },
      element("h2", {}, anchor.own ? WORDS.yours : WORDS.example), close),
    item,
    element("form", { method: "dialog", class: "reading-acts" }, place));
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", ({ target }) => target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
}
