// The answer of a search, as lines for the console: a sentence for each server, and its probes by their value. Pure.

import { percent } from '../results/format.js';
import { probeText } from '../results/search/phrases.js';
import { wrap } from './terminal-text.js';

const WIDEST = 120;

/** @type {Readonly<Record<string, string>>} */
export const CAUSE_TEXTS = {
  condition: '',
  'rate-not-reached': ', the rate was not reached',
  'not-served': ', not every connection was served',
  'not-judged': ', the leg was incomplete',
};

/**
 * @param {import('../results/search/index.js').SearchSummary} search
 * @param {number} width of the terminal; Infinity when there is none
 * @param {import('./terminal-text.js').Style} style
 * @returns {string} lines joined, the last without a line end
 */
export function searchLines({ maximise, while: condition, tolerance, servers }, width, style) {
  const most = Math.min(width, WIDEST);
  const head = `the most ${maximise === 'rate' ? 'requests per second' : 'connections'} at which ${condition} holds, within ${percent(tolerance)}`;
  const lines = servers.flatMap(({ decided, text, probes }) => {
    const sorted = [...probes].sort((a, b) => a.value - b.value);
    const shown = sorted.map(({ value, held, cause, text: figures }) => ({
      value: probeText(maximise, value),
      text: `${held === null ? 'unknown' : held ? 'held   ' : 'failed '}  ${figures}${cause ? CAUSE_TEXTS[cause] : ''}`,
      held,
    }));
    const widest = Math.max(...shown.map(({ value }) => value.length));
    return [
      ...wrap(text, most).map((line) => style(decided ? ['bold', 'green'] : ['bold', 'yellow'], line)),
      ...shown.map(({ value, text: line, held }) => {
        const row = `  ${value.padStart(widest)}  ${line}`;
        return held === false ? style('red', row) : row;
      }),
    ];
  });
  return [style('dim', head), ...lines].join('\n');
}
