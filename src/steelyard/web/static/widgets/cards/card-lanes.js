const LANE_COST = 34;
const STAY = 40;

/**
 * Places for cards along a line so that none overlaps another and each is near the place it belongs to.
 * `cards` are {key, at} in pixels, most important first; `room` is {length, size, gap, lanes}; `before` is the
 * Map of the last result. Gives a Map from key to {lane, start}; who finds no room is not in it.
 */
export function layOut(cards, room, before = new Map()) {
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

/** How many cards a lane holds. */
export function holds({ length, size, gap }) {
  return Math.max(0, Math.floor((length + gap) / (size + gap)));
}

function cheapestLane(card, lanes, room, before) {
  const options = lanes.flatMap((lane, index) => {
    if (lane.length >= holds(room)) return [];
    const cards = [...lane, card].sort((one, other) => one.at - other.at);
    const stays = before?.lane === index ? STAY : 0;
    return [{ lane: index, cards, cost: largestShift(cards, room) + LANE_COST * index - stays }];
  });
  return options.reduce((best, each) => (best === null || each.cost < best.cost ? each : best), null);
}

function largestShift(cards, room) {
  const starts = startsOf(cards, room);
  return Math.max(...cards.map(({ at }, index) => Math.abs(starts[index] + room.size / 2 - at)));
}

/** Least squares: with i widths taken off, starts must only not fall; pool those that do, then add the widths back. */
function startsOf(cards, { length, size, gap }) {
  const wanted = cards.map(({ at }, index) => at - size / 2 - index * (size + gap));
  const most = length - size - Math.max(0, cards.length - 1) * (size + gap);
  return pooled(wanted).map((start, index) => Math.min(most, Math.max(0, start)) + index * (size + gap));
}

function pooled(wanted) {
  const blocks = [];
  for (const start of wanted) {
    blocks.push({ mean: start, count: 1 });
    while (blocks.length > 1 && blocks.at(-2).mean > blocks.at(-1).mean) {
      const last = blocks.pop();
      const block = blocks.at(-1);
      block.mean = (block.mean * block.count + last.mean * last.count) / (block.count + last.count);
      block.count += last.count;
    }
  }
  return blocks.flatMap(({ mean, count }) => Array(count).fill(mean));
}
