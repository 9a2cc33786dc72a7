/**
 * Charts of the kernel's TCP over time: dropped SYNs, retransmissions, resets, memory, and the round-trip time. Its
 * counters are those of a whole network namespace, not only of this run.
 */
import { drainFrom, lineOf, middle, percentilesOf, perSeconds, Range } from '../downsample.js';
import { count, duration, percent } from '../../../client/words/format.js';
import { decadeBelow } from './response-time.js';

/**
 * @import { Chart, Leg, PageLeg, Panel, Remark, Sample } from '../../types.js'
 * @import { ChartInput } from './all.js'
 */

/** @typedef {(kernel: Record<string, number>) => number} Reading */

/** @param {...string} names @returns {Reading} the sum of these counters */
const sumOf =
  (...names) =>
  (kernel) =>
    names.reduce((sum, name) => sum + (kernel[name] ?? 0), 0);

/**
 * Kinds of events. They overlap, so they are drawn as lines, not stacked.
 * @type {Array<[cause: string, label: string, Reading]>}
 */
const EVENTS = [
  ['drops', 'SYNs dropped by a listener', sumOf('TcpExtListenDrops')],
  ['syn', 'SYNs sent again', sumOf('TcpExtTCPSynRetrans')],
  [
    'again',
    'other segments retransmitted',
    ({ TcpRetransSegs = 0, TcpExtTCPSynRetrans = 0 }) => Math.max(0, TcpRetransSegs - TcpExtTCPSynRetrans),
  ],
  ['rst', 'resets sent', sumOf('TcpOutRsts')],
  [
    'aborts',
    'connections aborted by the kernel',
    sumOf('TcpExtTCPAbortOnMemory', 'TcpExtTCPAbortOnTimeout', 'TcpExtTCPAbortOnLinger'),
  ],
  [
    'memory',
    'buffers pruned, segments dropped for memory',
    sumOf('TcpExtPruneCalled', 'TcpExtTCPRcvQDrop', 'TcpExtTCPOFODrop', 'TcpExtTCPBacklogDrop', 'TcpExtPFMemallocDrop'),
  ],
];

/** With more legs, the sentence that replaces the chart has no counts. */
const MAX_LISTED = 6;
/** If every leg has fewer events of every kind, a sentence replaces the chart. */
const MIN_EVENTS = 20;

/**
 * @param {{ label: string, i: number }[]} shown kinds of events that occurred
 * @param {number[][]} totals number of events, by leg and kind @param {Leg[]} legs
 * @returns {Remark | undefined} the sentence that replaces the chart; undefined if there is enough to draw
 */
function fewEventsRemark(shown, totals, legs) {
  if (shown.length === 0)
    return { code: 'no-kernel-events', data: {}, text: 'The kernel dropped, retransmitted and reset nothing.' };
  if (totals.some((counts) => counts.some((n) => n >= MIN_EVENTS))) return undefined;
  const texts = legs.flatMap((leg, at) => {
    const counts = shown.filter(({ i }) => totals[at][i] > 0).map(({ label, i }) => `${label} ${count(totals[at][i])}`);
    return counts.length === 0 ? [] : [`${leg.label}: ${counts.join(', ')}`];
  });
  const data = Object.fromEntries(legs.map((leg, at) => [leg.label, totals[at].reduce((sum, n) => sum + n, 0)]));
  return {
    code: 'few-kernel-events',
    data,
    text:
      texts.length > MAX_LISTED
        ? 'The kernel dropped, retransmitted and reset too few segments to draw, perhaps of other programs.'
        : `Too few kernel events to draw, perhaps of other programs: ${texts.join('; ')}.`,
  };
}

/** @param {Sample} sample @returns {Record<string, number>} sums over the client's and the server's namespace */
function countersOf({ kernel, serverKernel }) {
  const sum = { ...(kernel ?? {}) };
  for (const [name, value] of Object.entries(serverKernel ?? {})) sum[name] = (sum[name] ?? 0) + value;
  return sum;
}

/**
 * @param {unknown[]} readings a namespace's counters in each leg @param {PageLeg[]} results
 * @returns {boolean} whether they are equal because the legs ran at the same time
 */
export const areShared = (readings, results) =>
  readings.length > 1 &&
  results.every(({ summary }) => summary.slices) &&
  readings.every((reading) => JSON.stringify(reading) === JSON.stringify(readings[0]));

