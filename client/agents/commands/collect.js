// `broadside collect RUN`: completes a run whose controller has ended. Its agents continue to the end of the leg, and
// their reports wait at the NATS server; `collect` finishes the run with them. The transfer logs stay on the agents;
// `collect` prints where they are, and converts them when they have been copied.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { print } from '../../console/print.js';
import { EnvironmentError, UsageError } from '../../errors.js';
import { damagedError } from '../../measure/run-documents.js';
import { parseSamples } from '../../measure/sample-lines.js';
import { joinSamples } from '../replay.js';
import { listAgentLogs } from '../agent-logs.js';
import { RunResults } from '../../run/run-results.js';
import { summariseLeg } from '../../judge/summary.js';
import { warning } from '../warnings.js';
import { readDocument, readEvents, readJson } from '../../store/read-run.js';
import { RunFolder } from '../../store/run-folder.js';
import { findRun, isRunning } from '../../store/run-list.js';
import { collectLogs } from './collect-logs.js';
import { missingOption } from '../../commands/option-values.js';
import { partOptions, readPart } from '../../commands/options.js';
import { folderOptions } from '../../commands/shared-options.js';

/**
 * @import { Argv } from 'yargs'
 * @import { LegSummary, Sample } from '../../../config/types.js'
 * @import { Plan, PlannedLeg } from '../../measure/settings.js'
 * @import { Scenario } from '../../scenario/scenario.js'
 * @import { Environment } from '../../store/environment.js'
 * @import { Broker } from '../broker.js'
 * @import { NatsServer } from '../connection.js'
 * @import { LogsPlace } from '../messages.js'
 * @import { Replay } from '../replay.js'
 * @import { ArrowFile } from '../../store/transfer-log/convert.js'
 * @import { Command } from '../../commands/index.js'
 */

/** Agents report each second; after this long without a report, none is expected. */
const SILENCE_MS = 10_000;
/** Time limit for an agent to answer its release. */
const RELEASE_MS = 5000;

/** @param {Argv} yargs */
export const builder = (yargs) =>
  yargs.positional('run', { type: 'string', describe: 'Id of the run, or its folder', demandOption: true }).options({
    ...partOptions('nats'),
    ...folderOptions,
  });

/** @type {Command['examples']} */
export const examples = [
  [
    '20260101-120000-smoke --nats nats://10.0.0.1:4222',
    'a run whose controller was killed, after its agents have ended',
  ],
  ['20260101-120000-smoke', 'the files of its transfer logs; when they have been copied, it converts them'],
];

/** @param {{ run: string, logs: string, report: string }} argv */
export async function handler(argv) {
  const nats = readPart('nats', argv);
  const { run: name, logs, report: reportFolder } = argv;
  const folder = await findRun(logs, name);
  const run = await readCollected(folder);
  if (await isRunning(folder)) {
    throw new UsageError(`${run.id} has not ended; wait for its end, or end it with Ctrl+C`, {
      code: 'ERUNNING',
      data: { run: run.id },
    });
  }
  const hasLog = run.scenario.transferLog !== 'none';
  if (run.legs.length === 0 && !hasLog) {
    throw new UsageError(
      `${run.id}: there is nothing to collect: its controller wrote all results, and it has no transfer log (transferLog: none)`,
      { code: 'ECOLLECTED', data: { run: run.id } },
    );
  }
  const buildPage = async (/** @type {string} */ runFolder) => {
    const { buildReport } = await import('../../../report/index.js');
    return (await buildReport({ runFolder, reportFolder, index: true })).page;
  };
  let exitCode = 0;
  /** @type {string | null} */
  let page = null;
  if (run.legs.length > 0) {
    const finished = await finishOver(nats, run, buildPage);
    ({ page } = finished);
    ({ exitCode } = finished.summary);
    for (const { label, transfers, failure } of finished.summary.legs) {
      const count = transfers === undefined ? 'no transfers' : `${transfers.count} transfers`;
      print(`${label}: ${count}${failure === undefined ? '' : `; ${failure.text}`}`);
    }
  }
  if (hasLog) {
    const { isComplete, hasChanged } = await collectLogs(run, print);
    if (!isComplete && run.legs.length === 0) exitCode = 1;
    if (hasChanged) page = await buildPage(folder);
  }
  print(`logs    ${folder}`);
  if (page !== null) print(`report  ${page}`);
  process.exitCode = exitCode;
}

