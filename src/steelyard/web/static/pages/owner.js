import { find } from "../elements.js";
import { morph } from "./owner-morph.js";
import { WORDS } from "../words.js";

const EVERY_MS = 5_000;

/** Keeps the dashboard up to date with the parts that the server sends under /owner/live. */
class LivePage {
  #page;
  #lost;
  #timer = 0;
  #looking = false;

  /** @param {Document} page */
  constructor(page) {
    this.#page = page;
    this.#lost = find(page, "#owner-lost");
    page.addEventListener("visibilitychange", () => (page.hidden ? this.#stop() : this.look()));
  }

  start() {
    this.#stop();
    if (!this.#page.hidden) this.#timer = window.setTimeout(() => this.look(), EVERY_MS);
  }

  async look() {
    if (this.#looking) return;
    this.#looking = true;
    try {
      await this.#fetch();
    } finally {
      this.#looking = false;
    }
  }

  async #fetch() {
    const response = await fetch(`/owner/live${location.search}`, { credentials: "same-origin" }).catch(() => null);
    if (response?.status === 403) {
      this.#say(WORDS.owner_signed_out);
      return;
    }
    this.#say(response?.ok ? "" : WORDS.owner_unreachable);
    if (response?.ok) await this.#show(await response.text());
    this.start();
  }

  /** @param {string} text */
  async #show(text) {
    const fresh = new DOMParser().parseFromString(text, "text/html").body;
    await Promise.all([...fresh.querySelectorAll("picture")].map(fetchPicture));
    const focused = this.#page.activeElement;
    for (const part of [...fresh.children]) morph(find(this.#page, `#${part.id}`, Element), part);
    const wasLost = focused?.isConnected && focused !== this.#page.activeElement;
    if (wasLost && focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  }

  /** @param {string} text */
  #say(text) {
    if (this.#lost.textContent !== text) this.#lost.textContent = text;
    this.#lost.hidden = text === "";
  }

  #stop() {
    clearTimeout(this.#timer);
  }
}

/**
 * Load a picture before it is shown, so that nothing flickers.
 * @param {HTMLPictureElement} picture
 */
async function fetchPicture(picture) {
  const chosen = [...picture.querySelectorAll("source")].find(({ media }) => matchMedia(media).matches);
  const image = new Image();
  image.src = chosen ? chosen.srcset : find(picture, "img", HTMLImageElement).getAttribute("src") ?? "";
  await image.decode().catch(() => null);
}

/**
 * Close a menu on Escape and on a click elsewhere.
 * @param {Document} page
 * @param {HTMLDetailsElement} menu
 */
function watchMenu(page, menu) {
  page.addEventListener("click", ({ target }) => {
    if (!menu.contains(/** @type {Node} */ (target))) menu.open = false;
  });
  menu.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape" || !menu.open) return;
    menu.open = false;
    find(menu, "summary").focus();
  });
}

/**
 * Open the details element that contains the target of a link, also in browsers that do not do so themselves.
 * @param {Document} page
 */
function openTarget(page) {
  const target = page.getElementById(decodeURIComponent(location.hash.slice(1)));
  const details = target?.closest("details");
  if (!details || details.open) return;
  details.open = true;
  target?.scrollIntoView();
}

new LivePage(document).start();
openTarget(document);
window.addEventListener("hashchange", () => openTarget(document));
watchMenu(document, find(document, "#download", HTMLDetailsElement));
