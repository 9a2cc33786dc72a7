// The headline of a run, as the last lines of its results. Pure.

import { answerOf } from '../judge/headline.js';
import { wrap } from './terminal-text.js';

/** @type {Readonly<Record<string, import('./terminal-text.js').Tone[]>>} */
const TONES = { answer: ['bold'], problem: ['red'], caution: ['yellow'] };

/**
 * @param {import('../../config/types.js').RunSummary} summary of the run @param {number} width at most
 * @param {import('./terminal-text.js').Style} style
 * @returns {string | null} lines joined, the last without a line end; null where the answer of a search, which has lines of its
 *   own, is all
 */
export function answerLines(summary, width, style) {
  const parts = answerOf(summary).filter(({ code }) => code !== 'search');
  const lines = parts.flatMap(({ severity, text }) => wrap(text, width).map((line) => style(TONES[severity], line)));
  return lines.length === 0 ? null : lines.join('\n');
}
