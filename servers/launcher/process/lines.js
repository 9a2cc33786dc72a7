// Splits what a server writes into lines, and keeps the last few. The one thing to know: a line without an end is cut,
// so that no server makes its starter grow.

import { StringDecoder } from 'node:string_decoder';

const LONGEST = 16 * 1024;

/**
 * @param {(line: string) => void} onLine
 * @returns {(chunk: Buffer | null) => void} takes the bytes as they come; null for the end
 */
export function lineSplitter(onLine) {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  return (chunk) => {
    const parts = (rest + (chunk === null ? decoder.end() : decoder.write(chunk))).split('\n');
    rest = parts.pop() ?? '';
    for (const line of parts) onLine(line.replace(/\r$/, ''));
    if (rest !== '' && (chunk === null || rest.length > LONGEST)) {
      onLine(rest);
      rest = '';
    }
  };
}

/** @param {number} most */
export function tailOf(most) {
  /** @type {string[]} */
  let kept = [];
  return {
    /** @param {string} line */
    add(line) {
      kept = [...kept.slice(-(most - 1)), line];
    },
    lines: () => kept,
  };
}
