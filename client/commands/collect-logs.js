// `broadside collect RUN --transfer-logs`: gets the transfer logs of a run's legs from its agents, converts them and
// counts their rows in the summaries, as a run on one host does. Rows that an agent does not send are reported as
// missing; they can be collected later, because agents keep their files.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EnvironmentError, UsageError } from '../errors.js';
import { bytes, count, counted } from '../words/format.js';
import { adviceText } from '../words/warnings.js';
import { logSummary, ROW_BYTES } from '../measure/transfer-log.js';
import { convertLog, readAgentLogs } from '../run/leg-transfer-log.js';
import { RunFolder } from '../store/run-folder.js';
import { engineOfLog } from '../store/transfer-log/index.js';

/**
 * @import { LegSummary } from '../../config/types.js'
 * @import { MeasuredLeg } from '../measure/leg-figures.js'
 * @import { Broker } from '../run/agents/broker.js'
 * @import { LogFetch } from '../run/agents/log-fetch.js'
 * @import { LogState, WhichLog } from '../run/agents/messages.js'
 * @import { AgentLog } from '../run/leg-transfer-log.js'
 * @import { CollectedRun } from './collect.js'
 */

/**
 * A file of a leg's log that is still to be copied.
 * @typedef {{ agent: string, name: string, mostBytes: number, which: WhichLog }} Wanted  mostBytes:
 *   that it can have
 * @typedef {Wanted & { state: LogState }} Found
 * @typedef {Wanted & { why: string }} Missing
 */

/**
 * Of a row of the log, four times what it takes; and of what a worker that was killed had logged without counting it.
 */
const MOST_ROW_BYTES = 4 * ROW_BYTES.arrow;
const SPARE_BYTES = 256 * 2 ** 20;
/** Codes of what the end of a log may say; the next end says it anew. */
const LOG_WARNINGS = new Set([
  'log-folder-missing',
  'log-file-missing',
  'log-not-converted',
  'log-file-truncated',
  'log-file-not-deleted',
]);

/** @param {CollectedRun} run @throws {UsageError} when it wrote no transfer log */
export function checkForLogs({ id, scenario }) {
  if (scenario?.transferLog !== 'none') return;
  throw new UsageError(`${id}: it wrote no transfer log (transferLog: none); there is nothing to collect`, {
    code: 'ENOLOG',
    data: { run: id },
  });
}

/**
 * @param {CollectedRun} run
 * @param {Broker} broker
 * @param {(line: string) => void} print
 * @returns {Promise<boolean>} whether all transfer logs of the run are in its folder
 */
export async function collectLogs(run, broker, print) {
  const { LogFetch } = await import('../run/agents/log-fetch.js');
  const fetch = new LogFetch(broker);
  let isComplete = true;
  for (const leg of run.plan.legs) {
    const logs = readAgentLogs(join(run.folder, leg.id));
    if (logs === null) continue; // it did not run, or no transfer was logged
    if (!(await collectLeg(run, leg, logs, { fetch, print }))) isComplete = false;
  }
  return isComplete;
}

/**
 * @param {CollectedRun} run @param {any} leg of the plan @param {AgentLog[]} logs
 * @param {{ fetch: LogFetch, print: (line: string) => void }} how
 * @returns {Promise<boolean>} whether its log is whole now
 */
async function collectLeg(run, leg, logs, { fetch, print }) {
  const { scenario, environment } = run;
  const runFolder = new RunFolder(run.folder, run.id);
  const folder = join(run.folder, leg.id);
  const file = join(folder, 'summary.json');
  /** @type {MeasuredLeg} */
  const summary = JSON.parse(readFileSync(file, 'utf8'));
  if (isWhole(summary, scenario.transferLog)) {
    print(`${leg.label}: its transfer log has been collected already`);
    return true;
  }
  const wanted = logs.flatMap((log) => filesOf(log, { run: run.id, leg: leg.id }));
  const { found, missing } = await describeAll(
    fetch,
    wanted.filter(({ name }) => !existsSync(join(folder, name))),
  );
  for (const one of found) {
    const { agent, which, state, name } = one;
    try {
      await copy(fetch, { agent, which, state, target: join(folder, name) });
      print(`${leg.label}: ${name} of agent ${agent}, ${bytes(state.bytes)}`);
    } catch (error) {
      const { code, message } = /** @type {EnvironmentError} */ (error);
      if (code !== 'EAGENTLOG') throw error;
      missing.push({ ...one, why: message });
    }
  }
  for (const { name, agent, why } of missing) print(`${leg.label}: ${name} of agent ${agent} is missing: ${why}`);
  const lacking = new Set(missing.map(({ name }) => name));
  const here = logs.filter(({ file: name }) => !lacking.has(name));
  const isNoMore = summary.log?.kind === scenario.transferLog && here.length <= logs.length - missingBefore(summary);
  if (here.length === 0 || isNoMore) return false;
  const ended = await convertLog({
    ...{ leg, runFolder, folder, kind: scenario.transferLog, startNs: summary.startNs },
    t0: { monotonicNs: BigInt(environment.t0.monotonicNs), epochMs: environment.t0.epochMs },
    files: logs.map(({ file: name, splits, rows, whole }) => ({
      ...{ path: join(folder, name), rows, whole },
      ...(splits === undefined ? {} : { splits: join(folder, splits) }),
    })),
  });
  const collected = {
    ...summary,
    warnings: [...summary.warnings.filter(({ code }) => !LOG_WARNINGS.has(code)), ...ended.warnings],
    log: logSummary(summary.transfers, ended.rows, ended.kind),
  };
  writeSummaries(runFolder, leg.id, collected);
  for (const one of ended.warnings) print(`${leg.label}: ${adviceText(one)}`);
  const { rows, missing: left } = collected.log;
  print(`${leg.label}: ${counted(rows, 'transfer')} in its log${left === 0 ? '' : `, ${count(left)} not`}`);
  return missing.length === 0 && isWhole(collected, scenario.transferLog);
}

