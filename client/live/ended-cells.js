// The row of a leg that has ended on the live page: what its summary says, in place of its last second. Pure.
// The one thing to know: a column that tells only of one moment is empty then.

import { cpu, ran, responseTime, statusesOf, transferRate, withFigures } from '../console/cells.js';
import { heldAtEnd, requestedAtEnd, unansweredAtEnd } from '../measure/leg-figures.js';
import { clock, count, megabytes } from '../words/format.js';
import { shortReplies } from '../words/replies.js';
import { outcomeText } from '../words/search.js';

/** @typedef {import('../../config/types.js').LegSummary} Leg */
/** @typedef {{ text: string, tone: string | null }} Cell */

/** By the name of the console's column. @type {Readonly<Record<string, (leg: Leg) => string>>} */
const TEXTS = {
  time: ({ phases }) => (phases ? clock(phases.endNs / 1e9) : ''),
  phase: ({ complete }) => (complete ? 'ended' : 'incomplete'),
  open: ran((leg) => count(heldAtEnd(/** @type {any} */ (leg)))),
  unanswered: ran((leg) => count(unansweredAtEnd(/** @type {any} */ (leg)))),
  requested: ran((leg) => count(requestedAtEnd(/** @type {any} */ (leg)))),
  '/s': transferRate,
  'MB/s': ({ steady }) => megabytes(steady?.bytesPerSecond),
  p50: (leg) => responseTime(leg, 'p50', 50),
  p99: (leg) => responseTime(leg, 'p99', 99),
  replies: (leg) => shortReplies(statusesOf(leg))?.text ?? '',
  late: ({ steady }) => count(steady?.late),
  rejects: ran(({ rejects }) => count(rejects.total)),
  errors: ran(({ errors }) => count(errors.total)),
  client: (leg) => cpu(leg, 'client'),
  server: (leg) => cpu(leg, 'server'),
  limit: ({ limitedBy }) => (limitedBy === undefined || limitedBy === 'none' ? '' : limitedBy),
};

/** Those with a number above zero are marked. @type {Record<string, string>} */
const TONES = { unanswered: 'yellow', late: 'yellow', rejects: 'red', errors: 'red' };

/**
 * @param {{ name: string }[]} columns of the table @param {Leg} summary of the leg
 * @param {{ held: boolean | null }} [probe] of a search: its outcome takes the place of the phase
 * @returns {Cell[]}
 */
export function endedCells(columns, summary, probe) {
  const leg = withFigures(summary);
  return columns.map(({ name }) => {
    if (name === 'phase' && probe) return { text: outcomeText(probe.held), tone: probe.held ? 'green' : 'red' };
    const text = TEXTS[name]?.(leg) ?? '';
    const isBad = (TONES[name] && /[1-9]/.test(text)) || (name === 'phase' && !summary.complete);
    return { text, tone: isBad ? (TONES[name] ?? 'red') : null };
  });
}
