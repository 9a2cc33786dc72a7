/**
 * Connections over time: requested, open, unanswered, connecting, in back-off, each as it stood at the end of the
 * second.
 */
import { end } from '../downsample.js';
import { leftUnanswered } from '../../../client/measure/knee.js';
import { count, rate } from '../../../client/words/format.js';
import { coverageOf, followsProfile, heldTooFew } from '../../../client/measure/leg-figures.js';
import { openOf, opensPerSecond, requestedOf, unansweredOf } from '../page-leg.js';

/**
 * @import { Chart, PageLeg, Point, Remark, Sample } from '../../types.js'
 * @import { ChartInput } from './all.js'
 */

const GAUGES = /** @type {const} */ ([
  ['requested', 'requested'],
  ['open', 'open'],
  ['unanswered', 'open but unanswered'],
  ['connecting', 'connecting'],
  ['backingOff', 'in back-off'],
  ['queued', 'waiting for connectRate'],
]);
/** The first of these are drawn in any run, the others where there were any. */
const ALWAYS = 2;

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
  const most = samples.reduce((sum, { gauges }) => Math.max(sum, gauges.unanswered ?? 0), 0);
  if (followsProfile(f.summary)) {
    const atEnd = left ? `; at the end ${count(left)} unanswered` : '';
    const text = `up to ${count(peakOpen)} of ${count(peakRequested)} open${atEnd}`;
    return { code: 'profile', data: { peakOpen, peakRequested }, text };
  }
  // The requested number was never reached: the server has a limit, or something in between.
  const isShort = (peakOpen ?? 0) < (requested ?? 0) * 0.995;
  const ceiling = isShort
    ? `; at most ${count(peakOpen)} at a time${most ? `, up to ${count(most)} of them unanswered` : ''}`
    : '';
  return {
    code: isShort ? 'ceiling' : 'held',
    data: { open, requested, unanswered: left, ...(isShort ? { peakOpen, mostUnanswered: most } : {}) },
    text: `${count(open)} of ${count(requested)} open at the end of the ${coverageOf(f.summary)}${unanswered}${ceiling}`,
  };
}

/** @param {ChartInput} input @returns {Chart} */
export function connections({ legs, results, intervals, xMax }) {
  let most = 0;
  const shown = GAUGES.filter(
    ([name], i) => i < ALWAYS || legs.some((leg) => leg.samples.some(({ gauges }) => gauges[name])),
  );
  const panels = legs.map((leg, i) => {
    const f = results[i];
    const datasets = shown.map(([name, label]) => {
      /** @type {Point[]} */
      const points = intervals[i].map((interval) => {
        const { gauges } = interval.last;
        const value = name === 'unanswered' && f.summary.churns ? leftUnanswered(gauges) : gauges[name];
        return [end(interval), value ?? null];
      });
      for (const [, y] of points) most = Math.max(most, y ?? 0);
      return { role: name, label, points };
    });
    return {
      leg: i,
      phases: true,
      datasets,
      note: noteOf(f, leg.samples),
      strong: f.summary.churns
        ? Boolean(f.summary.connections?.neverAnswered)
        : Boolean(unansweredOf(f)) || heldTooFew(f.summary),
      alt: `${leg.label}: connections over time. Requested ${count(requestedOf(f))}, open ${count(openOf(f))}, unanswered ${count(unansweredOf(f))}.`,
    };
  });
  return {
    id: 'connections',
    layout: 'panels',
    kind: 'line',
    title: 'Connections over time',
    lead: `Open: the kernel has completed the handshake.${shown.some(([name]) => name === 'unanswered') ? ' Unanswered: open, but its first request has had no reply.' : ''}`,
    x: { type: 'time', unit: 's', min: 0, max: xMax },
    y: { type: 'linear', unit: 'count', min: 0, max: most * 1.05 || 1 },
    legend: shown.map(([role, label]) => ({ role, label })),
    panels,
  };
}
