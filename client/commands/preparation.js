// What `stress` and `doctor` do alike before anything starts: the scenario, the servers it names, the machine.

import { existsSync } from 'node:fs';
import * as launcher from '../../servers/launcher/index.js';
import { UsageError } from '../errors.js';
import { readHost } from '../plan/host.js';
import { unfitOptions, unknownServers } from '../scenario/checks.js';
import { flagsOf } from '../scenario/flags.js';
import { told } from '../scenario/mistakes.js';
import { loadScenario } from '../scenario/scenario.js';

/** @typedef {import('../scenario/scenario.js').Scenario} Scenario */

/**
 * @param {any} argv as yargs leaves it
 * @returns {Promise<{scenario: Scenario, host: import('../plan/host.js').Host,
 *   known: import('../plan/processes.js').KnownServer[]}>} known: the servers it names
 * @throws {import('../errors.js').BroadsideError}
 */
export async function prepare(argv) {
  const scenario = await loadScenario({ config: argv.config, flags: flagsOf(argv) });
  const listed = scenario.servers ? launcher.listServers() : [];
  const mistakes = [...unknownServers(scenario, listed.map(({ name }) => name)), ...unfitOptions(scenario, listed)];
  if (mistakes.length > 0) throw new UsageError(told(mistakes), { code: 'ESERVER' });
  const wanted = new Set(scenario.servers?.map(({ name }) => name));
  const known = await launcher.checkAvailability(listed.filter(({ name }) => wanted.has(name)));
  checkProcess(scenario);
  return { scenario, known, host: await readHost({ logs: argv.logs, target: scenario.target }) };
}

/** @param {Scenario} scenario */
function checkProcess({ serverPid }) {
  if (serverPid === null || existsSync(`/proc/${serverPid}`)) return;
  throw new UsageError(`serverPid: there is no process ${serverPid} on this machine`, { code: 'EPID' });
}
