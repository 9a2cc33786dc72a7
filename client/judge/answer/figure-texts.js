// Figures of a case as an answer says them. Pure.

import { figuresOf, heldAtEnd, isBeyondAll, requestedAtEnd, unansweredAtEnd } from '../../measure/leg-figures.js';
import { timeIntervalText } from '../../words/figures.js';
import { count, counted, duration, rate } from '../../words/format.js';
import { boundsText } from '../../words/intervals.js';
import { comparedFigures } from '../statistics/comparison.js';

/** @typedef {import('../cases.js').Case} Case */
/** @typedef {import('../comparisons.js').FigureName} FigureName */
/** @typedef {import('../../../config/types.js').LegSummary} Leg */

/**
 * @param {Case} one @param {FigureName} figure
 * @returns {string | undefined} such as "73,200/s (71,000/s to 75,000/s)"
 */
export function figureText(one, figure) {
  const found = one.figures[figure];
  if (found === undefined) return undefined;
  const { text } = comparedFigures[figure];
  const { median, low, high } = found;
  return low === undefined || high === undefined ? text(median) : `${text(median)} (${boundsText([low, high], text)})`;
}

/** @param {Leg} leg @returns {string} of a response time; with its interval over time, where the case has one round only */
function withInterval(leg) {
  const text = timeIntervalText(figuresOf(leg), 'p99', 99);
  return text === undefined ? '' : ` (${text})`;
}

/** @param {import('../../measure/leg-figures.js').MeasuredLeg} leg @returns {string} what became of its connections, such as "served all 500 connections" */
function connectionsText(leg) {
  const { connections, account } = leg;
  if (leg.churns) return `opened ${counted(connections.opened, 'connection')} in all`;
  if (leg.wholeLeg) return `answered ${count(leg.transfers.count)} of ${counted(connections.requested, 'connection')}`;
  const asked = requestedAtEnd(leg);
  if (connections.requestedAtEnd !== undefined)
    return `held up to ${count(connections.peakOpen)} of ${counted(connections.requested, 'connection')}`;
  const done = leg.heldOnly ? heldAtEnd(leg) : account ? account.served : undefined;
  const verb = leg.heldOnly ? 'held' : 'served';
  const number = done ?? Math.max(0, heldAtEnd(leg) - unansweredAtEnd(leg));
  return number === asked
    ? `${verb} all ${counted(asked, 'connection')}`
    : `${verb} ${count(number)} of ${counted(asked, 'connection')}`;
}

/**
 * @param {Case} one @param {Leg} leg one of its rounds that ran @param {Leg[]} legs all of them
 * @returns {string} such as "73,200 transfers/s, p99 12.3 ms (12 ms to 12.6 ms)"; empty where nothing was transferred
 */
export function figuresText(one, leg, legs) {
  const speed = leg.heldOnly ? undefined : figureText(one, 'perSecond');
  const p99 = figureText(one, 'p99Ns') ?? beyondText(legs, 99);
  const connects = leg.heldOnly || leg.churns ? leg.connectTimeNs : undefined;
  return [
    ...(speed === undefined ? [] : [speed.replace('/s', ' transfers/s')]),
    ...(p99 === undefined ? [] : [`p99 ${p99}${one.legs.length > 1 ? '' : withInterval(leg)}`]),
    ...(connects ? [`connect p99 ${duration(connects.p99)}`] : []),
  ].join(', ');
}

/**
 * @param {Leg[]} legs of a case @param {number} percent 0..100
 * @returns {string | undefined} of a percentile that is not known, because transfers failed: more than the longest
 */
export function beyondText(legs, percent) {
  const longest = legs
    .filter((leg) => isBeyondAll(leg, percent))
    .flatMap((leg) => figuresOf(leg)?.responseTimeNs?.max ?? []);
  return longest.length === 0 ? undefined : `> ${duration(Math.max(...longest))}`;
}

/**
 * @param {Case} one @param {import('../../measure/leg-figures.js').MeasuredLeg} leg one of its rounds that ran @param {Leg[]} legs all of them
 * @returns {string} such as "epoll served all 500 connections: 73,200 transfers/s, p99 12.3 ms"
 */
export function caseText(one, leg, legs) {
  const figures = figuresText(one, leg, legs);
  return `${one.label} ${connectionsText(leg)}${figures === '' ? '' : `: ${figures}`}`;
}

/**
 * @param {Case} one @param {FigureName} figure @param {Leg[]} legs its rounds that ran
 * @returns {string | undefined} without an interval, of cases that are not ranked
 */
export function shortFigure(one, figure, legs) {
  const median = one.figures[figure]?.median;
  const { name, kind } = comparedFigures[figure];
  if (median === undefined) {
    const beyond = figure === 'p99Ns' ? beyondText(legs, 99) : undefined;
    return beyond && `${name} ${beyond}`;
  }
  if (figure === 'perSecond') return rate(median);
  return kind === 'time' ? `${name} ${duration(median)}` : counted(median, 'connection');
}
