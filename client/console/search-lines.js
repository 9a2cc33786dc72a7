// The answer of a search, as lines for the console: a sentence for each server, and its probes by their value. Pure.

import { percent } from '../words/format.js';
import { GOALS, outcomeText, probeFigures, probeText, wholeAnswer } from '../words/search.js';
import { wrap } from './terminal-text.js';
import { textTable } from './text-table.js';

/** @typedef {import('../judge/search/index.js').SearchSummary['servers'][number]['probes'][number]} Probe */

const WIDEST = 120;

/**
 * @param {import('../judge/search/index.js').SearchSummary} search
 * @param {number} width of the terminal; Infinity when there is none
 * @param {import('./terminal-text.js').Style} style
 * @returns {string} lines joined, the last without a line end
 */
export function searchLines({ maximise, while: condition, tolerance, servers }, width, style) {
  const most = Math.min(width, WIDEST);
  const lines = servers.flatMap((found) => {
    const { decided, probes } = found;
    const rows = [...probes].sort((a, b) => a.value - b.value);
    const tone = (/** @type {Probe} */ { held }) => (held === false ? /** @type {const} */ ('red') : null);
    /** @type {import('./text-table.js').Column<Probe>[]} */
    const columns = [
      { title: '', tone, text: ({ value }) => probeText(maximise, value) },
      { title: '', tone, left: true, text: ({ held }) => outcomeText(held) },
      { title: '', tone, left: true, text: probeFigures },
    ];
    return [
      '',
      ...wrap(wholeAnswer(found), most).map((line) => style(['bold', decided ? 'green' : 'yellow'], line)),
      ...textTable(columns, rows, { style }).rows.flat(),
    ];
  });
  return [style('dim', `${GOALS[maximise]} at which ${condition}, within ${percent(tolerance)}`), ...lines].join('\n');
}
