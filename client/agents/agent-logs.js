// The file in a leg's folder that lists which agent has which part of its transfer log; `collect` reads it.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { hostOf } from '../measure/hosts.js';
import { engineOfLog } from '../store/transfer-log/index.js';

/** @import { LegLog } from '../run/leg-transfer-log.js' */

const AGENT_LOGS_FILE = 'agent-logs.json';

/**
 * The part of a leg's log that an agent has.
 * @typedef {{ agent: string, file: string, splits?: string, rows: number, whole: boolean }} AgentLog  file, splits:
 *   file names; rows, whole: as in ArrowFile
 */

/**
 * Writes the list of the log's parts.
 * @param {LegLog & { agents: string[] }} log
 */
export function listAgentLogs({ leg, runFolder, files, agents }) {
  /** @type {AgentLog[]} */
  const parts = files.map(({ path: file, splits, rows, whole }) => ({
    agent: agents[hostOf(engineOfLog(file).share % leg.workers, agents.length)],
    file: path.basename(file),
    ...(splits === undefined ? {} : { splits: path.basename(splits) }),
    rows,
    whole,
  }));
  runFolder.writeJson(path.join(leg.id, AGENT_LOGS_FILE), parts);
}

/** @param {string} folder of a leg @returns {AgentLog[] | null} null: there is no list */
export function readAgentLogs(folder) {
  try {
    return JSON.parse(readFileSync(path.join(folder, AGENT_LOGS_FILE), 'utf8'));
  } catch {
    return null;
  }
}
