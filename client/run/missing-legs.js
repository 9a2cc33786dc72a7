// The command that repeats a run or measures its missing legs: the run's command line, with only the servers whose legs
// are missing.

import { isDeepStrictEqual } from 'node:util';
import { shellWord, typed } from '../invocation.js';
import { comparesServers } from '../judge/conditions/parse.js';
import { keptSecrets } from '../protocols/kept-secrets.js';
import { serverEntryOf } from '../scenario/keys/servers.js';
import { withoutSecrets } from '../words/secrets.js';

/**
 * @import { RunSummary } from '../../config/types.js'
 * @import { Plan } from '../measure/settings.js'
 * @import { MissingLegs } from '../console/run-display.js'
 * @import { Leg } from '../plan/plan.js'
 * @import { Scenario } from '../scenario/scenario.js'
 */

/**
 * @param {string[]} argv of the process: node, the program, then its arguments
 * @param {Scenario} scenario
 * @param {Pick<Plan, 'legs' | 'search' | 'compareAt'>} plan
 * @param {Pick<RunSummary, 'complete' | 'endedBy' | 'legs'>} summary
 * @returns {MissingLegs | null} null: nothing is missing, or nothing was measured and the run was not interrupted
 */
export function missingLegs(argv, scenario, plan, summary) {
  if (summary.complete) return null;
  const complete = new Set(summary.legs.filter((leg) => leg.complete).map(({ id }) => id));
  const missing = plan.legs.filter(({ id }) => !complete.has(id));
  const isInterrupted = summary.endedBy === 'interrupted';
  // legs at a common rate are planned when the legs before them have ended
  const isWholePlan =
    plan.search === undefined &&
    (!isInterrupted || plan.compareAt === undefined || plan.legs.some((leg) => leg.comparedAt !== undefined));
  if (isWholePlan && missing.length === 0) return null;
  // a leg of a search may fail because of its load
  if (!isInterrupted && (plan.search || missing.length === plan.legs.length)) return null;
  const servers = isWholePlan ? wholeServers(scenario, plan.legs, missing) : null;
  return {
    missing: isWholePlan ? missing.length : null,
    planned: plan.legs.length,
    servers,
    command: commandOf(argv, servers),
  };
}

/**
 * @param {Scenario} scenario
 * @param {Leg[]} planned @param {Leg[]} missing
 * @returns {string[] | null} names of the servers whose legs are all missing; null: a server misses only some of its
 *   legs, or `--servers` with these names would measure something else
 */
function wholeServers(scenario, planned, missing) {
  const { servers = [], commands = [], compareAt, budget, thresholds, failIf, wrap, legGapNs } = scenario;
  const isCompared =
    compareAt !== null ||
    budget !== null ||
    [...thresholds, ...failIf].some(comparesServers) ||
    planned.some(({ slices }) => slices !== undefined);
  const names = servers.map(({ name }) => name);
  // a single leg does not accept a pause between legs
  if (isCompared || legGapNs > 0 || commands.length > 0 || new Set(names).size < names.length) return null;
  const nameOf = (/** @type {Leg} */ { server }) => (server.kind === 'named' ? server.name : '');
  const measured = new Set(planned.filter((leg) => !missing.includes(leg)).map(nameOf));
  const whole = servers.filter(({ name }) => !measured.has(name));
  const isPlain = whole.every((entry) => isDeepStrictEqual(entry, serverEntryOf(entry.name, { instances: 1, wrap })));
  const isWhole = missing.every((leg) => !measured.has(nameOf(leg)));
  return isPlain && isWhole && whole.length < servers.length ? whole.map(({ name }) => name) : null;
}

/** Flags that choose servers. */
const SERVERS = /^--(sweep\.)?servers(=|$)/;

/**
 * @param {string[]} argv of the process @param {string[] | null} [servers] instead of those in argv; null: unchanged
 * @returns {string} the command line to type
 */
export function commandOf([, , ...args], servers = null) {
  const at = args.findIndex((word) => !word.startsWith('-'));
  const words = withoutSecrets(args.toSpliced(at, 1), keptSecrets);
  const kept = words.filter((word, i) => !SERVERS.test(word) && !/^--(sweep\.)?servers$/.test(words[i - 1] ?? ''));
  const changed = servers === null ? words : [...kept, '--servers', servers.join(',')];
  return typed(args[at], changed.map(shellWord).join(' '));
}
