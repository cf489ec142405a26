import { makeControl, makeLabels } from "../widgets/scale/control.js";

/** Let people try the control; nothing listens, so nothing is recorded. */
function showTry(place, scale) {
  const control = makeControl(scale, { name: "try", label: place.dataset.label });
  place.append(control);
  if (scale.levels !== null) return;
  const labels = makeLabels(scale);
  if (labels !== null) place.append(labels);
}

/** The button says why it waits and starts once the box is ticked. */
function watchConsent(form) {
  const box = form.querySelector("input[name=agree]");
  const start = form.querySelector("#start");
  const reason = form.querySelector("#start-reason");
  const words = reason.textContent;
  const show = () => {
    start.setAttribute("aria-disabled", String(!box.checked));
    reason.textContent = box.checked ? "" : words;
  };
  box.addEventListener("change", show);
  form.addEventListener("submit", (event) => {
    if (event.submitter?.name === "decline" || box.checked) return;
    event.preventDefault();
    reason.classList.add("asked");
    box.focus();
  });
  form.noValidate = true;
  show();
}

const consent = document.querySelector("form[data-consent]");
if (consent !== null) watchConsent(consent);
const place = document.getElementById("try");
if (place !== null) showTry(place, JSON.parse(document.getElementById("try-scale").textContent));
