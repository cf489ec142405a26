import { Acts } from "./acts.js";
import { find } from "../elements.js";
import { loadProtocol } from "./load-widget.js";

/** @import { TaskOut } from "../types.js" */

/**
 * Show a task to people who have not accepted it. The place is inert, so nothing can be answered.
 * @param {Document} page
 */
async function showPreview(page) {
  const task = /** @type {TaskOut} */ (JSON.parse(find(page, "#previewed").textContent ?? ""));
  const { Protocol, ground } = await loadProtocol(task);
  const acts = new Acts({ onNext: () => {}, canUndo: false, comment: false });
  find(page, "#task").replaceChildren(Object.assign(new Protocol(), { task, acts, ground }));
}

showPreview(document);
