/** The table of totals: what the overview does not have, next to the connections that qualify it; and every other figure. */
import { areMany, grouped } from '../../model/leg-order.js';
import { html } from '../html.js';
import { scopeText } from '../../model/scope.js';
import { everyOther } from './every-figure.js';
import { legSection, groupedRows, only, roundsOf, rowHead } from './leg-name.js';
import { groupsOf } from './totals-columns.js';
import { fewPlacesText, servedOnlySome } from '../../../client/words/figures.js';

/** @typedef {import('../../types.js').PageLeg} PageLeg */

/** Where the table is narrow each figure has its own label, so that of two p50 one can tell which is which. @type {Record<string, string>} */
const PREFIXES = {
  'Connect time': 'connect ',
  'Handshake time (TLS)': 'handshake ',
  'Resumed handshakes': 'resumed ',
  'Service time (from sent)': 'service ',
};

/** Groups whose figures tell nothing of connections that were not served. */
const OF_SERVED = ['Response time', 'Service time (from sent)', 'Throughput'];

/** @param {PageLeg} results @returns {import('../html.js').Fragment} */
const legHead = (results) => {
  const some = servedOnlySome(results.summary);
  return rowHead(
    results,
    some && fewPlacesText(results.summary)
      ? html`<span class="said bad" data-code="served-only-some">${some}</span>`
      : null,
  );
};

/**
 * @param {PageLeg[]} results @param {string} loop
 * @param {Array<{ name: string, results: PageLeg[] }>} legGroups the same, as they are listed
 * @returns {import('../html.js').Fragment}
 */
function headline(results, loop, legGroups) {
  const shown = groupsOf(results);
  // in once, the number answered is a median
  const isOfWorst = roundsOf(results) > 1 && results.every((f) => f.workload !== 'once');
  const groups = shown.map(
    ([name, columns]) =>
      html`<th scope="colgroup" colspan="${columns.length}">${
        name === 'Response time'
          ? `${name} (${loop})`
          : name === 'Connections' && isOfWorst
            ? `${name} (worst round)`
            : name
      }</th>`,
  );
  const names = shown.map(([, columns]) =>
    columns.map((column, i) => html`<th scope="col" class="${i ? '' : 'first'}">${column.name}</th>`),
  );
  const columnCount = shown.reduce((sum, [, columns]) => sum + columns.length, 1);
  const rows = groupedRows(
    legGroups,
    columnCount,
    (f) =>
      html`<tr data-leg="${f.label}">${legHead(f)}${shown.map(([group, columns]) =>
        columns.map(
          (column, i) =>
            html`<td class="${[i ? '' : 'first', column.bad?.(f) ? 'bad' : ''].join(' ').trim()}" data-name="${PREFIXES[group] ?? ''}${column.name}">${f.ran ? column.of(f) : '–'}${
              f.ran && OF_SERVED.includes(group) && column.of(f) !== '–' ? only(f) : null
            }</td>`,
        ),
      )}</tr>`,
  );
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Table of totals"><table class="totals${areMany(results) ? '' : ' few'}">
<thead><tr><td rowspan="2"></td>${groups}</tr><tr>${names}</tr></thead><tbody>${rows}</tbody></table></div>${
    results.some((f) => servedOnlySome(f.summary))
      ? html`<p class="lead foot" data-code="served-only-some">* Only for the connections that were served.</p>`
      : null
  }`;
}

/** @param {PageLeg[]} results @param {string} loop @returns {import('../html.js').Fragment} */
export function totals(results, loop) {
  const legGroups = areMany(results) ? grouped(results) : [{ name: '', results }];
  const ran = legGroups.flatMap((group) => group.results).filter((f) => f.ran);
  const details = ran.length ? everyOther(ran) : null;
  const rounds =
    roundsOf(results) > 1
      ? 'Medians over the rounds; connections are those of the round that served the fewest, failures those of the round with the most. '
      : '';
  const content = html`
<p class="lead">${rounds}${
    results.some((f) => f.workload === 'once')
      ? 'All figures cover the whole leg'
      : results.some((f) => f.summary.churns)
        ? `Numbers of connections cover the whole leg; rates and response times cover the ${scopeText(results)}. “Reopened” counts connections that had been closed as planned, “lost” those that ended by an error`
        : `Numbers of connections cover the whole leg; open and unanswered are those just before the drain${results.some((f) => f.summary.connections?.neverAnswered) ? ', unanswered after drain those that had no reply in the drain either' : ''}. Response times and throughput cover the ${scopeText(results)}`
  }. A percentile reads “&gt; max” where too many transfers failed or were unfinished for it to be known.</p>
${headline(results, loop, legGroups)}${details}`;
  return legSection(results, { id: 'totals', title: 'Totals' }, content);
}
