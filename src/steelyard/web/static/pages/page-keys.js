const OWN_ENTER = "button:not([data-enter=next]), a, summary, audio, video";
const TYPING = "textarea, select, dialog, audio, video, [contenteditable], input:not([type=radio], [type=checkbox])";

/** Hand keys that nobody else wants to `press`, which says whether it took them. */
export function listenForKeys(page, press) {
  page.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.repeat || event.isComposing) return;
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (document.querySelector("dialog[open]") !== null || event.target.closest(TYPING) !== null) return;
    if (press(event)) event.preventDefault();
  });
}

/** Is this Enter one for the page, not for the button or link that has the focus? */
export const goesOn = ({ key, target }) => key === "Enter" && target.closest(OWN_ENTER) === null;
