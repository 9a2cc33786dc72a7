// `broadside servers build`: builds the servers that are not up to date. If one cannot be built, the others still are, and the
// command fails at the end. It fails too if a server that is named is not available here, or none that a pattern matches.

import { EnvironmentError } from '../../errors.js';
import { selectServers, launcher, print, printJson } from './select-servers.js';

/**
 * @typedef {object} Outcome
 * @property {string} name
 * @property {boolean} built false also when it was up to date
 * @property {number} ms
 * @property {string} [why] it could not be built, for people
 * @property {{code: string, data: Record<string, unknown>}} [problem] the same for programs: of its availability, or
 *   the error of the build
 */

/** @param {{names?: string[], json?: boolean}} argv */
export async function build({ names = [], json }) {
  const { checkAvailability } = await launcher();
  const chosen = await selectServers(names);
  const found = await checkAvailability(chosen.map(({ server }) => server));
  const wide = Math.max(...found.map(({ name }) => name.length)) + 2;
  const say = (/** @type {string} */ name, /** @type {string} */ text) => json || print(name.padEnd(wide) + text);
  /** @type {Outcome[]} */
  const outcomes = [];
  for (const { name, available, why, remedy, problem } of found) {
    const outcome = available
      ? await buildOne(name)
      : { name, built: false, ms: 0, why: `unavailable: ${why}; ${remedy}`, ...(problem && { problem }) };
    outcomes.push(outcome);
    say(name, outcome.why ?? (outcome.built ? `built, ${(outcome.ms / 1000).toFixed(1)} s` : 'up to date'));
  }
  if (json) printJson(outcomes);
  // a name fails with its server; a pattern fails when all servers it matches do
  const vain = names.filter((text) => chosen.every(({ by }, i) => !by.includes(text) || !found[i].available));
  const failed = outcomes.filter(
    ({ why }, i) => why !== undefined && (found[i].available || chosen[i].by.some((text) => vain.includes(text))),
  );
  if (failed.length > 0) {
    throw new EnvironmentError(`${failed.length} of ${found.length} could not be built: see above`, {
      code: 'EBUILD',
      data: { of: found.length, failed: failed.map(({ name, problem }) => ({ server: name, problem })) },
    });
  }
}

/**
 * @param {string} name
 * @returns {Promise<Outcome>}
 */
async function buildOne(name) {
  const launch = await launcher();
  const started = performance.now();
  const ms = () => Math.round(performance.now() - started);
  const onLine = (/** @type {string} */ line) => process.stderr.write(`${line}\n`);
  try {
    const [{ built }] = await launch.build({ names: [name], onLine });
    return { name, built, ms: ms() };
  } catch (error) {
    if (!(error instanceof launch.ServerError)) throw error;
    const { message, code, data } = error;
    return { name, built: false, ms: ms(), why: message.split('\n', 1)[0], problem: { code, data } };
  }
}
