// Writes all text to the terminal or the log of a job, and makes control characters in quoted text harmless.

import { inert } from '../words/inert.js';
import { plain, styleFor, STYLE_ENDS } from './terminal-text.js';

// eslint-disable-next-line no-control-regex
const STYLE = /(\x1b\[\d+m)/;

/**
 * @param {string} text whole lines
 * @param {boolean} [isStyled] whether styles of `styleFor` are kept, if they begin and end
 * @returns {string} the text to write
 */
export function shownText(text, isStyled = false) {
  if (!isStyled) return inert(text);
  const parts = text.split(STYLE); // every second part is a code
  /** Codes of styles that have not ended. @type {{ at: number, end: string }[]} */
  const open = [];
  /** @type {Set<number>} */
  const kept = new Set();
  parts.forEach((code, at) => {
    if (at % 2 === 0) return;
    const end = STYLE_ENDS[code];
    if (end !== undefined) return void open.push({ at, end });
    const begun = open.findLastIndex((style) => style.end === code);
    if (begun < 0) return;
    kept.add(at).add(open[begun].at);
    open.length = begun;
  });
  return parts.map((part, at) => (kept.has(at) ? part : inert(part))).join('');
}

/**
 * Writes whole lines.
 * @param {string} text the last end of a line may be missing
 * @param {NodeJS.WriteStream} [stream]
 */
export function print(text, stream = process.stdout) {
  const isStyled = styleFor(stream, process.env) !== plain;
  stream.write(shownText(text.endsWith('\n') ? text : `${text}\n`, isStyled));
}
