// The table of the requests of a list, for console, page and Markdown.

import { figuresOf } from '../measure/leg-figures.js';
import { sumEach } from '../measure/sums.js';
import { failedReplies, failedText } from '../words/replies.js';
import { cellText, columnText, isAbove, markOf } from './figure-values.js';
import { figureOf } from './figures.js';
import { caseOfRequest, valueOf } from './value-of.js';

/**
 * @import { Figure, Value } from './figures.js'
 * @import { ShownCase } from './value-of.js'
 */

/** Percentiles of response times. */
const TIMES = ['p50', 'p99'];
const SHOWN = ['good rate', 'failed share', ...TIMES].map((name) => /** @type {Figure} */ (figureOf(name)));

/** @param {ShownCase} shown @returns {Record<string, number>} of all its legs */
const statusesOf = ({ legs }) =>
  legs.reduce((sum, leg) => sumEach(sum, figuresOf(leg)?.statuses ?? {}), /** @type {Record<string, number>} */ ({}));

/**
 * @param {ShownCase} shown @param {string} share of its requests that failed, as text
 * @returns {string | undefined} the kinds of failed replies: only "5xx" if they are all failures
 */
function kindsText(shown, share) {
  const statuses = statusesOf(shown);
  const kinds = failedReplies(statuses);
  if (kinds.length === 0) return undefined;
  const [{ kind, share: kindShare }] = kinds;
  return kinds.length === 1 && cellText({ unit: 'share' }, kindShare) === share ? kind : failedText(statuses);
}

/** @param {Value} value @returns {number} by which rows are sorted; the longest time, for a value above all times */
const lengthOf = (value) => (value === undefined ? 0 : isAbove(value) ? value.above : Number(value));

/**
 * @typedef {{ name: string, text: string, value: Value, kinds?: string, mark?: 'bad' | 'warning' }} Cell  name: of its
 *   figure; kinds: of the replies that failed
 * @typedef {{ place: number, leg: string, name: string, cells: Cell[] }} Row  place: of the case
 * @typedef {{ columns: string[], rows: Row[] }} RequestTable  columns: behind name and leg
 *
 * @param {ShownCase[]} cases
 * @returns {RequestTable | null} a row for each request of each case; requests with the longest p99 first, the cases of
 *   a request together; null without a list
 */
export function requestTable(cases) {
  const requests = cases.flatMap((shown, place) =>
    (shown.worst.requests ?? []).map(({ name }) => {
      const requestCase = caseOfRequest(shown, name);
      return {
        ...{ place, name, requestCase, leg: shown.label },
        values: SHOWN.map((figure) => valueOf(figure, requestCase).value),
      };
    }),
  );
  if (requests.length === 0) return null;
  const told = SHOWN.map((figure, i) => ({ figure, i, values: requests.map(({ values }) => values[i]) }))
    .filter(({ values }) => values.some((value) => value !== undefined))
    .map(({ figure, i, values }) => ({ figure, i, textOf: columnText(figure, values) }));
  /** @type {Map<string, number>} */
  const longest = new Map();
  for (const { name, values } of requests)
    longest.set(name, Math.max(longest.get(name) ?? 0, lengthOf(values[SHOWN.length - 1])));
  const names = [...longest].sort(([, a], [, b]) => b - a).map(([name]) => name);
  return {
    columns: told.map(({ figure: { name, title = name } }) => (TIMES.includes(name) ? name : title)),
    rows: names
      .flatMap((name) => requests.filter((request) => request.name === name))
      .map(({ place, leg, name, requestCase, values }) => ({
        ...{ place, leg, name },
        cells: told.map(({ figure, i, textOf }) => {
          const text = textOf(values[i]);
          const kinds = figure.name === 'failed share' ? kindsText(requestCase, text) : undefined;
          return {
            name: figure.name,
            text,
            value: values[i],
            ...(kinds && { kinds }),
            mark: markOf(figure, values[i]),
          };
        }),
      })),
  };
}

/** @param {Cell} cell @returns {string} such as "4.6 % 5xx" */
export const requestText = ({ text, kinds }) => (kinds ? `${text} ${kinds}` : text);
