// Splits the output of a server or a build into lines, keeps the last lines, and picks those that tell the cause of a
// failure. A line without an end is cut, so that no server can exhaust the memory of the process that started it.

import { StringDecoder } from 'node:string_decoder';

const MAX_LINE_CHARS = 16 * 1024;

/**
 * @param {(line: string) => void} onLine
 * @returns {(chunk: Buffer | null) => void} takes chunks as they arrive; null at the end
 */
export function lineSplitter(onLine) {
  const decoder = new StringDecoder('utf8');
  let partial = '';
  return (chunk) => {
    const parts = (partial + (chunk === null ? decoder.end() : decoder.write(chunk))).split('\n');
    partial = parts.pop() ?? '';
    for (const line of parts) onLine(line.replace(/\r$/, ''));
    if (partial !== '' && (chunk === null || partial.length > MAX_LINE_CHARS)) {
      onLine(partial);
      partial = '';
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

/** Lines of builds that are not errors. */
const NOISE = [
  /^\s*$/,
  /^\S*[^:\s] (.* )?-[co] /, // the command line of a compiler
  /^ +(CC|CXX|LINK|SOLINK|SOLINK_MODULE|COPY|TOUCH)\(/, // a compiler, as node-gyp's makefiles print it
  /^make(\[\d+\])?: (Entering|Leaving|warning:|\*\*\* (\[|Waiting))/,
  /^gyp (info|verb|http|WARN|ERR!)/,
  /^npm (warn|notice|verbose)/,
  /^npm http (?!.* failed with )/, // each reply of the registry
  /^npm (error|ERR!)\s*$/,
];
/** A compiler's warning. The following lines, which show the place, are indented or begin with a line number. */
const WARNING = /(^|: )warning(\[\w+\])?: /;
const OF_WARNING = /^( |\d+ +\|)/;
/** A line that tells the cause; the lines after it may be a summary or help. */
const REASON = [
  /^npm (error|ERR!) /,
  /^(error|fatal)\b(?!-)/i,
  /(^|[^\w-])(\w*error|fatal|failed|failure)(\[\w+\]| TS\d+)?:/i,
  /^\S+:\d+(:\d+)?: /, // a place in a source file
  /: (cannot |(command )?not found|No such )/i,
];
/** Lines shown from the first reason on, if that is not among the last lines. */
const FIRST = 4;

/**
 * @param {string[]} lines the output of a build that failed
 * @param {number} [max]
 * @returns {string[]} the last lines, without command lines, warnings and the like; if the cause is further up, the
 *   lines from there and the number of lines left out come first
 */
export function tellingLines(lines, max = 10) {
  let isWarning = false;
  const telling = lines.filter((line) => {
    isWarning = WARNING.test(line) || (isWarning && OF_WARNING.test(line));
    return !isWarning && !NOISE.some((pattern) => pattern.test(line));
  });
  const first = telling.findIndex((line) => REASON.some((pattern) => pattern.test(line)));
  const leftOut = telling.length - max + 1 - first;
  if (first < 0 || leftOut <= 1) return telling.slice(-max);
  return [...telling.slice(first, first + FIRST), `… (${leftOut} lines)`, ...telling.slice(FIRST + 1 - max)];
}
