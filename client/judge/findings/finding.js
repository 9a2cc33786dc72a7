// What a row of the list of findings is, and a finding made from one. Pure. The list is in index.js; a row is in the
// file of its rule. Code and tests use `code` and `data`; `text` and `remedy` are for people and may change.

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
 * @property {string} when  it is found: Markdown, for the table of config/guides/results.md
 * @property {readonly string[]} [charts]  of the page, which show it: ids, the best first
 * @property {(data: Finding['data']) => number} [weight]  of the same code, the greatest is the worst; absent: all are
 *   alike
 * @property {boolean} [isOutcome]  tells what became of a leg; a search tries more than a server can do, and is not
 *   told of it
 * @property {boolean} [isOfSearches]  an outcome that is also shown for a search
 * @property {boolean} [isOfFailed]  an outcome that says the same of a leg as its failed requests
 * @property {CauseCode} [explains]  the cause of an outcome: beside that outcome, the finding is left out
 * @property {boolean} [isOfTrust]  the line of trust (trust.js) has it, or the headline what it follows from
 * @property {boolean} [isEnd]  says that the leg did not reach its planned end: its other outcomes are left out
 */

/**
 * A text is a clause without a full stop, a remedy a sentence. What `ofSamples` finds is recorded in the summary of the
 * leg; what `ofLeg` finds follows from that summary, and is made whenever it is read. undefined: nothing is found.
 * @template [Data=any]
 * @typedef {Listed & {
 *   ofSamples?: (leg: MeasuredLeg, seen: Seen) => Data | undefined,
 *   ofLeg?: (leg: LegSummary) => Data | undefined,
 *   text: (data: Data) => string,
 *   remedy?: string | ((data: Data, leg: Partial<LegSummary>) => string | undefined),
 * }} Row
 */

/** Charts of connections: of several servers, and of one. */
export const CONNECTIONS = ['connections'];
/** Charts of response times. */
export const RESPONSE_TIMES = ['response', 'heat'];

/**
 * @template {Finding['data']} Data
 * @param {Row<Data>} row @param {Data} data @param {Partial<LegSummary>} [leg] where it was found
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
 * @param {(row: Row) => Finding['data'] | undefined} dataOf  undefined: nothing is found
 * @returns {Finding[]}
 */
export const foundBy = (rows, leg, dataOf) =>
  rows.flatMap((row) => {
    const data = dataOf(row);
    return data === undefined ? [] : [finding(row, data, leg)];
  });
