// The digest of a run for a list of runs: its cases, their main figures, and failures.

import { casesOf, counts } from './cases.js';
import { isAtRate } from './comparisons.js';
import { failedRepliesOf } from './findings/replies.js';
import { bareRate, count, counted, duration, NOT_MEASURED } from '../words/format.js';
import { leftUnserved } from '../measure/leg-figures.js';
import { figureOf } from './figures.js';
import { shownCase, valueOf } from './value-of.js';

/**
 * @import { Case, LegSummary, RunSummary } from '../../config/types.js'
 * @import { Figure } from './figures.js'
 * @import { SearchSummary } from './search/index.js'
 */

/**
 * @typedef {object} CaseDigest  figures as in the table of the run
 * @property {string} label
 * @property {number} [perSecond]
 * @property {[number, number]} [perSecond95]  its 95 % interval
 * @property {number} [cpuNs]  of the server, per transfer
 * @property {[number, number]} [cpuNs95]  its 95 % interval
 * @property {number} [p99Ns]
 * @property {number} [failedShare]  of its requests, 0..1
 *
 * @typedef {object} RunDigest
 * @property {string} name
 * @property {string} load  equal in runs of the same name and load
 * @property {CaseDigest[]} cases
 * @property {{ code: 'search' | 'verdict' | 'baseline' | 'incomplete' | 'rejects' | 'errors' | 'replies' |
 *   'unanswered', count: number, text: string }[]} failures
 */

/** Up to this number of cases, their labels are listed. */
const MAX_NAMED = 3;

/**
 * @template T
 * @param {T[]} parts @param {(part: T) => number | undefined} valueIn
 */
const sumOf = (parts, valueIn) => parts.reduce((sum, part) => sum + (valueIn(part) ?? 0), 0);

/** @param {RunSummary & { cases: Case[] }} summary @returns {RunDigest['failures']} */
function failuresOf({ legs, cases, verdict, baseline, search }) {
  // legs of a search fail on purpose
  if (search) legs = [];
  const undecided = sumOf(search?.answers ?? [], ({ decided }) => (decided ? 0 : 1));
  const incomplete = sumOf(legs, ({ complete }) => (complete ? 0 : 1));
  const rejects = sumOf(legs, (leg) => leg.rejects?.total);
  const errors = sumOf(legs, (leg) => leg.errors?.total);
  // not added up: the starts and rounds of a server have the same connections
  const unanswered = sumOf(cases, (server) =>
    Math.max(0, ...legs.filter(({ id }) => server.legs.includes(id)).map((leg) => leftUnserved(leg) ?? 0)),
  );
  const failedReplies = sumOf(legs, ({ statuses }) => failedRepliesOf(statuses)?.count);
  const unmet = sumOf(verdict?.thresholds ?? [], ({ passed }) => (passed ? 0 : 1));
  return /** @type {RunDigest['failures']} */ ([
    {
      code: 'search',
      count: undecided,
      text: counted(undecided, 'search without an answer', 'searches without an answer'),
    },
    {
      code: 'verdict',
      count: verdict?.passed === false ? Math.max(1, unmet) : 0,
      text: `verdict ${verdict?.undecided ? 'undecided' : 'failed'}`,
    },
    { code: 'baseline', count: baseline?.outcome === 'worse' ? 1 : 0, text: 'worse than its baseline' },
    { code: 'baseline', count: baseline?.outcome === 'undecided' ? 1 : 0, text: 'undecided against its baseline' },
    { code: 'incomplete', count: incomplete, text: counted(incomplete, 'incomplete leg') },
    { code: 'rejects', count: rejects, text: counted(rejects, 'reject') },
    { code: 'errors', count: errors, text: counted(errors, 'error') },
    { code: 'replies', count: failedReplies, text: counted(failedReplies, 'failed reply', 'failed replies') },
    { code: 'unanswered', count: unanswered, text: `${count(unanswered)} unanswered` },
  ]).filter((failure) => failure.count > 0);
}

/** The figures of a digest. */
const DIGESTED = /** @type {const} */ ({
  perSecond: 'rate',
  cpuNs: 'server CPU per transfer',
  p99Ns: 'p99',
  failedShare: 'failed share',
});
const WITH_INTERVAL = ['perSecond', 'cpuNs'];

/** @param {Case} server @param {LegSummary[]} legs of the run @returns {CaseDigest} */
function caseDigest(server, legs) {
  const caseLegs = legs.filter((leg) => server.legs.includes(leg.id));
  if (!caseLegs.some(counts)) return { label: server.label };
  const shown = shownCase(caseLegs, server);
  const known = Object.entries(DIGESTED).flatMap(([key, name]) => {
    const { value, low, high } = valueOf(/** @type {Figure} */ (figureOf(name)), shown);
    if (typeof value !== 'number') return [];
    const interval = WITH_INTERVAL.includes(key) && low !== undefined && high !== undefined;
    return [[key, value], ...(interval ? [[`${key}95`, [low, high]]] : [])];
  });
  return { label: server.label, ...Object.fromEntries(known) };
}

/**
 * A search has a case for each server and goal, with the highest rate that held.
 * @param {SearchSummary} search
 * @returns {CaseDigest[]}
 */
const searchedCases = ({ maximise, answers }) =>
  answers.map(({ label, answer, decided, held }) => ({
    label: `${label}: ${answer}`,
    ...(decided && held && maximise === 'rate' ? { perSecond: held.value } : {}),
  }));

/**
 * @param {RunSummary} summary of a run
 * @returns {RunDigest}
 */
export function digestOf(summary) {
  const { scenario, config, legs = [], cases = casesOf(legs) } = summary;
  return {
    name: scenario,
    load: JSON.stringify([scenario, config]),
    cases: summary.search
      ? searchedCases(summary.search)
      : cases.filter((server) => !isAtRate(server)).map((server) => caseDigest(server, legs)),
    failures: failuresOf({ ...summary, legs, cases }),
  };
}

/** @param {RunDigest} digest @returns {string} such as "epoll, go", "16 cases" */
export const measuredText = ({ cases }) =>
  cases.length <= MAX_NAMED ? cases.map(({ label }) => label).join(', ') : `${cases.length} cases`;

/**
 * @param {(number | undefined)[]} values @param {(value: number) => string} text
 * @returns {string} one value, or the smallest to the largest
 */
function rangeText(values, text) {
  const known = values.filter((value) => value !== undefined);
  if (known.length === 0) return NOT_MEASURED;
  const [smallest, largest] = [Math.min(...known), Math.max(...known)].map((value) => text(value));
  return smallest === largest ? smallest : `${smallest} to ${largest}`;
}

/**
 * @param {(number | undefined)[]} values
 * @returns {string} how many are missing, if others are known: a missing value is not a good one
 */
function missingText(values) {
  const missing = values.filter((value) => value === undefined).length;
  return missing === 0 || missing === values.length
    ? ''
    : ` (not known for ${count(missing)} of ${count(values.length)})`;
}

/**
 * @param {RunDigest} digest
 * @returns {{ perSecond: string, p99: string }} for several cases, the smallest to the largest
 */
export const figureTexts = ({ cases }) => ({
  perSecond: rangeText(
    cases.map(({ perSecond }) => perSecond),
    bareRate,
  ),
  p99: `${rangeText(
    cases.map(({ p99Ns }) => p99Ns),
    duration,
  )}${missingText(cases.map(({ p99Ns }) => p99Ns))}`,
});

/** @param {RunDigest} digest @returns {string} such as "38 rejects, 3 errors"; empty without failures */
export const failuresText = ({ failures }) => failures.map(({ text }) => text).join(', ');
