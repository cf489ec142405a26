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
});

export const enlarge = (alt) => (alt ? `Enlarge: ${alt}` : "Enlarge the picture");

const KINDS = Object.freeze({ audio: "sound", video: "film", image: "picture" });

/** What an item without words of its own is called. */
export const kindOf = (kind) => KINDS[kind] ?? "";

/** What a player is called; the letter is "" where there is one item. */
export function playerOf(kind, letter, alt) {
  const name = letter === "" ? kindOf(kind) : itemOf(kind, letter);
  return alt ? `${name}: ${alt}` : name;
}

export const itemOf = (kind, letter) => `Item ${letter}, ${kindOf(kind)}`;

export const progressOf = ({ done, of }) => `${Math.min(done + 1, of)} of ${of}`;

export const positionOf = (score, { low, high }) => `${score} of ${low} to ${high}`;

export const unknownProtocol = (protocol) =>
  `This page does not know the protocol “${protocol}”. Reload the page to get the newest version.`;

export const answerQuestion = (number) => `Place your answer to question ${number}.`;

/** What is still to do in a list, short enough for one line of a phone. */
export function placeLines(letters, { all, cannotJudge }) {
  const which = all ? "each one" : letters.length > 2 ? `the other ${letters.length}` : letters.join(" and ");
  return cannotJudge ? `Place ${which}, or tick “Can’t judge”.` : `Place ${which}.`;
}
