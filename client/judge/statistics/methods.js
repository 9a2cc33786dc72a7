// How intervals are made, in words: for the page, next to the figures that have them. Pure.

import { MIN_ROUNDS_BY_ORDER } from './index.js';
import { ABOUT_TOO_WIDE } from '../../words/intervals.js';

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
            text: `Over rounds: the median of the rounds and its 95 % interval, by Student's t on the logarithms below ${MIN_ROUNDS_BY_ORDER} rounds and by order statistics from there on. Ratios are paired by round, which removes what slows the whole machine down for a while. One comparison in twenty finds a difference where there is none. Where an interval contains 1 but every round points the same way, that is said and is no claim: of two equal servers one does better in each of three rounds in one comparison of four. An interval whose upper bound is more than ten times the lower is replaced by “rounds differ too much”; ${ABOUT_TOO_WIDE}.`,
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
