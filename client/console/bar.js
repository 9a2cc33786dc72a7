// The bar in the last line of a terminal: how far the run is. Pure.

import { clock, duration } from '../words/format.js';
import { pad } from './terminal-text.js';

/** @import { Style } from './terminal-text.js' */

/**
 * @typedef {{ label: string, share: number, secondsLeft: number | null }} BarState  share: 0..1
 * @typedef {{ rampToNs: number, steadyFromNs: number, steadyToNs: number }} Phases  of a leg
 */

/**
 * @param {{ label: string, index: number, sideBySide?: number, legs: number, round?: number, rounds?: number, phases:
 *   Phases, atNs: number, drainEndsNs: number | null }} state index: of the current leg, from 0, or of the first of
 *   those that are measured sideBySide; round: of the leg; rounds: absent: 1; atNs: since its start; drainEndsNs: when
 *   its drain ends at the latest, once the drain has begun
 * @returns {BarState} how far the run is; a drain has no time left, because it ends as soon as no transfer is in flight
 */
export function runBar({ label, index, sideBySide = 1, legs, round = 1, rounds = 1, phases, atNs, drainEndsNs }) {
  const { rampToNs, steadyFromNs, steadyToNs } = phases;
  const done = Math.min(steadyToNs, Math.max(0, atNs));
  const places = sideBySide === 1 ? index + 1 : `${index + 1} to ${index + sideBySide}`;
  const name = `${label} ${places}/${legs}${rounds === 1 ? '' : `, round ${round} of ${rounds}`}`;
  const share = (index + (sideBySide * done) / steadyToNs) / legs;
  if (drainEndsNs !== null) {
    const seconds = Math.max(1, Math.ceil((drainEndsNs - atNs) / 1e9));
    return { label: `${name} draining, at most ${duration(seconds * 1e9)}`, share, secondsLeft: null };
  }
  const phase = atNs < 0 ? 'start' : atNs < rampToNs ? 'ramp' : atNs < steadyFromNs ? 'warmup' : 'steady';
  return {
    label: `${name} ${phase}`,
    share,
    secondsLeft: (steadyToNs - done + (legs / sideBySide - index / sideBySide - 1) * steadyToNs) / 1e9,
  };
}

/**
 * @param {BarState} state
 * @param {number} width @param {Style} style
 * @returns {string} never wider than the terminal, so that it can be rewritten in place
 */
export function bar({ label, share, secondsLeft }, width, style) {
  const bounded = Math.min(1, Math.max(0, share));
  const tail = ` ${String(Math.floor(bounded * 100)).padStart(3)} %${secondsLeft === null ? '' : `  ${clock(Math.ceil(secondsLeft))} left`}`;
  const room = Math.min(40, width - 1 - tail.length - label.length - 2);
  if (room < 8) return pad(`${label}${tail}`, Math.min(width - 1, label.length + tail.length), true);
  const filled = Math.round(bounded * room);
  return `${style('bold', label)}  ${style('cyan', '━'.repeat(filled))}${style('dim', '─'.repeat(room - filled))}${tail}`;
}
