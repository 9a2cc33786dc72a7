// The command line of client-cost.js. The one thing to know: a mistake is answered by one line and exit 2.

import yargs from 'yargs';
import { parseSize } from '../../client/units.js';
import { PLACEMENTS } from './cells.js';

const USAGE_EXIT = 2;
/** Of one client process, below the usual limit of descriptors. */
const MOST_CONNECTIONS = 15_000;
const MOST_SECONDS = 60;

/**
 * @typedef {object} Options
 * @property {number[]} connections
 * @property {number[]} payloads bytes
 * @property {import('./cells.js').Placement[]} placements
 * @property {number} rounds
 * @property {number} seconds of a window
 * @property {number} seed
 * @property {string} [from] a file of raw figures, instead of measuring
 * @property {boolean} json
 * @property {boolean} markdown
 * @property {boolean} write
 */

/** @param {string[]} words without node and the script @returns {Options} */
export function parseOptions(words) {
  const given = yargs(words)
    .scriptName('client-cost')
    .usage('$0 [options]\n\nMeasures the client CPU per round trip of the engine, a bare epoll client and Node net.')
    .options({
      connections: { type: 'string', default: '1,100,1000,10000', describe: 'a list' },
      payloads: { type: 'string', default: '1B,1KiB', describe: 'a list of sizes' },
      placement: { type: 'string', default: PLACEMENTS.join(','), describe: 'a list' },
      rounds: { type: 'number', default: 6, describe: 'how often everything is measured' },
      seconds: { type: 'number', default: 2, describe: 'of a window; whole ones' },
      seed: { type: 'number', default: 1, describe: 'of the order' },
      from: { type: 'string', describe: 'a file of raw figures, such as build/client-cost.json: measure nothing' },
      json: { type: 'boolean', default: false, describe: 'print raw figures and results as JSON' },
      markdown: { type: 'boolean', default: false, describe: 'print the tables; so does neither --json nor --write' },
      write: { type: 'boolean', default: false, describe: 'put the tables into test/bench/README.md' },
    })
    .strict()
    .version(false)
    .locale('en')
    .fail((message, error) => giveUp(message ?? error.message))
    .parseSync();
  const { rounds, seconds, seed, from, json, markdown, write } = given;
  if (!isWhole(rounds)) giveUp(`--rounds ${rounds}: not a whole number of at least 1`);
  if (!isWhole(seconds, MOST_SECONDS)) giveUp(`--seconds ${seconds}: not a whole number of 1 to ${MOST_SECONDS}`);
  const connections = listOf(given.connections, Number, (count) => isWhole(count, MOST_CONNECTIONS), '--connections');
  const payloads = listOf(given.payloads, parseSize, (bytes) => isWhole(bytes), '--payloads');
  const places = listOf(given.placement, placementOf, (place) => place !== undefined, '--placement');
  const placements = places.flatMap((place) => place ?? []);
  return { connections, payloads, placements, rounds, seconds, seed, from, json, markdown, write };
}

/**
 * @template T
 * @param {string} text words and commas
 * @param {(word: string) => T} read
 * @param {(value: T) => boolean} fits
 * @param {string} option
 * @returns {T[]}
 */
function listOf(text, read, fits, option) {
  return text.split(',').map((word) => {
    const value = read(word.trim());
    return fits(value) ? value : giveUp(`${option} ${word}: not one it knows; see --help for the default`);
  });
}

/** @param {string} word */
function placementOf(word) {
  return PLACEMENTS.find((placement) => placement === word);
}

/** @param {number} value @param {number} [most] */
function isWhole(value, most = 2 ** 30) {
  return Number.isInteger(value) && value >= 1 && value <= most;
}

/** @param {string} message @returns {never} */
function giveUp(message) {
  process.stderr.write(`client-cost: ${message}\n`);
  process.exit(USAGE_EXIT);
}
