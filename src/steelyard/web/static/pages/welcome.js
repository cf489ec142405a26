import { find } from "../elements.js";
import { makeControl, makeLabels } from "../widgets/scale/control.js";

/** @import { ScaleOut } from "../types.js" */

/**
 * Show a control to try. Nothing listens to it, so nothing is recorded.
 * @param {HTMLElement} place
 * @param {ScaleOut} scale
 */
function showTry(place, scale) {
  const control = makeControl(scale, { name: "try", label: place.dataset.label ?? "" });
  place.append(control);
  if (scale.levels !== null) return;
  const labels = makeLabels(scale);
  if (labels !== null) place.append(labels);
}

/**
 * Enable the start button when the box is ticked, and show the reason before that.
 * @param {HTMLFormElement} form
 */
function watchConsent(form) {
  const box = find(form, "input[name=agree]", HTMLInputElement);
  const start = find(form, "#start");
  const reason = find(form, "#start-reason");
  const words = reason.textContent;
  const show = () => {
    start.setAttribute("aria-disabled", String(!box.checked));
    reason.textContent = box.checked ? "" : words;
  };
  box.addEventListener("change", show);
  form.addEventListener("submit", (event) => {
    if (event.submitter?.getAttribute("name") === "decline" || box.checked) return;
    event.preventDefault();
    reason.classList.add("asked");
    box.focus();
  });
  form.noValidate = true;
  show();
}

if (document.querySelector("form[data-consent]") !== null) {
  watchConsent(find(document, "form[data-consent]", HTMLFormElement));
}
const place = document.getElementById("try");
if (place !== null) showTry(place, JSON.parse(find(document, "#try-scale").textContent ?? ""));
