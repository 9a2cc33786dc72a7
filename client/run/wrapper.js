// The command line of a wrapper.

import path from 'node:path';
import { wordsOf } from '../scenario/keys/wrap.js';

/**
 * @param {string} text of key wrap
 * @returns {string[]} program and arguments; the path of a program is resolved in the current folder
 */
export function wrapperWords(text) {
  const [program, ...words] = /** @type {string[]} */ (wordsOf(text));
  return [program.includes('/') ? path.resolve(program) : program, ...words];
}
