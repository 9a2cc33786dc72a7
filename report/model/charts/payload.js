/**
 * Response time against the size of the messages, a line for each server: for a scenario whose tests differ in their
 * payload. Tests with another number of connections than most of them are not on it, nor are those whose payload is a
 * range.
 */
import { payload } from '../../../client/words/format.js';
import { againstResponse } from './sweep.js';

/** @typedef {import('../../types.js').LegResults} LegResults */

/** Fewer sizes are no line. */
const FEWEST_SIZES = 3;

/**
 * @param {LegResults[]} results of the legs of the model
 * @returns {import('./sweep.js').Series[]} a leg of each size, by rising size; none where there are few sizes
 */
function sizeSeries(results) {
  const sized = results.filter(
    (f) =>
      f.series !== undefined &&
      f.test !== undefined &&
      (f.payloadBytes ?? 0) > 0 &&
      typeof f.payloadMinBytes !== 'number',
  );
  const sizesAt = (/** @type {number | undefined} */ connections) =>
    new Set(sized.filter((f) => f.peakRequested === connections).map((f) => f.payloadBytes)).size;
  const [connections] = [...new Set(sized.map((f) => f.peakRequested))].sort((a, b) => sizesAt(b) - sizesAt(a));
  if (sizesAt(connections) < FEWEST_SIZES) return [];
  const compared = sized.filter((f) => f.peakRequested === connections);
  const names = [...new Set(compared.map((f) => /** @type {string} */ (f.series)))];
  return names.map((name) => {
    /** @type {Map<number | undefined, LegResults>} the first of each size */
    const bySize = new Map();
    for (const f of compared) if (f.series === name && !bySize.has(f.payloadBytes)) bySize.set(f.payloadBytes, f);
    return { name, results: [...bySize.values()].sort((a, b) => (a.payloadBytes ?? 0) - (b.payloadBytes ?? 0)) };
  });
}

/**
 * @param {LegResults[]} cases @param {string} loop @param {LegResults[]} [results] of the legs of the model
 * @returns {import('../../types.js').Chart[]}
 */
export function payloadCharts(cases, loop, results = cases) {
  const all = sizeSeries(cases);
  if (all.length === 0) return [];
  const what = { id: 'response-by-size', title: `Response time against message size (${loop})` };
  return [againstResponse(all, results, what, { of: (f) => f.payloadBytes ?? 0, unit: 'payload', text: payload })];
}
