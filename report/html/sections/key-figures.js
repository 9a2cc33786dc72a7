/** The five figures of a run of one server, in a row, in place of a table of one row. */
import { keyFiguresOf } from '../../../client/judge/key-figures.js';
import { html } from '../html.js';

/**
 * @import { Run } from '../../types.js'
 * @import { Fragment } from '../html.js'
 */

/** @param {Run} run of one leg @returns {Fragment | null} null where it did not run */
export function keyFigures({ summary }) {
  const [leg] = summary.legs;
  const figures = leg && keyFiguresOf(leg, summary.config.workload);
  if (!figures) return null;
  return html`<section id="key-figures" aria-label="Key figures"><dl>${figures.map(
    ({ name, title, value, below, isBad }) =>
      html`<div data-name="${name}"${isBad ? html` class="bad"` : null}><dt>${title}</dt><dd><b>${value}</b><small>${below}</small></dd></div>`,
  )}</dl></section>`;
}
