const SHOWN_MS = 2_000;

/** Each button[data-copies=ID] copies the value of the field with that id. */
export function watchCopyButtons(page) {
  for (const button of page.querySelectorAll("button[data-copies]")) {
    button.hidden = false;
    button.addEventListener("click", () => copy(button, page.getElementById(button.dataset.copies)));
  }
}

async function copy(button, field) {
  field.select();
  // Pages served over plain http on a network have no clipboard; the selection can still be copied.
  if (navigator.clipboard === undefined) document.execCommand("copy");
  else await navigator.clipboard.writeText(field.value);
  const words = button.textContent;
  if (words === button.dataset.done) return;
  button.textContent = button.dataset.done;
  setTimeout(() => {
    button.textContent = words;
  }, SHOWN_MS);
}

watchCopyButtons(document);
