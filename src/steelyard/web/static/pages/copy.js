import { find } from "../elements.js";

const SHOWN_MS = 2_000;

/**
 * Make each button[data-copies=ID] copy the value of the field with that id.
 * @param {Document} page
 */
function watchCopyButtons(page) {
  for (const button of page.querySelectorAll("button")) {
    const { copies } = button.dataset;
    if (copies === undefined) continue;
    button.hidden = false;
    button.addEventListener("click", () => copy(button, find(page, `#${copies}`, HTMLInputElement)));
  }
}

/**
 * @param {HTMLButtonElement} button
 * @param {HTMLInputElement} field
 */
async function copy(button, field) {
  field.select();
  // Pages served over plain http on a network have no clipboard; the selection can still be copied.
  if (navigator.clipboard === undefined) document.execCommand("copy");
  else await navigator.clipboard.writeText(field.value);
  const words = button.textContent;
  const done = button.dataset.done ?? words;
  if (words === done) return;
  button.textContent = done;
  setTimeout(() => {
    button.textContent = words;
  }, SHOWN_MS);
}

watchCopyButtons(document);
