/**
 * What is below the charts at the top: one part for each subject, closed at first, with what is normal in its summary
 * line. A link from a caution opens the part that has its chart; print opens all.
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
 * @typedef {{ id: string, title: string, said: string, isOpen?: boolean, content: Fragment | null }} Subject
 */

/** More servers are counted, not named. */
const MOST_NAMED = 6;

/** @param {PageLeg[]} ran @returns {string} what limited each server */
function limitSaid(ran) {
  /** @type {Map<string, PageLeg[]>} */
  const bySide = new Map();
  for (const f of ran) {
    const words = limitWords(f);
    bySide.set(words, [...(bySide.get(words) ?? []), f]);
  }
  if (bySide.size === 1) return [...bySide.keys()].join('');
  return [...bySide]
    .map(([side, own]) => {
      const who = ran.length > MOST_NAMED ? count(own.length) : own.map(({ label }) => label).join(', ');
      return `${side}: ${who}`;
    })
    .join('; ');
}

/** @param {PageLeg[]} ran @returns {string} */
function failuresSaid(ran) {
  const all = (/** @type {(f: PageLeg) => number | undefined} */ of) => ran.reduce((sum, f) => sum + (of(f) ?? 0), 0);
  const none = [
    [all((f) => numberOf(f, 'rejects')), 'rejects'],
    [all((f) => numberOf(f, 'errors')), 'errors'],
    [all((f) => leftUnserved(f.summary)), 'unanswered'],
  ].map(([n, name]) => `${n === 0 ? 'no' : count(Number(n))} ${name}`);
  return none.join(', ');
}

/** @param {PageLeg[]} ran @returns {string} */
function machineSaid(ran) {
  const legs = ran.flatMap(({ shown }) => shown.legs);
  const again = legs.reduce((sum, { kernel }) => sum + (kernel?.TcpRetransSegs ?? 0), 0);
  return again === 0 ? 'no retransmissions' : `${count(again)} segments retransmitted`;
}

/**
 * @param {Run} run @param {PageLeg[]} results @param {PageLeg[]} cases @param {ChartModel} model
 * @returns {Fragment}
 */
export function subjects(run, results, cases, model) {
  const ran = cases.filter((f) => f.ran);
  const below = model.charts.filter(({ section }) => section !== 'main' && section !== 'track');
  // the span is above the charts that it is about
  const hasTracks = model.charts.some(({ section }) => section === 'track');
  const of = (/** @type {NonNullable<Chart['part']>} */ id) => {
    const charts = below.filter(({ part }) => part === id);
    return charts.length === 0 ? null : chartGrid(narrowFirst(charts), model);
  };
  const given = run.summary.verdict;
  const swept = sweep(cases);
  /** @type {Subject[]} */
  const all = [
    ...(given
      ? [
          {
            id: 'verdict',
            title: 'Verdict',
            said: verdictText(given),
            isOpen: verdictOutcome(given) !== 'passed',
            content: verdict(run),
          },
        ]
      : []),
    {
      id: 'sweep',
      title: run.summary.search ? 'The search in detail' : 'The sweep in numbers',
      said: '',
      content: html`${of('sweep')}${swept}${searchDetails(run)}`,
    },
    {
      id: 'limits',
      title: 'What limited each server',
      said: limitSaid(ran),
      content: html`${limits(cases, run)}${of('limits')}`,
    },
    { id: 'time', title: 'Throughput and response time over time', said: '', content: of('time') },
    { id: 'times', title: 'How response times are distributed', said: '', content: of('times') },
    { id: 'every-connection', title: 'Every connection', said: '', content: connectionField(run, cases) },
    { id: 'failures', title: 'Connections and failures in detail', said: failuresSaid(ran), content: of('failures') },
    ...partSubjects(results),
    {
      id: 'machine',
      title: 'The machine',
      said: machineSaid(ran),
      content: of('machine'),
    },
    { id: 'figures', title: 'All figures', said: '', content: allFigures(cases) },
    { id: 'conditions', title: 'Conditions, and how intervals were made', said: '', content: conditions(run) },
  ];
  return html`<div class="subjects">${hasTracks ? null : SPAN}${all
    .filter(({ content }) => content !== null && content.text !== '')
    .map(
      ({ id, title, said, isOpen, content }) =>
        html`<details class="subject" id="${id}"${isOpen ? html` open` : null}><summary><h2>${title}</h2>${said === '' ? null : html` <span>${said}</span>`}</summary>${content}</details>`,
    )}</div>${model.charts.length > 0 ? KEYS : null}`;
}
