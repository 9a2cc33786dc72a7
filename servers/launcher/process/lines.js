// Splits the output of a server or a build into lines, keeps the last few, and picks those that say what went wrong. A
// line without an end is cut, so that no server can exhaust the memory of the process that started it.

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

/** What builds write besides errors. */
const NOISE = [
  /^\s*$/,
  /^\S*[^:\s] (.* )?-[co] /, // the command line of a compiler
  /^ +(CC|CXX|LINK|SOLINK|SOLINK_MODULE|COPY|TOUCH)\(/, // the same, as node-gyp's makefiles print it
  /^make(\[\d+\])?: (Entering|Leaving|warning:|\*\*\* (\[|Waiting))/,
  /^gyp (info|verb|http|WARN|ERR!)/,
  /^npm (warn|notice|verbose)/,
  /^npm http (?!.* failed with )/, // each reply of the registry
];
/** Of a compiler; the lines that show the place are indented. */
const WARNING = /: warning: /;

/**
 * @param {string[]} lines the output of a build that failed
 * @param {number} [max]
 * @returns {string[]} its last lines, without command lines, warnings and the like
 */
export function tellingLines(lines, max = 10) {
  let isWarning = false;
  const telling = lines.filter((line) => {
    isWarning = WARNING.test(line) || (isWarning && line.startsWith(' '));
    return !isWarning && !NOISE.some((pattern) => pattern.test(line));
  });
  return telling.slice(-max);
}
