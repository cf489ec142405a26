// What the server sends, field by field. A test compares this file with web/schema.py.

/** Addresses of a script module and of its stylesheets, in the order of the cascade. */
export interface WidgetOut {
  module: string;
  styles: string[];
}

/** A label of a scale and its position. */
export interface LabelOut {
  at: number;
  text: string;
}

/** One step of a scale with levels. */
export interface LevelOut {
  value: number;
  text: string;
}

/** A scale with its labels or levels; `grounded` if it has examples or zoom. */
export interface ScaleOut {
  low: number;
  high: number;
  step: number;
  labels: LabelOut[];
  levels: LevelOut[] | null;
  show_value: boolean;
  zoom: boolean;
  beyond: boolean;
  grounded: boolean;
}

/** A question with its scale, and with its comparatives for ranges. */
export interface QuestionOut {
  text: string;
  hint: string | null;
  most: string | null;
  more: string | null;
  lower: string;
  not_lower: string;
  higher: string;
  not_higher: string;
  scale: ScaleOut;
}

/** Context of an item, with its name. */
export interface ContextOut {
  name: string;
  text: string;
}

/** The content of an item: `text`, `html` made from Markdown, or `url` with `alt`. */
export interface ContentOut {
  text?: string;
  html?: string;
  url?: string;
  alt?: string;
}

/** One item. Its id is not sent, because an id may reveal who made the item. */
export interface ItemOut {
  text?: string;
  html?: string;
  url?: string;
  alt?: string;
  kind: "text" | "markdown" | "image" | "audio" | "video" | "html";
  context: ContextOut[];
}

/** An example on the scale, from `low` to `high`; `own` if it is an earlier answer of the rater. */
export interface AnchorOut {
  text?: string;
  html?: string;
  url?: string;
  alt?: string;
  kind: "text" | "markdown" | "image" | "audio" | "video" | "html";
  low: number;
  high: number;
  own: boolean;
}

/** The largest number of anchors shown, and their least distance as a share of the visible scale. */
export interface SpreadOut {
  most: number;
  distance: number;
}

/** The content of one page: a task of the study, or an exercise of its training. */
export interface TaskOut {
  assignment: string;
  protocol: string;
  widget: WidgetOut;
  ground: WidgetOut | null;
  questions: QuestionOut[];
  items: ItemOut[];
  shared: ContextOut[];
  cannot_judge: boolean;
  comment: boolean;
  ties: boolean;
  both_bad: boolean;
  strength: boolean;
  anchors: AnchorOut[];
  labels_shown: boolean;
  listen_first: boolean;
  anchors_spread: SpreadOut;
}

/** The number of tasks that the rater has done, and of all their tasks. */
export interface ProgressOut {
  done: number;
  of: number;
}

/** The rater has a task; `last` is the assignment of the latest answer, and `notice` a text to read first, or "". `ahead` is the state after the answer to this task, if the page asked for it and a task was assigned in advance. */
export interface TaskStateOut {
  state: "task";
  task: TaskOut;
  progress: ProgressOut;
  can_undo: boolean;
  undos_left: number;
  last: string;
  notice: string;
  ahead: TaskStateOut | null;
}

/** The rater has to wait. */
export interface PausedStateOut {
  state: "paused";
  message: string;
}

/** The rater has answered everything; `thanks` is the address of the last page. */
export interface FinishedStateOut {
  state: "finished";
  thanks: string;
}

export type StateOut = TaskStateOut | PausedStateOut | FinishedStateOut;

/** Why an answer was not stored, and the next state of the rater. */
export interface AnswerRefusedOut {
  error: "closed" | "kept" | "taken_back";
  message: string;
  next: TaskStateOut | PausedStateOut | FinishedStateOut;
}

/** The next exercise; `at` is its number, from 0. */
export interface ExerciseStateOut {
  state: "training";
  task: TaskOut;
  instructions_html: string;
  of: number;
  at: number;
}

/** The training is over; `next` is the address of the page that follows. */
export interface TrainedStateOut {
  state: "done";
  next: string;
}

export type TrainingOut = ExerciseStateOut | TrainedStateOut;

/** Whether an attempt at an exercise was right, the feedback, and whether the exercise is finished. `items` and `examples` are the indexes of what is wrong: items with a wrong answer, and examples along the scale that are on the wrong side of the answer. */
export interface FeedbackOut {
  right: boolean;
  feedback: string;
  done: boolean;
  items: number[];
  examples: number[];
}

/** An item of the cold start with its index. */
export interface SeedItemOut {
  text?: string;
  html?: string;
  url?: string;
  alt?: string;
  kind: "text" | "markdown" | "image" | "audio" | "video" | "html";
  context: ContextOut[];
  index: number;
}

/** The state of the cold start: drawn and dropped items, or items to place. */
export interface ColdStartOut {
  state: "draw" | "place" | "done";
  items: SeedItemOut[];
  dropped: SeedItemOut[];
  reopens: boolean;
  question: QuestionOut;
  labelled: boolean;
  search: boolean;
  size: number;
  of: number;
  next: string;
}
