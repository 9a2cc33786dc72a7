/**
 * What a reader made of the page, as the part of its address behind #: `figure-response&time=10-20&hidden=02-select`.
 * The first part is an anchor of the page. Runs in the page. Pure.
 */

/**
 * @typedef {{ anchor: string, span: [number, number] | null, shown: Set<number> | null, given: boolean }} View
 *   shown: places of legs, null: as at first; given: the link says more than an anchor
 */

/** @param {string} text @returns {string} as it was before it was made part of an address; a broken one as it is */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** @param {string} text 10-20.5 @returns {[number, number] | null} */
function spanOfLink(text) {
  const [, from, to] = /^(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  return from !== undefined && Number(from) < Number(to) ? [Number(from), Number(to)] : null;
}

/** @param {string} list of ids @param {string[]} ids of all legs @returns {number[]} places of those that the page has */
const placesOfIds = (list, ids) =>
  list
    .split(',')
    .map((id) => ids.indexOf(decoded(id)))
    .filter((at) => at >= 0);

/** @param {string} hash with or without # @param {string[]} ids of the legs @returns {View} what it does not understand is left out */
export function readLink(hash, ids) {
  const [first, ...others] = hash.replace(/^#/, '').split('&');
  const parts = first.includes('=') ? [first, ...others] : others;
  /** @type {View} */
  const view = { anchor: parts === others ? decoded(first) : '', span: null, shown: null, given: false };
  for (const part of parts) {
    const [name, value = ''] = part.split('=');
    if (name === 'time') view.span = spanOfLink(value);
    const places = name === 'hidden' || name === 'shown' ? placesOfIds(value, ids) : null;
    // A link to legs of another run would leave nothing to see; that all are hidden is said by an empty list.
    if (places === null || (places.length === 0 && value !== '')) continue;
    view.shown = name === 'shown' ? new Set(places) : new Set([...ids.keys()].filter((at) => !places.includes(at)));
  }
  view.given = view.span !== null || view.shown !== null;
  return view;
}

/**
 * @param {{ anchor: string, span: [number, number] | null, shown: Set<number> }} view
 * @param {string[]} ids of the legs
 * @param {Set<number>} atFirst the legs that are shown when a link says nothing of them
 * @returns {string} without #
 */
export function linkOf({ anchor, span, shown }, ids, atFirst) {
  const parts = anchor ? [encodeURIComponent(anchor)] : [];
  if (span) parts.push(`time=${span[0]}-${span[1]}`);
  if (shown.size !== atFirst.size || [...shown].some((at) => !atFirst.has(at))) {
    const list = (/** @type {boolean} */ on) =>
      ids.flatMap((id, at) => (shown.has(at) === on ? encodeURIComponent(id) : [])).join();
    const fewHidden = ids.length - shown.size < shown.size;
    parts.push(fewHidden ? `hidden=${list(false)}` : `shown=${list(true)}`);
  }
  return parts.join('&');
}