/** @param {ChartInput} input @returns {Chart} */
export function kernelEvents({ legs, results, bars, barStep, xMax }) {
  let highest = 0;
  const readings = bars.map((legBars) =>
    legBars.map((interval) => {
      const kernels = interval.samples.map(countersOf);
      return EVENTS.map(([, , read]) => kernels.reduce((sum, kernel) => sum + Math.max(0, read(kernel)), 0));
    }),
  );
  const totals = readings.map((values) => EVENTS.map((_, i) => values.reduce((sum, counts) => sum + counts[i], 0)));
  const shown = EVENTS.map(([cause, label], i) => ({ cause, label, i })).filter(({ i }) =>
    totals.some((counts) => counts[i] > 0),
  );
  const isShared = areShared(totals, results);
  /** @type {Panel[]} */
  const panels = (isShared ? legs.slice(0, 1) : legs).map((leg, at) => {
    const text = shown
      .filter(({ i }) => totals[at][i] > 0)
      .map(({ label, i }) => `${label} ${count(totals[at][i])}`)
      .join('\u00a0· ');
    return {
      leg: isShared ? null : at,
      phases: true,
      note: { code: 'kernel', data: {}, text: text || 'none' },
      empty: text ? undefined : 'none',
      alt: `${isShared ? 'All servers' : leg.label}: TCP events in the kernel over time. ${text || 'None'}.`,
      datasets: shown
        .filter(({ i }) => totals[at][i] > 0)
        .map(({ cause, label, i }) => ({
          role: 'event',
          cause,
          label,
          points: lineOf(bars[at], (interval, k) => {
            const events = readings[at][k][i];
            const value = Number((events / perSeconds(interval)).toPrecision(6));
            highest = Math.max(highest, value);
            return [middle(interval), value, events];
          }),
        })),
    };
  });
  return {
    id: 'kernel',
    kind: 'line',
    title: 'TCP in the kernel: drops, retransmissions, resets',
    lead:
      `Kernel counters per second${barStep === 1 ? '' : `, averaged over ${barStep} s`}, of this machine’s whole network ` +
      `namespace, not only of this run${isShared ? ', and the same for all servers, which ran side by side' : ''}.`,
    empty: fewEventsRemark(shown, totals, legs),
    x: { type: 'time', unit: 's', min: 0, max: xMax },
    y: { type: 'linear', unit: 'rate', min: 0, max: highest * 1.05 || 1 },
    legend: shown.map(({ cause, label }) => ({ role: 'event', cause, label })),
    panels,
  };
}

/** @param {PageLeg} f @returns {string} */
function retransmissionsText({ summary: { tcp } }) {
  return tcp?.retransmitted ? `, retransmissions in ${percent(tcp.retransmitted / tcp.sampled)} of the readings` : '';
}

/** @param {ChartInput} input @returns {Chart} */
export function roundTrips({ legs, results, intervals, xMax }) {
  const range = new Range();
  const panels = legs.map((leg, i) => {
    const drain = drainFrom(intervals[i], results[i]);
    const times = intervals[i].map((interval) => percentilesOf(interval, 'rtt'));
    const datasets = /** @type {const} */ (['p99', 'p50']).map((name) => ({
      ...{ role: name, label: name },
      points: lineOf(intervals[i], (interval, at) => {
        range.add(times[at]?.[name], middle(interval) > drain);
        return [middle(interval), times[at]?.[name] ?? null, times[at]?.count];
      }),
    }));
    const { rttNs } = results[i].summary;
    const text = `least ${duration(rttNs?.min)}, p50 ${duration(rttNs?.p50)}, p99 ${duration(rttNs?.p99)}${retransmissionsText(results[i])}`;
    return {
      leg: i,
      phases: true,
      note: { code: 'rtt', data: {}, text },
      empty: times.every((percentiles) => percentiles === null) ? 'not sampled' : undefined,
      alt: `${leg.label}: TCP round-trip time over time, ${text}.`,
      datasets,
    };
  });
  const [min, max] = range.ends();
  return {
    id: 'rtt',
    kind: 'line',
    title: 'TCP round-trip time',
    lead:
      'Median, with a band up to p99: the kernel’s smoothed estimate (TCP_INFO) of up to 64 open connections per ' +
      'worker and second. An acknowledgement usually travels with the reply (delayed ACK), so a slow reply counts, up ' +
      'to the 40 ms or more after which the kernel acknowledges without one.',
    legend: [
      { role: 'p50', label: 'p50' },
      { role: 'p99', label: 'to p99' },
    ],
    empty: panels.every(({ empty }) => empty)
      ? { code: 'not-sampled', data: {}, text: 'TCP round-trip times were not sampled.' }
      : undefined,
    x: { type: 'time', unit: 's', min: 0, max: xMax },
    y: {
      type: 'log',
      unit: 'duration',
      min: Number.isFinite(min) ? decadeBelow(Math.max(1e3, min)) : 1e3,
      max: max * 1.5 || 1e9,
    },
    panels,
  };
}
