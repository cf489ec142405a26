// A page with a few messages, for modules that read them when they are loaded.
const MESSAGES = {
  item_kind: "Item {letter}, {kind}",
  kind_audio: "audio",
  labelled: "{label}: {text}",
  each_one: "each one",
  the_others: { one: "the other {count}", other: "the other {count}" },
  place_last: { one: "Place the last example.", other: "Place {count} more examples." },
};
const source = { textContent: JSON.stringify(MESSAGES), dataset: { language: "en" } };
Object.assign(globalThis, { document: { documentElement: { dir: "ltr" }, getElementById: () => source } });
