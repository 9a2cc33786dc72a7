/**
 * The table of all figures and facts of all servers. Many servers are rows, which can be sorted by a column; few are
 * columns.
 */
import { figures } from '../../../client/judge/figures.js';
import { isTold } from '../../../client/judge/figure-values.js';
import { cellOf, isOfWorst, spanOf, valueOf } from '../../../client/judge/value-of.js';
import { endingText } from '../../../client/words/endings.js';
import { placesText } from '../../../client/words/figures.js';
import { count, duration } from '../../../client/words/format.js';
import { sampledText } from '../../../client/words/timestamps.js';
import { areMany } from '../../model/leg-order.js';
import { scopeText } from '../../model/scope.js';
import { serverText } from '../../model/server-words.js';
import { html } from '../html.js';
import { columnHead, roundsOf, rowHead } from './leg-name.js';

/**
 * @import { Figure } from '../../../client/judge/figures.js'
 * @import { PageLeg } from '../../types.js'
 * @import { Fragment } from '../html.js'
 */

/**
 * @typedef {{ code: string, name: string, about?: string, of: (f: PageLeg) => string, below?: (f: PageLeg) => string |
 *   undefined, sortBy?: (f: PageLeg) => number, isBad?: (f: PageLeg) => boolean }} Line  a figure or fact; below: its
 *   interval
 */

/** Groups whose titles of parts need the title of the whole: causes, and sides. */
const WITH_WHOLE = ['failures', 'server'];

/** @param {Figure} figure @param {boolean} inRounds @returns {Line} */
export function lineOf(figure, inRounds) {
  const { name, title = name, about, group, partOf } = figure;
  return {
    code: name,
    name: `${partOf && WITH_WHOLE.includes(group) ? `${partOf}: ${title}` : title}${inRounds && isOfWorst(figure) ? ' (worst)' : ''}`,
    about,
    of: (f) => cellOf(figure, f.shown).text,
    below: (f) => cellOf(figure, f.shown).range,
    sortBy: (f) => {
      const { value } = valueOf(figure, f.shown);
      return typeof value === 'number' ? value : typeof value === 'object' ? value.above : NaN;
    },
    isBad: (f) => cellOf(figure, f.shown).mark !== undefined,
  };
}

/**
 * @param {'sendDelayNs' | 'receiveDelayNs' | 'connectionWaitNs'} part
 * @param {string} name
 * @returns {Line} a part of the response time, for the transfers that kernel timestamps split
 */
const partLine = (part, name) => ({
  code: `timestamps-${part}`,
  name: `${name} p50 / p99 / max`,
  of: ({ shown }) => {
    const times = spanOf(shown)?.timestamps?.[part];
    return times ? `${duration(times.p50)} / ${duration(times.p99)} / ${duration(times.max)}` : '–';
  },
});

/** Facts of a leg that are not figures. @type {Line[]} */
const FACTS = [
  {
    code: 'timestamps',
    name: 'transfers with kernel timestamps',
    of: ({ shown }) => sampledText(spanOf(shown)?.timestamps) ?? '–',
  },
  partLine('connectionWaitNs', 'wait for a connection'),
  partLine('sendDelayNs', 'send delay'),
  partLine('receiveDelayNs', 'receive delay'),
  { code: 'server-model', name: 'server', of: (f) => serverText(f) ?? '–' },
  { code: 'serves-at-once', name: 'connections it serves at once', of: (f) => placesText(f.summary) ?? '–' },
  { code: 'ended', name: 'ended', of: (f) => endingText(f.shown.endedBy ?? 'never') },
  {
    code: 'log',
    name: 'transfer log rows, of all measurements',
    of: ({ shown }) => count(shown.legs.reduce((sum, { log }) => sum + (log?.rows ?? 0), 0)),
  },
];

/** @param {Line} line @param {PageLeg} f @param {string} name label on a narrow screen @returns {Fragment} */
function cell({ of, below, sortBy, isBad }, f, name) {
  const range = below?.(f);
  return html`<td${isBad?.(f) ? html` class="bad"` : null} data-name="${name}"${sortBy ? html` data-value="${sortBy(f)}"` : null}>${of(f)}${range ? html`<small>${range}</small>` : null}</td>`;
}

/** @param {PageLeg[]} cases @returns {Fragment | null} null if none ran */
export function allFigures(cases) {
  const ran = cases.filter((f) => f.ran);
  if (ran.length === 0) return null;
  const inRounds = roundsOf(cases) > 1;
  const shown = figures.filter(
    (figure) =>
      figure.of &&
      isTold(
        figure,
        ran.map((f) => valueOf(figure, f.shown).value),
      ),
  );
  const lines = [
    ...shown.map((figure) => lineOf(figure, inRounds)),
    ...FACTS.filter(({ of }) => ran.some((f) => of(f) !== '–')),
  ];
  const rounds = inRounds ? 'Medians over the rounds, or the worst round where marked. ' : '';
  const lead = html`<p class="lead">${rounds}Rates and response times cover the ${scopeText(cases)}. A percentile reads “&gt; max” if too many transfers failed or were unfinished for it to be known.</p>`;
  const label = 'Table of all figures';
  if (areMany(ran))
    return html`${lead}<div class="scroll high" tabindex="0" role="region" aria-label="${label}"><table class="all-figures sortable"><thead><tr><td></td>${lines.map(
      ({ name, about, sortBy }) =>
        html`<th scope="col" title="${about}">${sortBy ? html`<button type="button">${name}</button>` : name}</th>`,
    )}</tr></thead><tbody>${ran.map(
      (f) => html`<tr data-leg="${f.label}">${rowHead(f)}${lines.map((line) => cell(line, f, line.name))}</tr>`,
    )}</tbody></table></div>`;
  return html`${lead}<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table class="all-figures${ran.length === 1 ? ' of-one' : ''}"><thead><tr><td></td>${ran.map(columnHead)}</tr></thead><tbody>${lines.map(
    (line) =>
      html`<tr data-code="${line.code}"><th scope="row" title="${line.about}">${line.name}</th>${ran.map((f) => cell(line, f, f.label))}</tr>`,
  )}</tbody></table></div>`;
}
