/**
 * @typedef {{ all: boolean, cannotJudge: boolean }} Which are all lines open, and is "can't judge" allowed
 */

/** Every text of the task pages that does not come from the study, in one place for translators. */
export const WORDS = Object.freeze({
  notRated: "not rated",
  cannotJudge: "can’t judge",
  cannotJudgeThis: "I can’t judge this",
  cannotJudgeLabel: "Can’t judge",
  placeFirst: "Place your answer first.",
  chooseFirst: "Choose your answer first.",
  yourAnswer: "Your answer",
  orderSoFar: "Your order so far",
  yourOrder: "Your order:",
  nonePlaced: "nothing placed yet",
  notPlaced: "not placed yet",
  level: "tied",
  next: "Next",
  undoLast: "Undo last",
  comment: "Comment",
  commentField: "Comment (optional)",
  takenBack: "Your last answer was undone. Please answer again.",
  lastUndo: "You can undo again after a few more answers.",
  saved: "Saved",
  saving: "Saving",
  offline: "Offline, not sent yet",
  unreachable: "Offline",
  answerKept: "No connection. Your answer is stored on this device and will be sent when the connection returns.",
  noTaskYet: "No connection. This page tries again automatically.",
  undoUnreachable: "No connection. Try to undo again when the connection returns.",
  tryNow: "Try now",
  lookAgain: "Check again",
  dismiss: "Dismiss",
  close: "Close",
  zoomIn: "Zoom in",
  zoomOut: "Zoom out",
  refused: "This answer was not accepted. Reload the page to continue.",
  keys: "Shortcuts",
  chooseKeys: "choose",
  moreKeys: "start at the low end, then move one step up",
  lessKeys: "start at the high end, then move one step down",
  bigSteps: "move ten steps",
  endKeys: "go to the low end or the high end",
  nextLine: "go to the next line",
  nextLineOrBox: "go to the next line or box",
  showAll: "Show all",
  showLess: "Show less",
  cannotJudgeThese: "I can’t judge these",
  aboutEqual: "About equal",
  bothBad: "Both bad",
  less: "Less",
  more: "More",
  most: "Most",
  least: "Least",
  byHowMuch: "By how much?",
  chooseOne: "Choose one answer.",
  chooseStrength: "Choose by how much.",
  comparedWith: "Compared with",
  lineHint: "line",
  rowKeys: "go to the line above or below",
  leastKeys: "choose the least",
  mostKeys: "choose the most",
  cellKeys: "go to a button",
  chooseMost: "Choose the most.",
  chooseLeast: "Choose the least.",
  chooseBoth: "Choose the most and the least.",
  toPlace: "To place",
  allPlaced: "All items are placed.",
  mostOnTop: "Most on top",
  dropHere: "Drag the first item here, or press “Place”.",
  place: "Place",
  up: "Up",
  down: "Down",
  tie: "Tie with the item above",
  untie: "Remove the tie",
  grabHint: "grab",
  moveHint: "move",
  grabKeys: "grab or release an item",
  moveKeys: "go to another item, or move the grabbed item",
  tieKeys: "tie with the item above, or remove the tie",
  letGoKeys: "return the grabbed item to its place",
  howToMove: "Press Space to grab an item, the arrow keys to move it, Space to release it, and Escape to return it.",
  putBack: "Returned to its place.",
  yours: "Yours",
  placeThis: "Place this item",
  justBelow: "Just below the handle",
  justAbove: "Just above the handle",
  below: "Just below",
  above: "Just above",
  noneHere: "no example here",
  wholeScale: "Whole scale",
  partOfScale: "Part of the scale",
  pastTheEnds: "Beyond the ends",
  showAllScale: "Show all",
  zoomHint: "zoom",
  zoomKeys: "zoom in or out",
  moveHandle: "move the handle",
  lowestPlace: "Lowest possible position",
  highestPlace: "Highest possible position",
  nextHighest: "Next: highest position",
  saveAndNext: "Save and next",
  backToLowest: "Back to lowest position",
  veryLowest: "It could be the very lowest",
  veryHighest: "It could be the very highest",
  veryLowestShort: "The very lowest",
  veryHighestShort: "The very highest",
  shownAtHighest: "Each example is shown at its highest possible position.",
  shownAtLowest: "Each example is shown at its lowest possible position.",
  typeNumber: "Enter a number instead",
  check: "Check",
  checkAgain: "Change your answer, then check again.",
  notYet: "Not yet",
  thatIsRight: "That is right.",
  unreachableNow: "No connection. Try again when the connection returns.",
  chooseExamples: "Choose examples",
  placeExamples: "Place them on the scale",
  chooseTitle: "Choose examples that are as different as possible",
  chooseLead:
    "Drop examples that are similar to another one, and draw again. Together they should cover the whole scale, " +
    "from the least to the most.",
  placeTitle: "Place every example on the scale",
  placeLead:
    "Drag each example to the line, or tap it and then tap its place on the line. You can move it again. Leave a " +
    "large gap where the difference is large.",
  drop: "Drop",
  placeThem: "Place them",
  saveScale: "Save the scale",
  backToChoosing: "Back to choosing",
  backShort: "Back",
  placesKept: "The examples you placed keep their positions.",
  examplesChanged:
    "Someone else has changed the examples. Please check them again. Your own placements are kept.",
  pickHint: "pick",
  bigStepsHint: "bigger steps",
  startLowHint: "starts at the low end",
  startHighHint: "starts at the high end",
  endsHint: "ends of the scale",
  notPlacedYet: "not placed",
});

