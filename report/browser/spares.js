/**
 * Runs in the page. Makes what belongs to a leg that was not drawn at first, when the leg is chosen:
 * html/sections/spares.js says why.
 */

/**
 * @typedef {{ leg: number | null, text: string | null, element: Element | null }} Spare  text: of HTML, until it is
 *   made
 */

/**
 * The children of an element, the last one first, by the script that has those not made yet.
 * @type {WeakMap<Element, Spare[]>}
 */
let sparesByStore = new WeakMap();

/** The page was changed, and has those that it had at first. */
export function forgetSpares() {
  sparesByStore = new WeakMap();
}

/** @param {Element} store @returns {Spare[]} */
function sparesOf(store) {
  const known = sparesByStore.get(store);
  if (known) return known;
  const present = [...(store.parentElement?.children ?? [])].filter((child) => child !== store);
  /** @type {{ common: string[], places: Array<[number | null, (string | number)[] | null]> }} */
  const { common, places } = JSON.parse(store.textContent ?? '');
  const spares = places.map(([leg, parts]) => ({
    leg,
    text: parts && parts.map((part) => (typeof part === 'number' ? common[part] : part)).join(''),
    element: parts === null ? (present.shift() ?? null) : null,
  }));
  sparesByStore.set(store, spares.reverse());
  return spares;
}

/** @param {string} text one element @returns {Element} */
function spareElement(text) {
  const template = document.createElement('template');
  template.innerHTML = text;
  return /** @type {Element} */ (template.content.firstElementChild);
}

/** @param {Set<number>} legs that are drawn from now on */
export function makeSpares(legs) {
  for (const store of document.querySelectorAll('script[data-spares]')) {
    let next = store;
    for (const spare of sparesOf(store)) {
      if (spare.text !== null && spare.leg !== null && legs.has(spare.leg)) {
        spare.element = spareElement(spare.text);
        spare.text = null;
        store.parentElement?.insertBefore(spare.element, next);
      }
      next = spare.element ?? next;
    }
  }
}
