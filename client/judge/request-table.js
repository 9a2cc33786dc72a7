// The table of the requests of a list, which console, page and Markdown show. Pure.

import { figuresOf } from '../measure/leg-figures.js';
import { unwantedText } from '../words/replies.js';
import { valueIn } from './case-legs.js';
import { cellText, isTold, markOf } from './figure-values.js';
import { figureOf } from './figures.js';
import { legOfRequest } from './requests.js';

/**
 * @import { ShownLeg } from './case-legs.js'
 * @import { Figure } from './figures.js'
 */

const SHOWN = ['transfers', 'rate', 'failed share', 'unwanted replies', 'p50', 'p99'].map(
  (name) => /** @type {Figure} */ (figureOf(name)),
);

/**
 * @typedef {{ text: string, mark?: 'bad' | 'warning' }} Cell
 * @typedef {{ columns: string[], rows: { leg: string, name: string, cells: Cell[] }[] }} RequestTable  columns: behind
 *   leg and name
 *
 * @param {(Partial<ShownLeg> & { label: string })[]} legs
 * @returns {RequestTable | null} a row for each request of each leg; null without a list
 */
export function requestTable(legs) {
  const found = legs.flatMap((leg) =>
    (leg.requests ?? []).map(({ name }) => ({ leg: leg.label, name, own: legOfRequest(leg, name) })),
  );
  if (found.length === 0) return null;
  const values = SHOWN.map((figure) => found.map(({ own }) => valueIn(figure, own)));
  const told = SHOWN.map((figure, i) => ({ figure, values: values[i] })).filter(({ figure, values: some }) =>
    isTold(figure, some),
  );
  return {
    columns: told.map(({ figure: { name, title = name } }) => title),
    rows: found.map(({ leg, name, own }, row) => ({
      ...{ leg, name },
      cells: told.map(({ figure, values: some }) => ({
        text:
          figure.name === 'unwanted replies'
            ? unwantedText(figuresOf(own)?.statuses) || '0 %'
            : cellText(figure, some[row]),
        mark: markOf(figure, some[row]),
      })),
    })),
  };
}