/**
 * @typedef {PlannedLeg & { agents: string[] }} LegOnAgents
 * @typedef {{ leg: LegOnAgents, startNs?: number, targets: string[] }} CollectedLeg  startNs: from t0 to its start;
 *   targets: addresses that its workers connected to
 * @typedef {Environment & { agents: ({ agent: string } & LogsPlace)[] }} CollectedEnvironment
 *
 * @typedef {object} CollectedRun
 * @property {string} id
 * @property {string} folder
 * @property {Scenario} scenario
 * @property {Plan} plan
 * @property {CollectedEnvironment} environment
 * @property {LegSummary[]} done   summaries of the legs that have ended
 * @property {CollectedLeg[]} legs  current when the controller ended; empty: it ended the run itself
 */

/**
 * @param {string} folder
 * @returns {Promise<CollectedRun>}
 * @throws {UsageError} when its load was not divided over agents
 */
async function readCollected(folder) {
  const id = folder.split('/').at(-1) ?? '';
  const read = (/** @type {string} */ name) => readJson(join(folder, name));
  const environment = await read('environment.json');
  const [scenario, plan] = [readDocument(folder, 'scenario'), readDocument(folder, 'plan')];
  if (scenario === null || plan === null) throw damagedError(folder, 'its plan.json or scenario.json cannot be read');
  if (!plan.legs.some(({ agents }) => agents !== undefined)) {
    throw new UsageError(`${id}: its load was not divided over agents; there is nothing to collect`, {
      code: 'ENOAGENTS',
      data: { run: id },
    });
  }
  /** @type {(LegSummary | null)[]} */
  const summaries = await Promise.all(plan.legs.map((leg) => read(join(leg.id, 'summary.json'))));
  const index = summaries.findIndex((summary) => summary === null);
  const hasEnded = index === -1 || (await read('summary.json'))?.exitCode !== undefined;
  const done = summaries.filter((summary) => summary !== null);
  const { group } = plan.legs[index]?.slices ?? {};
  const legs = plan.legs.filter(
    ({ slices }, i) => summaries[i] === null && (i === index || (group !== undefined && slices?.group === group)),
  );
  return { id, folder, scenario, plan, environment, done, legs: hasEnded ? [] : withEvents(folder, legs) };
}

/**
 * @param {string} folder of a run
 * @param {PlannedLeg[]} legs of its plan
 * @returns {CollectedLeg[]} with their start and targets from the run's events
 */
function withEvents(folder, legs) {
  const events = readEvents(folder);
  return legs.map((leg) => {
    const { startNs, targets = [] } = events.of(leg.id);
    return { leg: /** @type {LegOnAgents} */ (leg), startNs, targets };
  });
}

/**
 * @param {NatsServer | null} nats
 * @param {CollectedRun} run
 * @param {(runFolder: string) => Promise<string>} buildPage
 */
async function finishOver(nats, run, buildPage) {
  if (nats === null)
    throw missingOption('nats', "--nats is missing: the agents' reports are at a NATS server; give nats://HOST:4222");
  const { openNats } = await import('../connection.js');
  const broker = await openNats(nats, 'broadside collect');
  try {
    return await finish(run, broker, buildPage);
  } finally {
    await broker.close();
  }
}

/**
 * Finishes a run whose controller has ended.
 * @param {CollectedRun} run
 * @param {Broker} broker
 * @param {(runFolder: string) => Promise<string>} buildPage
 * @returns {ReturnType<RunResults['conclude']>}
 */