/** @param {LegSummary} summary of a leg @returns {number} files that were missing when its log was last collected */
const missingBefore = ({ warnings }) => warnings.filter(({ code }) => code === 'log-file-missing').length;

/**
 * @param {LegSummary} summary of a leg
 * @param {string} kind that the scenario asks for
 * @returns {boolean} whether nothing more can be collected
 */
const isWhole = (summary, kind) => summary.log?.kind === kind && missingBefore(summary) === 0;

/** @param {AgentLog} log @param {{ run: string, leg: string }} ids @returns {Wanted[]} */
function filesOf({ agent, file, splits, rows }, ids) {
  const engine = engineOfLog(file);
  const mostBytes = SPARE_BYTES + MOST_ROW_BYTES * rows;
  return [
    { agent, name: file, mostBytes, which: { ...ids, ...engine, splits: false } },
    ...(splits === undefined ? [] : [{ agent, name: splits, mostBytes, which: { ...ids, ...engine, splits: true } }]),
  ];
}

/**
 * Asks each agent for its files, one after another: it reads a whole file for the hash.
 * @param {LogFetch} fetch @param {Wanted[]} wanted
 * @returns {Promise<{ found: Found[], missing: Missing[] }>}
 */
async function describeAll(fetch, wanted) {
  const { LogRefusal } = await import('../run/agents/log-fetch.js');
  /** @type {Found[]} */
  const found = [];
  /** @type {Missing[]} */
  const missing = [];
  const describe = async (/** @type {Wanted[]} */ own) => {
    let silence = /** @type {string | null} */ (null);
    for (const one of own) {
      if (silence !== null) {
        missing.push({ ...one, why: silence });
        continue;
      }
      try {
        found.push({ ...one, state: await fetch.describe(one.agent, one.which, one.mostBytes) });
      } catch (error) {
        if (!(error instanceof LogRefusal)) throw error;
        missing.push({ ...one, why: error.message });
        if (error.reason === 'agent-silent') silence = error.message;
      }
    }
  };
  const agents = [...new Set(wanted.map(({ agent }) => agent))];
  await Promise.all(agents.map((name) => describe(wanted.filter(({ agent }) => agent === name))));
  return { found, missing };
}

/**
 * @param {LogFetch} fetch
 * @param {Pick<Found, 'agent' | 'which' | 'state'> & { target: string }} file  target: path of the copy
 * @throws {EnvironmentError}
 */
async function copy(fetch, { agent, which, state, target }) {
  try {
    await fetch.copy(agent, which, state, target);
  } catch (error) {
    if (error instanceof EnvironmentError) throw error;
    const { message, code } = /** @type {NodeJS.ErrnoException} */ (error);
    throw new EnvironmentError(
      `${target} cannot be written: ${message}; what is there is kept, run the command again`,
      {
        code: 'ECOPY',
        data: { file: target, errno: code ?? null },
        cause: error,
      },
    );
  }
}

/** @param {RunFolder} runFolder @param {string} id of the leg @param {LegSummary} summary of it */
function writeSummaries(runFolder, id, summary) {
  runFolder.writeJson(join(id, 'summary.json'), summary);
  const file = join(runFolder.folder, 'summary.json');
  if (!existsSync(file)) return;
  const whole = JSON.parse(readFileSync(file, 'utf8'));
  const legs = whole.legs.map((/** @type {any} */ leg) => (leg.id === id ? summary : leg));
  runFolder.writeJson('summary.json', { ...whole, legs });
}
