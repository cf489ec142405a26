/**
 * Make `old` equal to `fresh` but keep existing nodes, so that focus, scroll position and selection stay.
 * @param {Element} old
 * @param {Element} fresh
 */
export function morph(old, fresh) {
  if (old.isEqualNode(fresh)) return;
  syncAttributes(old, fresh);
  syncChildren(old, fresh);
}

/**
 * Whether an attribute is controlled by the user: a details element stays open or closed.
 * @param {Element} node
 * @param {string} name
 */
const isTheirs = (node, name) => node.localName === "details" && name === "open";

/**
 * @param {Element} old
 * @param {Element} fresh
 */
function syncAttributes(old, fresh) {
  for (const { name, value } of [...fresh.attributes]) {
    if (old.getAttribute(name) !== value && !isTheirs(old, name)) old.setAttribute(name, value);
  }
  for (const { name } of [...old.attributes]) {
    if (!fresh.hasAttribute(name) && !isTheirs(old, name)) old.removeAttribute(name);
  }
}

/** @param {Node} node */
const keyOf = (node) => (node instanceof Element ? node.id || node.getAttribute("data-key") : null);

/**
 * @param {Node} one
 * @param {Node} other
 */
const isAlike = (one, other) => one.nodeName === other.nodeName && keyOf(one) === keyOf(other);

/**
 * @param {Element} old
 * @param {Element} fresh
 */
function syncChildren(old, fresh) {
  const keyed = new Map([...old.children].map((child) => [keyOf(child), child]));
  let place = old.firstChild;
  for (const wanted of [...fresh.childNodes]) {
    const key = keyOf(wanted);
    const kept = key === null ? place : keyed.get(key);
    if (kept && isAlike(kept, wanted)) {
      if (kept === place) place = kept.nextSibling;
      else old.insertBefore(kept, place);
      renew(kept, wanted);
    } else {
      old.insertBefore(document.importNode(wanted, true), place);
    }
  }
  while (place) {
    const next = place.nextSibling;
    place.remove();
    place = next;
  }
}

/**
 * @param {Node} kept
 * @param {Node} wanted
 */
function renew(kept, wanted) {
  if (kept instanceof Element && wanted instanceof Element) morph(kept, wanted);
  else if (kept.nodeValue !== wanted.nodeValue) kept.nodeValue = wanted.nodeValue;
}
