/**
 * Two charts over time, by cause: rejects (attempts that failed) and errors (open connections that ended).
 */
import { middle, total } from '../downsample.js';
import { count } from '../../../client/words/format.js';
import { causesOf, causesSeen, causesText, ERROR_WORDS, REJECT_WORDS } from './words.js';

/**
 * @import { Chart, Panel, Point } from '../../types.js'
 * @import { ChartInput } from './all.js'
 */

/**
 * @param {ChartInput} input @param {'rejects' | 'errors'} kind
 * @param {{ title: string, lead: string, words: Record<string, string>, none: string }} what
 * @returns {Chart}
 */
function stacked({ legs, results, bars, xMax, barStep }, kind, what) {
  /** @type {Record<string, number>} */
  const counts = {};
  for (const f of results)
    for (const [cause, n] of Object.entries(causesOf(f.summary[kind]))) counts[cause] = (counts[cause] ?? 0) + n;
  for (const leg of legs) {
    for (const sample of leg.samples)
      for (const [cause, n] of Object.entries(sample[kind])) counts[cause] = Math.max(counts[cause] ?? 0, n);
  }
  const causes = causesSeen(counts, what.words);
  let highest = 0;
  /** @type {Panel[]} */
  const panels = legs.map((leg, i) => {
    const stacks = bars[i].map((interval) => causes.reduce((sum, cause) => sum + total(interval, kind, cause), 0));
    highest = stacks.reduce((a, b) => Math.max(a, b), highest);
    const legCounts = causesOf(results[i].summary[kind]);
    const text = causesText(legCounts, what.words, count);
    const hasAny = stacks.some((n) => n > 0);
    return {
      leg: i,
      phases: true,
      note: { code: kind, data: legCounts, text: text || 'none' },
      strong: hasAny,
      empty: hasAny ? undefined : `no ${kind}`,
      alt: `${leg.label}: ${kind} over time. ${text || 'None'}.`,
      datasets: causes.map((cause) => ({
        role: 'cause',
        cause,
        label: what.words[cause] ?? cause,
        points: bars[i].map((interval) => /** @type {Point} */ ([middle(interval), total(interval, kind, cause)])),
      })),
    };
  });
  return {
    id: kind,
    kind: 'bar',
    title: what.title,
    lead: `${what.lead} Per ${barStep === 1 ? 'second' : `${barStep} s`}.`,
    data: { barSeconds: barStep },
    empty: causes.length ? undefined : { code: `no-${kind}`, data: {}, text: what.none },
    x: { type: 'time', unit: 's', min: 0, max: xMax },
    y: { type: 'linear', unit: 'count', min: 0, max: highest * 1.05 || 1 },
    legend: causes.map((cause) => ({ role: 'cause', cause, label: what.words[cause] ?? cause })),
    panels,
  };
}

/** @param {ChartInput} input @returns {Chart[]} */
export function failures(input) {
  return [
    stacked(input, 'rejects', {
      title: 'Rejects by cause over time',
      words: REJECT_WORDS,
      lead: 'Attempts that did not open a connection.',
      none: 'No rejects: every attempt that ended opened a connection.',
    }),
    stacked(input, 'errors', {
      title: 'Errors by cause over time',
      words: ERROR_WORDS,
      lead: 'What ended or invalidated an open connection.',
      none: 'No errors: no open connection was lost or invalidated.',
    }),
  ];
}
