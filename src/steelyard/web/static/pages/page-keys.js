const OWN_ENTER = "button:not([data-enter=next]), a, summary, audio, video";
const TYPING = "textarea, select, dialog, audio, video, [contenteditable], input:not([type=radio], [type=checkbox])";

/**
 * Pass keys that no other element handles to `press`, which returns whether it used them.
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
 * Whether this Enter is meant for the page, not for the button or link that has the focus.
 * @param {KeyboardEvent} event
 */
export const goesOn = (event) => event.key === "Enter" && targetOf(event).closest(OWN_ENTER) === null;

// The target of a key press is always an element.
/** @param {Event} event */
const targetOf = ({ target }) => /** @type {Element} */ (target);
