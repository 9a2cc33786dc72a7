/**
 * Connections over time: requested, open, unanswered, connecting, in back-off, each as it stood at the end of the second.
 */
import { end } from '../downsample.js';
import { leftUnanswered } from '../../../client/measure/knee.js';
import { count, rate } from '../../../client/words/format.js';

const GAUGES = /** @type {const} */ ([
  ['requested', 'requested'],
  ['open', 'open'],
  ['unanswered', 'open but unanswered'],
  ['connecting', 'connecting'],
  ['backingOff', 'in back-off'],
  ['queued', 'waiting for connectRate'],
]);

/**
 * @param {import('../../types.js').LegResults} f @param {import('../../types.js').Sample[]} samples
 * @returns {import('../../types.js').Remark}
 */
function noteOf(f, samples) {
  if (f.churns) {
    const { opensPerSecond, neverAnswered } = f;
    const never = neverAnswered ? `; ${count(neverAnswered)} unanswered after the drain` : '';
    const text = `${rate(opensPerSecond)} opened${f.workload === 'reconnect' ? ', each for one transfer' : ''}${never}`;
    return { code: 'opened', data: { opensPerSecond, neverAnswered }, text };
  }
  const { open, requested } = f;
  if (f.workload === 'once') {
    const { transfers, neverAnswered } = f;
    const never = neverAnswered ? `; ${count(neverAnswered)} unanswered after the drain` : '';
    const text = `${count(transfers)} of ${count(requested)} answered; each closed after its reply${never}`;
    return { code: 'answered', data: { transfers, requested, neverAnswered }, text };
  }
  if (f.endedBy === 'done' || f.reopens === false) {
    const text = `${count(open)} of ${count(requested)} opened; each closed after its last transfer`;
    return { code: 'done', data: { open, requested }, text };
  }
  const unanswered = f.unanswered ? `; ${count(f.unanswered)} of them unanswered` : '';
  const most = samples.reduce((sum, { gauges }) => Math.max(sum, gauges.unanswered ?? 0), 0);
  if (f.followsProfile) {
    const left = unanswered && `; at the end ${count(f.unanswered)} unanswered`;
    const text = `up to ${count(f.peakOpen)} of ${count(f.peakRequested)} open${left}`;
    return { code: 'profile', data: { peakOpen: f.peakOpen, peakRequested: f.peakRequested }, text };
  }
  // The requested number was never reached: the server has a limit, or something in between.
  const isShort = (f.peakOpen ?? 0) < (requested ?? 0) * 0.995;
  const ceiling = isShort
    ? `; at most ${count(f.peakOpen)} at a time${most ? `, up to ${count(most)} of them unanswered` : ''}`
    : '';
  return {
    code: isShort ? 'ceiling' : 'held',
    data: {
      open,
      requested,
      unanswered: f.unanswered,
      ...(isShort ? { peakOpen: f.peakOpen, mostUnanswered: most } : {}),
    },
    text: `${count(open)} of ${count(requested)} open at the end of the ${f.covers}${unanswered}${ceiling}`,
  };
}

/** @param {import('./all.js').ChartInput} input @returns {import('../../types.js').Chart} */
export function connections({ legs, results, intervals, xMax }) {
  let most = 0;
  const queues = legs.some((leg) => leg.samples.some(({ gauges }) => gauges.queued > 0));
  const shown = GAUGES.filter(([name]) => name !== 'queued' || queues);
  const panels = legs.map((leg, i) => {
    const f = results[i];
    const datasets = shown.map(([name, label]) => {
      /** @type {import('../../types.js').Point[]} */
      const points = intervals[i].map((interval) => {
        const { gauges } = interval.last;
        const value = name === 'unanswered' && f.churns ? leftUnanswered(gauges) : gauges[name];
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
      strong: f.churns ? Boolean(f.neverAnswered) : Boolean(f.unanswered) || f.heldTooFew,
      alt: `${leg.label}: connections over time. Requested ${count(f.requested)}, open ${count(f.open)}, unanswered ${count(f.unanswered)}.`,
    };
  });
  return {
    id: 'connections',
    layout: 'panels',
    kind: 'line',
    title: 'Connections over time',
    section: 'time',
    lead: 'Open: the kernel has completed the handshake. Unanswered: open, but its first request has had no reply.',
    x: { type: 'time', unit: 's', min: 0, max: xMax },
    y: { type: 'linear', unit: 'count', min: 0, max: most * 1.05 || 1 },
    legend: shown.map(([role, label]) => ({ role, label })),
    panels,
  };
}
