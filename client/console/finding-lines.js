// The findings of a run as lines of the console, below its figures. Pure.

import { findingText, groupedFindings } from '../words/findings.js';
import { wrap } from './terminal-text.js';

/** @type {Readonly<Record<string, import('./terminal-text.js').Tone>>} */
const TONES = { problem: 'red', caution: 'yellow', note: 'dim' };

/**
 * @param {import('../words/findings.js').Leg[]} legs of a summary @param {number} width at most
 * @param {import('./terminal-text.js').Style} style
 * @returns {string[]} the severest first; empty without findings
 */
export const findingLines = (legs, width, style) =>
  groupedFindings(legs).flatMap((finding) =>
    wrap(`! ${finding.label}: ${findingText(finding)}`, width).map((line) => style(TONES[finding.severity], line)),
  );
