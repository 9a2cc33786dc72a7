/** The headline of the run, first of all: which server does best, and the worst of what went wrong. Of a run in progress, how far it is. */
import { answerOf } from '../../../client/judge/headline.js';
import { clock } from '../../../client/words/format.js';
import { html } from '../html.js';

/** @typedef {import('../../types.js').Run} Run */

/** @param {Run} run in progress @returns {string} such as "In progress: leg 2 of 3 (epoll), 0:34 of 1:12." */
function progressText({ legs, plan }) {
  const { mostLegs } = plan?.search ?? plan?.compareAt ?? {};
  const of = mostLegs === undefined ? String(legs.length) : `up to ${mostLegs}`;
  const running = legs.filter(({ summary }) => summary?.endedBy === 'running');
  if (running.length === 0) {
    const ended = legs.filter(({ summary }) => summary !== null).length;
    return ended === 0 ? 'In progress: the first leg has not begun.' : `In progress: ${ended} of ${of} legs ended.`;
  }
  const [{ index, label, planned, summary }] = running;
  const last = index + running.length;
  const which =
    running.length === 1
      ? `leg ${last} of ${of} (${label})`
      : `legs ${index + 1} ${running.length === 2 ? 'and' : 'to'} ${last} of ${of}`;
  const until = planned === null ? '' : ` of ${clock(planned.steadyToNs / 1e9)}`;
  return `In progress: ${which}, ${clock((summary?.phases?.endNs ?? 0) / 1e9)}${until}.`;
}

/** @param {Run} run @returns {import('../html.js').Fragment} */
export function answer(run) {
  const isRunning = run.summary.endedBy === 'running';
  const parts = isRunning ? [{ code: 'running', severity: 'answer', text: progressText(run) }] : answerOf(run.summary);
  return html`<section id="answer" aria-label="Answer">${parts.map(
    ({ code, severity, text }) => html`<p class="${severity}" data-code="${code}">${text}</p>`,
  )}</section>`;
}
