// The figures of each instance of a server. Pure. Worker w belongs to instance w mod instances, and so does slot i to
// instance i mod instances, because there are as many workers for each.

import { errorCauses, rejectCauses } from './fields.js';
import { Histogram, timesOf } from './histogram.js';
import { whileMeasured } from './slices.js';
import { present } from './sums.js';

/**
 * @import { Sample } from '../../config/types.js'
 * @import { HistogramLine } from './histogram.js'
 */

/**
 * What the workers of one instance reported in one span.
 * @typedef {{ counters: Record<string, number>, gauges: Record<string, number>, responseTime: Histogram }}
 *   MergedInstance
 *
 * @typedef {object} InstanceSample
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
 * @property {number} [serverCpuSeconds]
 */

const BYTES = Object.freeze(/** @type {const} */ (['bytesSent', 'bytesReceived']));

/** @param {number} worker @param {number} instances */
export const instanceOf = (worker, instances) => worker % instances;

/**
 * @param {number} instances
 * @returns {MergedInstance[]} none where there is only one, whose figures are those of the leg
 */
export function noInstances(instances) {
  return instances === 1 ? [] : emptyParts(instances);
}

/** @param {number} count @returns {MergedInstance[]} */
export const emptyParts = (count) =>
  Array.from({ length: count }, () => ({ counters: {}, gauges: {}, responseTime: new Histogram() }));

/** @param {MergedInstance} part @returns {InstanceSample} */
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

/**
 * @param {MergedInstance[]} instances
 * @param {(number | null)[] | undefined} cpuSeconds  of the server's instances, where they are known
 * @returns {{ instances?: InstanceSample[] }}
 */
export function instanceSamples(instances, cpuSeconds) {
  if (instances.length === 0) return {};
  return {
    instances: instances.map((part, index) => ({
      ...partSample(part),
      ...present('serverCpuSeconds', cpuSeconds?.[index] ?? undefined),
    })),
  };
}

/** @template T @param {readonly T[]} list @param {(one: T) => number} value */
const sumOf = (list, value) => list.reduce((sum, one) => sum + value(one), 0);

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
 * @param {{ instances?: number, workers?: number, serverCpus?: string[], workerCpus?: string[] }} leg as planned
 * @param {Sample[]} samples
 * @param {Sample} settled  the last one before the drain
 * @param {string[]} targets
 * @param {{ workload?: string }} load
 */
export function instanceSummaries(leg, samples, settled, targets, load) {
  const { instances = 1, workers = instances, serverCpus, workerCpus } = leg;
  if (instances === 1 || samples.some((sample) => sample.instances === undefined)) return undefined;
  const { span, drain } = coveredSamples(samples, load);
  return Array.from({ length: instances }, (_, index) => {
    const partOf = (/** @type {Sample} */ sample) => /** @type {InstanceSample[]} */ (sample.instances)[index];
    const own = Array.from({ length: workers }, (_, worker) => worker).filter(
      (worker) => instanceOf(worker, instances) === index,
    );
    const port = /:(\d+)$/.exec(targets[index] ?? '')?.[1];
    const covered = span.map(partOf);
    const { figures, ...counts } = partFigures({ samples, settled, span, drain }, partOf);
    const last = span.findLast(({ fromNs, toNs }) => toNs > fromNs);
    const isUsedKnown = last !== undefined && partOf(last).serverCpuSeconds !== undefined;
    const used = covered.flatMap(({ serverCpuSeconds }) => serverCpuSeconds ?? []);
    return {
      index,
      ...(targets[index] === undefined ? {} : { target: targets[index] }),
      ...(port === undefined ? {} : { port: Number(port) }),
      ...(serverCpus && { cpus: serverCpus[index] }),
      workers: own,
      ...(workerCpus && { workerCpus: own.map((worker) => workerCpus[worker]) }),
      ...counts,
      figures: {
        ...figures,
        ...(isUsedKnown && { serverCpuSeconds: sumOf(used, (seconds) => seconds) }),
      },
    };
  });
}

/**
 * The counts and figures of one part of a leg: of an instance of its server, or of an agent.
 * @param {{ samples: Sample[], settled: Sample, span: Sample[], drain: Sample[] }} leg  all samples, the last one
 *   before the drain, and coveredSamples()
 * @param {(sample: Sample) => InstanceSample} partOf
 */
export function partFigures({ samples, settled, span, drain }, partOf) {
  const [all, covered, after] = [samples, span, drain].map((some) => some.map(partOf));
  /** @param {InstanceSample[]} some @param {keyof InstanceSample} name */
  const sum = (some, name) => sumOf(some, (part) => Number(part[name]));
  const ended = (/** @type {'failed' | 'unfinished'} */ name) => sum(covered, name) + sum(after, name);
  const times = timesOf(Histogram.ofLines([...covered, ...after].map(({ responseTime }) => responseTime)));
  const bytes = all.every((part) => part.bytesSent !== undefined)
    ? Object.fromEntries(BYTES.map((name) => [name, sum(all, name)]))
    : {};
  const { transfers, ns } = whileMeasured(span);
  const inRate =
    transfers /
    Math.max(
      1,
      sumOf(span, ({ counters }) => counters.transfers),
    );
  return {
    opened: sum(all, 'opened'),
    lost: sum(all, 'lost'),
    rejects: sum(all, 'rejects'),
    errors: sum(all, 'errors'),
    openAtEnd: partOf(settled).open,
    unansweredAtEnd: partOf(settled).unanswered,
    transfers: {
      count: sum(all, 'transfers'),
      failed: sum(all, 'failed'),
      unfinished: sum(all, 'unfinished'),
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
