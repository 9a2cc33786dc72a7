// The table of the requests of a list, which console, page and Markdown show. Pure.

import { figuresOf } from '../measure/leg-figures.js';
import { sumEach } from '../measure/sums.js';
import { failedText } from '../words/replies.js';
import { cellText, isTold, markOf } from './figure-values.js';
import { figureOf } from './figures.js';
import { caseOfRequest, valueOf } from './value-of.js';

/**
 * @import { Figure } from './figures.js'
 * @import { ShownCase } from './value-of.js'
 */

const SHOWN = ['transfers', 'rate', 'failed share', 'failed replies', 'p50', 'p99'].map(
  (name) => /** @type {Figure} */ (figureOf(name)),
);

/** @param {ShownCase} shown @returns {Record<string, number>} of all its legs */
const statusesOf = ({ legs }) =>
  legs.reduce((sum, leg) => sumEach(sum, figuresOf(leg)?.statuses ?? {}), /** @type {Record<string, number>} */ ({}));

/**
 * @typedef {{ text: string, mark?: 'bad' | 'warning' }} Cell
 * @typedef {{ columns: string[], rows: { leg: string, name: string, cells: Cell[] }[] }} RequestTable  columns: behind
 *   leg and name
 *
 * @param {ShownCase[]} cases
 * @returns {RequestTable | null} a row for each request of each case; null without a list
 */
export function requestTable(cases) {
  const found = cases.flatMap((shown) =>
    (shown.worst.requests ?? []).map(({ name }) => ({ leg: shown.label, name, own: caseOfRequest(shown, name) })),
  );
  if (found.length === 0) return null;
  const values = SHOWN.map((figure) => found.map(({ own }) => valueOf(figure, own).value));
  const told = SHOWN.map((figure, i) => ({ figure, values: values[i] })).filter(({ figure, values: some }) =>
    isTold(figure, some),
  );
  return {
    columns: told.map(({ figure: { name, title = name } }) => title),
    rows: found.map(({ leg, name, own }, row) => ({
      ...{ leg, name },
      cells: told.map(({ figure, values: some }) => ({
        text: figure.name === 'failed replies' ? failedText(statusesOf(own)) || '0 %' : cellText(figure, some[row]),
        mark: markOf(figure, some[row]),
      })),
    })),
  };
}
