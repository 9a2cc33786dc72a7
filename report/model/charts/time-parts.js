/**
 * The chart of the parts of the response time, as split by kernel timestamps, by percentile. Each curve has its own
 * order, so the parts at a percentile do not add up to its response time.
 */
import { Histogram } from '../../../client/measure/histogram.js';
import { count, duration } from '../../../client/words/format.js';
import { clientPartText } from '../../../client/words/timestamps.js';
import { largeClientParts } from '../../../client/measure/timestamps.js';
import { percentileCurve } from '../histogram.js';
import { capital, scopeText } from '../scope.js';
import { decadeBelow } from './response-time.js';
import { timedSamples } from '../../../client/measure/leg-figures.js';

/**
 * @import { Chart, Point } from '../../types.js'
 * @import { ChartInput } from './all.js'
 */

/** A curve needs at least this many transfers. */
const MIN_TRANSFERS = 30;
/** Shorter times are drawn as this, since a logarithmic axis has no zero. */
const MIN_NS = 100;

/** The curves, from the whole to its parts. */
const CURVES = Object.freeze(
  /** @type {const} */ ([
    { name: 'splitResponse', role: 'whole', label: 'response time' },
    { name: 'connectionWait', role: 'connectionWait', label: 'wait for a connection' },
    { name: 'networkAndServer', role: 'networkAndServer', label: 'network and server' },
    { name: 'receiveDelay', role: 'receiveDelay', label: 'receive delay' },
    { name: 'sendDelay', role: 'sendDelay', label: 'send delay' },
  ]),
);

/** @param {Histogram} times @returns {Point[]} */
const curveOf = (times) => percentileCurve(times).map(([x, y]) => [x, Math.max(MIN_NS, y)]);

/** @param {ChartInput} input @returns {Chart[]} none if too few transfers were split */
export function timeParts({ legs, results, places, loop }) {
  const parts = legs.map(({ samples }, i) => {
    const timed = timedSamples(results[i].summary, samples);
    return CURVES.map((curve) => ({
      ...curve,
      times: Histogram.ofLines(timed.map(({ histograms }) => histograms?.[curve.name])),
    })).filter(({ times }) => times.count > 0);
  });
  const drawn = parts.filter(([whole]) => whole?.times.count >= MIN_TRANSFERS).flat();
  if (drawn.length === 0) return [];
  const shortest = drawn.reduce((min, { times }) => Math.min(min, times.min), Infinity);
  const longest = drawn.reduce((max, { times }) => Math.max(max, times.max), 0);
  const panels = legs.map((leg, i) => {
    const [whole] = parts[i];
    const sampled = whole?.times.count ?? 0;
    const timestamps = results[i].figures?.timestamps;
    const part = clientPartText(timestamps);
    const isDrawn = sampled >= MIN_TRANSFERS;
    const texts = parts[i].map(({ label, times }) => {
      const [p50, p99] = times.percentiles([50, 99]);
      return `${label} p50 ${duration(p50)}, p99 ${duration(p99)}`;
    });
    return {
      leg: places[i],
      note:
        isDrawn && part ? { code: 'client-part', data: { ...timestamps?.clientPart }, text: capital(part) } : undefined,
      strong: largeClientParts(timestamps).length > 0,
      empty: isDrawn ? undefined : `${count(sampled)} transfers were split: too few`,
      alt: `${leg.label}: parts of the response time, of ${count(sampled)} transfers: ${texts.join('; ') || 'none'}.`,
      datasets: isDrawn
        ? parts[i].map(({ role, label, times }) => ({ role, label, points: curveOf(times), total: times.count }))
        : [],
    };
  });
  return [
    {
      id: 'time-parts',
      kind: 'line',
      title: `Where the response time went (${loop})`,
      lead:
        `${capital(scopeText(results))}, of the transfers that kernel timestamps split. Send and receive delay are the client’s own: ` +
        'until a request had left, and while its reply waited to be read. Each curve has its own order, so parts do not add up at a percentile.',
      x: { type: 'percentile', unit: 'percentile', min: 1, max: 10_000 },
      y: { type: 'log', unit: 'duration', min: decadeBelow(Math.max(MIN_NS, shortest)), max: longest * 1.3 },
      legend: CURVES.filter(({ role }) => drawn.some((part) => part.role === role)).map(({ role, label }) => ({
        role,
        label,
      })),
      panels,
    },
  ];
}
