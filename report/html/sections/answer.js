/** The headline of the run, first of all: which server does best, and the worst of what went wrong. */
import { answerOf } from '../../../client/judge/headline.js';
import { html } from '../html.js';

/** @param {import('../../types.js').Run} run @returns {import('../html.js').Fragment} */
export const answer = ({ summary }) =>
  html`<section id="answer" aria-label="Answer">${answerOf(summary).map(
    ({ code, severity, text }) => html`<p class="${severity}" data-code="${code}">${text}</p>`,
  )}</section>`;
