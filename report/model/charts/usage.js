/** Charts of CPU and memory of client and server over time, with the side that was the limit in each second. */
import { end, lineOf, middle } from '../downsample.js';
import { bytes, plain } from '../../../client/words/format.js';
import { secondsOf } from '../../../client/measure/leg-figures.js';

/**
 * @import { Chart, Dataset, Panel, Point } from '../../types.js'
 * @import { Interval } from '../downsample.js'
 * @import { ChartInput } from './all.js'
 */

/** Values of `limitedBy` that name no side. */
const NO_SIDE = ['none', 'unknown'];

/**
 * @param {Interval} interval
 * @param {'client' | 'server'} side
 * @returns {number | null} cores in use; null if any sample lacks them
 */
export function coresOf(interval, side) {
  // The kernel's accounting is too coarse for a remnant of a second.
  if (interval.seconds < 0.2) return null;
  let sum = 0;
  for (const sample of interval.samples.filter(({ fromNs, toNs }) => toNs > fromNs)) {
    const value = sample[side]?.cpuSeconds;
    if (typeof value !== 'number') return null;
    sum += value;
  }
  return Number((sum / interval.seconds).toPrecision(4));
}

/**
 * @param {Interval[]} intervals
 * @returns {Array<[number, number, string]>} spans with a limit; adjacent ones with the same limit merged
 */
function limitsOf(intervals) {
  /** @type {Array<[number, number, string]>} */
  const spans = [];
  for (const interval of intervals) {
    const by = interval.last.limitedBy ?? 'none';
    const last = spans[spans.length - 1];
    if (last && last[2] === by) last[1] = interval.toNs / 1e9;
    else spans.push([interval.fromNs / 1e9, interval.toNs / 1e9, by]);
  }
  return spans.filter(([, , by]) => !NO_SIDE.includes(by));
}

/**
 * @param {{ pressure: number, high: number, pageBytes: number } | undefined} memPages tcp_mem
 * @returns {Panel['marks']} undefined if tcp_mem is unknown
 */
function thresholds(memPages) {
  if (!memPages) return undefined;
  const [pressure, high] = [memPages.pressure, memPages.high].map((pages) => pages * memPages.pageBytes);
  return [
    { axis: 'y', at: pressure, label: `TCP memory pressure: ${bytes(pressure)}` },
    { axis: 'y', at: high, label: `TCP memory limit: ${bytes(high)}` },
  ];
}

/** @param {Interval[]} intervals @returns {string} names the machine if the server ran on another one */
const machineLabel = (intervals) =>
  intervals.some(({ last }) => last.serverMachine) ? 'all cores of the client’s machine' : 'all cores of the machine';

/** Legend of the two sides. @type {Chart['legend']} */
const SIDES = [
  { role: 'client', label: 'client' },
  { role: 'server', label: 'server' },
];

/** @param {ChartInput} input @returns {Chart} */
export function processors({ legs, results, intervals, xMax, cores }) {
  let mostCores = cores;
  /** @type {Panel[]} */
  const panels = legs.map((leg, i) => {
    const machine = lineOf(intervals[i], (interval) => {
      const busy = interval.last.machine?.busy;
      return [middle(interval), busy?.length ? Number(busy.reduce((a, b) => a + b, 0).toPrecision(4)) : null];
    });
    const sides = /** @type {const} */ (['client', 'server']).map((side) => ({
      role: side,
      label: side,
      points: lineOf(intervals[i], (interval) => [middle(interval), coresOf(interval, side)]),
    }));
    for (const { points } of sides) for (const [, y] of points) mostCores = Math.max(mostCores, y ?? 0);
    const f = results[i];
    const averages = [f.figures?.client.cpuSeconds, f.figures?.server?.cpuSeconds].map((value) =>
      secondsOf(f.figures) && value !== undefined ? value / secondsOf(f.figures) : undefined,
    );
    const note =
      `client ${plain(averages[0])} cores, server ${averages[1] === undefined ? 'not measured' : `${plain(averages[1])} cores`}` +
      (f.summary.limitedBy && !NO_SIDE.includes(f.summary.limitedBy) ? `; limit: ${f.summary.limitedBy}` : '');
    return {
      leg: i,
      phases: true,
      note: { code: 'cpu', data: {}, text: note },
      limits: limitsOf(intervals[i]),
      alt: `${leg.label}: CPU over time, steady state ${note}.`,
      datasets: [{ role: 'machine', label: machineLabel(intervals[i]), points: machine }, ...sides],
    };
  });
  return {
    id: 'cpu',
    kind: 'line',
    title: 'CPU over time',
    lead: `Cores in use, of ${cores}. The strip along the top shows which side was the limit.`,
    x: { type: 'time', unit: 's', min: 0, max: xMax },
    y: { type: 'linear', unit: 'cores', min: 0, max: mostCores * 1.2 },
    legend: [
      ...SIDES,
      { role: 'machine', label: 'whole machine' },
      { role: 'limit-client', label: 'limit: client' },
      { role: 'limit-server', label: 'limit: server' },
      { role: 'limit-machine', label: 'limit: machine' },
    ],
    panels,
  };
}

/** @param {ChartInput} input @returns {Chart} */
export function memory({ legs, results, intervals, xMax, memPages }) {
  let mostBytes = 0;
  const marks = thresholds(memPages);
  const panels = legs.map((leg, i) => {
    /** @type {Dataset[]} */
    const datasets = /** @type {const} */ (['client', 'server']).map((side) => ({
      role: side,
      label: side,
      points: intervals[i].map((interval) => [end(interval), interval.last[side]?.rssBytes ?? null]),
    }));
    for (const { points } of datasets)
      for (const [, y] of points) mostBytes = Math.max(mostBytes, /** @type {number} */ (y ?? 0));
    // The kernel counts in pages, of the whole machine.
    const points = intervals[i].map((interval) => {
      const pages = interval.last.kernel?.TcpMemPages;
      const held = pages === undefined || !memPages ? null : pages * memPages.pageBytes;
      return /** @type {Point} */ ([end(interval), held]);
    });
    const peak = points.reduce((largest, [, y]) => Math.max(largest, y ?? 0), 0) || undefined;
    if (peak !== undefined) {
      datasets.push({ role: 'pages', label: 'TCP, in the kernel', points });
      mostBytes = Math.max(mostBytes, peak);
    }
    const f = results[i];
    const note = `peak: client ${bytes(f.summary.client?.peakRssBytes)}, server ${f.summary.serverUse?.peakRssBytes === undefined ? 'not measured' : bytes(f.summary.serverUse?.peakRssBytes)}${peak === undefined ? '' : `, TCP ${bytes(peak)}`}`;
    return {
      leg: i,
      phases: true,
      note: { code: 'memory', data: {}, text: note },
      datasets,
      marks,
      alt: `${leg.label}: memory over time, ${note}.`,
    };
  });
  return {
    id: 'memory',
    kind: 'line',
    title: 'Memory over time',
    lead:
      'Resident memory of all processes of each side, and the kernel’s TCP memory on the whole machine. A line marks ' +
      'where TCP memory pressure begins (net.ipv4.tcp_mem), if it came near.',
    x: { type: 'time', unit: 's', min: 0, max: xMax },
    y: { type: 'linear', unit: 'bytes', min: 0, max: mostBytes * 1.1 || 1 },
    legend: [...SIDES, { role: 'pages', label: 'TCP, in the kernel' }],
    panels,
  };
}
