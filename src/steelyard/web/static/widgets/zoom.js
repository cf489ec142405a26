import { element, icon } from "../elements.js";
import { WORDS } from "../words.js";
import { latinKey } from "./keys.js";
import { enlarging } from "./names.js";

/**
 * @typedef {{ url: string, alt: string }} Picture
 * @typedef {{ in: () => void, out: () => void, fit: () => void }} ZoomActs
 */

const ZOOMS = Object.freeze([1, 1.5, 2, 3, 4, 6]);

/**
 * Show a picture over the page. + and - zoom, 0 fits, Escape closes, and a click on the picture zooms in.
 * @param {Picture} picture
 */
export function openZoom({ url, alt }) {
  const view = makeView({ url, alt });
  document.body.append(view.dialog);
  view.dialog.addEventListener("close", () => view.dialog.remove());
  view.dialog.showModal();
  view.zoomTo(0);
}

/** @param {Picture} picture */
function makeView({ url, alt }) {
  const picture = element("img", { src: url, alt, draggable: "false" });
  const stage = element("div", { class: "zoom-stage", tabindex: "0", dir: "ltr", autofocus: true }, picture);
  const shown = element("output", { class: "zoom-share" });
  let index = 0;
  /** @param {number} wanted */
  const zoomTo = (wanted) => {
    index = Math.min(ZOOMS.length - 1, Math.max(0, wanted));
    keepCentre(stage, () => stage.style.setProperty("--zoom", String(ZOOMS[index])));
    shown.textContent = `${ZOOMS[index] * 100}%`;
  };
  const acts = { in: () => zoomTo(index + 1), out: () => zoomTo(index - 1), fit: () => zoomTo(0) };
  picture.addEventListener("click", () => zoomTo(index + 1 === ZOOMS.length ? 0 : index + 1));
  const dialog = element("dialog", { class: "zoom", "aria-label": enlarging(alt) }, makeBar(acts, shown), stage);
  dialog.addEventListener("keydown", (event) => pressInZoom(event, acts));
  return { dialog, zoomTo };
}

/**
 * @param {HTMLElement} stage
 * @param {() => void} change
 */
function keepCentre(stage, change) {
  const across = (stage.scrollLeft + stage.clientWidth / 2) / stage.scrollWidth;
  const down = (stage.scrollTop + stage.clientHeight / 2) / stage.scrollHeight;
  change();
  stage.scrollLeft = across * stage.scrollWidth - stage.clientWidth / 2;
  stage.scrollTop = down * stage.scrollHeight - stage.clientHeight / 2;
}

/**
 * @param {ZoomActs} acts
 * @param {HTMLOutputElement} shown
 */
function makeBar(acts, shown) {
  return element("form", { method: "dialog", class: "zoom-bar" },
    makeButton("minus", WORDS.zoom_out, acts.out), shown, makeButton("plus", WORDS.zoom_in, acts.in),
    element("button", { class: "button quiet square zoom-close", "aria-label": WORDS.close }, icon("cross")));
}

/**
 * @param {string} drawing
 * @param {string} label
 * @param {() => void} onclick
 */
function makeButton(drawing, label, onclick) {
  const attributes = { type: "button", class: "button quiet square", "aria-label": label, onclick };
  return element("button", attributes, icon(drawing));
}

/**
 * @param {KeyboardEvent} event
 * @param {ZoomActs} acts
 */
function pressInZoom(event, acts) {
  const act = new Map([["+", acts.in], ["=", acts.in], ["-", acts.out], ["0", acts.fit]]).get(latinKey(event));
  if (act === undefined || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  act();
}
