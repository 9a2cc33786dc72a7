// How intervals are made, in words: for the page, next to the figures that have them. Pure.

import { MARGIN } from '../comparisons.js';
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
            text: `Over rounds: the median of the rounds and its 95 % interval, by Student's t on the logarithms below ${MIN_ROUNDS_BY_ORDER} rounds and by order statistics from there on. Ratios are paired by round, which removes what slows the whole machine down for a while. Two are as good as each other where the interval of the ratio lies within ±${100 * MARGIN} %, one is worse where it excludes 1 (which one comparison in twenty does where there is no difference), and otherwise it is not known; of more than two servers, one test of all of them (the F test on logarithms, with the rounds as blocks) must find a difference, too. An interval whose upper bound is more than ten times the lower is replaced by “varies too much”; repeat the run on an idle machine, or with more rounds.`,
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
