/**
 * The table of a change: a row for each figure, with the ratio of the changed version to its base, on a common axis.
 */
import { changeOf } from '../../../client/judge/change.js';
import { html } from '../html.js';
import { lane, shareText, tickLine, within } from './lane.js';

/**
 * @import { ChangedFigure } from '../../../client/judge/change.js'
 * @import { Run } from '../../types.js'
 * @import { Fragment } from '../html.js'
 */

const HEIGHT = 34;

/** @param {ChangedFigure} figure @param {NonNullable<ReturnType<typeof changeOf>>} change @returns {Fragment} */
function rowOf({ key, title, text, code, drawn, limits }, { band, ticks }) {
  const limit = limits.map(({ at }) => `M${shareText(within(at))} 0V${HEIGHT}`).join('');
  const limitTexts = limits.map((gate) => html`<small class="limit">limit: ${gate.text}</small>`);
  return html`<tr data-figure="${key}" data-mark="${code}"><th scope="row">${title}</th><td>${lane(
    drawn && { ...drawn, values: drawn.starts, isKnown: code !== 'not-known' },
    { ticks, band, height: HEIGHT },
    limit === '' ? null : html`<path class="limit" d="${limit}"/>`,
  )}</td><td><b>${text}</b>${limitTexts}</td></tr>`;
}

/** @param {Run} run @returns {Fragment | null} null unless the run compares a change with its base */
export function change({ summary }) {
  const comparison = changeOf(summary);
  if (comparison === null) return null;
  const { base, head, ticks } = comparison;
  const figures = comparison.figures.filter(({ drawn }) => drawn !== undefined);
  const notCompared = comparison.figures
    .filter((figure) => !figures.includes(figure))
    .map(({ title, text }) => `${title} (${text})`);
  return html`<section id="change" aria-label="What the change does"><div class="scroll"><table class="change"><thead><tr><th scope="col">${head} against ${base}</th><th scope="col">ratio; bar: 95 %${
    figures.some(({ drawn }) => (drawn?.starts.length ?? 0) > 1) ? '; small dots: pairs of starts' : ''
  }</th><th scope="col">difference</th></tr></thead><tbody>${figures.map((figure) => rowOf(figure, comparison))}</tbody><tfoot aria-hidden="true"><tr><td></td><td>${tickLine(ticks)}</td><td></td></tr></tfoot></table></div>${notCompared.length === 0 ? null : html`<p class="foot">Not compared: ${notCompared.join(', ')}.</p>`}</section>`;
}