async function finish(run, broker, buildPage) {
  const [{ Inbox }, { Replay }, { senderOf, streamOf, subjects }, { decodeReport, encode }] = await Promise.all([
    import('../inbox.js'),
    import('../replay.js'),
    import('../subjects.js'),
    import('../codec.js'),
  ]);
  const stream = streamOf(run.id);
  await broker.checkStream(stream).catch((error) => {
    throw new EnvironmentError(`${run.id}: the NATS server has no reports of it (${error.message})`, {
      code: 'ENOREPORTS',
      data: { run: run.id, stream },
    });
  });
  const replays = run.legs.map(({ leg }) => new Replay(leg, leg.settings));
  let heardAt = performance.now();
  const inbox = new Inbox(broker, stream, subjects.from(run.id, '*'), {
    decode: decodeReport,
    onEntry: (entry, subject) => {
      heardAt = performance.now();
      for (const replay of replays) replay.take(senderOf(subject), entry);
    },
    onUnreadable: (why, subject) => {
      const how = `its report is invalid: ${why}`;
      for (const replay of replays) replay.loseAgent(senderOf(subject), how);
    },
  }).open();
  while (replays.some(({ isOver }) => !isOver) && performance.now() - heardAt < SILENCE_MS) await wait(100);
  await inbox.close();
  const files = new RunFolder(run.folder, run.id);
  const summaries = run.legs.map((collected, i) =>
    writeLeg(run, files, collected, { ...replays[i].finish(), files: replays[i].files }),
  );
  const results = new RunResults({
    ...{ folder: files, scenario: run.scenario, plan: run.plan, t0: run.environment.t0 },
    summaries: [...run.done, ...summaries],
  });
  const concluded = await results.conclude(buildPage, ({ text }) => print(text, process.stderr));
  const release = encode({ type: 'release', run: run.id });
  await Promise.all(
    agentsOf(run.legs[0].leg).map((name) =>
      broker.request(subjects.agent(name), release, { timeout: RELEASE_MS }).catch(() => null),
    ),
  );
  if (results.folder.failed.size === 0) await broker.deleteStream(stream); // kept after a failure, to collect again
  return concluded;
}

/**
 * @param {{ agents: string[], serverAgent?: string }} leg of the plan
 * @returns {string[]} the agents with its load, and the agent with its server
 */
const agentsOf = ({ agents, serverAgent }) => (serverAgent === undefined ? agents : [...agents, serverAgent]);

/**
 * @param {CollectedRun} run @param {RunFolder} files the run's folder @param {CollectedLeg} collected
 * @param {ReturnType<Replay['finish']>
 *   & { files: ArrowFile[] }} replayed  files: the transfer logs on the agents
 * @returns {LegSummary} as written to the folder
 */
function writeLeg(
  { scenario, folder, environment },
  files,
  { leg, startNs, targets },
  { samples: reported, endedBy, failure, files: logs },
) {
  const legFolder = files.legFolder(leg.id);
  if (scenario.transferLog !== 'none' && logs.length > 0) {
    listAgentLogs({ leg, runFolder: files, folder: legFolder, files: logs, agents: leg.agents });
  }
  const lines = join(leg.id, 'samples.ndjson');
  const samples = joinSamples(writtenSamples(join(folder, lines)), reported);
  files.writeText(lines, samples.map((sample) => `${JSON.stringify(sample)}\n`).join(''));
  const { server } = leg;
  const summary = summariseLeg(
    leg,
    samples,
    {
      ...{ endedBy, failure, startNs, targets },
      server: server.kind === 'target' ? leg.label : server.kind === 'named' ? server.name : server.command,
      warnings: [warning('leg-collected', { leg: leg.id })],
      synRetryNs: environment?.tcp?.synRetryNs,
    },
    leg.settings,
  );
  files.writeJson(join(leg.id, 'summary.json'), summary);
  return summary;
}

/** @param {string} file samples.ndjson @returns {Sample[]} samples that the controller wrote */
const writtenSamples = (file) => (existsSync(file) ? parseSamples(readFileSync(file)).samples : []);
