// Converts the transfer log of a leg that has ended to the form that the scenario asks for.
import path from 'node:path';
import { measuredParts } from '../measure/slices.js';
import { fieldShape } from '../store/transfer-log/connection-field.js';
import { endTransferLog } from '../store/transfer-log/index.js';

/**
 * @import { Leg } from '../plan/plan.js'
 * @import { Zero } from '../store/environment.js'
 * @import { RunFolder } from '../store/run-folder.js'
 * @import { ArrowFile } from '../store/transfer-log/convert.js'
 */

/** Counts of transfers by due time and response time. */
const DENSITY_FILE = 'density.json';
/** The states of every connection over time. */
const FIELD_FILE = 'connections.json';

/**
 * @typedef {object} LegLog
 * @property {Leg} leg
 * @property {RunFolder} runFolder
 * @property {string} folder  of the leg
 * @property {ArrowFile[]} files  of the engines
 */

/**
 * Converts the log, and writes the density of its transfers and the states of its connections; never throws.
 * @param {LegLog & { kind: 'parquet' | 'arrow', t0: Zero, startNs?: number, signal?: AbortSignal, onProgress?: (share:
 *   number) => void }} log  startNs: of the leg, since t0; onProgress: gets the share that is written, 0 to 1
 */
export async function convertLog({
  leg,
  runFolder,
  folder,
  files,
  kind,
  t0,
  startNs = 0,
  signal,
  onProgress = () => {},
}) {
  const rows = files.reduce((sum, file) => sum + file.rows, 0);
  const { density, field, ...ended } = await endTransferLog({
    ...{ kind, folder, files, signal, field: fieldShape(leg, startNs) },
    // a leg that takes turns with others has no transfers most of the time
    ...(!leg.slices && { time: { fromNs: startNs, toNs: startNs + leg.steadyToNs } }),
    ...(leg.slices && { measured: measuredParts(leg.slices, leg.steadyToNs).map((ns) => ns + startNs) }),
    metadata: {
      'broadside.run': runFolder.id,
      'broadside.leg': leg.id,
      'broadside.t0.monotonicNs': String(t0.monotonicNs),
      'broadside.t0.epochMs': String(t0.epochMs),
      'broadside.t0.iso': new Date(t0.epochMs).toISOString(),
      'broadside.start': 'ns since t0',
      'broadside.response': 'ns',
      'broadside.status': '0 ok, 1 timeout, 2 reset, 3 closed, 4 corrupt, 5 protocol, 6 unfinished, 7 other',
    },
    onRows: (done) => onProgress(done / Math.max(1, rows)),
  });
  if (density) runFolder.writeText(path.join(leg.id, DENSITY_FILE), `${JSON.stringify(density)}\n`);
  if (field) runFolder.writeText(path.join(leg.id, FIELD_FILE), `${JSON.stringify(field)}\n`);
  return ended;
}
