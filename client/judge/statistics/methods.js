// How intervals are made, in words: for the page, next to the figures that have them. Pure.

import { MIN_ROUNDS_BY_ORDER } from './index.js';

/**
 * @param {Pick<import('../../../config/types.js').RunSummary, 'legs' | 'cases'>} summary of a run
 * @returns {{ code: string, text: string }[]} of those intervals that it has; empty without any
 */
export function methodTexts({ legs, cases = [] }) {
  const overRounds = cases.some(({ figures }) => Object.values(figures).some(({ low }) => low !== undefined));
  const overTime = legs.some(({ steady }) => steady?.responseTimeNs?.intervals);
  return [
    ...(overRounds
      ? [
          {
            code: 'over-rounds',
            text: `Over rounds, or the blocks of slices of servers side by side: their median and its 95 % interval, by Student's t on the logarithms below ${MIN_ROUNDS_BY_ORDER} of them and by order statistics from there on. Of servers that were started several times, and of several rounds of blocks, there are two intervals, by the scatter of the blocks and by that of the starts and rounds, and the wider one counts. Ratios are paired, which removes what slows the whole machine down for a while. Two are as good as each other where the interval of the ratio lies within the margin, one is worse where it excludes 1, also when all comparisons of the run are judged together (Holm), and otherwise it is not known. An interval whose upper bound is more than ten times the lower is replaced by “varies too much”; repeat the run on an idle machine, or for longer.`,
          },
        ]
      : []),
    ...(overTime
      ? [
          {
            code: 'over-time',
            text: 'Within a leg: percentiles of the whole steady state, and 95 % intervals from the spread between batches of three seconds or more, widened where neighbouring batches resemble each other. They say how well this leg determined its percentiles, not how much another run would differ.',
          },
        ]
      : []),
  ];
}
