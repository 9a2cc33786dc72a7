// The five figures of a run of one server: requests asked and answered, response times, and failures. The page shows
// them in place of a table of one row.

import { coverageOf, figuresOf, followsProfile, isMeasured, withFigures } from '../measure/leg-figures.js';
import { shownEntries } from '../words/account.js';
import { causeName } from '../words/causes.js';
import { servedOnlySome } from '../words/figures.js';
import { bareRate, count, counted, duration, percent } from '../words/format.js';
import { achievedRate } from './achieved-rate.js';
import { isAbove, valueText } from './figure-values.js';
import { failuresOf, figureOf, served } from './figures.js';
import { hasEnded } from './findings/outcome.js';
import { heldText } from './table.js';
import { shownCase, valueOf } from './value-of.js';

/**
 * @import { LegSummary } from '../../config/types.js'
 * @import { MeasuredLeg } from '../measure/leg-figures.js'
 * @import { Figure, Value } from './figures.js'
 */

/**
 * @typedef {object} KeyFigure
 * @property {string} name  in the list of figures
 * @property {string} title
 * @property {string} value  shown large
 * @property {string} below  a few words on what the value covers, or what belongs to it
 * @property {boolean} isBad
 *
 * @typedef {(name: string) => { value: Value, text: string }} Known  figures of the leg
 */

/** @param {LegSummary} leg @returns {Known} */
function knownOf(leg) {
  const shown = shownCase([leg]);
  return (name) => {
    const figure = /** @type {Figure} */ (figureOf(name));
    const { value } = valueOf(figure, shown);
    return { value, text: valueText(figure, value) };
  };
}

/** @param {MeasuredLeg} leg @param {Known} known @param {string} workload @returns {KeyFigure} */
function answeredFigure(leg, known, workload) {
  const [rate, good, cost] = ['rate', 'good rate', 'server CPU per transfer'].map((name) => known(name));
  const each = cost.value === undefined ? known('throughput').text : `server CPU ${cost.text} each`;
  const { opened, requested } = leg.connections;
  if (leg.churns) {
    const below = `${count(opened)} connections in all`;
    return { name: 'opening rate', title: 'opened', value: known('opening rate').text, below, isBad: false };
  }
  if (workload === 'once') {
    const { count: answered } = leg.transfers;
    const value = `${count(answered)} of ${count(requested)}`;
    return { name: 'rate', title: 'answered', value, below: rate.text, isBad: answered < requested };
  }
  const achieved = achievedRate(shownCase([leg]));
  if (achieved) {
    const off = ['late', 'unsent'].flatMap((name) => (known(name).value ? [`${known(name).text} ${name}`] : []));
    const below = off.length > 0 ? off.join(', ') : `${each}; all on schedule`;
    const value = `${bareRate(Number(known('due rate').value))} → ${rate.text}`;
    return { name: 'rate', title: 'asked → answered', value, below, isBad: achieved.isShort };
  }
  if (good.value !== undefined && good.text !== rate.text) {
    const below = `${rate.text} with failed replies`;
    return { name: 'good rate', title: 'good replies', value: good.text, below, isBad: false };
  }
  return { name: 'rate', title: 'answered', value: rate.text, below: each, isBad: false };
}

/**
 * @param {MeasuredLeg} leg @param {Known} known
 * @returns {KeyFigure} the slowest reply; if the server served only some connections, how many
 */
function slowestFigure(leg, known) {
  const { account } = leg;
  if (account && (servedOnlySome(leg) !== undefined || hasEnded(leg))) {
    const notServed = shownEntries(account).filter(({ part }) => part !== 'served');
    const below = notServed.map(({ name, value }) => `${count(value)} ${name}`).join(', ');
    const value = `${count(served(leg))} of ${count(account.requested)}`;
    return { name: 'served', title: 'connections served', value, below, isBad: true };
  }
  const max = duration(figuresOf(leg)?.responseTimeNs?.max);
  const tail = known('p99.9');
  const isTold = typeof tail.value === 'number' && tail.text !== max;
  return {
    name: 'max',
    title: 'slowest',
    value: max,
    below: isTold ? `1 in 1,000 took ${tail.text}` : '',
    isBad: false,
  };
}

/** @param {MeasuredLeg} leg @returns {string} such as "298 rejects, 843 errors"; empty if there were none */
const causesText = ({ rejects, errors }) =>
  [counted(rejects.total, 'reject'), counted(errors.total, 'error')]
    .filter((text) => !text.startsWith('0 '))
    .join(', ');

