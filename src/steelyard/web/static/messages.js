/**
 * @typedef {string | Readonly<Record<string, string>>} Message a text, or a text for each plural form
 * @typedef {Readonly<Record<string, string | number>>} Values
 */

const PLACEHOLDER = /\{(\w+)\}/;
const OTHER = "other";
const MOST_DIGITS = 10;

/** The messages of a page in one language, with its plural forms, numbers and lists. */
export class Messages {
  #messages;
  #plurals;
  #numbers;
  #lists;
  #isolates;

  /**
   * @param {Readonly<Record<string, Message>>} messages
   * @param {{ language: string, direction: string }} page the language of the messages, and the direction of the page
   */
  constructor(messages, { language, direction }) {
    this.#messages = messages;
    this.#plurals = new Intl.PluralRules(language);
    // Latin digits in every language: fields for numbers, keys and the texts of studies have them.
    this.#numbers = new Intl.NumberFormat(`${language}-u-nu-latn`, { maximumFractionDigits: MOST_DIGITS });
    // British lists, without a comma before "and".
    this.#lists = new Intl.ListFormat(language === "en" ? "en-GB" : language, { type: "conjunction" });
    this.#isolates = direction === "rtl";
  }

  /** All messages without plural forms, by key. */
  get words() {
    const texts = Object.entries(this.#messages).filter(([, text]) => typeof text === "string");
    return Object.freeze(/** @type {Record<string, string>} */ (Object.fromEntries(texts)));
  }

  /**
   * A message with values for its placeholders; `count` chooses the plural form.
   * @param {string} key
   * @param {Values} values
   */
  say(key, values = {}) {
    return this.parts(key, values).join("");
  }

  /**
   * The same in parts, between which a value may also be an element.
   * @template {Node} Part
   * @param {string} key
   * @param {Readonly<Record<string, string | number | Part>>} values
   * @returns {(string | Part)[]}
   */
  parts(key, values) {
    return this.#textOf(key, values.count).split(PLACEHOLDER).map((part, at) => {
      const value = at % 2 === 0 ? part : values[part] ?? "";
      return at % 2 === 0 ? part : this.#written(value);
    });
  }

  // Each part is isolated, so that the word for "and" decides the direction of a list of letters.
  /** @param {string[]} parts */
  list(parts) {
    return this.#lists.format(this.#isolates ? parts.map(isolated) : parts);
  }

  /** @param {number} value */
  number(value) {
    return this.#numbers.format(value);
  }

  /**
   * @param {string} key
   * @param {unknown} count
   */
  #textOf(key, count) {
    const message = this.#messages[key] ?? key;
    if (typeof message === "string") return message;
    return message[this.#plurals.select(Number(count))] ?? message[OTHER];
  }

  // On a right-to-left page, a text must not change the order of the words around it.
  /**
   * @template {Node} Part
   * @param {string | number | Part} value
   */
  #written(value) {
    if (typeof value === "number") return this.number(value);
    return typeof value === "string" && this.#isolates ? isolated(value) : value;
  }
}

/** @param {string} text */
function isolated(text) {
  return `\u2068${text}\u2069`;
}
