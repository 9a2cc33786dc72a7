// What servers of many connections that are mostly idle need above all: memory. Pure.
// The one thing to know: it is stated, not ranked, and only where a schedule or a pause decides how many transfers there are.

import { comparedOf, isTime } from '../comparisons.js';
import { bytes } from '../../words/format.js';
import { joinNames } from '../../words/lists.js';
import { answerPart } from './part.js';

/** More servers than these are for a table. */
const MOST_LISTED = 6;

/**
 * @param {import('../cases.js').Case[]} cases @param {import('../../../config/types.js').LegSummary[]} legs of summary.json
 * @param {import('../comparisons.js').Load} load
 * @returns {import('./part.js').Part[]} one at most
 */
export function memoryParts(cases, legs, load) {
  const isSwept = cases.some(({ axes }) => Object.keys(axes).length > 0);
  if (cases.length < 2 || cases.length > MOST_LISTED || isSwept || !isTime(comparedOf(load)[0])) return [];
  const used = cases.flatMap((one) => {
    const sizes = legs.flatMap((leg) => (one.legs.includes(leg.id) ? (leg.serverUse?.peakRssBytes ?? []) : []));
    return sizes.length === 0 ? [] : [{ case: one.id, label: one.label, peakBytes: Math.max(...sizes) }];
  });
  if (used.length < 2) return [];
  const sorted = [...used].sort((a, b) => a.peakBytes - b.peakBytes);
  const inRounds = cases.some((one) => one.legs.length > 1);
  const data = { cases: sorted.map(({ case: id, peakBytes }) => ({ case: id, peakBytes })) };
  const texts = sorted.map(({ label, peakBytes }) => `${label} ${bytes(peakBytes)}`);
  return [
    answerPart(
      'memory',
      data,
      `Memory of the servers${inRounds ? ', in the round with the most' : ''}: ${joinNames(texts)}`,
    ),
  ];
}
