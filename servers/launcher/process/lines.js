// Splits the output of a server into lines and keeps the last few. A line without an end is cut, so that no server can
// exhaust the memory of the process that started it.

import { StringDecoder } from 'node:string_decoder';

const MAX_LINE_CHARS = 16 * 1024;

/**
 * @param {(line: string) => void} onLine
 * @returns {(chunk: Buffer | null) => void} takes chunks as they arrive; null at the end
 */
export function lineSplitter(onLine) {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  return (chunk) => {
    const parts = (rest + (chunk === null ? decoder.end() : decoder.write(chunk))).split('\n');
    rest = parts.pop() ?? '';
    for (const line of parts) onLine(line.replace(/\r$/, ''));
    if (rest !== '' && (chunk === null || rest.length > MAX_LINE_CHARS)) {
      onLine(rest);
      rest = '';
    }
  };
}

/** @param {number} max how many lines are kept */
export function tailOf(max) {
  /** @type {string[]} */
  let kept = [];
  return {
    /** @param {string} line */
    add(line) {
      kept = [...kept.slice(-(max - 1)), line];
    },
    lines: () => kept,
  };
}
