/**
 * What a reader must know before any figure: a run that was cut, legs that are incomplete and what they lack,
 * warnings.
 */
import { html } from '../html.js';

/** @type {Record<string, string>} */
const ENDINGS = {
  interrupted: 'interrupted',
  'server-start': 'its server did not start',
  workers: 'its workers ended',
  error: 'an error ended it',
  cut: 'it was cut off before its end',
  never: 'it was never begun',
};

/**
 * @param {import('../types.js').Run} run
 * @param {import('../types.js').Facts[]} facts
 * @returns {import('../html.js').Fragment | null}
 */
export function notices(run, facts) {
  const broken = facts.filter((f) => !f.complete || f.missing.length);
  const whole = run.summary?.complete ?? false;
  const warnings = [
    ...new Set([
      ...(run.summary?.warnings ?? []),
      ...(run.plan?.warnings ?? []),
      ...facts.flatMap((f) => f.warnings.map((warning) => `${f.label}: ${warning}`)),
      ...run.unreadable.map((line) => `unreadable: ${line}`),
    ]),
  ];
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
