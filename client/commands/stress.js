// `broadside stress`: runs a scenario and writes its report. The help and a mistake in the command line need the
// options alone, so everything else is loaded where it is used.
import { print } from '../console/print.js';
import { scenarioOptions, unitsHelp } from '../scenario/flags.js';
import { agentLossOptions, agentsOptions, serverAgentOptions } from './agents.js';
import { withShortFlags } from './short-flags.js';
import { outputOptions } from './output-options.js';
import { requestOf } from './request.js';
import { publicationOptions } from './publication.js';
import { liveOptions } from './live.js';
import { buildVersions, findRevisions, foldersOf, revisionOptions, versionsText } from './revisions.js';
import { baselineOptions } from './baseline.js';

/**
 * @import { Options } from 'yargs'
 * @import { BroadsideError } from '../errors.js'
 * @import { Command } from './index.js'
 * @import { Planned } from './preparation.js'
 * @import { Request } from './request.js'
 * @import { Versions } from './revisions.js'
 */

/** @type {Record<string, Options>} */
export const builder = {
  ...withShortFlags(scenarioOptions()),
  ...revisionOptions,
  ...agentsOptions,
  ...serverAgentOptions,
  ...agentLossOptions,
  ...outputOptions,
  json: { type: 'boolean', description: 'Print summary.json and nothing else', group: 'Output:' },
  markdown: {
    type: 'boolean',
    description: 'Print the answer and a table for a pull request, and nothing else',
    group: 'Output:',
  },
  quiet: { alias: 's', type: 'boolean', description: 'Print only the table of results at the end', group: 'Output:' },
  progress: {
    type: 'boolean',
    description: 'A line for each second, and the bar below (--no-progress: neither)',
    group: 'Output:',
  },
  table: {
    choices: ['main', 'all'],
    requiresArg: true,
    description: 'The table of servers alone, or every figure too (default: main)',
    group: 'Output:',
  },
  debug: {
    type: 'boolean',
    description: 'Send one request as the run would, print it, the reply and the times, and end',
    group: 'Output:',
  },
  'dry-run': { type: 'boolean', description: 'Print the plan without starting anything', group: 'Output:' },
  ...liveOptions,
  ...baselineOptions,
  ...publicationOptions,
};

export const epilogue = unitsHelp;

export const everyday = [
  ...[
    'config',
    'command',
    'base',
    'build',
    'servers',
    'connections',
    'duration',
    'transfers',
    'rate',
    'payload',
    'protocol',
  ],
  ...['http.headers', 'http.method', 'http.body', 'insecure'],
  ...[
    'ramp.add',
    'rounds',
    'compareAt',
    'find.maximise',
    'find.while',
    'thresholds',
    'failIf',
    'live',
    'json',
    'debug',
    'dry-run',
  ],
];

/** @type {Command['examples']} */
export const examples = [
  ['--config smoke', 'a first run, about 5 s'],
  ['http://127.0.0.1:8080/path -c 500 -d 10s', 'a server that runs already'],
  [`https://api.local/ -H 'Authorization: Bearer x' -b '{"a": 1}'`, 'a request of your own'],
  ["--command './mine --port {port}' -c 100 -R 5000", 'open loop: 5,000 requests/s'],
  ["--base main --command 'node server.js {port}' -c 100", 'did my change hurt?'],
  ["--config smoke --fail-if 'p99 > 5ms'", 'a gate: exit code 99'],
  ['--config 10k-1kb --servers go,epoll --live', 'the page while it runs'],
];

/** @param {any} argv */
export async function handler(argv) {
  process.exitCode = await stress(requestOf(argv, process.env));
  // An interrupted build or start of a server may still be in progress; the guard ends what it has started.
  if (process.exitCode >= 128) process.exit();
}

/**
 * @param {Request} request
 * @returns {Promise<number>} the exit code
 * @throws {BroadsideError} before the run has begun
 */
export async function stress(request) {
  const { planOf } = await import('./preparation.js');
  const { baseline: given, output } = request;
  const baseline = given && (await (await import('./run-comparison.js')).readBaseline(given, output.logs));
  const versions = request.revisions === null ? null : await findRevisions(request.revisions);
  const planned = await planOf(versions === null ? request : withVersions(request, versions));
  /** @type {(() => Promise<void>) | undefined} */
  let endUse;
  try {
    if (baseline !== null) (await import('./run-comparison.js')).checkBaseline(baseline, planned.plan);
    if (versions !== null && !output.isDryRun) {
      endUse = await buildVersions(versions, (line) => print(line, process.stderr));
    }
    return await stressPlanned({ ...planned, baseline }, request);
  } finally {
    await endUse?.();
    await planned.agents?.close();
  }
}

/**
 * @param {Request} request @param {Versions} versions
 * @returns {Request} whose command is run in the folder of each version
 */
function withVersions({ scenario, ...request }, versions) {
  const { config, flags = {} } = scenario ?? {};
  const described = { description: versionsText(versions), ...flags };
  return { ...request, scenario: { config, flags: described, folders: foldersOf(versions) } };
}

/**
 * @param {Planned} planned
 * @param {Request} request
 * @returns {Promise<number>} the exit code
 */
async function stressPlanned(planned, { output, livePort, publication }) {
  const { scenario, plan, host } = planned;
  if (output.isDryRun) {
    const { storedPlan, storedScenario } = await import('../measure/settings.js');
    const { describePlan } = await import('../console/plan-text.js');
    const text =
      output.only === 'json'
        ? JSON.stringify({ scenario: storedScenario(scenario), plan: storedPlan(plan, scenario) }, null, 2)
        : describePlan(scenario, plan, host);
    print(text);
    return 0;
  }
  if (output.isDebug) {
    const { debugExchange } = await import('./debug.js');
    return debugExchange(planned, output.only === 'json');
  }
  const { carryOut } = await import('./carry-out.js');
  return carryOut(planned, { output, livePort, publication });
}
