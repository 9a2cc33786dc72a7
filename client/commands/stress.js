// `broadside stress`: runs a scenario and writes its report.
import { setFlagsFromString } from 'node:v8';
import * as launcher from '../../servers/launcher/index.js';
import { describePlan } from '../console/plan-text.js';
import { RunDisplay } from '../console/run-display.js';
import { settingsOf } from '../measure/leg-settings.js';
import { launcherOn } from '../run/agents/server-agent.js';
import { Run } from '../run/run.js';
import { checkTargets } from '../run/target-check.js';
import { scenarioOptions, unitsHelp } from '../scenario/flags.js';
import { makeOutputFolder } from '../store/run-folder.js';
import { agentLossOptions, agentsOptions, serverAgentOptions } from './agents.js';
import { shortOptions } from './short-flags.js';
import { outputOptions } from './output-options.js';
import { planOf } from './preparation.js';
import { requestOf } from './request.js';
import { resumedRun, resumeOptions } from './resume.js';
import { publicationOptions, publish } from './publication.js';
import { liveOptions, openLive } from './live.js';
import { baselineOptions, checkBaseline, readBaseline } from './run-comparison.js';

/** @type {Record<string, import('yargs').Options>} */
export const builder = {
  ...scenarioOptions(),
  ...shortOptions,
  ...resumeOptions,
  ...agentsOptions,
  ...serverAgentOptions,
  ...agentLossOptions,
  ...outputOptions,
  json: { type: 'boolean', description: 'Print summary.json and nothing else', group: 'Output:' },
  quiet: { type: 'boolean', description: 'Print only the table of results at the end', group: 'Output:' },
  'dry-run': { type: 'boolean', description: 'Print the plan without starting anything', group: 'Output:' },
  ...liveOptions,
  ...baselineOptions,
  ...publicationOptions,
};

export const epilogue = unitsHelp;

/** @type {import('./index.js').Command['examples']} */
export const examples = [
  ['--config smoke', 'a first run: 100 connections, about 5 s'],
  ['--config 10k-1kb --servers go,epoll', 'other servers in a shipped scenario'],
  ['http://127.0.0.1:8080/path -c 500 -d 10s', 'a server that is already running'],
  ["--command './mine --port {port}' --connections 500", 'a server that Broadside starts and stops'],
  ['--servers epoll --connections 200 --rate 5000/s', 'open loop: 5,000 requests per second'],
];

/**
 * The primary allocates some megabytes of histograms and lines per second and keeps none of them. With a young
 * generation of constant size V8 collects them often, and memory does not swing by tens of megabytes.
 */
const CONSTANT_YOUNG_GENERATION = '--semi-space-growth-factor=1';

/** @param {any} argv */
export async function handler(argv) {
  process.exitCode = await stress(requestOf(argv, process.env));
  // An interrupted build or start of a server may still be in progress; the guard ends what it has started.
  if (process.exitCode >= 128) process.exit();
}

/**
 * @typedef {import('./request.js').Request} Request
 * @typedef {import('./preparation.js').Planned} Planned
 */

/**
 * @param {Request} request
 * @returns {Promise<number>} the exit code
 * @throws {import('../errors.js').BroadsideError} before the run has begun
 */
export async function stress(request) {
  const { resume, output } = request;
  const baseline = await readBaseline(request.baseline, output.logs);
  const planned = resume === null ? await planOf(request) : await resumedRun(resume, output.logs);
  try {
    return await stressPlanned({ ...planned, baseline }, request);
  } finally {
    await planned.agents?.close();
  }
}

/**
 * @param {Planned} planned
 * @param {Request} request
 * @returns {Promise<number>} the exit code
 */
async function stressPlanned(planned, { output, livePort, publication }) {
  const { scenario, plan, host, baseline = null } = planned;
  const { only } = output;
  checkBaseline(baseline, plan);
  if (output.isDryRun) {
    const text = only === 'json' ? JSON.stringify({ scenario, plan }, null, 2) : describePlan(scenario, plan, host);
    process.stdout.write(`${text}\n`);
    return 0;
  }
  const answered = await checkTargets(launcher, settingsOf(scenario, plan.legs[0]));
  setFlagsFromString(CONSTANT_YOUNG_GENERATION);
  /** @type {ConstructorParameters<typeof RunDisplay>[1]} */
  const shown = { scenario, plan, only };
  const live = livePort === null ? null : await openLive(livePort, planned, shown);
  const display = live?.display ?? new RunDisplay(process.stdout, shown);
  try {
    const run = runOf({ ...planned, answered }, output, display);
    const exitCode = await run.execute();
    for (const failed of await publish(run.folder.folder, publication)) display.problem(failed);
    return exitCode;
  } finally {
    await live?.close();
  }
}

/**
 * @param {Planned} planned
 * @param {{logs: string, report: string}} folders
 * @param {RunDisplay} display
 * @returns {Run} whose folder exists
 */
export function runOf(
  { scenario, plan, host, known, answered, baseline, resumed, nextLeg, agents },
  { logs, report },
  display,
) {
  makeOutputFolder('report', report); // now, not after an hour of measuring
  const remote = agents?.serverAgent ? launcherOn(agents, launcher) : null;
  const run = new Run({
    ...{ scenario, plan, host, logs, display, answered, baseline, resumed, nextLeg, agents },
    launcher: remote ?? launcher,
    available: known.filter(({ available }) => available).map(({ name }) => name),
    buildPage: (runFolder) => buildPage(runFolder, report),
  });
  if (remote !== null) remote.folder = run.folder.folder;
  return run;
}

/**
 * @param {string} runFolder
 * @param {string} reportFolder
 * @returns {Promise<string>} the page
 */
async function buildPage(runFolder, reportFolder) {
  const { buildReport } = await import('../../report/index.js');
  const { page } = await buildReport({ runFolder, reportFolder, index: true });
  return page;
}
