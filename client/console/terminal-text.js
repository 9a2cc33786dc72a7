// Text for a terminal: colours, wrapped lines, padded cells.

import { stripVTControlCharacters, styleText } from 'node:util';

const TONES = /** @type {const} */ (['bold', 'dim', 'red', 'yellow', 'green', 'cyan', 'blue']);

/**
 * @typedef {typeof TONES[number]} Tone
 * @typedef {(tone: Tone | Tone[], text: string) => string} Style
 */

/** A wider line of sentences is hard to read. */
export const WIDEST_TEXT = 120;

/** @param {string} text @returns {string} without styles */
export const unstyled = (text) => stripVTControlCharacters(text);

/** @param {string} text @returns {number} number of characters, without styles */
export const lengthOf = (text) => unstyled(text).length;

/**
 * Wraps a text between words. All lines have the indent of the first.
 * @param {string} text one line, may hold styles @param {number} width @returns {string[]}
 */
export function wrap(text, width) {
  const indent = /^ */.exec(text)?.[0] ?? '';
  const lines = [''];
  for (const word of text.slice(indent.length).split(' ')) {
    const last = lines[lines.length - 1];
    const joined = last === '' ? indent + word : `${last} ${word}`;
    if (last === '' || lengthOf(joined) <= width) lines[lines.length - 1] = joined;
    else lines.push(indent + word);
  }
  return lines.map((line) => line.trimEnd());
}

/** Without colours. @type {Style} */
export const plain = (_tone, text) => text;

/**
 * The codes that `styleFor` writes: the code that ends a style, by the code that begins it.
 * @type {Readonly<Record<string, string>>}
 */
export const STYLE_ENDS = Object.fromEntries(
  TONES.map((tone) => /** @type {[string, string]} */ (styleText(tone, ' ', { validateStream: false }).split(' '))),
);

/**
 * Colours on a terminal, unless NO_COLOR or TERM=dumb is set.
 * @param {{ isTTY?: boolean }} stream @param {NodeJS.ProcessEnv} env
 * @returns {Style}
 */
export function styleFor(stream, env) {
  const isPlain = !stream.isTTY || (env.NO_COLOR ?? '') !== '' || env.TERM === 'dumb';
  return isPlain ? plain : (tone, text) => styleText(tone, text, { validateStream: false });
}

/**
 * @param {string} text @param {number} width @param {boolean} [left] aligned to the left
 * @param {(text: string) => string} [styled] styles the text, without its padding
 * @returns {string} cut or padded to `width`
 */
export function pad(text, width, left, styled = (cut) => cut) {
  const cut = text.length > width ? `${text.slice(0, width - 1)}…` : text;
  const space = ' '.repeat(width - cut.length);
  return left ? styled(cut) + space : space + styled(cut);
}
