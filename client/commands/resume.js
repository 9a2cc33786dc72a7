// `broadside stress --resume RUN`: runs the legs of an interrupted run that are not complete, into the same folder.
// Scenario, plan and seed are those of the run, so that no flag of a scenario goes with it.

import * as launcher from '../../servers/launcher/index.js';
import { EnvironmentError, UsageError } from '../errors.js';
import { readHost } from '../machine/host.js';
import { raising } from '../plan/limits/texts.js';
import { PLAN_SCHEMA } from '../plan/plan.js';
import { checkMachine, tlsRule } from '../scenario/place-rules.js';
import { readResumable } from '../store/resumable-run.js';
import { findRun } from '../store/run-list.js';
import { thisMachine, withLegsAtRate } from './preparation.js';

/** Flags that do not change what is measured. */
const ALLOWED = [
  ...['resume', 'logs', 'report', 'json', 'quiet', 'progress', 'otlp', 'otlp-public', 'live', 'baseline', 'tolerance'],
  ...['$0', '_', 'help', 'h', 'version'],
];

/** @type {Record<string, import('yargs').Options>} */
export const resumeOptions = {
  resume: {
    type: 'string',
    requiresArg: true,
    description: 'Run the legs of this interrupted run (id or folder) that are not complete, into its folder',
    group: 'What to measure:',
  },
};

/**
 * @param {any} argv as yargs leaves it, with `resume`
 * @returns {string} the run
 * @throws {UsageError} where there is something beside it that would change what is measured
 */
export function resumeOf(argv) {
  const others = Object.keys(argv).filter((key) => argv[key] !== undefined && !ALLOWED.includes(key));
  if (others.length > 0 || Array.isArray(argv.resume)) {
    const flagOf = (/** @type {string} */ key) =>
      key === 'url' ? argv.url : key.length === 1 ? `-${key}` : `--${key}`;
    const given = others.map(flagOf).join(', ');
    const why =
      others.length > 0
        ? `a run is resumed with its own scenario and plan; leave out ${given}, or start a new run`
        : 'given more than once; give one run';
    throw new UsageError(`--resume: ${why}`, { code: 'ERESUMEFLAGS', data: { others } });
  }
  return argv.resume;
}

/**
 * @typedef {import('./preparation.js').Planned & { resumed: import('../store/resumable-run.js').ResumableRun }} Resumed
 *
 * @param {string} run id or folder
 * @param {string} logs
 * @returns {Promise<Resumed>}
 * @throws {import('../errors.js').BroadsideError} when it cannot be resumed, or not here
 */
export async function resumedRun(run, logs) {
  const resumed = await readResumable(await findRun(logs, run), PLAN_SCHEMA);
  const { scenario, plan } = resumed;
  if (
    plan.legs.some((/** @type {any} */ { agents, serverAgent }) => agents !== undefined || serverAgent !== undefined)
  ) {
    throw new UsageError(`--resume ${resumed.folder.id}: agents had a part in it; start a new run`, {
      code: 'ERESUMEAGENTS',
      data: { run: resumed.folder.id },
    });
  }
  checkMachine(scenario, thisMachine, [tlsRule]);
  const host = await readHost({ logs, target: scenario.target });
  const needed = plan.expected.descriptorsPerWorker;
  if (host.descriptors < needed) {
    throw new EnvironmentError(
      `--resume ${resumed.folder.id}: its plan needs ${needed} descriptors in each worker or engine, and ${host.descriptors} are allowed now; ` +
        `raise the limit (${raising(host.raisedBy, needed)})`,
      { code: 'EDESCRIPTORS', data: { needed, available: host.descriptors } },
    );
  }
  const names = new Set((scenario.servers ?? []).map((/** @type {any} */ { name }) => name));
  const known = await launcher.checkAvailability(launcher.listServers().filter(({ name }) => names.has(name)));
  const planned = { scenario, plan, host, known, resumed };
  return (scenario.compareAt ?? null) === null ? planned : withLegsAtRate(planned);
}
