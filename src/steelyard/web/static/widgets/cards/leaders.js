const SVG = "http://www.w3.org/2000/svg";
const INSIDE = 10;
const ELBOW = 14;
const TICK = 9;

/** The layer behind the cards with a line from each card to its position on the scale. */
export class Leaders {
  layer = document.createElementNS(SVG, "svg");

  constructor() {
    this.layer.setAttribute("class", "leaders");
    this.layer.setAttribute("aria-hidden", "true");
  }

  add() {
    return this.layer.appendChild(document.createElementNS(SVG, "path"));
  }
}

/**
 * The path from a position `at` on a horizontal line to a card below it, with an elbow if the card is to one side.
 * @param {number} at
 * @param {{ start: number, size: number, room: number, across: number }} card
 */
export function leadDown(at, { start, size, room, across }) {
  const meets = Math.min(start + size - INSIDE, Math.max(start + INSIDE, at));
  return at === meets
    ? `M${at} ${-TICK}V${across}`
    : `M${at} ${-TICK}V${room - ELBOW}L${meets} ${room}V${across}`;
}

/**
 * The path from the middle of a card to a position `at` on a vertical line beside it.
 * @param {number} at
 * @param {{ start: number, size: number, room: number }} card
 */
export function leadAside(at, { start, size, room }) {
  return `M0 ${start + size / 2}H8L${room - ELBOW} ${at}H${room}`;
}
