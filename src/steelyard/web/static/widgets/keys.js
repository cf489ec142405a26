const ARROWS = Object.freeze(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"]);
// Digits that keyboards for Arabic, Persian and Hindi write. Unicode has the ten digits of a script in order.
const ZEROS = Object.freeze(["\u0660", "\u06F0", "\u0966"].map((zero) => zero.charCodeAt(0)));
const ASCII = /^[ -~]/;
// Keys with a sign that shortcuts use, by their place on a Latin keyboard: without and with Shift.
const SIGNS = new Map([
  ["Slash", ["/", "?"]], ["Equal", ["=", "+"]], ["Minus", ["-", "_"]], ["Comma", [",", "<"]], ["Period", [".", ">"]],
]);

/**
 * The key that was pressed, as on a Latin keyboard, with letters in lower case. Where a keyboard writes another
 * alphabet, the place of the key decides: the key with the Arabic letter ى is "n". Digits of other scripts are digits.
 * @param {Pick<KeyboardEvent, "key" | "code"> & { shiftKey?: boolean }} event
 */
export function latinKey({ key, code, shiftKey = false }) {
  if (ASCII.test(key)) return key.length === 1 ? key.toLowerCase() : key;
  const digit = ZEROS.map((zero) => key.charCodeAt(0) - zero).find((each) => each >= 0 && each <= 9);
  if (digit !== undefined) return String(digit);
  if (key === "؟") return "?";
  const letter = /^Key([A-Z])$/.exec(code);
  return letter === null ? SIGNS.get(code)?.[Number(shiftKey)] ?? key : letter[1].toLowerCase();
}

/**
 * The digit that was pressed, with or without Shift and on any keyboard layout; null for other keys.
 * @param {Pick<KeyboardEvent, "key" | "code">} event
 */
export function digitOf(event) {
  const key = latinKey(event);
  if (/^[0-9]$/.test(key)) return Number(key);
  const digit = /^Digit([0-9])$/.exec(event.code);
  return digit === null ? null : Number(digit[1]);
}

/**
 * The key of an answer: a digit key without Shift is its digit, also where it writes another sign, as in France.
 * @param {Pick<KeyboardEvent, "key" | "code"> & { shiftKey?: boolean }} event
 */
export function answerKey(event) {
  const digit = event.shiftKey ? null : digitOf(event);
  return digit === null ? latinKey(event) : String(digit);
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
