/**
 * Connections over time: asked, open, unanswered, connecting, in back-off, each as it stood at the end of the second.
 */
import { end } from '../coarsen.js';
import { count, rate } from '../units.js';

const GAUGES = [
  ['asked', 'asked'],
  ['open', 'open'],
  ['unanswered', 'open but unanswered'],
  ['connecting', 'connecting'],
  ['backingOff', 'in back-off'],
];

/** @param {import('./all.js').ChartInput} input @returns {import('../types.js').Chart} */
export function connections({ legs, facts, intervals, xMax }) {
  let most = 0;
  const panels = legs.map((leg, i) => {
    const f = facts[i];
    const datasets = GAUGES.map(([name, label]) => {
      /** @type {import('../types.js').Point[]} */
      const points = intervals[i].map((interval) => [end(interval), interval.last.gauges[name] ?? null]);
      for (const [, y] of points) most = Math.max(most, y ?? 0);
      return { role: name, label, points };
    });
    return {
      leg: i,
      phases: true,
      datasets,
      note:
        f.workload === 'reconnect'
          ? `${rate(f.opensPerSecond)} opened, each for one transfer`
          : `${count(f.open)} of ${count(f.asked)} open at the end${f.workload === 'once' ? '' : ` of the ${f.scope === 'steady' ? 'steady state' : 'ramp'}`}` +
        (f.unanswered ? `; ${count(f.unanswered)} of them unanswered` : ''),
      strong: Boolean(f.unanswered) && f.workload !== 'reconnect',
      alt: `${leg.label}: connections over time. Asked ${count(f.asked)}, open ${count(f.open)}, unanswered ${count(f.unanswered)}.`,
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
    legend: GAUGES.map(([role, label]) => ({ role, label })),
    panels,
  };
}
