// Ends the transfer log of one leg: converts the workers' Arrow files into transfers.parquet, and then deletes them.
// A failure (such as a full disk) is returned as a warning; the Arrow files then remain.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { startHelper } from '../../helper-process.js';
import { warning } from '../../words/warnings.js';
import { readBatches } from './arrow-stream.js';

/**
 * @import { ConnectionField, Density, Warning } from '../../../config/types.js'
 * @import { ArrowFile } from './convert.js'
 * @import { FieldShape } from './connection-field.js'
 * @import { Time } from './density.js'
 */

/**
 * @typedef {{ kind: 'parquet' | 'arrow', files: ArrowFile[], target: string, metadata: Record<string, string>,
 *   measured?: Float64Array, time?: Time, field?: FieldShape }} Task
 * @typedef {{ rows: number, kind: 'parquet' | 'arrow' | 'none', warnings: Warning[], density?: Density, field?:
 *   ConnectionField }} LogResult  kind: of the log now; density, field: of a log in Parquet, if they were requested
 */

const PARQUET_NAME = 'transfers.parquet';
const ARROW_NAME = /^transfers-([0-9]+)(?:-([0-9]+))?\.arrows$/;
/** Status of a transfer that succeeded. */
const OK = 0;

/**
 * @param {number} share
 * @param {number} generation 0, or how often its worker was replaced
 * @returns {string} file name
 */
export function arrowName(share, generation) {
  return generation === 0 ? `transfers-${share}.arrows` : `transfers-${share}-${generation}.arrows`;
}

/**
 * @param {string} file path whose last part is an arrowName()
 * @returns {{ share: number, generation: number }} the engine that wrote it
 */
export function engineOfLog(file) {
  const [, share, generation = 0] = ARROW_NAME.exec(path.basename(file)) ?? [];
  return { share: Number(share), generation: Number(generation) };
}

/**
 * @param {number} share
 * @param {number} generation 0, or how often its worker was replaced
 * @returns {string} file name of the kernel timestamps of its rows
 */
export const splitsName = (share, generation) => arrowName(share, generation).replace('transfers', 'timestamps');

/**
 * @param {{ kind: 'parquet' | 'arrow', folder: string, files: ArrowFile[], metadata: Record<string, string>, measured?:
 *   Float64Array, time?: Time, field?: FieldShape, onRows?: (rows: number) => void, signal?: AbortSignal }} task
 *   folder: of the leg; measured: pairs of ns since t0, between which transfers that begin are measured; absent: all
 *   are; time: of the leg; absent: no density; field: shape of the connection field; absent: none
 * @returns {Promise<LogResult>} rows: those in the log now
 */
export async function endTransferLog({ kind, folder, files, metadata, measured, time, field, onRows, signal }) {
  if (!existsSync(folder)) {
    return { rows: 0, kind: 'none', warnings: [warning('log-folder-missing', { folder })] };
  }
  const present = files.filter((file) => existsSync(file.path));
  const warnings = files
    .filter((file) => !present.includes(file))
    .map((file) => warning('log-file-missing', { file: path.basename(file.path) }));
  const target = path.join(folder, PARQUET_NAME);
  const outcome = await inHelper({ kind, files: present, target, metadata, measured, time, field }, onRows, signal);
  if ('failure' in outcome) {
    const kept = present.filter((file) => existsSync(file.path)).map((file) => path.basename(file.path));
    warnings.push(warning('log-not-converted', { reason: outcome.failure, kept }));
    const counted = await inHelper(
      { kind: 'arrow', files: present.map((file) => ({ ...file, whole: true })), target, metadata },
      undefined,
      signal,
    );
    return { rows: 'failure' in counted ? 0 : counted.rows, kind: 'arrow', warnings };
  }
  for (const file of outcome.cut) {
    warnings.push(warning('log-file-truncated', { file: path.basename(file) }));
  }
  if (kind === 'parquet') {
    for (const { path: log, splits } of present) {
      warnings.push(...remove(log), ...(splits === undefined ? [] : remove(splits)));
    }
  }
  const { rows, density, field: connections } = outcome;
  return { rows, kind, warnings, ...(density && { density }), ...(connections && { field: connections }) };
}

/**
 * @param {string} folder of a leg, with its log as Arrow files
 * @returns {Generator<{ start: number, response: number, connection: number }>} the transfers that succeeded, of each
 *   worker in the order in which they ended; ns
 */
export function* readTransfers(folder) {
  for (const name of readdirSync(folder).filter((file) => ARROW_NAME.test(file))) {
    for (const { batch } of readBatches(path.join(folder, name))) {
      for (let row = 0; row < batch.rows; row += 1) {
        if (batch.status[row] !== OK) continue;
        const [start, response] = [batch.start[row], batch.response[row]].map(Number);
        yield { start, response, connection: batch.connection[row] };
      }
    }
  }
}

/** @param {string} file @returns {Warning[]} empty: the file was removed */
function remove(file) {
  try {
    rmSync(file, { force: true });
    return [];
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    return [warning('log-file-not-deleted', { file: path.basename(file), reason: message })];
  }
}

/**
 * @typedef {{ rows: number, bytes: number, cut: string[], density?: Density, field?: ConnectionField } |
 *   { failure: string }} Outcome
 *
 * @param {Task} task @param {((rows: number) => void) | undefined} onRows @param {AbortSignal | undefined} signal
 * @returns {Promise<Outcome>}
 */
function inHelper(task, onRows, signal) {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve({ failure: 'interrupted' });
    const helper = startHelper(new URL('./convert-helper.js', import.meta.url), task);
    const end = (/** @type {Outcome} */ outcome) => {
      signal?.removeEventListener('abort', abort);
      helper.kill('SIGKILL');
      resolve(outcome);
    };
    const abort = () => {
      end({ failure: 'interrupted' });
      removePartial(path.dirname(task.target));
    };
    signal?.addEventListener('abort', abort, { once: true });
    helper.on('message', (/** @type {any} */ { rows, result, failure }) => {
      if (rows !== undefined) onRows?.(rows);
      else end(result ?? { failure: failure.code === 'ENOSPC' ? failure.code : failure.message });
    });
    helper.on('error', (error) => end({ failure: error.message }));
    helper.on('exit', (code, by) => end({ failure: `its process ended (${by ?? `exit code ${code}`})` }));
  });
}

/** @param {string} folder */
function removePartial(folder) {
  try {
    for (const name of readdirSync(folder)) if (name.endsWith('.partial')) remove(path.join(folder, name));
  } catch {
    // the folder was deleted
  }
}
