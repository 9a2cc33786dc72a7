/**
 * What belongs to a leg that is not drawn is no part of the page until the leg is chosen: it is text, of which the page's
 * script makes elements then (browser/spares.js). A page of two hundred legs would else have a thousand hidden figures.
 */
import { html, json } from '../html.js';

/** @typedef {import('../html.js').Fragment} Fragment */
/** @typedef {{ leg: number | null, isDrawn: boolean, element: Fragment }} Child  leg: by whose choice it is shown */

/**
 * @param {Child[]} children of one element, in their order @returns {Fragment} all that it contains
 */
export function withSpares(children) {
  const shown = children.filter(({ isDrawn }) => isDrawn).map(({ element }) => element);
  if (shown.length === children.length) return html`${shown}`;
  const places = children.map(({ leg, isDrawn, element }) => [leg, isDrawn ? null : element.text]);
  return html`${shown}<script type="application/json" data-spares>${json(places)}</script>`;
}
