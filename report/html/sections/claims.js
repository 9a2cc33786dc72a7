/** What earlier comparisons of the same servers found, each with this run's figures. */
import { claimsOf } from '../../../client/judge/claims.js';
import { html } from '../html.js';

/**
 * @import { Run } from '../../types.js'
 * @import { Fragment } from '../html.js'
 */

/** @param {Run} run @returns {Fragment[]} a section for each comparison */
export const claims = ({ summary, plan }) =>
  claimsOf(summary, plan).map(
    ({
      id,
      title,
      lead,
      claims: all,
    }) => html`<section id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2>
<p class="lead">${lead}</p>
<ul>${all.map(({ code, holds, text }) => html`<li data-code="${code}" data-holds="${String(holds)}">${text}</li>`)}</ul></section>`,
  );
