// Reads the text of a scenario file: JSON, which may have comments. JSON.parse takes the last of two equal keys without
// an error, so that the scenario would differ from what its reader sees; here a duplicate key is a mistake.

import jsonc from 'jsonc-parser';
import { UsageError } from '../errors.js';
import { dotted, mistakesError, shown } from './mistakes.js';

/** A valid scenario has four levels; up to this depth, a deeper one is still validated. */
export const MAX_DEPTH = 32;
const [QUOTE, BACKSLASH, NEW_LINE] = Buffer.from('"\\\n');
/** What a character that opens or closes a list or an object adds to the depth. @type {(number | undefined)[]} */
const STEPS = [];
for (const open of Buffer.from('[{')) STEPS[open] = 1;
for (const close of Buffer.from(']}')) STEPS[close] = -1;

/**
 * @param {string} written
 * @param {string} file its name in messages
 * @returns {unknown}
 * @throws {UsageError} with file, line and column, from 1
 */
export function parseScenarioJson(written, file) {
  const text = jsonc.stripComments(written, ' '); // a blank for each character: places stay
  if (isTooDeep(text)) {
    throw new UsageError(`${file}: lists and objects are nested more than ${MAX_DEPTH} levels deep`, {
      code: 'EDEPTH',
      data: { file, max: MAX_DEPTH },
    });
  }
  const content = parseJson(text, file);
  const duplicates = duplicateKeys(text.replace(/^\uFEFF/, ''));
  if (duplicates.length === 0) return content;
  throw mistakesError(
    duplicates.map(({ path, line, column, first }) => ({
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
 * @returns {{path: string, line: number, column: number, first: number}[]} each key that its object has already; first:
 *   the line of the earlier one
 */
function duplicateKeys(text) {
  /** @type {Map<string, number>[]} the lines of the keys, for each enclosing object */
  const objects = [];
  /** @type {{path: string, line: number, column: number, first: number}[]} */
  const duplicates = [];
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
      else
        duplicates.push({ path: dotted(['', ...pathOf(), key].join('/')), line: line + 1, column: column + 1, first });
    },
  });
  return duplicates;
}

/**
 * Parsing, copying and validating recurse, so the depth is checked first, of text that may not be JSON.
 * @param {string} text
 * @returns {boolean} whether its lists and objects are nested deeper than MAX_DEPTH
 */
export function isTooDeep(text) {
  let depth = 0;
  let isInString = false;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (isInString) {
      if (code === BACKSLASH) i += 1;
      else if (code === QUOTE || code === NEW_LINE) isInString = false;
    } else if (code === QUOTE) isInString = true;
    else depth += STEPS[code] ?? 0;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
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
    const { line, column, problem, text: why } = firstFault(bare);
    throw new UsageError(`${file}:${line}:${column}: not JSON: ${why}`, {
      code: 'EJSON',
      data: { file, line, column, problem },
      cause: error,
    });
  }
}

/** @param {string} text that is not JSON @returns {string} where and why */
export function faultText(text) {
  if (isTooDeep(text)) return `where is not known, since it is nested more than ${MAX_DEPTH} levels deep`;
  const { line, column, text: why } = firstFault(text);
  return `line ${line}, column ${column}: ${why}`;
}

/** The parser's errors, in words. @type {Partial<Record<string, string>>} */
const MISSING = {
  ColonExpected: 'a colon is missing between a key and its value',
  CommaExpected: 'a comma is missing before this',
  CloseBraceExpected: 'the object is not closed; } is missing',
  CloseBracketExpected: 'the list is not closed; ] is missing',
  EndOfFileExpected: 'there is something after the end',
  UnexpectedEndOfString: 'a text does not end; " is missing',
  InvalidCharacter: 'a text holds a control character, such as a tab or a new line',
  InvalidEscapeCharacter: 'a text holds an unknown escape; a backslash is written as two',
  InvalidUnicode: 'a text holds an invalid \\u escape',
};

/** Faults that the parser does not name: the text at the fault, code, words. @type {[RegExp, string, string][]} */
const WRITTEN = [
  [/^$/, 'end', 'the file ends too early'],
  [/^'/, 'single-quotes', 'write texts and keys in double quotes: "text"'],
  [/^(True|False|None|undefined|NaN)\b/, 'word', 'is not a value of JSON; write true, false or null'],
];

/**
 * Finds the first syntax error: not all messages of JSON.parse have its position.
 * @param {string} text
 * @returns {{line: number, column: number, problem: string, text: string}} line and column: from 1; 1 when the position
 *   is unknown
 */
function firstFault(text) {
  /** @type {{offset: number, code: number, line: number, column: number}[]} */
  const faults = [];
  jsonc.visit(text, {
    onError(code, offset, length, line, column) {
      faults.push({ offset, code, line: line + 1, column: column + 1 });
    },
  });
  const { offset = 0, code = -1, line = 1, column = 1 } = faults[0] ?? {};
  const place = { line, column };
  if (text.trim() === '') return { ...place, problem: 'empty', text: 'the file is empty' };
  const remaining = text.slice(offset);
  const comma = /,\s*$/.exec(text.slice(0, offset));
  if (comma !== null && /^[}\]]/.test(remaining)) {
    const before = text.slice(0, comma.index).split('\n');
    return {
      ...{ line: before.length, column: /** @type {string} */ (before.at(-1)).length + 1, problem: 'trailing-comma' },
      text: `there is a comma after the last entry, before ${remaining[0]}; remove it`,
    };
  }
  const name = jsonc.printParseErrorCode(code);
  const known = MISSING[name];
  if (known !== undefined) return { ...place, problem: name, text: known };
  const [, problem, words] = WRITTEN.find(([start]) => start.test(remaining)) ?? [];
  const [, key] = /"([^"\n]*)"\s*:[^"\n]*$/.exec(text.slice(0, offset)) ?? [];
  const word = shown(/^[^\s,:}\]]+|^./s.exec(remaining)?.[0] ?? '', key);
  if (problem === 'word') return { ...place, problem, text: `${word} ${words}` };
  if (problem !== undefined) return { ...place, problem, text: String(words) };
  const what = name === 'PropertyNameExpected' ? 'a key in double quotes' : 'a value';
  return { ...place, problem: name, text: `${word} is not ${what}; texts are in double quotes` };
}
