// `broadside stress`: runs a scenario and writes its report. The help and mistakes need only the options, so everything
// else is loaded where it is used.
import { print } from '../console/print.js';
import { scenarioOptions, unitsHelp } from '../scenario/flags.js';
import { invocationOptions, requestOf } from './options.js';
import { withShortFlags } from './short-flags.js';

/**
 * @import { Options } from 'yargs'
 * @import { BroadsideError } from '../errors.js'
 * @import { Command } from './index.js'
 * @import { Typed } from './option-rows.js'
 * @import { Request } from './options.js'
 * @import { Planned } from './preparation.js'
 */

/** @type {Record<string, Options>} */
export const builder = { ...withShortFlags(scenarioOptions()), ...invocationOptions };

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

/** @param {Typed} argv */
export async function handler(argv) {
  process.exitCode = await stress(requestOf(argv, process.env));
  // An interrupted build or start of a server may still be in progress; the guard ends it.
  if (process.exitCode >= 128) process.exit();
}

/**
 * @param {Request} request
 * @returns {Promise<number>} the exit code
 * @throws {BroadsideError} before the run has begun
 */
export async function stress(request) {
  const { planOf } = await import('./preparation.js');
  const { baseline: given, revisions, output } = request;
  const comparison = given && (await import('./run-comparison.js'));
  const baseline = comparison && (await comparison.readBaseline(given, output.logs));
  const base = revisions && (await import('./revisions.js'));
  const versions = base && (await base.findRevisions(revisions));
  const versioned = versions ? base.withVersions(request, versions) : request;
  const planned = await planOf(versioned);
  /** @type {(() => Promise<void>) | undefined} */
  let endUse;
  try {
    if (comparison && baseline) comparison.checkBaseline(baseline, planned.plan);
    if (versions && !output.isDryRun) {
      endUse = await base.buildVersions(versions, (line) => print(line, process.stderr));
      base.requirePrograms(versions, planned.scenario.commands ?? []);
    }
    const recognised = await withRecognisedProtocol(planned, versioned);
    return await stressPlanned({ ...recognised, baseline }, request);
  } finally {
    await endUse?.();
    await planned.place.end();
  }
}

/**
 * @param {Planned} planned @param {Request} request
 * @returns {Promise<Planned>} with the protocol that the server speaks, if the scenario names none
 */
async function withRecognisedProtocol(planned, { scenario: named, ...request }) {
  const { scenario, plan, place } = planned;
  const { isDryRun, isDebug } = request.output;
  // --debug shows the server's reply to the scenario's request, whatever protocol the server speaks
  if (!scenario.protocolAssumed || isDryRun || isDebug || !place.isHere) return planned;
  const [{ findProtocol }, launcher, { planOf }] = await Promise.all([
    import('../run/recognise.js'),
    import('../../servers/launcher/index.js'),
    import('./preparation.js'),
  ]);
  const notice = (/** @type {string} */ text) => print(`broadside: ${text}`, process.stderr);
  const { answered, other } = await findProtocol(launcher, plan.legs, notice);
  if (other === null) return { ...planned, answered };
  notice(other.text);
  return planOf({ ...request, scenario: { ...named, flags: { ...named?.flags, protocol: other.protocol } } });
}

/**
 * @param {Planned} planned
 * @param {Request} request
 * @returns {Promise<number>} the exit code
 */
async function stressPlanned(planned, { output, livePort, publication, explain }) {
  const { scenario, plan, host } = planned;
  if (output.isDryRun) {
    const { storedPlan, storedScenario } = await import('../measure/settings.js');
    const { describePlan } = await import('../console/plan-text.js');
    const text =
      output.only === 'json'
        ? JSON.stringify({ scenario: storedScenario(scenario), plan: storedPlan(plan, scenario) }, null, 2)
        : await describePlan(scenario, plan, host, process.stdout.columns || Number(process.env.COLUMNS) || undefined);
    print(text);
    return 0;
  }
  if (output.isDebug) {
    const { debugExchange } = await import('./debug.js');
    return debugExchange(planned, output.only === 'json');
  }
  const { carryOut } = await import('./carry-out.js');
  return carryOut(planned, { output, livePort, publication, explain });
}
