// The sentences and rows about where CPU time comes from, as console, Markdown and page show them.

import { count, counted, duration, plain, wholePercent } from '../../words/format.js';
import { listNames } from '../../words/lists.js';
import { warningText } from '../../words/warnings.js';

/** @import { Explained, ExplainedCost, ExplainedDifference } from '../../../config/types.js' */

/**
 * @typedef {object} ExplainedRow  a function
 * @property {string} name  with its place, such as "render (server.js:41)"
 * @property {string} value  such as "+12.4 µs"
 * @property {string} range  its interval, such as "9.8 to 15.1"; '' without one
 * @property {string} share  of the whole, such as "71 %"; '' where that says nothing
 * @property {string} remark  such as "only in head", "called by main"; may be ''
 *
 * @typedef {object} ExplainedText
 * @property {string} lead  a sentence about the whole; the rows are its parts
 * @property {ExplainedRow[]} rows
 *
 * @typedef {{ texts: ExplainedText[], notes: string[] }} ExplainedTexts
 */

/** @typedef {{ low?: number, high?: number }} Interval  without bounds: not known */

/** @param {Interval} interval of a difference @returns {boolean} whether 0 is outside, or nothing is known of it */
const isClear = ({ low, high }) => low === undefined || high === undefined || low > 0 || high < 0;

/** @param {number} ns @returns {string} with its sign */
const signed = (ns) => `${ns < 0 ? '−' : '+'}${duration(Math.abs(ns))}`;

/** @param {number} share @returns {string} such as "71 %", "−8 %" */
const sharePercent = (share) => `${share < 0 ? '−' : ''}${wholePercent(Math.abs(share))}`;

/** @param {Interval} interval @returns {string} '' where it is not known */
const rangeOf = ({ low, high }) => (low === undefined || high === undefined ? '' : `${signed(low)} to ${signed(high)}`);

/** @param {{ name: string, file: string, line?: number }} shown @returns {string} */
export const placeText = ({ name, file, line }) => {
  const where = [file, line].filter((part) => part !== undefined && part !== '' && part !== 'kernel').join(':');
  return where === '' ? name : `${name} (${where})`;
};

/**
 * @param {ExplainedDifference} difference @param {(id: string) => string} labelOf a case @param {number} most rows
 * @returns {ExplainedText}
 */
function differenceText({ case: id, against, ns, functions, rest, ...whole }, labelOf, most) {
  const [head, base] = [labelOf(id), labelOf(against)];
  const differs = isClear(whole);
  const range = rangeOf(whole);
  const lead = differs
    ? `${head} needs ${duration(Math.abs(ns))} ${ns > 0 ? 'more' : 'less'} CPU per request than ${base}`
    : `${head} and ${base} need the same CPU per request as a whole, as far as can be seen`;
  const ofFunctions =
    functions.length === 0 ? '; no function differs by more than chance' : differs ? '' : '; but functions differ';
  const shareOf = (/** @type {number} */ part) => (differs ? sharePercent(part / ns) : '');
  const shown = functions.slice(0, most);
  const rows = shown.map((row) => ({
    name: placeText(row),
    value: signed(row.ns),
    range: rangeOf(row),
    share: shareOf(row.ns),
    remark: [
      row.baseNs === 0 ? `only in ${head}` : row.headNs === 0 ? `only in ${base}` : '',
      row.calledBy === undefined ? '' : `called by ${row.calledBy}`,
    ]
      .filter((part) => part !== '')
      .join(', '),
  }));
  const others = functions.slice(most);
  const othersNs = others.reduce((sum, row) => sum + row.ns, 0);
  const empty = { range: '', remark: '' };
  return {
    lead: `${lead}${range && ` (${range})`}${ofFunctions}`,
    rows:
      functions.length === 0
        ? []
        : [
            ...rows,
            ...(others.length === 0
              ? []
              : [
                  {
                    ...empty,
                    name: counted(others.length, 'more function'),
                    value: signed(othersNs),
                    share: shareOf(othersNs),
                  },
                ]),
            {
              ...{ ...empty, name: 'everything else', value: signed(rest.ns) },
              ...{ range: rangeOf(rest), share: shareOf(rest.ns) },
            },
          ],
  };
}

/**
 * @param {ExplainedCost} cost @param {(id: string) => string} labelOf a case @param {number} most rows
 * @returns {ExplainedText}
 */
const costText = ({ case: id, ns, functions }, labelOf, most) => ({
  lead: `${labelOf(id)} needs ${duration(ns)} of CPU per request`,
  rows: functions.slice(0, most).map((row) => ({
    name: placeText(row),
    value: duration(row.selfNs),
    range: '',
    share: wholePercent(row.selfNs / ns),
    remark: row.totalNs > row.selfNs ? `${duration(row.totalNs)} with what it calls` : '',
  })),
});

/** @param {NonNullable<Explained['overhead']>} overhead @returns {string} */
function overheadText({ ratio, low, high }) {
  const change = (/** @type {number} */ value) => `${value < 1 ? '−' : '+'}${plain(Math.abs(value - 1) * 100, 2)}`;
  const range = low === undefined || high === undefined ? '' : ` (${change(low)} to ${change(high)})`;
  return `Profiling changed the CPU per request of the servers by ${change(ratio)} %${range}.`;
}

/** @param {string[]} labels of servers @param {number} rate @returns {string} */
const slowedText = (labels, rate) =>
  `${listNames(labels)} ${labels.length > 1 ? 'were' : 'was'} profiled at ${count(rate)} requests/s, since the sampler of V8 ` +
  'is right only where a core is free. These figures are of that rate, at which a request needs more CPU than in the run.';

/** @param {Explained} explained @param {number} most functions of each server @returns {ExplainedTexts} */
export function explainedTexts({ cases, costs = [], differences = [], overhead }, most) {
  const labelOf = (/** @type {string} */ id) => cases.find((one) => one.case === id)?.label ?? id;
  const slowed = cases.filter(({ rate }) => rate !== undefined);
  return {
    texts: [
      ...differences.map((difference) => differenceText(difference, labelOf, most)),
      ...costs.map((cost) => costText(cost, labelOf, most)),
    ],
    notes: [
      ...cases.flatMap(({ label, problem }) =>
        problem === undefined ? [] : [`${label} has no profile: ${warningText(problem)}`],
      ),
      ...(differences.some(({ unit }) => unit === 'stretch')
        ? ['Each server was started once or twice, so no interval contains what starts differ in.']
        : []),
      ...(overhead === undefined ? [] : [overheadText(overhead)]),
      ...(slowed.length === 0
        ? []
        : [
            slowedText(
              slowed.map(({ label }) => label),
              Number(slowed[0].rate),
            ),
          ]),
    ],
  };
}
