const SVG = "http://www.w3.org/2000/svg";

/** Build one element; a function under `onname` listens for the event `name`, null and false are left out. */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) setAttribute(made, name, value);
  made.append(...children.flat().filter((child) => child !== null));
  return made;
}

function setAttribute(made, name, value) {
  if (value === null || value === false) return;
  if (typeof value === "function") made.addEventListener(name.slice("on".length), value);
  else made.setAttribute(name, value === true ? "" : value);
}

/** One drawing of the page's sprite; `mirrored` ones turn round in right-to-left pages. */
export function icon(name, { mirrored = false } = {}) {
  const svg = document.createElementNS(SVG, "svg");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#icon-${name}`);
  svg.setAttribute("class", mirrored ? "icon mirrored" : "icon");
  svg.setAttribute("aria-hidden", "true");
  svg.append(use);
  return svg;
}

/** A line of keys and what they do, from [[keys, words], ...]. */
export function keyHints(hints) {
  const parts = hints.map(([keys, words]) =>
    element("span", { class: "hint-key" }, keys.map((key) => element("kbd", {}, key)), " ", element("bdi", {}, words)));
  return element("p", { class: "hints", "aria-hidden": "true" }, parts);
}
