/**
 * The parts of the page below the main charts, one for each subject. They are closed at first, with a short text in the
 * summary line. A link from a caution opens the part with its chart; printing opens all.
 */
import { leftUnserved } from '../../../client/measure/leg-figures.js';
import { count } from '../../../client/words/format.js';
import { verdictOutcome, verdictText } from '../../../client/judge/verdict.js';
import { numberOf } from '../../model/page-leg.js';
import { html } from '../html.js';
import { allFigures } from './all-figures.js';
import { chartGrid, KEYS, narrowFirst, SPAN } from './charts.js';
import { conditions } from './conditions.js';
import { connectionField } from './connection-field.js';
import { limits, limitWords } from './limits.js';
import { partSubjects } from './parts.js';
import { searchDetails } from './search.js';
import { sweep } from './sweep.js';
import { verdict } from './verdict.js';

/**
 * @import { Chart, ChartModel, PageLeg, Run } from '../../types.js'
 * @import { Fragment } from '../html.js'
 */

/**
 * @typedef {{ id: string, title: string, line: string, isOpen?: boolean, content: Fragment | null }} Subject  line:
 *   text beside the title; '' if there is none
 */

/** More servers are counted, not named. */
const MAX_NAMED = 6;

/** @param {PageLeg[]} ran @returns {string} what limited each server */
function limitLine(ran) {
  /** @type {Map<string, PageLeg[]>} */
  const bySide = new Map();
  for (const f of ran) {
    const words = limitWords(f);
    bySide.set(words, [...(bySide.get(words) ?? []), f]);
  }
  if (bySide.size === 1) return [...bySide.keys()].join('');
  return [...bySide]
    .map(([side, legs]) => {
      const names = ran.length > MAX_NAMED ? count(legs.length) : legs.map(({ label }) => label).join(', ');
      return `${side}: ${names}`;
    })
    .join('; ');
}

/** @param {PageLeg[]} ran @returns {string} */
function failuresLine(ran) {
  const sumOf = (/** @type {(f: PageLeg) => number | undefined} */ of) => ran.reduce((sum, f) => sum + (of(f) ?? 0), 0);
  const texts = [
    [sumOf((f) => numberOf(f, 'rejects')), 'rejects'],
    [sumOf((f) => numberOf(f, 'errors')), 'errors'],
    [sumOf((f) => leftUnserved(f.summary)), 'unanswered'],
  ].map(([n, name]) => `${n === 0 ? 'no' : count(Number(n))} ${name}`);
  return texts.join(', ');
}

/** @param {PageLeg[]} ran @returns {string} */
function machineLine(ran) {
  const legs = ran.flatMap(({ shown }) => shown.legs);
  const retransmitted = legs.reduce((sum, { kernel }) => sum + (kernel?.TcpRetransSegs ?? 0), 0);
  return retransmitted === 0 ? 'no retransmissions' : `${count(retransmitted)} segments retransmitted`;
}

/**
 * @param {Run} run @param {PageLeg[]} results @param {PageLeg[]} cases @param {ChartModel} model
 * @returns {Fragment}
 */
export function subjects(run, results, cases, model) {
  const ran = cases.filter((f) => f.ran);
  const below = model.charts.filter(({ section }) => section !== 'main' && section !== 'track');
  // With tracks, the span is above them.
  const hasTracks = model.charts.some(({ section }) => section === 'track');
  const chartsOf = (/** @type {NonNullable<Chart['part']>} */ id) => {
    const charts = below.filter(({ part }) => part === id);
    return charts.length === 0 ? null : chartGrid(narrowFirst(charts), model);
  };
  const runVerdict = run.summary.verdict;
  const swept = sweep(cases);
  /** @type {Subject[]} */
  const parts = [
    ...(runVerdict
      ? [
          {
            id: 'verdict',
            title: 'Verdict',
            line: verdictText(runVerdict),
            isOpen: verdictOutcome(runVerdict) !== 'passed',
            content: verdict(run),
          },
        ]
      : []),
    {
      id: 'sweep',
      title: run.summary.search ? 'The search in detail' : 'The sweep in numbers',
      line: '',
      content: html`${chartsOf('sweep')}${swept}${searchDetails(run)}`,
    },
    {
      id: 'limits',
      title: 'What limited each server',
      line: limitLine(ran),
      content: html`${limits(cases, run)}${chartsOf('limits')}`,
    },
    { id: 'time', title: 'Throughput and response time over time', line: '', content: chartsOf('time') },
    { id: 'times', title: 'How response times are distributed', line: '', content: chartsOf('times') },
    { id: 'every-connection', title: 'Every connection', line: '', content: connectionField(run, cases) },
    {
      id: 'failures',
      title: 'Connections and failures in detail',
      line: failuresLine(ran),
      content: chartsOf('failures'),
    },
    ...partSubjects(results),
    {
      id: 'machine',
      title: 'The machine',
      line: machineLine(ran),
      content: chartsOf('machine'),
    },
    { id: 'figures', title: 'All figures', line: '', content: allFigures(cases) },
    { id: 'conditions', title: 'Conditions, and how intervals were made', line: '', content: conditions(run) },
  ];
  return html`<div class="subjects">${hasTracks ? null : SPAN}${parts
    .filter(({ content }) => content !== null && content.text !== '')
    .map(
      ({ id, title, line, isOpen, content }) =>
        html`<details class="subject" id="${id}"${isOpen ? html` open` : null}><summary><h2>${title}</h2>${line === '' ? null : html` <span>${line}</span>`}</summary>${content}</details>`,
    )}</div>${model.charts.length > 0 ? KEYS : null}`;
}
