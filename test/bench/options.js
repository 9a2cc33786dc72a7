// The options that all benches share. Usage errors are reported in one line with exit code 2.

import yargs from 'yargs';
import { UsageError } from '../../client/errors.js';
import { parseSize } from '../../client/words/units.js';

/** Of one client process, below the usual limit of descriptors. */
export const MOST_CONNECTIONS = 15_000;
const MOST_SECONDS = 60;

/**
 * @typedef {object} Shared
 * @property {number} rounds
 * @property {number} seed
 * @property {string} [raw] where raw figures go, instead of build/NAME.json
 * @property {string} [from] a file of raw figures, instead of measuring
 * @property {boolean} json
 * @property {boolean} markdown
 * @property {boolean} write
 */

/**
 * @template {Record<string, import('yargs').Options>} More
 * @param {string[]} words without node and the script
 * @param {{bench: string, says: string, rounds: number, more: More}} of `rounds`: the default; `more`: its own options
 * @returns {Shared & import('yargs').InferredOptionTypes<More>} those of `more` as given
 */
export function parseOptions(words, { bench, says, rounds, more }) {
  const given = parseWords(words, {
    bench,
    says,
    options: {
      ...more,
      rounds: { type: 'number', default: rounds, describe: 'number of rounds' },
      seed: { type: 'number', default: 1, describe: 'random seed of the order' },
      raw: { type: 'string', describe: `file for the raw figures, instead of test/bench/build/${bench}.json` },
      from: {
        type: 'string',
        describe: `make the tables from a file of raw figures, without measuring`,
      },
      json: { type: 'boolean', default: false, describe: 'print raw figures and results as JSON' },
      markdown: {
        type: 'boolean',
        default: false,
        describe: 'print the tables; the default without --json and --write',
      },
      write: { type: 'boolean', default: false, describe: 'write the tables to test/bench/README.md' },
    },
  });
  wholeOf(given.rounds, '--rounds');
  return /** @type {any} */ (given);
}

/**
 * The command line of a bench that measures no rounds.
 * @template {Record<string, import('yargs').Options>} Options
 * @param {string[]} words without node and the script
 * @param {{bench: string, says: string, options: Options}} of
 * @returns {import('yargs').InferredOptionTypes<Options>}
 */
export function parseWords(words, { bench, says, options }) {
  const given = yargs(words)
    .scriptName(bench)
    .usage(`npm run bench -- ${bench} [options]\n\n${says}`)
    .options(options)
    .strict()
    .version(false)
    .locale('en')
    .fail((message, error) => {
      throw error instanceof UsageError ? error : new UsageError(message ?? error.message);
    })
    .parseSync();
  return /** @type {any} */ (given);
}

/** The axes of a window. */
export const windowOption = {
  seconds: /** @type {const} */ ({ type: 'number', default: 2, describe: 'length of a window, in whole seconds' }),
};

/** What the engine runs over. */
export const ioOption = {
  io: /** @type {const} */ ({
    choices: ['auto', 'epoll', 'io_uring'],
    default: 'auto',
    describe: 'transport of the engine',
  }),
};

/** @param {number} seconds */
export const windowOf = (seconds) => wholeOf(seconds, '--seconds', MOST_SECONDS);

/** @param {string} text @param {number} [most] @returns {number[]} */
export function connectionsOf(text, most = MOST_CONNECTIONS) {
  return listOf(text, Number, (count) => isWhole(count, most), '--connections', `whole numbers of 1 to ${most}`);
}

/** @param {string} text @returns {number[]} bytes */
export function payloadsOf(text) {
  return listOf(text, parseSize, (bytes) => isWhole(bytes), '--payloads', 'sizes such as 1B, 64KiB');
}

/**
 * @template {string} Name
 * @param {string} text
 * @param {readonly Name[]} known
 * @param {string} option
 * @returns {Name[]}
 */
export function namesOf(text, known, option) {
  const names = listOf(text, (word) => known.find((name) => name === word), Boolean, option, known.join(', '));
  return names.flatMap((name) => name ?? []);
}

/** @param {number} value @param {string} option @param {number} [most] @returns {number} */
export function wholeOf(value, option, most = 2 ** 30) {
  if (isWhole(value, most)) return value;
  throw new UsageError(`${option} ${value}: expected a whole number of 1 to ${most}`);
}

/**
 * @template T
 * @param {string} text words and commas
 * @param {(word: string) => T} read
 * @param {(value: T) => boolean} fits
 * @param {string} option
 * @param {string} expected
 * @returns {T[]}
 */
function listOf(text, read, fits, option, expected) {
  return text.split(',').map((word) => {
    const value = read(word.trim());
    if (fits(value)) return value;
    throw new UsageError(`${option} ${text}: ${JSON.stringify(word)} is none of ${expected}`);
  });
}

/** @param {number} value @param {number} [most] */
function isWhole(value, most = 2 ** 30) {
  return Number.isInteger(value) && value >= 1 && value <= most;
}