/**
 * What to do in a step of a range. The two comparatives of the question go between the parts. `wide` is the full
 * text, `narrow` the text for phones.
 */
export const MOVES = Object.freeze({
  low: {
    wide: ["Move the handle up past every example that is ", " than this item. Stop at the first that is ", "."],
    narrow: ["Move up past examples that are ", ". Stop at the first that is ", "."],
  },
  high: {
    wide: ["Move the handle down past every example that is ", " than this item. Stop at the first that is ", "."],
    narrow: ["Move down past examples that are ", ". Stop at the first that is ", "."],
  },
});

/** What to do in a step of a range while no examples are shown along the scale. */
export const FREE_MOVES = Object.freeze({
  low: "Move the handle to the lowest position that this item could have.",
  high: "Move the handle to the highest position that this item could have.",
});

/** @param {number} count */
export const drawMore = (count) => `Draw ${count} more`;

/**
 * @param {number} kept
 * @param {number} size
 */
export const keptOf = (kept, size) =>
  `${kept} of ${size} examples chosen. Draw ${size - kept} more.`;

/** @param {number} count */
export const droppedCount = (count) => `Dropped: ${count}`;

/** @param {string} name */
export const bringBack = (name) => `Restore: ${name}`;

/** @param {number} count */
export const toPlaceCount = (count) => `To place: ${count}`;

/** @param {number} count */
export const placeLast = (count) => (count === 1 ? "Place the last example." : `Place ${count} more examples.`);

/** @param {{ at: number, of: number }} count */
export const practiceOf = ({ at, of }) => `Practice ${at + 1} of ${of}`;

/**
 * Why a step of a range cannot be left yet; `button` is the text of the button that accepts the end of the scale.
 * @param {string} button
 */
export const endReason = (button) => `Move the handle, or choose “${button}”.`;

/** @param {string | undefined} alt */
export const enlarge = (alt) => (alt ? `Enlarge: ${alt}` : "Enlarge the picture");

/** @type {Readonly<Record<string, string>>} */
const KINDS = Object.freeze({ audio: "audio", video: "video", image: "picture" });

/**
 * The name of an item that has no text.
 * @param {string} kind
 */
export const kindOf = (kind) => KINDS[kind] ?? "";

/**
 * The name of an audio or video player; `letter` is "" if the page shows one item.
 * @param {string} kind
 * @param {string} letter
 * @param {string | undefined} alt
 */
export function playerOf(kind, letter, alt) {
  const name = letter === "" ? kindOf(kind) : itemOf(kind, letter);
  return alt ? `${name}: ${alt}` : name;
}

/**
 * @param {string} kind
 * @param {string} letter
 */
export const itemOf = (kind, letter) => `Item ${letter}, ${kindOf(kind)}`;

/** @param {{ done: number, of: number }} count */
export const progressOf = ({ done, of }) => `${Math.min(done + 1, of)} of ${of}`;

/**
 * @param {number} score
 * @param {{ low: number, high: number }} scale
 */
export const positionOf = (score, { low, high }) => `${score} (scale ${low} to ${high})`;

/** @param {number} number */
export const answerQuestion = (number) => `Place your answer to question ${number}.`;

/**
 * What is missing in a list, short enough for one line of a phone.
 * @param {string[]} letters
 * @param {Which} how
 */
export const placeLines = (letters, how) => askFor("Place", letters, how);

/**
 * What is missing in a list of comparisons with a reference.
 * @param {string[]} letters
 * @param {Which} how
 */
export const compareLines = (letters, how) => askFor("Compare", letters, how);

/**
 * @param {string} act
 * @param {string[]} letters
 * @param {Which} which
 */
function askFor(act, letters, { all, cannotJudge }) {
  const which = all ? "each one" : letters.length > 2 ? `the other ${letters.length}` : letters.join(" and ");
  return cannotJudge ? `${act} ${which}, or tick “Can’t judge”.` : `${act} ${which}.`;
}

/** How much more one item has than the other; the keys are the first letters. */
export const STRENGTHS = Object.freeze([
  Object.freeze({ value: 1, text: "Slightly", key: "S" }),
  Object.freeze({ value: 2, text: "Clearly", key: "C" }),
  Object.freeze({ value: 3, text: "Much", key: "M" }),
]);

/** @param {string} letter */
export const chooseItem = (letter) => `choose ${letter}`;

/**
 * @param {number} done
 * @param {number} of
 */
export const comparedOf = (done, of) => `${done} of ${of} compared`;

/**
 * @param {number} number
 * @param {string} reason
 */
export const inQuestion = (number, reason) => `Question ${number}: ${reason}`;

/** @param {string[]} letters */
const tiedWith = (letters) => (letters.length === 0 ? "" : `, tied with ${letters.join(" and ")}`);

/**
 * The rank of an item, the number of ranks, and the items tied with it.
 * @param {number} rank
 * @param {number} of
 * @param {string[]} letters
 */
export const rankedAt = (rank, of, letters) => `rank ${rank} of ${of}${tiedWith(letters)}`;

/**
 * @param {string} name
 * @param {string} where
 */
export const moveItem = (name, where) => `Move ${name}, ${where}`;

/**
 * @param {string} act
 * @param {string} letter
 */
export const actOn = (act, letter) => `${act}: ${letter}`;

/**
 * @param {string} letter
 * @param {string} where
 */
export const grabbed = (letter, where) => `${letter} grabbed, ${where}.`;

/**
 * @param {string} letter
 * @param {string} where
 */
export const letGo = (letter, where) => `${letter} placed, ${where}.`;
