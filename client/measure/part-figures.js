// The figures of one of the parts that a leg is divided into (parts.js).

import { errorCauses, rejectCauses } from './fields.js';
import { Histogram, timesOf } from './histogram.js';
import { whileMeasured } from './slices.js';

/**
 * @import { Sample } from '../../config/types.js'
 * @import { HistogramLine } from './histogram.js'
 * @import { Reported } from './sample-merge.js'
 */

/**
 * The reports of the workers of one part in one span.
 * @typedef {{ counters: Record<string, number>, gauges: Record<string, number>, responseTime: Histogram, usages:
 *   Reported[], workers?: number }} MergedPart  workers: of the leg
 *
 * @typedef {object} PartSample
 * @property {number} opened
 * @property {number} lost
 * @property {number} transfers
 * @property {number} failed
 * @property {number} unfinished
 * @property {number} [bytesSent]  absent in runs made before they were recorded
 * @property {number} [bytesReceived]  absent in runs made before they were recorded
 * @property {number} rejects  of all causes
 * @property {number} errors  of all causes
 * @property {number} open
 * @property {number} unanswered
 * @property {HistogramLine | null} responseTime
 */

const BYTES = Object.freeze(/** @type {const} */ (['bytesSent', 'bytesReceived']));

/** @param {number} count @param {number} [workers] @returns {MergedPart[]} */
export const emptyParts = (count, workers) =>
  Array.from({ length: count }, () => ({
    ...{ counters: {}, gauges: {}, responseTime: new Histogram(), usages: [] },
    ...(workers === undefined ? {} : { workers }),
  }));

/** @param {MergedPart} part @returns {PartSample} */
export function partSample({ counters, gauges, responseTime }) {
  const of = (/** @type {string} */ name) => counters[name] ?? 0;
  return {
    opened: of('opened'),
    lost: of('lost'),
    transfers: of('transfers'),
    failed: of('failed'),
    unfinished: of('unfinished'),
    bytesSent: of('bytesSent'),
    bytesReceived: of('bytesReceived'),
    rejects: sumOf(rejectCauses, (cause) => of(`rejects.${cause}`)),
    errors: sumOf(errorCauses, (cause) => of(`errors.${cause}`)),
    open: gauges.open ?? 0,
    unanswered: gauges.unanswered ?? 0,
    responseTime: responseTime.toLine(),
  };
}

/** @template T @param {readonly T[]} list @param {(item: T) => number} value */
export const sumOf = (list, value) => list.reduce((sum, item) => sum + value(item), 0);

/**
 * The samples that the figures of a leg cover, as in figuresOf of leg-figures.js: the whole leg in workload once, else
 * its steady state, else the phase in which it ended.
 * @param {Sample[]} samples @param {{ workload?: string }} load
 * @returns {{ span: Sample[], drain: Sample[] }} drain: what ended what was in flight at the span's end
 */
export function coveredSamples(samples, { workload }) {
  if (workload === 'once') return { span: samples, drain: [] };
  const of = (/** @type {string} */ phase) => samples.filter((sample) => sample.phase === phase);
  if (of('steady').length > 0) return { span: of('steady'), drain: of('drain') };
  return { span: of('warmup').length > 0 ? of('warmup') : of('ramp'), drain: [] };
}

/**
 * The counts and figures of one part of a leg.
 * @param {{ samples: Sample[], settled: Sample, span: Sample[], drain: Sample[] }} leg  all samples, the last sample
 *   before the drain, and coveredSamples()
 * @param {(sample: Sample) => PartSample} partOf
 */
export function partFigures({ samples, settled, span, drain }, partOf) {
  const [whole, covered, after] = [samples, span, drain].map((list) => list.map(partOf));
  /** @param {PartSample[]} list @param {keyof PartSample} name */
  const sum = (list, name) => sumOf(list, (part) => Number(part[name]));
  const ended = (/** @type {'failed' | 'unfinished'} */ name) => sum(covered, name) + sum(after, name);
  const times = timesOf(Histogram.ofLines([...covered, ...after].map(({ responseTime }) => responseTime)));
  const bytes = whole.every((part) => part.bytesSent !== undefined)
    ? Object.fromEntries(BYTES.map((name) => [name, sum(whole, name)]))
    : {};
  const { transfers, ns } = whileMeasured(span);
  const inRate =
    transfers /
    Math.max(
      1,
      sumOf(span, ({ counters }) => counters.transfers),
    );
  return {
    opened: sum(whole, 'opened'),
    lost: sum(whole, 'lost'),
    rejects: sum(whole, 'rejects'),
    errors: sum(whole, 'errors'),
    openAtEnd: partOf(settled).open,
    unansweredAtEnd: partOf(settled).unanswered,
    transfers: {
      count: sum(whole, 'transfers'),
      failed: sum(whole, 'failed'),
      unfinished: sum(whole, 'unfinished'),
      ...bytes,
    },
    figures: {
      transfers: sum(covered, 'transfers'),
      failed: ended('failed'),
      unfinished: ended('unfinished'),
      perSecond: ns > 0 ? (sum(covered, 'transfers') * inRate * 1e9) / ns : 0,
      ...(times && { responseTimeNs: times }),
    },
  };
}
