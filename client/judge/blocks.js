// What a leg that takes turns with others did in each block of its steady state: a whole number of seconds with as many
// slices of each leg. Blocks of the same place belong together: what disturbed the machine concerns all legs of it.
// Pure.

import { timedSamples } from '../measure/leg-figures.js';
import { spanFigures } from '../measure/span-figures.js';
import { ownLengths, sliceNs, steadyPeriodNs, steadyStage, whileMeasured } from '../measure/slices.js';
import { addHistograms } from '../measure/sums.js';
import { SPLITS } from '../measure/timestamps.js';
import { figures } from './figures.js';

/**
 * @import { LegSlices, LegSummary, Sample, Slices } from '../../config/types.js'
 * @import { Load } from '../measure/ramp.js'
 * @import { Figure } from './figures.js'
 */

/** A sample may be a little shorter than its second. */
const SLACK_NS = 1e6;

/**
 * @param {Slices} slices @param {number} width seconds of a sample
 * @returns {number} ns: the shortest whole number of samples with whole periods
 */
function blockNsOf(slices, width) {
  const seconds = Math.max(1, Math.round(steadyPeriodNs(slices) / 1e9));
  let block = seconds;
  while (block % width !== 0) block += seconds;
  return block * 1e9;
}

/** @param {Sample[]} samples @returns {Pick<LegSlices, 'turnNs' | 'measuredNs' | 'transfers' | 'late' | 'closed'>} */
function turnsOf(samples) {
  const { transfers, ns: measuredNs } = whileMeasured(samples);
  const sum = (/** @type {'turnNs' | 'late' | 'closed'} */ key) =>
    samples.reduce((total, { slices }) => total + (slices?.[key] ?? 0), 0);
  return { turnNs: sum('turnNs'), measuredNs, transfers, late: sum('late'), closed: sum('closed') };
}

/**
 * @param {Slices | undefined} slices of the leg @param {LegSummary} leg measured @param {Sample[]} samples
 * @param {Load} load @param {number} [width] seconds of a sample of the steady state
 * @returns {LegSlices | undefined} undefined where it takes no turns, or did not reach its steady state
 */
export function slicesOf(slices, leg, samples, load, width = 1) {
  const steady = samples.filter(({ phase }) => phase === 'steady');
  if (slices === undefined || steady.length === 0 || leg.steady === undefined) return undefined;
  const blockNs = blockNsOf(slices, width);
  const { fromNs } = steadyStage(slices);
  const blockOf = (/** @type {Sample} */ { toNs }) => Math.ceil((toNs - fromNs - SLACK_NS) / blockNs) - 1;
  /** @type {Map<number, Sample[]>} */
  const inBlocks = new Map();
  for (const sample of steady) inBlocks.set(blockOf(sample), [...(inBlocks.get(blockOf(sample)) ?? []), sample]);
  const count = Math.floor((steady[steady.length - 1].toNs - fromNs + SLACK_NS) / blockNs);
  const blocks = Array.from({ length: Math.max(0, count) }, (_, block) => {
    const own = inBlocks.get(block) ?? [];
    const ns = own.reduce((sum, { fromNs, toNs }) => sum + toNs - fromNs, 0);
    // where a second is missing, the legs of the group do not have as many slices in it
    if (Math.abs(ns - blockNs) > SLACK_NS * own.length) return undefined;
    return { ...leg, steady: spanFigures(samples, own, load, own), slices: turnsOf(own) };
  });
  const { group, of } = slices;
  const { settleInNs, settleOutNs } = ownLengths(slices);
  return {
    ...{
      group,
      of,
      lengthNs: sliceNs(ownLengths(slices)),
      settleInNs,
      settleOutNs,
      ...turnsOf(steady),
      ...unloadedOf(steady),
      blockNs,
    },
    ...(leg.start === undefined ? {} : histogramsOf(samples, timedSamples(leg, samples))),
    blocks: Object.fromEntries(
      figures.flatMap((figure) =>
        figure.compared?.ofBlocks ? [[figure.compared.key, blocks.map((block) => valueOf(figure, block))]] : [],
      ),
    ),
  };
}

/**
 * Of the whole leg; all others are of the samples that response times are of.
 * @type {readonly (keyof Sample['histograms'])[]}
 */
/** @type {Parameters<typeof addHistograms>[1][]} */
const WHOLE_LEG = ['connectTime', 'handshakeTime', 'resumptionTime', 'recoveryTime', 'rtt'];
/** @type {readonly (keyof Sample['histograms'])[]} */
/** @type {Parameters<typeof addHistograms>[1][]} */
const STEADY = ['responseTime', 'serviceTime', ...SPLITS];

/**
 * What several starts of a server are added up from.
 * @param {Sample[]} samples of the leg @param {Sample[]} timed those that its response times are of
 * @returns {Pick<LegSlices, 'histograms' | 'timestampsLeftOut'>}
 */
function histogramsOf(samples, timed) {
  const { tenths: _tenths, ...perConnection } = samples.at(-1)?.histograms.perConnection ?? {};
  const lines = [...STEADY, ...WHOLE_LEG].flatMap((name) => {
    const line = addHistograms(WHOLE_LEG.includes(name) ? samples : timed, name).toLine();
    return line === null ? [] : [[name, line]];
  });
  const leftOut = timed.flatMap(({ timestampsLeftOut: own }) => (own === undefined ? [] : [own]));
  /** @type {Record<string, number>} */
  const timestampsLeftOut = {};
  for (const counts of leftOut)
    for (const [cause, n] of Object.entries(counts)) timestampsLeftOut[cause] = (timestampsLeftOut[cause] ?? 0) + n;
  return {
    histograms: { ...Object.fromEntries(lines), ...('hdr' in perConnection ? { perConnection } : {}) },
    ...(leftOut.length > 0 ? { timestampsLeftOut } : {}),
  };
}

/**
 * @param {Sample[]} samples
 * @returns {Pick<LegSlices, 'unloaded'>} what the server used while others were loaded, as far as it was read
 */
function unloadedOf(samples) {
  const read = samples.flatMap(({ unloaded }) => unloaded ?? []);
  if (read.length === 0) return {};
  const sum = (/** @type {'ns' | 'cpuSeconds'} */ key) => read.reduce((total, one) => total + one[key], 0);
  return { unloaded: { ns: sum('ns'), cpuSeconds: sum('cpuSeconds') } };
}

/** @param {Figure} figure @param {Partial<Omit<LegSummary, 'slices'>> | undefined} block @returns {number | null} */
function valueOf(figure, block) {
  const value = block && figure.of?.(/** @type {Partial<LegSummary>} */ (block));
  return typeof value === 'number' ? value : null;
}
