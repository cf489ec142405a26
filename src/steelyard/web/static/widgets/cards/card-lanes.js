/**
 * @template Key
 * @typedef {{ key: Key, at: number }} Card the position of a card along the line, in pixels
 */

/**
 * @typedef {{ length: number, size: number, gap: number, lanes: number }} Room
 * @typedef {{ lane: number, start: number }} Placed
 */

const LANE_COST = 34;
const STAY = 40;

/**
 * Lay out cards along a line without overlaps, each near its position. `cards` are sorted by importance; `before` is
 * the previous result. A card for which there is no room is not in the result.
 * @template Key
 * @param {Card<Key>[]} cards
 * @param {Room} room
 * @param {Map<Key, Placed>} before
 * @returns {Map<Key, Placed>}
 */
export function layOut(cards, room, before = new Map()) {
  /** @type {Card<Key>[][]} */
  const lanes = Array.from({ length: room.lanes }, () => []);
  for (const card of cards) {
    const chosen = cheapestLane(card, lanes, room, before.get(card.key));
    if (chosen !== null) lanes[chosen.lane] = chosen.cards;
  }
  return new Map(lanes.flatMap((lane, index) => {
    const starts = startsOf(lane, room);
    return lane.map(({ key }, place) => [key, { lane: index, start: starts[place] }]);
  }));
}

/**
 * The number of cards that fit in a lane.
 * @param {Pick<Room, "length" | "size" | "gap">} room
 */
export function holds({ length, size, gap }) {
  return Math.max(0, Math.floor((length + gap) / (size + gap)));
}

/**
 * @template Key
 * @param {Card<Key>} card
 * @param {Card<Key>[][]} lanes
 * @param {Room} room
 * @param {Placed | undefined} before
 */
function cheapestLane(card, lanes, room, before) {
  const options = lanes.flatMap((lane, index) => {
    if (lane.length >= holds(room)) return [];
    const cards = [...lane, card].sort((one, other) => one.at - other.at);
    const stays = before?.lane === index ? STAY : 0;
    return [{ lane: index, cards, cost: largestShift(cards, room) + LANE_COST * index - stays }];
  });
  return options.reduce((best, each) => (best === null || each.cost < best.cost ? each : best), options[0] ?? null);
}

/**
 * @param {Card<unknown>[]} cards
 * @param {Room} room
 */
function largestShift(cards, room) {
  const starts = startsOf(cards, room);
  return Math.max(...cards.map(({ at }, index) => Math.abs(starts[index] + room.size / 2 - at)));
}

/**
 * Least squares: subtract i widths from the i-th start, make the starts non-decreasing by pooling adjacent violators,
 * and add the widths back.
 * @param {Card<unknown>[]} cards
 * @param {Room} room
 */
function startsOf(cards, { length, size, gap }) {
  const wanted = cards.map(({ at }, index) => at - size / 2 - index * (size + gap));
  const most = length - size - Math.max(0, cards.length - 1) * (size + gap);
  return pooled(wanted).map((start, index) => Math.min(most, Math.max(0, start)) + index * (size + gap));
}

/** @param {number[]} wanted */
function pooled(wanted) {
  /** @type {{ mean: number, count: number }[]} */
  const blocks = [];
  for (const start of wanted) {
    let block = { mean: start, count: 1 };
    for (let last = blocks.at(-1); last !== undefined && last.mean > block.mean; last = blocks.at(-1)) {
      blocks.pop();
      const count = last.count + block.count;
      block = { mean: (last.mean * last.count + block.mean * block.count) / count, count };
    }
    blocks.push(block);
  }
  return blocks.flatMap(({ mean, count }) => Array(count).fill(mean));
}
