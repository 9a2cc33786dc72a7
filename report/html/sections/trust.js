/** The line on trust in the figures: a coloured dot and a word, then the reasons, each with a dot. */
import { html } from '../html.js';

/**
 * @import { Trust } from '../../../client/judge/trust.js'
 * @import { Fragment } from '../html.js'
 */

/** Meanings of the colours, for screen readers. */
const LEVELS = { none: 'against it', care: 'caution', note: 'note', good: 'for it' };

/** @param {string} text a clause @returns {string} as a sentence */
const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}.`;

/** @param {Trust} trust @returns {Fragment} a line */
export const trustLine = ({ verdict, title, reasons }) =>
  html`<span id="trust"><b data-level="${verdict}"><i class="dot"></i>${title}</b>${reasons.map(
    ({ code, level, text }) =>
      html` <span class="reason" data-code="${code}" data-level="${level}"><i class="dot" role="img" aria-label="${LEVELS[level]}"></i>${sentence(text)}</span>`,
  )}</span>`;
