// The part of `broadside collect RUN` for transfer logs, which stay on the agents: it prints the host and path of each
// file. When they have been copied into the folders of their legs, it converts them and counts their rows in the
// summaries, as a run on one host does.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { counted, count } from '../../words/format.js';
import { adviceText } from '../../words/warnings.js';
import { logSummary } from '../../measure/transfer-log.js';
import { token } from '../subjects.js';
import { convertLog } from '../../run/leg-transfer-log.js';
import { readAgentLogs } from '../agent-logs.js';
import { RunFolder } from '../../store/run-folder.js';

/**
 * @import { LegSummary } from '../../../config/types.js'
 * @import { MeasuredLeg } from '../../measure/leg-figures.js'
 * @import { PlannedLeg } from '../../measure/settings.js'
 * @import { AgentLog } from '../agent-logs.js'
 * @import { CollectedRun } from './collect.js'
 */

/**
 * @param {CollectedRun} run
 * @param {(line: string) => void} print
 * @returns {Promise<{ isComplete: boolean, hasChanged: boolean }>} isComplete: all transfer logs of the run are in its
 *   folder; hasChanged: logs were converted
 */
export async function collectLogs(run, print) {
  let [isComplete, hasChanged] = [true, false];
  for (const leg of run.plan.legs) {
    const logs = readAgentLogs(join(run.folder, leg.id));
    if (logs === null) continue; // the leg did not run, or logged no transfer
    const summary = JSON.parse(readFileSync(join(run.folder, leg.id, 'summary.json'), 'utf8'));
    if (summary.log?.kind === run.scenario.transferLog) continue;
    const missing = namesOf(logs).filter(({ name }) => !existsSync(join(run.folder, leg.id, name)));
    if (missing.length > 0) {
      isComplete = false;
      print(`${leg.label}: to convert its transfer log, copy into ${join(run.folder, leg.id)}, and run collect again:`);
      for (const file of missing) print(`  ${placeOf(run, leg.id, file)}`);
    } else {
      hasChanged = true;
      isComplete = (await convertLeg(run, leg, { logs, summary, print })) && isComplete;
    }
  }
  return { isComplete, hasChanged };
}

/** @param {AgentLog[]} logs @returns {{ agent: string, name: string }[]} their files */
const namesOf = (logs) =>
  logs.flatMap(({ agent, file, splits }) => [file, splits ?? []].flat().map((name) => ({ agent, name })));

/**
 * @param {CollectedRun} run @param {string} leg @param {{ agent: string, name: string }} file
 * @returns {string} host and path, as scp takes them
 */
function placeOf({ id, environment }, leg, { agent, name }) {
  const place = environment.agents.find((entry) => entry.agent === agent);
  if (place === undefined) throw new TypeError(`environment.json has no agent ${agent}`);
  return `${place.host}:${join(place.folder, token(id), token(leg), name)}`;
}

/**
 * @param {CollectedRun} run @param {PlannedLeg} leg of the plan
 * @param {{ logs: AgentLog[], summary: MeasuredLeg, print: (line: string) => void }} parts  summary: of the leg
 * @returns {Promise<boolean>} whether its log is now complete
 */
async function convertLeg(run, leg, { logs, summary, print }) {
  const { scenario, environment } = run;
  const format = /** @type {'parquet' | 'arrow'} */ (scenario.transferLog); // 'none' leaves no log
  const runFolder = new RunFolder(run.folder, run.id);
  const folder = join(run.folder, leg.id);
  const ended = await convertLog({
    ...{ leg, runFolder, folder, kind: format, startNs: summary.startNs },
    t0: { monotonicNs: BigInt(environment.t0.monotonicNs), epochMs: environment.t0.epochMs },
    files: logs.map(({ file: name, splits, rows, whole }) => ({
      ...{ path: join(folder, name), rows, whole },
      ...(splits === undefined ? {} : { splits: join(folder, splits) }),
    })),
  });
  const collected = {
    ...summary,
    warnings: [...summary.warnings, ...ended.warnings],
    log: logSummary(summary.transfers, ended.rows, ended.kind),
  };
  writeSummaries(runFolder, leg.id, collected);
  for (const warning of ended.warnings) print(`${leg.label}: ${adviceText(warning)}`);
  const { rows, missing, kind } = collected.log;
  print(`${leg.label}: ${counted(rows, 'transfer')} in its log${missing === 0 ? '' : `, ${count(missing)} not`}`);
  return kind === format;
}

/** @param {RunFolder} runFolder @param {string} id of the leg @param {LegSummary} summary of the leg */
function writeSummaries(runFolder, id, summary) {
  runFolder.writeJson(join(id, 'summary.json'), summary);
  const file = join(runFolder.folder, 'summary.json');
  if (!existsSync(file)) return;
  const document = JSON.parse(readFileSync(file, 'utf8'));
  const legs = document.legs.map((/** @type {LegSummary} */ leg) => (leg.id === id ? summary : leg));
  runFolder.writeJson('summary.json', { ...document, legs });
}
