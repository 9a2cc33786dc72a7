// The type of a row in the list of findings, and how a finding is made from a row. The list is in index.js; each row is
// in the file of its rule. Code and tests use `code` and `data`; `text` and `remedy` are for people and may change.

/**
 * @import { Finding, LegSummary } from '../../../config/types.js'
 * @import { MeasuredLeg } from '../../measure/leg-figures.js'
 * @import { CauseCode } from './outcome.js'
 * @import { Seen } from './steady-state.js'
 */

/**
 * @typedef {object} Listed  a finding, or a warning that is listed as one: its text is in words/warnings.js
 * @property {string} code
 * @property {Finding['severity']} severity
 * @property {string} when  its condition, in Markdown, for the table of config/guides/results.md
 * @property {readonly string[]} [charts]  ids of the page's charts that show it, the best first
 * @property {(data: Finding['data']) => number} [weight]  the heaviest finding of a code is the worst; absent: all are
 *   alike
 * @property {boolean} [isOutcome]  about the outcome of a leg; left out in a search, which tries more than a server can
 *   do
 * @property {boolean} [isOfSearches]  an outcome that is also shown for a search
 * @property {boolean} [isOfFailed]  an outcome that the failed requests of a leg also show
 * @property {CauseCode} [explains]  the cause of an outcome; beside that outcome, the finding is left out
 * @property {boolean} [isOfTrust]  the line of trust (trust.js) has it, or the headline has its cause
 * @property {boolean} [isEnd]  the leg did not reach its planned end; its other outcomes are left out
 */

/**
 * A text is a clause without a full stop, a remedy a sentence. The data of `ofSamples` is recorded in the summary of
 * the leg; the data of `ofLeg` is computed from that summary when it is read. Both return undefined without a finding.
 * @template [Data=any]
 * @typedef {Listed & {
 *   ofSamples?: (leg: MeasuredLeg, seen: Seen) => Data | undefined,
 *   ofLeg?: (leg: LegSummary) => Data | undefined,
 *   text: (data: Data) => string,
 *   remedy?: string | ((data: Data, leg: Partial<LegSummary>) => string | undefined),
 * }} Row
 */

/** Charts of connections. */
export const CONNECTIONS = ['connections'];
/** Charts of response times. */
export const RESPONSE_TIMES = ['response', 'heat'];

/**
 * @template {Finding['data']} Data
 * @param {Row<Data>} row @param {Data} data @param {Partial<LegSummary>} [leg] that has the finding
 * @returns {Finding}
 */
export function finding({ code, severity, text, remedy }, data, leg = {}) {
  const advice = typeof remedy === 'function' ? remedy(data, leg) : remedy;
  return {
    ...{ code, severity, data, text: text(data) },
    ...(advice === undefined ? {} : { remedy: advice }),
  };
}

/**
 * @param {readonly Row[]} rows @param {LegSummary} leg
 * @param {(row: Row) => Finding['data'] | undefined} dataOf  undefined without a finding
 * @returns {Finding[]}
 */
export const foundBy = (rows, leg, dataOf) =>
  rows.flatMap((row) => {
    const data = dataOf(row);
    return data === undefined ? [] : [finding(row, data, leg)];
  });
