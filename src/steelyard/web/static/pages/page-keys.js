const OWN_ENTER = "button:not([data-enter=next]), a, summary, audio, video";
const TYPING = "textarea, select, dialog, audio, video, [contenteditable], input:not([type=radio], [type=checkbox])";

/**
 * Hand keys that nobody else wants to `press`, which says whether it took them.
 * @param {Document} page
 * @param {(event: KeyboardEvent) => boolean} press
 */
export function listenForKeys(page, press) {
  page.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.repeat || event.isComposing) return;
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (document.querySelector("dialog[open]") !== null || targetOf(event).closest(TYPING) !== null) return;
    if (press(event)) event.preventDefault();
  });
}

/**
 * Is this Enter one for the page, not for the button or link that has the focus?
 * @param {KeyboardEvent} event
 */
export const goesOn = (event) => event.key === "Enter" && targetOf(event).closest(OWN_ENTER) === null;

// Keys are pressed on an element, never on the document alone.
/** @param {Event} event */
const targetOf = ({ target }) => /** @type {Element} */ (target);
