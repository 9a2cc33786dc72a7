// What a leg that takes turns with others did in each block of its steady state: a whole number of seconds with as many slices
// of each leg. Blocks of the same place belong together: what disturbed the machine concerns all legs of it. Pure.

import { spanFigures } from '../measure/span-figures.js';
import { turnTime, whileLoaded } from '../measure/slices.js';
import { figures } from './figures.js';

/**
 * @typedef {import('../measure/sample.js').Sample} Sample
 * @typedef {import('../../config/types.js').LegSummary} LegSummary
 * @typedef {import('../../config/types.js').LegSlices} LegSlices
 * @typedef {import('../../config/types.js').Slices} Slices
 */

/** A sample may be a little shorter than its second. */
const SLACK_NS = 1e6;

/** @param {Slices} slices @returns {number} ns: the shortest whole number of seconds with whole periods */
const blockNsOf = ({ of, lengthNs }) => Math.max(1, Math.round((of * lengthNs) / 1e9)) * 1e9;

/** @param {Slices} slices @param {Sample[]} samples @returns {Pick<LegSlices, 'turnNs' | 'loadedNs' | 'transfers' | 'late'>} */
function turnsOf(slices, samples) {
  const { transfers, ns: loadedNs } = whileLoaded(samples);
  const late = samples.reduce((sum, sample) => sum + (sample.slices?.late ?? 0), 0);
  return { turnNs: Math.round(turnTime(slices, loadedNs)), loadedNs, transfers, late };
}

/**
 * @param {Slices | undefined} slices of the leg @param {LegSummary} leg measured @param {Sample[]} samples
 * @param {import('../measure/ramp.js').Load} load
 * @returns {LegSlices | undefined} undefined where it takes no turns, or did not reach its steady state
 */
export function slicesOf(slices, leg, samples, load) {
  const steady = samples.filter(({ phase }) => phase === 'steady');
  if (slices === undefined || steady.length === 0 || leg.steady === undefined) return undefined;
  const blockNs = blockNsOf(slices);
  const [first] = steady;
  const from = Math.ceil((first.fromNs - SLACK_NS) / blockNs);
  const to = Math.floor((Math.max(...steady.map(({ toNs }) => toNs)) + SLACK_NS) / blockNs);
  const blocks = Array.from({ length: Math.max(0, to - from) }, (_, i) => {
    const own = steady.filter(({ toNs }) => Math.ceil((toNs - SLACK_NS) / blockNs) - 1 === from + i);
    const ns = own.reduce((sum, { fromNs, toNs }) => sum + toNs - fromNs, 0);
    // where a second is missing, the legs of the group do not have as many slices in it
    if (Math.abs(ns - blockNs) > SLACK_NS * own.length) return undefined;
    return { ...leg, steady: spanFigures(samples, own, load, own), slices: turnsOf(slices, own) };
  });
  const { group, of, lengthNs, settleNs } = slices;
  return {
    ...{ group, of, lengthNs, settleNs, ...turnsOf(slices, steady), blockNs },
    blocks: Object.fromEntries(
      figures.flatMap((figure) =>
        figure.compared?.ofBlocks ? [[figure.compared.key, blocks.map((block) => valueOf(figure, block))]] : [],
      ),
    ),
  };
}

/** @param {import('./figures.js').Figure} figure @param {any} block @returns {number | null} */
function valueOf(figure, block) {
  const value = block && figure.of?.(block);
  return typeof value === 'number' ? value : null;
}
