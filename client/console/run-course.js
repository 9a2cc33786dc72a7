// The progress of a run: its phase, its time, and a bar.

import { clock, duration } from '../words/format.js';

/**
 * @import { Leg } from '../plan/plan.js'
 * @import { Style } from './terminal-text.js'
 */

/**
 * @typedef {object} LegCourse  progress of a leg
 * @property {{ rampToNs: number, steadyFromNs: number, steadyToNs: number }} phases
 * @property {number} atNs  since its start; negative before the start
 * @property {number | null} drainEndsNs  latest end of its drain; null before the drain
 *
 * @typedef {object} RunCourse
 * @property {'start' | 'ramp' | 'warmup' | 'steady' | 'drain'} phase
 * @property {number} [leftNs]  longest time left in a drain, which ends as soon as no transfer is in flight
 * @property {number} doneNs  of the run, without starts and drains
 * @property {number} ofNs  likewise, of all planned legs
 */

/** @param {Leg[]} legs the first leg of each group @returns {number} their time in ns, without drains */
const lengthOf = (legs) => legs.reduce((sum, { steadyToNs }) => sum + steadyToNs, 0);

/**
 * @param {Leg[]} legs of the run @param {Leg} leg the current leg, or one of the legs side by side
 * @param {LegCourse} course of the leg
 * @returns {RunCourse}
 */
export function runCourse(legs, leg, { phases: { rampToNs, steadyFromNs, steadyToNs }, atNs, drainEndsNs }) {
  const group = leg.slices?.group;
  const firsts = legs.filter(({ slices }) => (slices?.index ?? 0) === 0);
  const at = firsts.findIndex((first) => (group === undefined ? first === leg : first.slices?.group === group));
  const doneNs = lengthOf(firsts.slice(0, at)) + Math.min(steadyToNs, Math.max(0, atNs));
  const ofNs = lengthOf(firsts.slice(0, at)) + steadyToNs + lengthOf(firsts.slice(at + 1));
  if (drainEndsNs !== null) return { phase: 'drain', leftNs: Math.max(1e9, drainEndsNs - atNs), doneNs, ofNs };
  const phase = atNs < 0 ? 'start' : atNs < rampToNs ? 'ramp' : atNs < steadyFromNs ? 'warmup' : 'steady';
  return { phase, doneNs, ofNs };
}

/** @type {Readonly<Record<RunCourse['phase'], string>>} */
const PHASES = { start: 'starting the load', ramp: 'ramp', warmup: 'warm-up', steady: 'measuring', drain: 'draining' };

/** @param {RunCourse} course @returns {string} the phase in words */
export const phaseText = ({ phase, leftNs }) =>
  leftNs === undefined ? PHASES[phase] : `${PHASES[phase]}, at most ${duration(Math.ceil(leftNs / 1e9) * 1e9)}`;

/** Lengths of the bar: a shorter bar shows nothing. */
const SHORTEST = 8;
const LONGEST = 40;

/**
 * @param {RunCourse} course @param {number} width available @param {Style} style
 * @param {boolean} [mayEndEarlier]
 * @returns {string} such as `━━━━──── 1:46 of 3:32`; without the bar if there is no room
 */
export function courseBar({ doneNs, ofNs }, width, style, mayEndEarlier = false) {
  const times = `${clock(doneNs / 1e9)} of ${mayEndEarlier ? 'at most ' : ''}${clock(Math.ceil(ofNs / 1e9))}`;
  const room = Math.min(LONGEST, width - times.length - 1);
  if (room < SHORTEST) return times;
  const filled = Math.round((doneNs / ofNs) * room);
  return `${style('cyan', '━'.repeat(filled))}${style('dim', '─'.repeat(room - filled))} ${times}`;
}
