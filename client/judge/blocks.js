// The blocks of the steady state of a leg that takes turns with others. A block is a whole number of seconds in which
// every leg has the same number of slices. The blocks of all legs are compared pairwise by their place in time: what
// disturbed the machine in a block disturbed all legs.

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
 * @param {Slices} slices @param {number} width of a sample, in seconds
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
 * @param {Slices | undefined} slices of the leg @param {LegSummary} leg @param {Sample[]} samples
 * @param {Load} load @param {number} [width] of a sample of the steady state, in seconds
 * @returns {LegSlices | undefined} undefined if the leg takes no turns, or did not reach its steady state
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
    const blockSamples = inBlocks.get(block) ?? [];
    const ns = blockSamples.reduce((sum, { fromNs, toNs }) => sum + toNs - fromNs, 0);
    // a block that lacks a second has fewer slices of some legs
    if (Math.abs(ns - blockNs) > SLACK_NS * blockSamples.length) return undefined;
    return { ...leg, steady: spanFigures(samples, blockSamples, load, blockSamples), slices: turnsOf(blockSamples) };
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

/** Histograms of the whole leg. @type {Parameters<typeof addHistograms>[1][]} */
const WHOLE_LEG = ['connectTime', 'handshakeTime', 'resumptionTime', 'recoveryTime', 'rtt'];
/** Histograms of the samples whose response times count. @type {Parameters<typeof addHistograms>[1][]} */
const STEADY = ['responseTime', 'serviceTime', ...SPLITS];

/**
 * The histograms and counters that are added up over several starts of a server.
 * @param {Sample[]} samples of the leg @param {Sample[]} timed the samples whose response times count
 * @returns {Pick<LegSlices, 'histograms' | 'timestampsLeftOut'>}
 */
function histogramsOf(samples, timed) {
  const { tenths: _tenths, ...perConnection } = samples.at(-1)?.histograms.perConnection ?? {};
  const lines = [...STEADY, ...WHOLE_LEG].flatMap((name) => {
    const line = addHistograms(WHOLE_LEG.includes(name) ? samples : timed, name).toLine();
    return line === null ? [] : [[name, line]];
  });
  const leftOut = timed.flatMap(({ timestampsLeftOut: counts }) => (counts === undefined ? [] : [counts]));
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
 * @returns {Pick<LegSlices, 'unloaded'>} the CPU time of the server while others were loaded; empty if it was not read
 */
function unloadedOf(samples) {
  const readings = samples.flatMap(({ unloaded }) => unloaded ?? []);
  if (readings.length === 0) return {};
  const sum = (/** @type {'ns' | 'cpuSeconds'} */ key) => readings.reduce((total, reading) => total + reading[key], 0);
  return { unloaded: { ns: sum('ns'), cpuSeconds: sum('cpuSeconds') } };
}

/** @param {Figure} figure @param {Partial<Omit<LegSummary, 'slices'>> | undefined} block @returns {number | null} */
function valueOf(figure, block) {
  const value = block && figure.of?.(/** @type {Partial<LegSummary>} */ (block));
  return typeof value === 'number' ? value : null;
}
