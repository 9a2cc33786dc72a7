// The command line of a wrapper, as it is started.

import path from 'node:path';
import { wordsOf } from '../scenario/keys/wrap.js';

/**
 * @param {string} text of key wrap
 * @returns {string[]} program and arguments; the path of a program is relative to the current folder, wherever it runs
 */
export function wrapperWords(text) {
  const [program, ...words] = /** @type {string[]} */ (wordsOf(text));
  return [program.includes('/') ? path.resolve(program) : program, ...words];
}
