/**
 * Connections over time: requested, open, unanswered, connecting, in back-off, each as it stood at the end of the second.
 */
import { end } from '../downsample.js';
import { leftUnanswered } from '../../../client/results/knee.js';
import { count, rate } from '../../../client/results/format.js';

const GAUGES = [
  ['requested', 'requested'],
  ['open', 'open'],
  ['unanswered', 'open but unanswered'],
  ['connecting', 'connecting'],
  ['backingOff', 'in back-off'],
  ['queued', 'waiting for connectRate'],
];

/** @param {import('../../types.js').LegResults} f @param {import('../../types.js').Sample[]} samples @returns {string} */
function noteOf(f, samples) {
  if (f.churns) {
    const never = f.neverAnswered ? `; ${count(f.neverAnswered)} never answered` : '';
    return `${rate(f.opensPerSecond)} opened${f.workload === 'reconnect' ? ', each for one transfer' : ''}${never}`;
  }
  if (f.endedBy === 'done' && f.workload !== 'once') {
    return `${count(f.open)} of ${count(f.requested)} opened; each closed when nothing was left for it to ask`;
  }
  const when = f.workload === 'once' ? '' : ` of the ${f.covers}`;
  const unanswered = f.unanswered ? `; ${count(f.unanswered)} of them unanswered` : '';
  const most = samples.reduce((sum, { gauges }) => Math.max(sum, gauges.unanswered ?? 0), 0);
  if (f.followsProfile) {
    const left = unanswered && `; at the end ${count(f.unanswered)} unanswered`;
    return `up to ${count(f.peakOpen)} of ${count(f.peakRequested)} open${left}`;
  }
  // Not all that was asked for was ever open: the server's ceiling, or somebody's.
  const ceiling =
    f.workload !== 'once' && (f.peakOpen ?? 0) < (f.requested ?? 0) * 0.995
      ? `; never more than ${count(f.peakOpen)}${most ? `, up to ${count(most)} of them unanswered` : ''}`
      : '';
  return `${count(f.open)} of ${count(f.requested)} open at the end${when}${unanswered}${ceiling}`;
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
        const value = name === 'unanswered' && f.churns ? leftUnanswered(/** @type {any} */ (gauges)) : gauges[name];
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
    lead: 'Open means that the kernel completed the connection. Unanswered ones are open and have never been served.',
    x: { type: 'time', unit: 's', min: 0, max: xMax },
    y: { type: 'linear', unit: 'count', min: 0, max: most * 1.05 || 1 },
    legend: shown.map(([role, label]) => ({ role, label })),
    panels,
  };
}
