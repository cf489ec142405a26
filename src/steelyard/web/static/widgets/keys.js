const ARROWS = Object.freeze(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"]);

/** The digit that was pressed, with or without Shift and on any layout of the keyboard; null for other keys. */
export function digitOf({ key, code }) {
  if (/^[0-9]$/.test(key)) return Number(key);
  const found = /^Digit([0-9])$/.exec(code);
  return found === null ? null : Number(found[1]);
}

/** A key held down must not run through the choices: the browser would choose each one it passes. */
export function holdArrows(protocol) {
  protocol.addEventListener("keydown", (event) => {
    if (event.repeat && event.target.type === "radio" && ARROWS.includes(event.key)) event.preventDefault();
  });
}
