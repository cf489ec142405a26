/** Make `old` look like `fresh`, keeping every node that is still there: focus, scroll and selection stay. */
export function morph(old, fresh) {
  if (old.isEqualNode(fresh)) return;
  syncAttributes(old, fresh);
  syncChildren(old, fresh);
}

/** Whether a details element is open belongs to the person who opened it. */
const isTheirs = (node, name) => node.localName === "details" && name === "open";

function syncAttributes(old, fresh) {
  for (const { name, value } of [...fresh.attributes]) {
    if (old.getAttribute(name) !== value && !isTheirs(old, name)) old.setAttribute(name, value);
  }
  for (const { name } of [...old.attributes]) {
    if (!fresh.hasAttribute(name) && !isTheirs(old, name)) old.removeAttribute(name);
  }
}

const keyOf = (node) => node.id || node.dataset?.key || null;

const isAlike = (one, other) => one.nodeName === other.nodeName && keyOf(one) === keyOf(other);

function syncChildren(old, fresh) {
  const keyed = new Map([...old.children].filter(keyOf).map((child) => [keyOf(child), child]));
  let place = old.firstChild;
  for (const wanted of [...fresh.childNodes]) {
    const known = keyOf(wanted) ? keyed.get(keyOf(wanted)) : place;
    if (known && isAlike(known, wanted)) {
      if (known === place) place = place.nextSibling;
      else old.insertBefore(known, place);
      renew(known, wanted);
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

function renew(known, wanted) {
  if (known.nodeType === Node.ELEMENT_NODE) morph(known, wanted);
  else if (known.data !== wanted.data) known.data = wanted.data;
}
