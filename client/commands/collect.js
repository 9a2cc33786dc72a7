// `broadside collect RUN`: finishes a run over several hosts whose controller has ended before its agents. They have gone on to
// the end of the leg, and what they reported waits at the NATS server.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { EnvironmentError, UsageError } from '../errors.js';
import { formatEndpoint } from '../results/endpoint.js';
import { settingsOf } from '../results/leg-settings.js';
import { summariseLeg, summariseRun } from '../results/summary.js';
import { warning } from '../results/warnings.js';
import { RunFolder } from '../store/run-folder.js';
import { findRun, isRunning } from '../store/run-list.js';
import { natsOf, natsOptions } from './agents.js';
import { missingOption } from './option-values.js';
import { outputOptions } from './output-options.js';

/** Agents report each second; after this long without a report nothing more will come. */
const SILENCE_MS = 10_000;
/** For an agent that is still there to be free again. */
const RELEASE_MS = 5000;

/** @param {import('yargs').Argv} yargs */
export const builder = (yargs) =>
  yargs
    .positional('run', { type: 'string', describe: 'Id of the run, or its folder', demandOption: true })
    .options({ ...natsOptions, ...outputOptions });

/** @type {import('./index.js').Command['examples']} */
export const examples = [
  [
    '20260101-120000-smoke --nats nats://10.0.0.1:4222',
    'a run whose controller was killed, once its agents have ended',
  ],
];

/** @param {any} argv */
export async function handler(argv) {
  const nats = natsOf(argv);
  if (nats === null) throw missingOption('nats', '--nats is missing: what the agents reported is at a NATS server');
  const folder = await findRun(argv.logs, argv.run);
  const run = readRun(folder);
  if (await isRunning(folder)) {
    throw new UsageError(`${run.id} has not ended yet; wait for it, or end it with Ctrl+C`, {
      code: 'ERUNNING',
      data: { run: run.id },
    });
  }
  const collected = await collect(run, nats);
  const { buildReport } = await import('../../report/index.js');
  const { page } = await buildReport({ runFolder: folder, reportFolder: argv.report, index: true });
  const { legs, complete } = collected;
  for (const { label, transfers, failure } of legs) {
    const count = transfers === undefined ? 'no transfers' : `${transfers.count} transfers`;
    process.stdout.write(`${label}: ${count}${failure === undefined ? '' : `; ${failure.text}`}\n`);
  }
  process.stdout.write(`logs    ${folder}\nreport  ${page}\n`);
  process.exitCode = complete ? 0 : 1;
}

/**
 * @param {string} folder
 * @throws {UsageError} when nothing of it can be collected
 */
function readRun(folder) {
  const id = folder.split('/').at(-1) ?? '';
  const read = (/** @type {string} */ name) => {
    try {
      return JSON.parse(readFileSync(join(folder, name), 'utf8'));
    } catch {
      return null;
    }
  };
  const [scenario, plan, environment] = ['scenario.json', 'plan.json', 'environment.json'].map(read);
  if (!plan?.legs?.some((/** @type {any} */ { agents }) => agents !== undefined)) {
    throw new UsageError(`${id}: its load was not divided over agents; there is nothing to collect`, {
      code: 'ENOAGENTS',
      data: { run: id },
    });
  }
  /** @type {any[]} */
  const summaries = plan.legs.map((/** @type {any} */ leg) => read(join(leg.id, 'summary.json')));
  const index = summaries.findIndex((summary) => summary === null);
  if (index === -1 || read('summary.json')?.exitCode !== undefined) {
    throw new UsageError(`${id}: its controller has written all its results; there is nothing to collect`, {
      code: 'ECOLLECTED',
      data: { run: id },
    });
  }
  return { id, folder, scenario, plan, environment, done: summaries.slice(0, index), leg: plan.legs[index] };
}

/**
 * @param {ReturnType<typeof readRun>} run
 * @param {import('./agents.js').NatsServer} nats
 * @returns {Promise<any>} the run's summary
 */
async function collect(run, nats) {
  const [{ openNats }, { Inbox }, { Replay }, { streamOf, subjects }, { encode }] = await Promise.all([
    import('../run/agents/connection.js'),
    import('../run/agents/inbox.js'),
    import('../run/agents/replay.js'),
    import('../run/agents/subjects.js'),
    import('../run/agents/codec.js'),
  ]);
  const { nc, jsm } = await openNats(nats, 'broadside collect');
  try {
    const stream = streamOf(run.id);
    await jsm.streams.info(stream).catch((error) => {
      throw new EnvironmentError(`${run.id}: the NATS server has no reports of it (${error.message})`, {
        code: 'ENOREPORTS',
        data: { run: run.id, stream },
      });
    });
    const replay = new Replay(run.leg, settingsOf(run.scenario, run.leg));
    let heardAt = performance.now();
    const inbox = new Inbox(nc, stream, subjects.from(run.id, '*'), (entry) => {
      heardAt = performance.now();
      replay.take(entry);
    }).open();
    while (!replay.isOver && performance.now() - heardAt < SILENCE_MS) await wait(100);
    await inbox.close();
    const summary = writeResults(run, replay.finish());
    const release = encode({ type: 'release', run: run.id });
    await Promise.all(
      run.leg.agents.map((/** @type {string} */ name) =>
        nc.request(subjects.agent(name), release, { timeout: RELEASE_MS }).catch(() => null),
      ),
    );
    await jsm.streams.delete(stream);
    return summary;
  } finally {
    await nc.close();
  }
}

/**
 * @param {ReturnType<typeof readRun>} run
 * @param {ReturnType<import('../run/agents/replay.js').Replay['finish']>} replayed
 */
function writeResults({ id, folder, scenario, plan, environment, done, leg }, { samples, endedBy, failure }) {
  const files = new RunFolder(folder, id);
  files.legFolder(leg.id);
  writeFileSync(
    join(folder, leg.id, 'samples.ndjson'),
    samples.map((sample) => `${JSON.stringify(sample)}\n`).join(''),
  );
  const targets = leg.server.targets ?? [leg.server];
  const summary = summariseLeg(
    leg,
    samples,
    {
      endedBy,
      failure,
      startNs: startOf(folder, leg.id),
      targets: targets.map(formatEndpoint),
      server: leg.label,
      warnings: [warning('leg-collected', { leg: leg.id })],
      synRetryNs: environment?.tcp?.synRetryNs,
    },
    settingsOf(scenario, leg),
  );
  files.writeJson(join(leg.id, 'summary.json'), summary);
  const whole = summariseRun(
    {
      run: id,
      scenario: scenario.name,
      startedAt: new Date(environment.t0.epochMs).toISOString(),
      endedAt: new Date().toISOString(),
      config: scenario,
      planned: plan.legs.length,
      cases: plan.cases,
      interrupted: false,
      warnings: plan.warnings,
      resumed: [],
      earlier: undefined,
      failure: undefined,
    },
    [...done, summary],
  );
  const results = { ...whole, exitCode: whole.complete ? 0 : 1 };
  files.writeJson('summary.json', results);
  return results;
}

/** @param {string} folder of the run @param {string} leg @returns {number | undefined} ns from t0 to its start, as its events say */
function startOf(folder, leg) {
  const file = join(folder, 'events.ndjson');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  const line = lines.find((text) => text.includes('"leg starts"') && text.includes(`"${leg}"`));
  return line === undefined ? undefined : JSON.parse(line).startNs;
}
