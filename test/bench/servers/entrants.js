// Which servers of each contest this machine has, and how each is started. Pure: what is installed is an argument. A
// missing server is reported and left out; a contest takes place if there is one on each side.

import { EnvironmentError, UsageError } from '../../../client/errors.js';
import { CONTESTS, SERVERS, contestOf } from './contests.js';
import { FOREIGN, echoCommandsIn } from './foreign.js';

/**
 * @typedef {import('./contests.js').ContestName} ContestName
 * @typedef {{name: string, options: Record<string, number>} | {command: string}} Start for the launcher
 * @typedef {object} Entrant
 * @property {string} name
 * @property {number} most connections that it can serve
 * @property {Start} start
 *
 * @typedef {object} Here what this machine has
 * @property {(program: string) => string | null} find its path
 * @property {import('../../../servers/launcher/builder/availability.js').FoundServer[]} known ours
 * @property {number} cpus how many
 * @property {NodeJS.ProcessEnv} env
 */

const THREADS = { option: 'threads', always: ['rust-tokio', 'go'] };

/** @param {NodeJS.ProcessEnv} env @returns {string[]} every server that may be requested */
export function serverNames(env) {
  return [...SERVERS, ...echoCommandsIn(env, SERVERS).keys()];
}

/**
 * @param {{contests: readonly ContestName[], servers: readonly string[]}} wanted
 * @param {Here} here
 * @returns {{entrants: Map<ContestName, Entrant[]>, notes: string[]}} notes: a sentence for each that is left out
 * @throws {EnvironmentError} when no contest is left
 * @throws {UsageError} when no contest was requested
 */
export function entrantsHere({ contests, servers }, here) {
  const commands = echoCommandsIn(here.env, SERVERS);
  /** @type {Map<ContestName, Entrant[]>} */
  const entrants = new Map();
  /** @type {Set<string>} */
  const notes = new Set();
  let asked = 0;
  for (const contest of contests) {
    const { protocol, ours, theirs } = contestOf(contest);
    const wanted = (/** @type {string[]} */ names) => names.filter((name) => servers.includes(name));
    const sides = [wanted(ours), wanted([...theirs, ...(protocol === 'echo' ? commands.keys() : [])])];
    if (sides.some(({ length }) => length === 0)) continue;
    asked += 1;
    if (protocol === 'http' && !here.find('wrk')) {
      notes.add('Nothing over HTTP: wrk is not installed (apt-get install wrk).');
      continue;
    }
    const found = sides.map((names) =>
      names.flatMap((name) => {
        const entrant = entrantOf(contest, name, here, commands);
        if (typeof entrant !== 'string') return [entrant];
        notes.add(`${name} is left out: ${entrant}.`);
        return [];
      }),
    );
    if (found.every(({ length }) => length > 0)) entrants.set(contest, found.flat());
  }
  if (asked === 0)
    throw new UsageError(`--servers ${servers.join(',')}: no contest has one of ours and a counterpart in it`);
  if (entrants.size > 0) return { entrants, notes: [...notes] };
  throw new EnvironmentError(['nothing can be compared here', ...notes].join('\n'), { code: 'ENOSERVER' });
}

/**
 * @param {ContestName} contest
 * @param {string} name
 * @param {Here} here
 * @param {Map<string, string>} commands of the environment
 * @returns {Entrant | string} or why there is none
 */
function entrantOf(contest, name, { find, known, cpus }, commands) {
  const { protocol, threads: few } = CONTESTS[contest];
  const threads = few === 'one' ? 1 : cpus;
  const given = commands.get(name);
  if (given !== undefined) return { name, most: Infinity, start: { command: given } };
  const foreign = FOREIGN[name];
  if (foreign) {
    const program = find(name);
    if (program === null) return `it is not installed (apt-get install ${foreign.from})`;
    return { name, most: foreign.most ?? Infinity, start: { command: foreign.command(program, threads) } };
  }
  const server = known.find((one) => one.name === name);
  if (!server) return 'there is no server of that name in servers/';
  if (!server.available) return [server.why, server.remedy].filter(Boolean).join('; ');
  if (!server.protocols.includes(protocol)) return `it does not speak ${protocol}`;
  if (few === 'one' && !THREADS.always.includes(name)) return { name, most: Infinity, start: { name, options: {} } };
  if (!server.manifest.options?.[THREADS.option]) return `its number of threads cannot be set`;
  return { name, most: Infinity, start: { name, options: { [THREADS.option]: threads } } };
}
