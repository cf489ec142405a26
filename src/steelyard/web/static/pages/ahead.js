import { Refused, Unreachable, fetchAhead } from "./api.js";

/** @import { TaskOut, TaskStateOut } from "../types.js" */

/** The task after the one that is shown, if the server has assigned it in advance. */
export class Ahead {
  /** @type {TaskStateOut | null} */
  state = null;
  /** @type {HTMLElement[]} elements that load the media of the task; a browser may stop loading for others */
  media = [];

  /** @param {TaskStateOut | null} state */
  keep(state) {
    this.state = state;
    this.media = state === null ? [] : loadMedia(state.task);
  }

  /**
   * Ask for the task after this one. Without an answer, the page asks for it when this one is answered.
   * @param {string} assignment
   * @param {() => boolean} isCurrent whether the page still waits for the answer to this task
   */
  async fetch(assignment, isCurrent) {
    if (this.state !== null) return;
    try {
      const state = await fetchAhead();
      const isNext = state.state === "task" && state.task.assignment === assignment;
      if (isNext && isCurrent()) this.keep(state.ahead);
    } catch (error) {
      if (!(error instanceof Unreachable) && !(error instanceof Refused)) throw error;
    }
  }
}

/**
 * @param {TaskOut} task
 * @returns {HTMLElement[]}
 */
function loadMedia({ items, anchors }) {
  return [...items, ...anchors].filter(({ kind, url }) => url !== undefined && kind !== "html").map(({ kind, url }) => {
    const loading = document.createElement(kind === "image" ? "img" : kind === "audio" ? "audio" : "video");
    return Object.assign(loading, { preload: "auto", src: url });
  });
}
