/** The key figures of a run with one leg, in a row that replaces the table of servers. */
import { keyFiguresOf } from '../../../client/judge/key-figures.js';
import { html } from '../html.js';

/**
 * @import { Run } from '../../types.js'
 * @import { Fragment } from '../html.js'
 */

/** @param {Run} run with one leg @returns {Fragment | null} null if the leg did not run */
export function keyFigures({ summary }) {
  const [leg] = summary.legs;
  const figures = leg && keyFiguresOf(leg, summary.config.workload);
  if (!figures) return null;
  return html`<section id="key-figures" aria-label="Key figures"><dl>${figures.map(
    ({ name, title, value, below, isBad }) =>
      html`<div data-name="${name}"${isBad ? html` class="bad"` : null}><dt>${title}</dt><dd><b>${value}</b><small>${below}</small></dd></div>`,
  )}</dl></section>`;
}
