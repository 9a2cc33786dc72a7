// Ends the transfer log of one leg: the workers' Arrow files become transfers.parquet, and are deleted only then.
// The one thing to know: a failure (a full disk) is not thrown but told; the Arrow files are then still there.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { Worker } from 'node:worker_threads';

/**
 * @typedef {import('./convert.js').ArrowFile} ArrowFile
 * @typedef {{ kind: 'parquet' | 'arrow', files: ArrowFile[], target: string, metadata: Record<string, string> }} Task
 * @typedef {{ rows: number, kind: 'parquet' | 'arrow', warnings: string[] }} LogResult  kind: what is there now
 */

export const parquetName = 'transfers.parquet';

/** @param {number} worker @param {number} generation 0, or how often it was replaced @returns {string} file name */
export function arrowName(worker, generation) {
  return generation === 0 ? `transfers-${worker}.arrows` : `transfers-${worker}-${generation}.arrows`;
}

/**
 * @param {{ kind: 'parquet' | 'arrow', folder: string, files: ArrowFile[], metadata: Record<string, string>,
 *   onRows?: (rows: number) => void, signal?: AbortSignal }} task folder: the leg's
 * @returns {Promise<LogResult>} rows that are in the log now
 */
export async function endTransferLog({ kind, folder, files, metadata, onRows, signal }) {
  const present = files.filter((file) => existsSync(file.path));
  const warnings = files.filter((file) => !present.includes(file))
    .map((file) => `${path.basename(file.path)} is missing: its transfers are counted, but not logged`);
  const target = path.join(folder, parquetName);
  const outcome = await inThread({ kind, files: present, target, metadata }, onRows, signal);
  if ('failure' in outcome) {
    const kept = present.map((file) => path.basename(file.path)).join(', ');
    warnings.push(`the transfer log was not converted (${outcome.failure}); kept as Arrow streams: ${kept}`);
    const counted = await inThread({ kind: 'arrow', files: present.map((file) => ({ ...file, whole: true })), target,
      metadata }, undefined, signal);
    return { rows: 'failure' in counted ? 0 : counted.rows, kind: 'arrow', warnings };
  }
  for (const file of outcome.cut) {
    warnings.push(`${path.basename(file)} was cut short; every whole batch in it was kept`);
  }
  if (kind === 'parquet') for (const file of present) rmSync(file.path, { force: true });
  return { rows: outcome.rows, kind, warnings };
}

/**
 * @param {Task} task @param {((rows: number) => void) | undefined} onRows @param {AbortSignal | undefined} signal
 * @returns {Promise<{ rows: number, bytes: number, cut: string[] } | { failure: string }>}
 */
function inThread(task, onRows, signal) {
  return new Promise((resolve) => {
    const thread = new Worker(new URL('./convert-thread.js', import.meta.url),
      { workerData: task, name: 'transfer-log' });
    const end = (/** @type {any} */ outcome) => {
      signal?.removeEventListener('abort', abort);
      resolve(outcome);
    };
    const abort = () => {
      void thread.terminate();
      removePartial(path.dirname(task.target));
      end({ failure: 'interrupted' });
    };
    if (signal?.aborted) return abort();
    signal?.addEventListener('abort', abort, { once: true });
    thread.on('message', (message) => {
      if (message.type === 'rows') onRows?.(message.rows);
      else if (message.type === 'done') end(message.result);
      else end({ failure: message.code === 'ENOSPC' ? 'the disk is full' : `${message.code}: ${message.message}` });
    });
    thread.on('error', (error) => end({ failure: error.message }));
    thread.on('exit', () => end({ failure: 'its thread ended' }));
  });
}

/** @param {string} folder */
function removePartial(folder) {
  for (const name of readdirSync(folder)) {
    if (name.endsWith('.partial')) rmSync(path.join(folder, name), { force: true });
  }
}
