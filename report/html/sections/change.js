/** What a change does, at a glance: a row a figure, the changed version as a ratio to its base, on one axis. */
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
  const said = limits.map(({ text: own }) => html`<small class="limit">limit: ${own}</small>`);
  return html`<tr data-figure="${key}" data-mark="${code}"><th scope="row">${title}</th><td>${lane(
    drawn && { ...drawn, values: drawn.starts, isKnown: code !== 'not-known' },
    { ticks, band, height: HEIGHT },
    limit === '' ? null : html`<path class="limit" d="${limit}"/>`,
  )}</td><td><b>${text}</b>${said}</td></tr>`;
}

/** @param {Run} run @returns {Fragment | null} null of a run that compares no versions */
export function change({ summary }) {
  const found = changeOf(summary);
  if (found === null) return null;
  const { base, head, ticks } = found;
  const figures = found.figures.filter(({ drawn }) => drawn !== undefined);
  const others = found.figures
    .filter((figure) => !figures.includes(figure))
    .map(({ title, text }) => `${title} (${text})`);
  return html`<section id="change" aria-label="What the change does"><div class="scroll"><table class="change"><thead><tr><th scope="col">${head} against ${base}</th><th scope="col">ratio; bar: 95 %${
    figures.some(({ drawn }) => (drawn?.starts.length ?? 0) > 1) ? '; small dots: pairs of starts' : ''
  }</th><th scope="col">difference</th></tr></thead><tbody>${figures.map((figure) => rowOf(figure, found))}</tbody><tfoot aria-hidden="true"><tr><td></td><td>${tickLine(ticks)}</td><td></td></tr></tfoot></table></div>${others.length === 0 ? null : html`<p class="foot">Not compared: ${others.join(', ')}.</p>`}</section>`;
}
