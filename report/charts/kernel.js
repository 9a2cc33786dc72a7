/**
 * What happened below the sockets: dropped SYNs, what was sent again, resets, over time; and TCP's own round trips. The
 * kernel's counters are of a whole network namespace, not only of this run.
 */
import { middle, percentilesOf } from '../coarsen.js';
import { count, duration } from '../units.js';
import { decadeBelow } from './response-time.js';

/** @typedef {(kernel: Record<string, number>) => number} Reading */

const of = (/** @type {string} */ name) => /** @type {Reading} */ ((kernel) => kernel[name] ?? 0);

/** SYNs sent again are among the segments sent again. @type {Array<[cause: string, label: string, Reading]>} */
const STACKS = [
  ['drops', 'SYNs dropped by a listener', of('TcpExtListenDrops')],
  ['syn', 'SYNs sent again', of('TcpExtTCPSynRetrans')],
  [
    'again',
    'other segments sent again',
    ({ TcpRetransSegs = 0, TcpExtTCPSynRetrans = 0 }) => Math.max(0, TcpRetransSegs - TcpExtTCPSynRetrans),
  ],
  ['rst', 'resets sent', of('TcpOutRsts')],
];

/** @param {import('../types.js').Sample} sample @returns {Record<string, number>} both namespaces together */
function countersOf({ kernel, serverKernel }) {
  const sum = { ...(kernel ?? {}) };
  for (const [name, value] of Object.entries(serverKernel ?? {})) sum[name] = (sum[name] ?? 0) + value;
  return sum;
}

/** @param {import('./all.js').ChartInput} input @returns {import('../types.js').Chart} */
export function kernelEvents({ legs, intervals, xMax, step }) {
  let most = 0;
  /** @type {Set<string>} */
  const moved = new Set();
  const readings = intervals.map((own) =>
    own.map((interval) =>
      STACKS.map(([cause, , read]) => {
        const value = interval.samples.reduce((sum, sample) => sum + Math.max(0, read(countersOf(sample))), 0);
        if (value > 0) moved.add(cause);
        return value;
      }),
    ),
  );
  const shown = STACKS.map(([cause, label], i) => ({ cause, label, i })).filter(({ cause }) => moved.has(cause));
  const panels = legs.map((leg, at) => {
    for (const values of readings[at]) most = Math.max(most, values.reduce((a, b) => a + b, 0));
    const totals = shown.map(({ label, i }) => [label, readings[at].reduce((sum, values) => sum + values[i], 0)]);
    const text = totals.filter(([, n]) => Number(n) > 0).map(([label, n]) => `${label} ${count(Number(n))}`).join(' · ');
    return {
      leg: at,
      phases: true,
      note: text || 'none',
      empty: text ? undefined : 'none',
      alt: `${leg.label}: below the sockets over time. ${text || 'None'}.`,
      datasets: shown.map(({ cause, label, i }) => ({
        role: 'cause',
        cause,
        label,
        points: intervals[at].map((interval, k) => [middle(interval), readings[at][k][i]]),
      })),
    };
  });
  return {
    id: 'kernel',
    layout: 'panels',
    kind: 'bar',
    title: 'Dropped, sent again, reset: below the sockets',
    section: 'time',
    small: true,
    lead: `The kernel’s counters, of the whole network namespace. Per ${step === 1 ? 'second' : `${step} s`}.`,
    empty: shown.length ? undefined : 'Nothing was dropped, sent again or reset below the sockets.',
    x: { type: 'time', unit: 's', min: 0, max: xMax },
    y: { type: 'linear', unit: 'count', min: 0, max: most * 1.05 || 1 },
    legend: shown.map(({ cause, label }) => ({ role: 'cause', cause, label })),
    panels,
  };
}

/** @param {import('./all.js').ChartInput} input @returns {import('../types.js').Chart} */
export function roundTrips({ legs, facts, intervals, xMax }) {
  let [min, max] = [Infinity, 0];
  /** @type {import('../types.js').Dataset[]} */
  const datasets = [];
  legs.forEach((leg, i) => {
    const points = intervals[i].map((interval) => {
      const at = percentilesOf(interval, 'rtt');
      if (at) [min, max] = [Math.min(min, at.p50), Math.max(max, at.p50)];
      return [middle(interval), at?.p50 ?? null, at?.count];
    });
    if (points.some(([, y]) => y !== null)) datasets.push({ role: 'leg', leg: i, label: leg.label, points });
  });
  const said = facts.map((f) => `${f.label}: p50 ${duration(f.rtt?.p50)}, p99 ${duration(f.rtt?.p99)}`).join('; ');
  return {
    id: 'rtt',
    layout: 'overlay',
    kind: 'line',
    title: 'Round-trip time of TCP, median',
    section: 'pair',
    lead:
      'As the kernel has it (TCP_INFO, smoothed) for up to 64 open connections a worker and second. A server that ' +
      'answers late is not in it; a machine that acknowledges late is.',
    legend: [],
    empty: datasets.length ? undefined : 'Not sampled.',
    x: { type: 'time', unit: 's', min: 0, max: xMax },
    y: {
      type: 'log',
      unit: 'duration',
      min: Number.isFinite(min) ? decadeBelow(Math.max(1e3, min)) : 1e3,
      max: max * 1.5 || 1e9,
    },
    panels: [{ leg: null, datasets, phases: true, alt: `Round-trip time of TCP over time. ${said}.` }],
  };
}
