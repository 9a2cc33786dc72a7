// The bar in the last line of a terminal: how far the run is. Pure.

import { clock } from '../results/format.js';
import { pad } from './terminal-text.js';

/** @typedef {import('./terminal-text.js').Style} Style */

/**
 * @param {{ label: string, share: number, secondsLeft: number | null }} state share: 0..1
 * @param {number} width @param {Style} style
 * @returns {string} never wider than the terminal, so that it can be rewritten in place
 */
export function bar({ label, share, secondsLeft }, width, style) {
  const bounded = Math.min(1, Math.max(0, share));
  const tail = ` ${String(Math.floor(bounded * 100)).padStart(3)}%${secondsLeft === null ? '' : `  ${clock(Math.ceil(secondsLeft))} left`}`;
  const room = Math.min(40, width - 1 - tail.length - label.length - 2);
  if (room < 8) return pad(`${label}${tail}`, Math.min(width - 1, label.length + tail.length), true);
  const filled = Math.round(bounded * room);
  return `${style('bold', label)}  ${style('cyan', '━'.repeat(filled))}${style('dim', '─'.repeat(room - filled))}${tail}`;
}
