// The only place that writes text to a terminal or the log of a job: whatever it quotes of others acts on neither.

import { inert } from '../words/inert.js';
import { plain, styleFor, STYLE_ENDS } from './terminal-text.js';

// eslint-disable-next-line no-control-regex
const STYLE = /(\x1b\[\d+m)/;

/**
 * @param {string} text whole lines
 * @param {boolean} [isStyled] whether styles that begin and end are kept: those of `styleFor`
 * @returns {string} as it is written
 */
export function shownText(text, isStyled = false) {
  if (!isStyled) return inert(text);
  const parts = text.split(STYLE); // each second one is a code
  /** Of codes that begin a style, not yet ended. @type {{ at: number, end: string }[]} */
  const open = [];
  /** @type {Set<number>} */
  const kept = new Set();
  parts.forEach((code, at) => {
    if (at % 2 === 0) return;
    const end = STYLE_ENDS[code];
    if (end !== undefined) return void open.push({ at, end });
    const begun = open.findLastIndex((one) => one.end === code);
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