/** How many causes are named. */
const MAX_CAUSES = 2;

/** @param {MeasuredLeg} leg @returns {string} the most frequent causes of its errors, such as "closed, timeout" */
const worstCauses = ({ errors: { total: _total, ...causes } }) =>
  Object.entries(causes)
    .filter(([, n]) => n > 0)
    .sort(([, a], [, b]) => b - a)
    .slice(0, MAX_CAUSES)
    .map(([name]) => causeName(name).replace(/ \(.*/, ''))
    .join(', ');

/** @param {MeasuredLeg} leg @param {string} workload @returns {string} about its connections, if nothing failed */
function connectionsText(leg, workload) {
  if (followsProfile(leg)) return heldText(leg, workload);
  if (leg.account === undefined || leg.churns || workload === 'once' || servedOnlySome(leg) !== undefined)
    return 'no rejects, no errors';
  return `connections: ${count(served(leg))} of ${count(leg.account.requested)} served`;
}

/** @param {MeasuredLeg} leg @param {string} workload @returns {KeyFigure} requests that failed, of all */
function failedFigure(leg, workload) {
  const span = figuresOf(leg);
  const { failed, of } = span ? failuresOf(span) : { failed: 0, of: 0 };
  const counts = `${count(failed)} of ${count(of)}`;
  const causes = causesText(leg);
  const below = failed > 0 ? [counts, worstCauses(leg)] : [causes === '' ? connectionsText(leg, workload) : causes];
  return {
    ...{ name: 'failed share', title: 'failed', value: failed > 0 ? percent(failed / of, 2) : counts },
    ...{ below: below.filter(Boolean).join(': '), isBad: failed > 0 || causes !== '' },
  };
}

/** @param {MeasuredLeg} leg of connections that were only held @param {Known} known @returns {KeyFigure[]} */
function heldFigures(leg, known) {
  const { requested, openAtEnd, lost } = leg.connections;
  const memory = known('server memory per connection');
  const connects = [
    ['connect p50', 'connect p50', 'half of all attempts'],
    ['connect p99', 'connect p99', '1 in 100 took longer'],
    ['connect max', 'slowest connect', `${counted(leg.attempts.total, 'attempt')}`],
  ];
  return [
    {
      ...{ name: 'open', title: 'held', value: `${count(openAtEnd)} of ${count(requested)}` },
      below: memory.value === undefined ? '' : `server memory ${memory.text} each`,
      isBad: openAtEnd < requested,
    },
    ...connects.map(([name, title, below]) => {
      const { value, text } = known(name);
      return { name, title, value: text, below, isBad: isAbove(value) && value.infinite };
    }),
    {
      ...{ name: 'lost', title: 'lost', value: `${count(lost)} of ${count(requested)}` },
      ...{ below: causesText(leg) || 'no rejects, no errors', isBad: lost > 0 || causesText(leg) !== '' },
    },
  ];
}

/**
 * @param {LegSummary} leg the only leg of its run
 * @param {string} workload
 * @returns {KeyFigure[] | undefined} five figures; undefined if the leg did not run
 */
export function keyFiguresOf(leg, workload) {
  if (!isMeasured(leg) || figuresOf(leg) === undefined) return undefined;
  const known = knownOf(leg);
  if (leg.heldOnly) return heldFigures(withFigures(leg), known);
  const servedCount = servedOnlySome(leg) === undefined ? undefined : served(leg);
  const part = leg.beforeSteady && coverageOf(leg);
  const scope = [servedCount === undefined ? '' : `of the ${count(servedCount)} served`, part ? `of the ${part}` : ''];
  const timed = /** @type {const} */ ([
    ['p50', 'half took longer'],
    ['p99', '1 in 100 took longer'],
  ]).map(([name, plain]) => {
    const { value, text } = known(name);
    const isBad = isAbove(value) && value.infinite;
    const share = { p50: 'half', p99: '1 %' }[name];
    const below = isBad ? `more than ${share} had no reply` : scope.filter(Boolean).join(', ') || plain;
    return { name, title: name, value: isBad ? 'no reply' : text, below, isBad };
  });
  return [answeredFigure(leg, known, workload), ...timed, slowestFigure(leg, known), failedFigure(leg, workload)];
}
