// Text for a terminal: colours, words wrapped at its width, cells padded to theirs. Pure.

import { stripVTControlCharacters, styleText } from 'node:util';

/**
 * @typedef {'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'cyan'} Tone
 * @typedef {(tone: Tone | Tone[], text: string) => string} Style
 */

/**
 * Breaks a remark between words where it is too wide; what follows is indented as the first line is.
 * @param {string} text one line, may hold styles @param {number} width @returns {string[]}
 */
export function wrap(text, width) {
  const indent = /^ */.exec(text)?.[0] ?? '';
  const lines = [''];
  for (const word of text.slice(indent.length).split(' ')) {
    const last = lines[lines.length - 1];
    const joined = last === '' ? indent + word : `${last} ${word}`;
    if (last === '' || stripVTControlCharacters(joined).length <= width) lines[lines.length - 1] = joined;
    else lines.push(indent + word);
  }
  return lines.map((one) => one.trimEnd());
}

/**
 * Colours only on a terminal, and never against NO_COLOR or TERM=dumb.
 * @param {{ isTTY?: boolean }} stream @param {NodeJS.ProcessEnv} env
 * @returns {Style}
 */
export function styleFor(stream, env) {
  const plain = !stream.isTTY || (env.NO_COLOR ?? '') !== '' || env.TERM === 'dumb';
  return plain
    ? (_tone, text) => text
    : (tone, text) => /** @type {any} */ (styleText)(tone, text, { validateStream: false });
}

/** @param {string} text @param {number} width @param {boolean} [left] @returns {string} cut or padded to `width` */
export function pad(text, width, left) {
  const cut = text.length > width ? `${text.slice(0, width - 1)}…` : text;
  return left ? cut.padEnd(width) : cut.padStart(width);
}
