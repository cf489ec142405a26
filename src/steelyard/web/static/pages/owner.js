import { morph } from "./owner-morph.js";

const EVERY_MS = 5_000;
const WORDS = Object.freeze({
  unreachable: "No connection to the study. This page looks again by itself.",
  closed: "This page is no longer signed in. Open it again with the owner’s link.",
});

/** Keeps the parts of the dashboard that the server sends under /owner/live up to date. */
class LivePage {
  #page;
  #lost;
  #timer = null;
  #looking = false;

  constructor(page) {
    this.#page = page;
    this.#lost = page.getElementById("owner-lost");
    page.addEventListener("visibilitychange", () => (page.hidden ? this.#rest() : this.look()));
  }

  start() {
    this.#rest();
    if (!this.#page.hidden) this.#timer = setTimeout(() => this.look(), EVERY_MS);
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
      this.#say(WORDS.closed);
      return;
    }
    this.#say(response?.ok ? "" : WORDS.unreachable);
    if (response?.ok) await this.#show(await response.text());
    this.start();
  }

  async #show(text) {
    const fresh = new DOMParser().parseFromString(text, "text/html").body;
    await Promise.all([...fresh.querySelectorAll("picture")].map(fetchPicture));
    const focused = this.#page.activeElement;
    for (const part of [...fresh.children]) morph(this.#page.getElementById(part.id), part);
    if (focused?.isConnected && focused !== this.#page.activeElement) focused.focus({ preventScroll: true });
  }

  #say(text) {
    if (this.#lost.textContent !== text) this.#lost.textContent = text;
    this.#lost.hidden = text === "";
  }

  #rest() {
    clearTimeout(this.#timer);
  }
}

/** Have a picture ready before it is shown, so that nothing flickers. */
async function fetchPicture(picture) {
  const chosen = [...picture.querySelectorAll("source")].find(({ media }) => matchMedia(media).matches);
  const image = new Image();
  image.src = chosen ? chosen.srcset : picture.querySelector("img").getAttribute("src");
  await image.decode().catch(() => null);
}

/** A menu closes on Escape and when something else is touched. */
function watchMenu(page, menu) {
  page.addEventListener("click", ({ target }) => {
    if (!menu.contains(target)) menu.open = false;
  });
  menu.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape" || !menu.open) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });
}

new LivePage(document).start();
watchMenu(document, document.getElementById("download"));
