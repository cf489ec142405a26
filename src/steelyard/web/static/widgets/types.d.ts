// Types that widgets and pages share. What the server sends is in ../types.d.ts.

import type { AnchorOut } from "../types.js";
import type { Levels } from "./choices/levels.js";
import type { Choices } from "./choices/choices.js";
import type { Extremes } from "./choices/best-worst.js";
import type { Outcome } from "./choices/outcome.js";
import type { Drawing } from "./cards/drawing.js";
import type { Ranks } from "./cards/ranking.js";
import type { Item } from "./item.js";
import type { Protocol } from "./protocol.js";
import type { Anchors } from "./scale/anchor-cards.js";
import type { Overview } from "./scale/overview.js";
import type { Placing } from "./scale/placing.js";
import type { ScaleBoard } from "./scale/scale-board.js";
import type { Slider } from "./scale/slider.js";

/** A source of randomness: a number from 0 up to 1. */
export type Random = () => number;

/** Keys and their effect. */
export type Hint = [keys: string[], words: string];

/** The fields of a key press that are used. */
export type Keys = Pick<KeyboardEvent, "key" | "code" | "shiftKey">;

/** Where a pointer is in the window. */
export interface Point {
  clientX: number;
  clientY: number;
}

/** The two bounds of a range, or the two ends of a scale. */
export type Side = "low" | "high";

/** A recorded value of an answer or an action. */
export type Value = number | string | null;

/** Which item, under which question. */
export interface Place {
  item: number;
  question: number;
}

/** A part of an answer as it is sent: its place, and the fields of the kind of judgment. */
export interface CellAnswer extends Place {
  [field: string]: unknown;
}

/** The element of a protocol. */
export type ProtocolClass = new () => Protocol;

/** Whether the answer can be sent, and what is missing. */
export interface Progress {
  ready: boolean;
  reason: string;
}

/** An action of the rater at a place. */
export interface Interaction extends Place {
  act: string;
  value: Value;
}

/** A control that takes an answer; `answer` is null before that. */
export interface Control {
  readonly answer: Record<string, unknown> | null;
  inactive: boolean;
  restore?(saved: CellAnswer): void;
  contains?(node: Node | null): boolean;
  focus?(): void;
  simulate?(random: Random): void;
}

/** One answer of a task. */
export interface Cell<C extends Control = Control> extends Place {
  control: C;
  cannotJudge: boolean;
}

/** An answer given on a control; `item` is set if one control answers for several items. */
export interface Answered {
  act: string;
  score: Value;
  item?: number;
}

/** One of a few answers to choose from. */
export interface Choice {
  value: string | number;
  text: string;
  letter?: string;
  key?: string | null;
}

/** An anchor and its position on the scale. */
export interface Entry {
  anchor: AnchorOut;
  at: number;
  place: number;
}

/** The anchors next to a score; null if there is none. */
export interface Around {
  below: Entry | null;
  above: Entry | null;
}

declare global {
  interface HTMLElementTagNameMap {
    "steelyard-anchors": Anchors;
    "steelyard-choices": Choices;
    "steelyard-drawing": Drawing;
    "steelyard-extremes": Extremes;
    "steelyard-item": Item;
    "steelyard-levels": Levels;
    "steelyard-outcome": Outcome;
    "steelyard-overview": Overview;
    "steelyard-placing": Placing;
    "steelyard-ranks": Ranks;
    "steelyard-scale": ScaleBoard;
    "steelyard-slider": Slider;
  }

  interface HTMLElementEventMap {
    anchor: CustomEvent<{ at: number }>;
    answer: CustomEvent<Answered>;
    around: CustomEvent<Around>;
    complete: CustomEvent<null>;
    interaction: CustomEvent<Interaction>;
    judgment: CustomEvent<CellAnswer[]>;
    progress: CustomEvent<Progress>;
  }
}
