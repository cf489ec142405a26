/** @import { Hint } from "./widgets/types.js" */

const SVG = "http://www.w3.org/2000/svg";

/**
 * @typedef {Node | string | null} Child
 * @typedef {string | number | boolean | null | ((event: any) => unknown)} Attribute
 */

/**
 * Build one element. A function under `onname` listens for the event `name`; null and false are ignored.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, Attribute>} attributes
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) setAttribute(made, name, value);
  made.append(...children.flat().filter((child) => child !== null));
  return made;
}

/**
 * @param {HTMLElement} made
 * @param {string} name
 * @param {Attribute} value
 */
function setAttribute(made, name, value) {
  if (value === null || value === false) return;
  if (typeof value === "function") made.addEventListener(name.slice("on".length), value);
  else made.setAttribute(name, value === true ? "" : String(value));
}

/**
 * Find the element for a selector; an error if the page has no such element of this class.
 * @template {Element} [Kind=HTMLElement]
 * @param {ParentNode} root
 * @param {string} selector
 * @param {{ new (): Kind }} kind
 * @returns {Kind}
 */
export function find(root, selector, kind = /** @type {{ new (): any }} */ (HTMLElement)) {
  const named = root.querySelector(selector);
  if (!(named instanceof kind)) throw new Error(`This page has no ${selector}.`);
  return named;
}

/**
 * One icon of the page's sprite; a `mirrored` icon is flipped on right-to-left pages.
 * @param {string} name
 */
export function icon(name, { mirrored = false } = {}) {
  const svg = document.createElementNS(SVG, "svg");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#icon-${name}`);
  svg.setAttribute("class", mirrored ? "icon mirrored" : "icon");
  svg.setAttribute("aria-hidden", "true");
  svg.append(use);
  return svg;
}

/**
 * A line of keys and their effect.
 * @param {Hint[]} hints
 */
export function keyHints(hints) {
  const parts = hints.map(([keys, words]) => element("span", { class: "hint-key" },
    ...keys.map((key) => element("kbd", {}, key)), " ", element("bdi", {}, words)));
  return element("p", { class: "hints", "aria-hidden": "true" }, parts);
}

/**
 * Hints for keys that only some tasks have.
 * @param {boolean} applies
 * @param {...Hint} hints
 */
export function hintsIf(applies, ...hints) {
  return applies ? hints : [];
}
