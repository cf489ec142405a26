import { latinKey } from "../widgets/keys.js";
import { letterOf } from "../widgets/names.js";
import { WORDS, listOf, say } from "../words.js";

/**
 * @import { TaskOut } from "../types.js"
 * @import { Protocol } from "../widgets/protocol.js"
 * @import { Hint, Progress } from "../widgets/types.js"
 */

const STEP_SECONDS = 5;
// A player may stop a little before the end, or skip silence there.
const HEARD_SHARE = 0.95;
const RESERVED = "NUXPR";

/**
 * The audio and video players of a task. One plays at a time, all have the same volume and normal speed, and if the
 * study asks for it, an answer waits until every item was played.
 */
export class Players {
  #protocol;
  #task;
  /** @type {HTMLMediaElement | null} */
  #current = null;
  /** @type {Set<HTMLMediaElement>} */
  #failed = new Set();
  /** @type {Progress} */
  #progress = { ready: false, reason: "" };

  #settings;

  /**
   * @param {Protocol} protocol
   * @param {TaskOut} task
   * @param {{ volume: number }} settings what the rater chose, kept from task to task
   */
  constructor(protocol, task, settings) {
    this.#protocol = protocol;
    this.#task = task;
    this.#settings = settings;
  }

  /**
   * Follow the players, which are on the page now.
   * @param {(progress: Progress) => void} onHeard called with what the page may do next
   */
  follow(onHeard) {
    for (const player of this.#all) prepare(player, this.#settings);
    /** @type {Record<string, (player: HTMLMediaElement) => void>} */
    const reactions = {
      play: (player) => this.#begin(player),
      pause: (player) => this.#record(player, "pause"),
      ended: (player) => this.#record(player, "ended"),
      timeupdate: () => {},
      error: (player) => this.#failed.add(player),
      volumechange: (player) => this.#share(player),
      ratechange: keepSpeed,
    };
    for (const [name, react] of Object.entries(reactions)) {
      // Events of media do not bubble.
      this.#protocol.addEventListener(name, ({ target }) => {
        if (!(target instanceof HTMLMediaElement)) return;
        react(target);
        if (this.#task.listen_first) onHeard(this.gate(this.#progress));
      }, true);
    }
    onHeard(this.gate(this.#progress));
  }

  /** @returns {Hint[]} */
  get keys() {
    const players = this.#items;
    if (players.length === 0) return [];
    const letters = players.length > 1 ? [/** @type {Hint} */ ([this.#letters, WORDS.play_item])] : [];
    return [...letters, [["P"], WORDS.play_or_pause], [["R"], WORDS.play_again], [[",", "."], WORDS.seek]];
  }

  /**
   * What the page may do next: not go on before every item was played, if the study asks for that.
   * @param {Progress} progress
   * @returns {Progress}
   */
  gate(progress) {
    this.#progress = progress;
    const unheard = this.#unheard;
    if (!progress.ready || unheard.length === 0) return progress;
    const letters = listOf(unheard.map(letterOf));
    const reason = this.#items.length === 1 ? WORDS.play_to_end : say("play_these_to_end", { letters });
    return { ready: false, reason };
  }

  /**
   * Handle a key pressed anywhere on the page; true if a player used it.
   * @param {KeyboardEvent} event
   */
  press(event) {
    const key = latinKey(event);
    const player = this.#playerOf(key) ?? this.#active;
    if (player === null) return false;
    if (this.#playerOf(key) !== null) return start(player);
    const act = ACTS[key];
    if (act === undefined) return false;
    act(player);
    return true;
  }

  stop() {
    for (const player of this.#all) player.pause();
  }

  get #all() {
    return [...this.#protocol.querySelectorAll(/** @type {"audio"} */ ("audio, video"))];
  }

  /** The players of the items, in their order; not those of examples. */
  get #items() {
    return this.#task.items.flatMap(({ kind, url }) => {
      const isPlayed = kind === "audio" || kind === "video";
      const player = isPlayed ? this.#all.find((each) => each.getAttribute("src") === url) : undefined;
      return player === undefined ? [] : [player];
    });
  }

  get #letters() {
    return this.#items.map((_, index) => letterOf(index)).filter((letter) => !RESERVED.includes(letter));
  }

  /** @returns {number[]} */
  get #unheard() {
    if (!this.#task.listen_first) return [];
    return this.#items.flatMap((player, index) => (this.#failed.has(player) || isHeard(player) ? [] : [index]));
  }

  // The player of the line that has the focus, the one that was used last, or the first.
  get #active() {
    const line = document.activeElement?.closest("li, .card")?.querySelector(/** @type {"audio"} */ ("audio, video"));
    return line ?? this.#current ?? this.#items.at(0) ?? null;
  }

  /** @param {string} key */
  #playerOf(key) {
    if (this.#items.length < 2 || key.length !== 1) return null;
    const letter = key.toUpperCase();
    return RESERVED.includes(letter) ? null : this.#items.find((_, index) => letterOf(index) === letter) ?? null;
  }

  /** @param {HTMLMediaElement} player */
  #begin(player) {
    this.#current = player;
    for (const other of this.#all) if (other !== player) other.pause();
    this.#record(player, "play");
  }

  /** @param {HTMLMediaElement} player */
  #share({ volume }) {
    if (volume === this.#settings.volume) return;
    this.#settings.volume = volume;
    for (const other of this.#all) other.volume = volume;
  }

  /**
   * @param {HTMLMediaElement} player
   * @param {string} act
   */
  #record(player, act) {
    const item = this.#items.indexOf(player);
    if (item >= 0) this.#protocol.interact({ item, question: 0 }, act, Math.round(player.currentTime * 100) / 100);
  }
}

/** @type {Readonly<Record<string, (player: HTMLMediaElement) => void>>} */
const ACTS = Object.freeze({
  p: (player) => (player.paused ? start(player, player.currentTime) : player.pause()),
  r: (player) => start(player),
  ",": (player) => seek(player, -STEP_SECONDS),
  ".": (player) => seek(player, STEP_SECONDS),
});

/**
 * @param {HTMLMediaElement} player
 * @param {{ volume: number }} settings
 */
function prepare(player, { volume }) {
  player.preload = "auto";
  player.volume = volume;
}

/** @param {HTMLMediaElement} player */
function start(player, at = 0) {
  player.currentTime = player.ended ? 0 : at;
  // The browser may refuse to play before the rater has used the page.
  player.play().catch(() => {});
  return true;
}

/**
 * @param {HTMLMediaElement} player
 * @param {number} seconds
 */
function seek(player, seconds) {
  player.currentTime = Math.max(0, Math.min(player.currentTime + seconds, player.duration || 0));
}

/** @param {HTMLMediaElement} player */
function keepSpeed(player) {
  if (player.playbackRate !== 1) player.playbackRate = 1;
}

/** @param {HTMLMediaElement} player */
function isHeard({ played, duration }) {
  let seconds = 0;
  for (let at = 0; at < played.length; at += 1) seconds += played.end(at) - played.start(at);
  return duration > 0 && seconds >= HEARD_SHARE * duration;
}
