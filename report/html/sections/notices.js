/**
 * What a reader must know before any figure: a run that was cut, legs that are incomplete and what they lack,
 * warnings.
 */
import { html } from '../html.js';
import { count } from '../../model/units.js';

/** @type {Record<string, string>} */
const ENDINGS = {
  interrupted: 'interrupted',
  'server-start': 'its server did not start',
  'target-lost': 'its target accepted no connections',
  inconsistent: 'the client miscounted',
  workers: 'its workers ended',
  error: 'an error ended it',
  cut: 'it was cut off before its end',
  never: 'it was never begun',
};

/**
 * @param {import('../../types.js').Run} run @param {import('../../types.js').Facts[]} facts
 * @returns {string[]} each once
 */
const warningsOf = (run, facts) => [
  ...new Set([
    ...(run.summary?.warnings ?? []),
    ...(run.plan?.warnings ?? []),
    ...facts.flatMap((f) => f.warnings.map((warning) => `${f.label}: ${warning}`)),
    ...run.unreadable.map((line) => `unreadable: ${line}`),
  ]),
];

/**
 * What is said of several in the same words, but for the numbers, is said once, with all their names.
 * @param {string[]} warnings @param {import('../../types.js').Facts[]} facts
 * @returns {Array<string | import('../html.js').Fragment>}
 */
function together(warnings, facts) {
  // Of a sweep, a warning before the run is of a server, with whatever number of connections.
  const named = new Set(facts.flatMap((f) => [f.label, f.series ?? []].flat()));
  const labels = [...named].sort((a, b) => b.length - a.length);
  /** @type {Map<string, Array<{ label: string, text: string }>>} */
  const alike = new Map();
  for (const warning of warnings) {
    const label = labels.find((one) => warning.startsWith(`${one}: `)) ?? '';
    const text = label === '' ? warning : warning.slice(label.length + 2);
    const key = label === '' ? warning : text.replace(/\d[\d.,]*/g, '#').replace(/processes|threads/g, '#');
    alike.set(key, [...(alike.get(key) ?? []), { label, text }]);
  }
  return [...alike.values()].map((said) => {
    const [{ label, text }, ...others] = said;
    if (others.length === 0) return label === '' ? text : `${label}: ${text}`;
    const each = said.map((one) => html`<li>${one.label}: ${one.text}</li>`);
    return html`${label}: ${text} <details><summary>Likewise ${others.length === 1 ? others[0].label : `${count(others.length)} others`}</summary><ul>${each}</ul></details>`;
  });
}

/**
 * @param {import('../../types.js').Run} run
 * @param {import('../../types.js').Facts[]} facts
 * @returns {import('../html.js').Fragment | null}
 */
export function notices(run, facts) {
  const broken = facts.filter((f) => !f.complete || f.missing.length);
  const whole = run.summary?.complete ?? false;
  const warnings = together(warningsOf(run, facts), facts);
  const interrupted = ['interrupted', 'SIGINT', 'SIGTERM', 'SIGHUP'].includes(run.summary?.endedBy);
  const headline = !run.summary
    ? 'Partial run: it left no summary. Everything below is summed from its samples.'
    : interrupted
      ? 'Partial run: it was interrupted. Figures are right up to that moment.'
      : 'Incomplete run: not every leg ran to its planned end.';
  return html`${
    whole && broken.length === 0
      ? null
      : html`<div class="notice strong" role="note" id="partial"><p><strong>${headline}</strong></p>
<ul>${broken.map(
          (f) =>
            html`<li><b>${f.label}</b>: ${[
              f.complete ? null : (ENDINGS[f.endedBy] ?? `ended by ${f.endedBy}`),
              f.missing.length ? `missing ${f.missing.join('; ')}` : null,
              f.message?.split('\n')[0],
            ]
              .filter(Boolean)
              .join('; ')}</li>`,
        )}</ul></div>`
  }
${
  warnings.length
    ? html`<div class="notice" role="note" id="warnings"><p><strong>Warnings</strong></p><ul>${warnings.map(
        (warning) => html`<li>${warning}</li>`,
      )}</ul></div>`
    : null
}`;
}
