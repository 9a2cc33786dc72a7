/**
 * Rejects and errors over time, by cause: two charts, because a failed attempt is not a lost connection.
 */
import { middle, total } from '../downsample.js';
import { count } from '../../../client/words/format.js';
import { causesOf, causesSeen, causesText, ERROR_WORDS, REJECT_WORDS } from './words.js';

/**
 * @import { Chart, Point } from '../../types.js'
 * @import { ChartInput } from './all.js'
 */

/**
 * @param {ChartInput} input @param {'rejects' | 'errors'} kind
 * @param {{ title: string, lead: string, words: Record<string, string>, none: string }} what
 * @returns {Chart}
 */
function stacked({ legs, results, bars, xMax, barStep }, kind, what) {
  /** @type {Record<string, number>} */
  const all = {};
  for (const f of results)
    for (const [cause, n] of Object.entries(causesOf(f.summary[kind]))) all[cause] = (all[cause] ?? 0) + n;
  for (const leg of legs) {
    for (const sample of leg.samples)
      for (const [cause, n] of Object.entries(sample[kind])) all[cause] = Math.max(all[cause] ?? 0, n);
  }
  const causes = causesSeen(all, what.words);
  let most = 0;
  const panels = legs.map((leg, i) => {
    const stacks = bars[i].map((interval) => causes.reduce((sum, cause) => sum + total(interval, kind, cause), 0));
    most = stacks.reduce((a, b) => Math.max(a, b), most);
    const own = causesOf(results[i].summary[kind]);
    const text = causesText(own, what.words, count);
    const any = stacks.some((n) => n > 0);
    return {
      leg: i,
      phases: true,
      note: { code: kind, data: own, text: text || 'none' },
      strong: any,
      empty: any ? undefined : `no ${kind}`,
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
    y: { type: 'linear', unit: 'count', min: 0, max: most * 1.05 || 1 },
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
