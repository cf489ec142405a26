import { element, icon } from "../elements.js";
import { WORDS, say } from "../words.js";
import { describe, enlarging, kindOf } from "./names.js";
import { openZoom } from "./zoom.js";

/**
 * @import { ContentOut, ContextOut, ItemOut } from "../types.js"
 * @typedef {ContentOut & Pick<ItemOut, "kind">} Shown the visible content of an item
 */

const LONG_TEXT = 240;

/** <steelyard-item>: one item of any medium. In: item; letter, if the page shows several. Out: nothing. */
export class Item extends HTMLElement {
  static tag = /** @type {const} */ ("steelyard-item");
  /** @type {Shown} */
  item;
  letter = "";

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.dir = "auto";
    this.dataset.kind = this.item.kind;
    this.append(PAINTERS[this.item.kind](this.item, this.letter));
  }
}

/**
 * Make the context of items (source, reference, prompt), each part with its name; null if there is none.
 * @param {ContextOut[]} parts
 */
export function makeContext(parts) {
  if (parts.length === 0) return null;
  return element("div", { class: "context" }, parts.map(makeContextPart));
}

/** @param {ContextOut} part */
function makeContextPart({ name, text }) {
  const item = Object.assign(element(Item.tag), { item: { kind: "text", text } });
  return element("div", { class: "context-part" }, element("p", { class: "context-name", dir: "auto" }, name), item);
}

/** @type {Readonly<Record<Shown["kind"], (item: Shown, letter: string) => HTMLElement>>} */
const PAINTERS = Object.freeze({
  text: paintText,
  markdown: paintMarkdown,
  image: paintImage,
  audio: (item, letter) => makePlayer("audio", item, letter),
  video: (item, letter) => makePlayer("video", item, letter),
  html: paintFrame,
});

/** @param {Shown} item */
function paintText({ text = "" }) {
  return element("p", { class: text.length > LONG_TEXT ? "item-text long" : "item-text", dir: "auto" }, text);
}

/** @param {Shown} item */
function paintMarkdown({ html = "" }) {
  // The server has sanitised this HTML, and a detached document runs no scripts.
  const parsed = new DOMParser().parseFromString(html, "text/html");
  const prose = element("div", { class: "item-text long prose", dir: "auto" }, [...parsed.body.childNodes]);
  for (const link of prose.querySelectorAll("a")) {
    // A link that replaced the page would lose an unfinished answer.
    link.target = "_blank";
    link.rel = "noopener noreferrer";
  }
  return prose;
}

/**
 * @param {"audio" | "video"} tag
 * @param {Shown} item
 * @param {string} letter
 */
function makePlayer(tag, { url = "", alt }, letter) {
  const label = describe(letter === "" ? kindOf(tag) : say("item_kind", { letter, kind: kindOf(tag) }), alt);
  return element(tag, { src: url, controls: true, preload: "auto", playsinline: true, "aria-label": label,
    controlslist: "nodownload noplaybackrate" });
}

/**
 * The frame has no scripts, no cookies and no way out of it: neither its sandbox nor its own policy allows them.
 * @param {Shown} item
 * @param {string} letter
 */
function paintFrame({ url = "", alt }, letter) {
  return element("iframe", { class: "item-frame", src: url, sandbox: true, referrerpolicy: "no-referrer",
    title: describe(letter === "" ? WORDS.item_alone : say("item_letter", { letter }), alt) });
}

/** @param {Shown} item */
function paintImage({ url = "", alt = "" }) {
  const picture = element("img", { src: url, alt, draggable: "false" });
  const button = element("button", { type: "button", class: "zoomable", "aria-label": enlarging(alt) },
    picture, element("span", { class: "zoom-mark" }, icon("enlarge")));
  button.addEventListener("click", () => openZoom({ url, alt }));
  return button;
}

customElements.define(Item.tag, Item);
