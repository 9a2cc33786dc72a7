// Reads the text of a scenario file as JSON. JSON.parse takes the last of two equal keys without an error, so that the
// scenario would differ from what its reader sees; here a duplicate key is a mistake.

import jsonc from 'jsonc-parser';
import { UsageError } from '../errors.js';
import { dotted, mistakesError, shown } from './mistakes.js';

/** A valid scenario has four levels; up to this depth, others are still validated. */
const MAX_DEPTH = 32;

/**
 * @param {string} text
 * @param {string} file its name in messages
 * @returns {unknown}
 * @throws {UsageError} with file, line and column, from 1
 */
export function parseScenarioJson(text, file) {
  const content = shallow(parseJson(text, file), file);
  const twice = keysTwice(text.replace(/^\uFEFF/, ''));
  if (twice.length === 0) return content;
  throw mistakesError(
    twice.map(({ path, line, column, first }) => ({
      code: 'duplicate-key',
      path,
      data: { file, line, column, first },
      text: `${file}:${line}:${column}: ${shown(path)} is given twice, first in line ${first}; remove one of them`,
    })),
    'ETWICE',
  );
}

/**
 * @param {string} text valid JSON, not nested deeply
 * @returns {{path: string, line: number, column: number, first: number}[]} each key that its object has already, with
 *   the line of the first one
 */
function keysTwice(text) {
  /** @type {Map<string, number>[]} lines of the keys, of each object around */
  const objects = [];
  /** @type {{path: string, line: number, column: number, first: number}[]} */
  const found = [];
  jsonc.visit(text, {
    onObjectBegin() {
      objects.push(new Map());
    },
    onObjectEnd() {
      objects.pop();
    },
    onObjectProperty(key, offset, length, line, column, pathOf) {
      const keys = /** @type {Map<string, number>} */ (objects.at(-1));
      const first = keys.get(key);
      if (first === undefined) keys.set(key, line + 1);
      else found.push({ path: dotted(['', ...pathOf(), key].join('/')), line: line + 1, column: column + 1, first });
    },
  });
  return found;
}

/**
 * Checks the depth without recursion, because what copies and validates a scenario recurses.
 * @param {unknown} content
 * @param {string} file
 * @returns {unknown} the same
 * @throws {UsageError} when it is deeper than any scenario
 */
function shallow(content, file) {
  let level = [content];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) {
      throw new UsageError(`${file}: lists and objects are nested more than ${MAX_DEPTH} levels deep`, {
        code: 'EDEPTH',
        data: { file, max: MAX_DEPTH },
      });
    }
    level = level.filter((each) => Object(each) === each).flatMap((each) => Object.values(Object(each)));
  }
  return content;
}

/**
 * @param {string} text
 * @param {string} file
 * @returns {unknown}
 */
function parseJson(text, file) {
  const bare = text.replace(/^\uFEFF/, '');
  try {
    return JSON.parse(bare);
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    const { line, column } = firstFault(bare);
    const reason = (/^Unexpected token '[^]+?'/.exec(message)?.[0] ?? message).replace(
      / in JSON at position.*| at position.*/s,
      '',
    );
    throw new UsageError(`${file}:${line}:${column}: not JSON: ${reason}`, {
      code: 'EJSON',
      data: { file, line, column },
      cause: error,
    });
  }
}

/**
 * Finds the first syntax error: not all messages of JSON.parse have its position.
 * @param {string} text
 * @returns {{line: number, column: number}} from 1; the text's beginning where there is none
 */
function firstFault(text) {
  /** @type {{line: number, column: number}[]} */
  const faults = [];
  jsonc.visit(
    text,
    {
      onError(code, offset, length, line, column) {
        faults.push({ line: line + 1, column: column + 1 });
      },
    },
    { disallowComments: true },
  );
  return faults[0] ?? { line: 1, column: 1 };
}
