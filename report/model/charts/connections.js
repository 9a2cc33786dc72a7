/**
 * The states of the connections over time: a stepped stack, with the counts at the end of each second. Its height is
 * the number of connections requested.
 */
import { accountOf } from '../../../client/measure/account.js';
import { count, rate } from '../../../client/words/format.js';
import { followsProfile, heldTooFew } from '../../../client/measure/leg-figures.js';
import { spanText } from '../scope.js';
import { stepsOf, trackOf } from './tracks.js';
import { openOf, opensPerSecond, requestedOf, unansweredOf } from '../page-leg.js';

/**
 * @import { Account } from '../../../client/measure/account.js'
 * @import { Chart, Dataset, Fate, PageLeg, Point, Remark, Sample } from '../../types.js'
 * @import { ChartInput } from './all.js'
 */

/** @type {[role: Fate, label: string, parts: (keyof Account)[]][]} from the bottom of the stack */
export const FATES = [
  ['served', 'served', ['served']],
  ['idle', 'open, no request yet', ['idle']],
  ['unanswered', 'open, no reply yet', ['unanswered']],
  ['connecting', 'connecting', ['connecting', 'queued']],
  ['lost', 'rejected or lost, waiting to retry', ['rejected', 'lost']],
  ['closed', 'closed', ['closed']],
];

/**
 * @param {PageLeg} f @param {Pick<Sample, 'gauges' | 'phase'>} sample
 * @returns {Account} counts of the connections requested at that moment; if the sample lacks some of them, a connection
 *   that is open and not unanswered counts as served
 */
export function fatesOf({ summary, workload, planned }, { gauges, phase }) {
  const { requested, open, unanswered, connecting, queued, backingOff } = gauges;
  const known = accountOf(/** @type {Record<string, number>} */ (gauges), {
    ...{ requested, churns: summary.churns === true, once: workload === 'once' },
    // During the ramp, a connection without a request was never served.
    takesTurns: phase === 'steady' && planned?.slices !== undefined,
  });
  const closed = Math.max(0, requested - open - connecting - queued - backingOff);
  return (
    known ?? {
      ...{
        requested,
        served: open - unanswered,
        unanswered,
        idle: 0,
        connecting,
        rejected: backingOff,
        lost: 0,
        queued,
      },
      closed,
    }
  );
}

/**
 * @param {PageLeg} f @param {Sample[]} samples
 * @returns {Remark}
 */
function noteOf(f, samples) {
  const { peakOpen, requested: peakRequested, neverAnswered } = f.summary.connections ?? {};
  if (f.summary.churns) {
    const opened = opensPerSecond(f);
    const never = neverAnswered ? `; ${count(neverAnswered)} unanswered after the drain` : '';
    const text = `${rate(opened)} opened${f.workload === 'reconnect' ? ', each for one transfer' : ''}${never}`;
    return { code: 'opened', data: { opensPerSecond: opened, neverAnswered }, text };
  }
  const [open, requested, left] = [openOf(f), requestedOf(f), unansweredOf(f)];
  if (f.workload === 'once') {
    const transfers = f.summary.transfers?.count;
    const never = neverAnswered ? `; ${count(neverAnswered)} unanswered after the drain` : '';
    const text = `${count(transfers)} of ${count(requested)} answered; each closed after its reply${never}`;
    return { code: 'answered', data: { transfers, requested, neverAnswered }, text };
  }
  if (f.summary.endedBy === 'done' || f.summary.reopens === false) {
    const text = `${count(open)} of ${count(requested)} opened; each closed after its last transfer`;
    return { code: 'done', data: { open, requested }, text };
  }
  const unanswered = left ? `; ${count(left)} of them unanswered` : '';
  const mostUnanswered = samples.reduce((largest, { gauges }) => Math.max(largest, gauges.unanswered ?? 0), 0);
  if (followsProfile(f.summary)) {
    const atEnd = left ? `; at the end ${count(left)} unanswered` : '';
    const text = `up to ${count(peakOpen)} of ${count(peakRequested)} open${atEnd}`;
    return { code: 'profile', data: { peakOpen, peakRequested }, text };
  }
  // The requested number was never reached: the server, or something between, has a limit.
  const isShort = (peakOpen ?? 0) < (requested ?? 0) * 0.995;
  const ceiling = isShort
    ? `; at most ${count(peakOpen)} at a time${mostUnanswered ? `, up to ${count(mostUnanswered)} of them unanswered` : ''}`
    : '';
  return {
    code: isShort ? 'ceiling' : 'held',
    data: { open, requested, unanswered: left, ...(isShort ? { peakOpen, mostUnanswered } : {}) },
    text: `${count(open)} of ${count(requested)} open at the end of the ${spanText(f)}${unanswered}${ceiling}`,
  };
}

/** @param {ChartInput} input @returns {Chart} */
export function connections(input) {
  const { legs, results, intervals, xMax, isAlone } = input;
  let maxRequested = 0;
  const panels = legs.map((leg, i) => {
    const f = results[i];
    // In the drain, connections close as planned.
    const measured = intervals[i].filter((interval) => interval.fromNs < f.phases.steadyToNs);
    const fates = new Map(measured.map((interval) => [interval, fatesOf(f, interval.last)]));
    for (const { last } of measured) maxRequested = Math.max(maxRequested, last.gauges.requested ?? 0);
    /** @type {Dataset[]} */
    const datasets = FATES.map(([role, label, parts]) => ({
      ...{ role, label, isStepped: /** @type {const} */ (true) },
      points: stepsOf(measured, (interval) => [
        parts.reduce((sum, part) => sum + (fates.get(interval)?.[part] ?? 0), 0),
      ]),
    })).filter(({ points }) => points.some(([, value]) => value));
    return {
      leg: i,
      phases: true,
      datasets,
      ...(isAlone ? {} : { note: noteOf(f, leg.samples) }),
      strong: f.summary.churns
        ? Boolean(f.summary.connections?.neverAnswered)
        : Boolean(unansweredOf(f)) || heldTooFew(f.summary),
      alt: `${leg.label}: connections over time. Requested ${count(requestedOf(f))}, open ${count(openOf(f))}, unanswered ${count(unansweredOf(f))}.`,
    };
  });
  const roles = new Set(panels.flatMap(({ datasets }) => datasets.map(({ role }) => role)));
  /** @type {Chart} */
  const chart = {
    id: 'connections',
    kind: 'line',
    isStacked: true,
    title: 'What became of the connections',
    lead: isAlone ? '' : 'All requested connections, at the end of each second.',
    x: { type: 'time', unit: 's', min: 0, max: xMax },
    y: { type: 'linear', unit: 'count', min: 0, max: maxRequested * 1.05 || 1 },
    legend: FATES.filter(([role]) => roles.has(role)).map(([role, label]) => ({ role: `fate ${role}`, label })),
    panels,
  };
  if (!isAlone) return chart;
  const y = { ...chart.y, max: maxRequested || 1, ticks: [0, maxRequested || 1] };
  return trackOf(input, { ...chart, y }, panels[0]);
}
