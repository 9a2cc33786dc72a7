// The tables of a storm. Pure.

import { count } from '../../../client/words/format.js';
import { table } from '../tables.js';

/** @param {Record<string, number>} causes */
const causesText = (causes) =>
  Object.entries(causes)
    .map(([cause, n]) => `${cause} ${count(n)}`)
    .join(', ') || 'none';

/** @param {{peak: number, mean: number}} rate */
const rateText = ({ peak, mean }) => `${count(peak)} / ${count(Math.round(mean))} = ${(peak / mean).toFixed(2)}`;

/** @param {number} ms */
const secondsText = (ms) => (ms / 1000).toFixed(1);

/**
 * @param {import('./result.js').Storm[]} storms
 * @param {import('./result.js').Uses[]} uses before, and after each
 * @param {{latestMs: number}} must
 */
export function markdownOf(storms, uses, { latestMs }) {
  const each = (/** @type {(storm: import('./result.js').Storm) => string} */ text) => storms.map(text);
  const names = storms.map((_, i) => `storm ${i + 1}`);
  const rows = [
    ['server dead, s', ...each(({ deadMs }) => secondsText(deadMs))],
    [`all back within, s (must: ${secondsText(latestMs)})`, ...each(({ backMs }) => secondsText(backMs))],
    ['attempts a second, dead: peak / mean', ...each(({ dead }) => rateText(dead))],
    ['attempts a second, back: peak / mean', ...each(({ back }) => rateText(back))],
    ['rejects', ...each(({ rejects }) => causesText(rejects))],
    ['errors', ...each(({ errors }) => causesText(errors))],
    ['open to themselves', ...each(({ metThemselves }) => String(metThemselves))],
  ];
  const processes = Object.keys(uses[0] ?? {}).flatMap((name) => [
    [`${name}: descriptors`, ...uses.map((use) => count((use[name]?.sockets ?? 0) + (use[name]?.others ?? 0)))],
    [`${name}: resident, MB`, ...uses.map((use) => ((use[name]?.rssBytes ?? NaN) / 1e6).toFixed(1))],
  ]);
  return [
    table('', ['', ...names], rows, 1),
    table('', ['', 'before', ...names.map((name) => `after ${name}`)], processes, 1),
  ].join('\n\n');
}
