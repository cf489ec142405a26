import { Unreachable } from "./api.js";

/**
 * @import { TaskOut, WidgetOut } from "../types.js"
 * @import { ProtocolClass } from "../widgets/types.js"
 */

/**
 * Load the element class of a task's protocol, and the module for examples along its scale (null if it has none).
 * Loaded modules are not fetched again. Throws Unreachable if the server cannot be reached.
 * @param {TaskOut} task
 * @returns {Promise<{ Protocol: ProtocolClass, ground: typeof import("../widgets/scale/ground.js") | null }>}
 */
export async function loadProtocol({ widget, ground }) {
  const [protocol, along] = await Promise.all([loadWidget(widget), ground === null ? null : loadWidget(ground)]);
  return { Protocol: protocol.default, ground: along };
}

/** @param {WidgetOut} widget */
async function loadWidget({ module, styles }) {
  const sheets = styles.map(loadStylesheet);
  const [loaded] = await Promise.all([loadModule(module), ...sheets]);
  return loaded;
}

/** @param {string} address */
async function loadModule(address) {
  try {
    return await import(address);
  } catch (error) {
    // A TypeError means that the module could not be fetched; any other error is a bug in the module.
    if (!(error instanceof TypeError)) throw error;
    throw new Unreachable(error.message, { cause: error });
  }
}

/** @param {string} address */
function loadStylesheet(address) {
  const links = [...document.head.querySelectorAll("link")];
  const present = links.find((link) => link.rel === "stylesheet" && holds(link, address));
  return present === undefined ? addStylesheet(address) : whenLoaded(present);
}

// The stylesheet of a page consists of several files, and lists them.
/**
 * @param {HTMLLinkElement} link
 * @param {string} address
 */
function holds(link, address) {
  return link.getAttribute("href") === address || (link.dataset.holds ?? "").split(" ").includes(address);
}

// The stylesheet of a page comes after those of its widgets, so that the page can override them.
/**
 * @param {string} address
 * @returns {Promise<void>}
 */
function addStylesheet(address) {
  const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: address });
  const loaded = whenLoaded(link);
  document.head.insertBefore(link, document.head.querySelector("link[data-after-widgets]"));
  return loaded;
}

/**
 * @param {HTMLLinkElement} link
 * @returns {Promise<void>}
 */
function whenLoaded(link) {
  if (link.sheet !== null) return Promise.resolve();
  return new Promise((resolve, reject) => {
    link.addEventListener("load", () => resolve(), { once: true });
    link.addEventListener("error", () => {
      link.remove();
      reject(new Unreachable(`no stylesheet ${link.href}`));
    }, { once: true });
  });
}
