// What a list of runs shows of each run: what was measured, its main figures, and what failed. Pure.

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
 * @typedef {object} CaseDigest  as the table of the run has it
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
 * @property {string} load  the same in runs of the same name and load
 * @property {CaseDigest[]} cases
 * @property {{ code: 'search' | 'verdict' | 'baseline' | 'incomplete' | 'rejects' | 'errors' | 'replies' |
 *   'unanswered', count: number, text: string }[]} failures
 */

/** More labels than this are counted. */
const MAX_NAMED = 3;

/**
 * @template T
 * @param {T[]} parts @param {(one: T) => number | undefined} of
 */
const sumOf = (parts, of) => parts.reduce((sum, leg) => sum + (of(leg) ?? 0), 0);

/** @param {RunSummary & { cases: Case[] }} summary @returns {RunDigest['failures']} */
function failuresOf({ legs, cases, verdict, baseline, search }) {
  // its legs fail on purpose
  if (search) legs = [];
  const undecided = sumOf(search?.answers ?? [], ({ decided }) => (decided ? 0 : 1));
  const incomplete = sumOf(legs, ({ complete }) => (complete ? 0 : 1));
  const rejects = sumOf(legs, (leg) => leg.rejects?.total);
  const errors = sumOf(legs, (leg) => leg.errors?.total);
  // a state, not a count: the starts and rounds of a server have the same connections
  const unanswered = sumOf(cases, (one) =>
    Math.max(0, ...legs.filter(({ id }) => one.legs.includes(id)).map((leg) => leftUnserved(leg) ?? 0)),
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
  ]).filter((one) => one.count > 0);
}

/** What a digest has of a case, by the names of the figures. */
const DIGESTED = /** @type {const} */ ({
  perSecond: 'rate',
  cpuNs: 'server CPU per transfer',
  p99Ns: 'p99',
  failedShare: 'failed share',
});
const WITH_INTERVAL = ['perSecond', 'cpuNs'];

/** @param {Case} one @param {LegSummary[]} legs of the run @returns {CaseDigest} */
function caseDigest(one, legs) {
  const own = legs.filter((leg) => one.legs.includes(leg.id));
  if (!own.some(counts)) return { label: one.label };
  const shown = shownCase(own, one);
  const known = Object.entries(DIGESTED).flatMap(([key, name]) => {
    const { value, low, high } = valueOf(/** @type {Figure} */ (figureOf(name)), shown);
    if (typeof value !== 'number') return [];
    const interval = WITH_INTERVAL.includes(key) && low !== undefined && high !== undefined;
    return [[key, value], ...(interval ? [[`${key}95`, [low, high]]] : [])];
  });
  return { label: one.label, ...Object.fromEntries(known) };
}

/**
 * A search has a case for each server and goal; its rate is the greatest one that held.
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
      : cases.filter((one) => !isAtRate(one)).map((one) => caseDigest(one, legs)),
    failures: failuresOf({ ...summary, legs, cases }),
  };
}

/** @param {RunDigest} digest @returns {string} such as "epoll, go", "16 cases" */
export const measuredText = ({ cases }) =>
  cases.length <= MAX_NAMED ? cases.map(({ label }) => label).join(', ') : `${cases.length} cases`;

/**
 * @param {(number | undefined)[]} values @param {(value: number) => string} text
 * @returns {string} of one value, or from the least to the most
 */
function rangeText(values, text) {
  const known = values.filter((value) => value !== undefined);
  if (known.length === 0) return NOT_MEASURED;
  const [least, most] = [Math.min(...known), Math.max(...known)].map((value) => text(value));
  return least === most ? least : `${least} to ${most}`;
}

/**
 * @param {(number | undefined)[]} values
 * @returns {string} how many are missing while others are known: they are not better than those
 */
function missingText(values) {
  const missing = values.filter((value) => value === undefined).length;
  return missing === 0 || missing === values.length
    ? ''
    : ` (not known for ${count(missing)} of ${count(values.length)})`;
}

/**
 * @param {RunDigest} digest
 * @returns {{ perSecond: string, p99: string }} of several cases, from the least to the most
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

/** @param {RunDigest} digest @returns {string} such as "38 rejects, 3 errors"; empty without any */
export const failuresText = ({ failures }) => failures.map(({ text }) => text).join(', ');
