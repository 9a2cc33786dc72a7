/**
 * What belongs to a leg that is not drawn is no part of the page until the leg is chosen: it is text, of which the
 * page's script makes elements then (browser/spares.js). A page of two hundred legs would else have a thousand hidden
 * figures.
 */
import { html, json } from '../html.js';
import { keepUnits } from '../units.js';

/** @import { Fragment } from '../html.js' */

/** @typedef {{ leg: number | null, isDrawn: boolean, element: Fragment }} Child  leg: by whose choice it is shown */

/** A shorter piece is not worth its number. */
const LEAST_LENGTH = 3;

/** @param {string} text @returns {string[]} its tags, attributes and texts */
const piecesOf = (text) => text.match(/[^"<>]*["<>]?/g) ?? [];

/**
 * The elements of many legs differ in little, so what they have in common is written once.
 * @param {string[]} texts
 * @returns {{ common: string[], texts: (string | number)[][] }} the parts of each text; a number is an index into
 *   `common`
 */
export function factored(texts) {
  /** @type {Map<string, number>} in how many texts each piece is */
  const counts = new Map();
  for (const text of texts) for (const one of new Set(piecesOf(text))) counts.set(one, (counts.get(one) ?? 0) + 1);
  const isCommon = (/** @type {string} */ piece) => 2 * (counts.get(piece) ?? 0) > texts.length;
  /** @type {Map<string, number>} */
  const places = new Map();
  const partsOf = (/** @type {string} */ text) => {
    /** @type {{ isCommon: boolean, text: string }[]} */
    const runs = [];
    for (const piece of piecesOf(text)) {
      const last = runs.at(-1);
      if (last?.isCommon === isCommon(piece)) last.text += piece;
      else runs.push({ isCommon: isCommon(piece), text: piece });
    }
    return runs.map((run) => {
      if (!run.isCommon || run.text.length < LEAST_LENGTH) return run.text;
      if (!places.has(run.text)) places.set(run.text, places.size);
      return Number(places.get(run.text));
    });
  };
  const parts = texts.map(partsOf);
  return { common: [...places.keys()], texts: parts };
}

/**
 * @param {Child[]} children of one element, in their order @returns {Fragment} all that it contains
 */
export function withSpares(children) {
  const shown = children.filter(({ isDrawn }) => isDrawn).map(({ element }) => element);
  if (shown.length === children.length) return html`${shown}`;
  const spares = children.filter(({ isDrawn }) => !isDrawn).map(({ element }) => keepUnits(element.text));
  const { common, texts } = factored(spares);
  const places = children.map(({ leg, isDrawn }) => [leg, isDrawn ? null : texts.shift()]);
  return html`${shown}<script type="application/json" data-spares>${json({ common, places })}</script>`;
}
