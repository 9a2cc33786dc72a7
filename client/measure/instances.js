// The instances of a server as parts of a leg. Worker w belongs to instance w mod instances, and so does slot i to
// instance i mod instances, because there are as many workers for each.

import { coveredSamples, partFigures, partSample, sumOf } from './part-figures.js';
import { present } from './sums.js';

/**
 * @import { Sample } from '../../config/types.js'
 * @import { PartKind } from './parts.js'
 */

/** @typedef {NonNullable<Sample['instances']>[number]} InstanceSample */

/** @param {number} worker @param {number} instances */
export const instanceOf = (worker, instances) => worker % instances;

/** No parts if the server has one instance, whose figures are those of the leg. */
export const ofInstances = /** @satisfies {PartKind} */ ({
  kind: /** @type {const} */ ('instances'),
  words: 'the instances of the server',
  divided: ({ instances = 1 }) =>
    instances === 1 ? null : { count: instances, partOf: (share) => instanceOf(share, instances) },
  /** @returns {InstanceSample} */
  sampleOf: (part, index, { instanceCpu }) => ({
    ...partSample(part),
    ...present('serverCpuSeconds', instanceCpu?.[index] ?? undefined),
  }),
  summariesOf(leg, samples, settled, { targets }, load) {
    const { instances = 1, workers = instances, serverCpus, workerCpus } = leg;
    if (instances === 1 || samples.some((sample) => sample.instances === undefined)) return undefined;
    const { span, drain } = coveredSamples(samples, load);
    return Array.from({ length: instances }, (_, index) => {
      const partOf = (/** @type {Sample} */ sample) => /** @type {InstanceSample[]} */ (sample.instances)[index];
      const ofInstance = Array.from({ length: workers }, (_, worker) => worker).filter(
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
        workers: ofInstance,
        ...(workerCpus && { workerCpus: ofInstance.map((worker) => workerCpus[worker]) }),
        ...counts,
        figures: {
          ...figures,
          ...(isUsedKnown && { serverCpuSeconds: sumOf(used, (seconds) => seconds) }),
        },
      };
    });
  },
});
