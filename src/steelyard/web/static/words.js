/**
 * @import { Side } from "./widgets/types.js"
 * @typedef {{ all: boolean, cannotJudge: boolean }} Which are all lines open, and may they be left as "can't judge"?
 */

/** Every sentence the task page says by itself, in one place so that it can be translated in one place. */
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
  level: "level",
  next: "Next",
  undoLast: "Undo last",
  comment: "Comment",
  commentField: "Comment, if you like",
  takenBack: "Answer taken back. Judge it again.",
  lastUndo: "Undo works again after some more answers.",
  saved: "Saved",
  saving: "Saving",
  offline: "Offline, kept here",
  unreachable: "Offline",
  answerKept: "No connection. Your answer is kept here and sent when the connection is back.",
  noTaskYet: "No connection. This page looks again by itself.",
  undoUnreachable: "No connection. Undo again when it is back.",
  tryNow: "Try now",
  lookAgain: "Look again",
  dismiss: "Dismiss",
  close: "Close",
  zoomIn: "Zoom in",
  zoomOut: "Zoom out",
  refused: "This answer was not taken. Reload the page to go on.",
  keys: "Keys",
  chooseKeys: "choose",
  moreKeys: "start at the low end, then one step up",
  lessKeys: "start at the high end, then one step down",
  bigSteps: "ten steps at once",
  endKeys: "the lowest or the highest",
  nextLine: "next line",
  nextLineOrBox: "next line or box",
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
  chooseOne: "Choose one of them.",
  chooseStrength: "Choose by how much.",
  comparedWith: "Compared with",
  lineHint: "line",
  rowKeys: "the line above or below",
  leastKeys: "the least",
  mostKeys: "the most",
  cellKeys: "go to a button",
  chooseMost: "Choose the most.",
  chooseLeast: "Choose the least.",
  chooseBoth: "Choose the most and the least.",
  toPlace: "To place",
  allPlaced: "All are placed.",
  mostOnTop: "Most on top",
  dropHere: "Drag the first one here, or press “Place”.",
  place: "Place",
  up: "Up",
  down: "Down",
  tie: "Level with the one above",
  untie: "No longer level",
  grabHint: "grab",
  moveHint: "move",
  grabKeys: "grab, and let go",
  moveKeys: "go to another; move the grabbed one",
  tieKeys: "level with the one above",
  letGoKeys: "put the grabbed one back",
  howToMove: "Press Space to grab, the arrow keys to move, Space to let go, Escape to put back.",
  putBack: "Put back.",
  yours: "Yours",
  placeThis: "Place this one",
  justBelow: "Just below the handle",
  justAbove: "Just above the handle",
  below: "Just below",
  above: "Just above",
  noneHere: "no example here",
  wholeScale: "Whole scale",
  partOfScale: "Part of the scale",
  pastTheEnds: "Past the ends",
  showAllScale: "Show all",
  zoomHint: "zoom",
  zoomKeys: "look closer, or less close",
  moveHandle: "move the handle",
  lowestPlace: "Lowest place it could be",
  highestPlace: "Highest place it could be",
  nextHighest: "Next: highest place",
  saveAndNext: "Save and next",
  backToLowest: "Back to lowest place",
  veryLowest: "It could be the very lowest",
  veryHighest: "It could be the very highest",
  veryLowestShort: "The very lowest",
  veryHighestShort: "The very highest",
  standsHighest: "Each example stands at the highest place it could be.",
  standsLowest: "Each example stands at the lowest place it could be.",
  typeNumber: "Type a number instead",
  check: "Check",
  checkAgain: "Change your answer, then check again.",
  notYet: "Not yet",
  thatIsRight: "That is right.",
  unreachableNow: "No connection. Try again when it is back.",
  chooseExamples: "Choose examples",
  placeExamples: "Place them on the scale",
  chooseTitle: "Choose examples that are as different as possible",
  chooseLead:
    "Drop any that are much like another, and draw again. Aim for the full spread, from the least to the most.",
  placeTitle: "Place every example on the scale",
  placeLead:
    "Drag each to the line, or tap it and then its place. Any can be moved again. Distances count: leave a big gap " +
    "where the difference is big.",
  drop: "Drop",
  placeThem: "Place them",
  saveScale: "Save the scale",
  backToChoosing: "Back to choosing",
  backShort: "Back",
  placesKept: "What you placed keeps its place.",
  examplesChanged:
    "Somebody else has changed the examples meanwhile. Look at them again; what you have placed is kept.",
  pickHint: "pick",
  bigStepsHint: "bigger steps",
  notPlacedYet: "not placed",
});

/** What to do in a step, around its two comparatives: `wide` in full, `narrow` for phones. */
export const MOVES = Object.freeze({
  low: {
    wide: ["Move the handle up past every example that is ", " than this one. Stop at the first that is ", "."],
    narrow: ["Move up past all that is ", ". Stop at the first that is ", "."],
  },
  high: {
    wide: ["Move the handle down past every example that is ", " than this one. Stop at the first that is ", "."],
    narrow: ["Move down past all that is ", ". Stop at the first that is ", "."],
  },
});

/** @param {number} count */
export const drawMore = (count) => `Draw ${count} more`;

/**
 * @param {number} kept
 * @param {number} size
 */
export const keptOf = (kept, size) =>
  `${kept} kept. ${size} are needed: draw ${size - kept} more.`;

/** @param {number} count */
export const droppedCount = (count) => `Dropped: ${count}`;

/** @param {string} name */
export const bringBack = (name) => `Bring back: ${name}`;

/** @param {number} count */
export const toPlaceCount = (count) => `To place: ${count}`;

/** @param {number} count */
export const placeLast = (count) => (count === 1 ? "Place the last example." : `Place the last ${count} examples.`);

/** @param {{ at: number, of: number }} count */
export const practiceOf = ({ at, of }) => `Practice ${at + 1} of ${of}`;

/**
 * @param {Side} side
 * @param {string} key
 */
export const endReason = (side, key) =>
  `Move the handle, or press ${key} if it could be the very ${side === "low" ? "lowest" : "highest"}.`;

/** @param {string | undefined} alt */
export const enlarge = (alt) => (alt ? `Enlarge: ${alt}` : "Enlarge the picture");

/** @type {Readonly<Record<string, string>>} */
const KINDS = Object.freeze({ audio: "sound", video: "film", image: "picture" });

/**
 * What an item without words of its own is called.
 * @param {string} kind
 */
export const kindOf = (kind) => KINDS[kind] ?? "";

/**
 * What a player is called; the letter is "" where there is one item.
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
export const positionOf = (score, { low, high }) => `${score} of ${low} to ${high}`;

/** @param {number} number */
export const answerQuestion = (number) => `Place your answer to question ${number}.`;

/**
 * What is still to do in a list, short enough for one line of a phone.
 * @param {string[]} letters
 * @param {Which} how
 */
export const placeLines = (letters, how) => askFor("Place", letters, how);

/**
 * What is still to do beside a reference.
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

/** One of three words says how much more; the keys are their first letters. */
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
const levelWith = (letters) => (letters.length === 0 ? "" : `, level with ${letters.join(" and ")}`);

/**
 * Where an item stands in a ranking: its rank of so many, and what is level with it.
 * @param {number} rank
 * @param {number} of
 * @param {string[]} letters
 */
export const rankedAt = (rank, of, letters) => `rank ${rank} of ${of}${levelWith(letters)}`;

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
