const ARROWS = Object.freeze(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"]);

/**
 * The digit that was pressed, with or without Shift and on any keyboard layout; null for other keys.
 * @param {Pick<KeyboardEvent, "key" | "code">} event
 */
export function digitOf({ key, code }) {
  if (/^[0-9]$/.test(key)) return Number(key);
  const digit = /^Digit([0-9])$/.exec(code);
  return digit === null ? null : Number(digit[1]);
}

/**
 * Ignore arrow keys that are held down: the browser would choose each answer it passes.
 * @param {HTMLElement} protocol
 */
export function holdArrows(protocol) {
  protocol.addEventListener("keydown", (event) => {
    const isRadio = event.target instanceof HTMLInputElement && event.target.type === "radio";
    if (event.repeat && isRadio && ARROWS.includes(event.key)) event.preventDefault();
  });
}
