/**
 * The chart of response time against message size, with a line for each server, for a scenario whose tests differ in
 * payload size. It omits tests with a range of sizes, and those with a number of connections that few tests have.
 */
import { payload } from '../../../client/words/format.js';
import { responseTimeAgainst } from './sweep.js';

/**
 * @import { Chart, PageLeg } from '../../types.js'
 * @import { Series } from './sweep.js'
 */

/** A line needs at least this many sizes. */
const MIN_SIZES = 3;

/**
 * @param {PageLeg[]} results
 * @returns {Series[]} a leg of each size, sizes ascending; none if there are too few sizes
 */
function sizeSeries(results) {
  const sized = results.filter(
    (f) =>
      f.summary.series !== undefined &&
      f.summary.axes.test !== undefined &&
      (f.settings.payloadBytes ?? 0) > 0 &&
      typeof f.settings.payloadMinBytes !== 'number',
  );
  const sizesAt = (/** @type {number | undefined} */ connections) =>
    new Set(sized.filter((f) => f.summary.connections?.requested === connections).map((f) => f.settings.payloadBytes))
      .size;
  const [connections] = [...new Set(sized.map((f) => f.summary.connections?.requested))].sort(
    (a, b) => sizesAt(b) - sizesAt(a),
  );
  if (sizesAt(connections) < MIN_SIZES) return [];
  const compared = sized.filter((f) => f.summary.connections?.requested === connections);
  const names = [...new Set(compared.map((f) => /** @type {string} */ (f.summary.series)))];
  return names.map((name) => {
    /** @type {Map<number | undefined, PageLeg>} the first leg of each size */
    const bySize = new Map();
    for (const f of compared)
      if (f.summary.series === name && !bySize.has(f.settings.payloadBytes)) bySize.set(f.settings.payloadBytes, f);
    return {
      name,
      results: [...bySize.values()].sort((a, b) => (a.settings.payloadBytes ?? 0) - (b.settings.payloadBytes ?? 0)),
    };
  });
}

/**
 * @param {PageLeg[]} cases @param {string} loop
 * @returns {Chart[]}
 */
export function payloadCharts(cases, loop) {
  const series = sizeSeries(cases);
  if (series.length === 0) return [];
  return [
    responseTimeAgainst(
      series,
      { id: 'response-by-size', title: `Response time against message size (${loop})` },
      {
        ...{ of: (f) => f.settings.payloadBytes ?? 0, unit: 'payload' },
        ...{ title: 'message size', text: payload },
      },
    ),
  ];
}
