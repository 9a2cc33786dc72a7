// The transfer logs that the engines of a leg write: the file of each, and what of it is kept when its engine has ended.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { arrowName, splitsName } from '../../store/transfer-log/index.js';
import { sharesOf } from './assignment.js';
import { reserveFor } from './leg-log.js';

/**
 * @typedef {import('./worker-handle.js').EngineState} EngineState
 * @typedef {import('../../store/transfer-log/index.js').ArrowFile} ArrowFile
 */

export class EngineLogs {
  /**
   * @param {{ folder: string, logging: boolean, settings: import('./assignment.js').Settings,
   *   leg: import('./assignment.js').Leg }} options  folder: the leg's
   */
  constructor({ folder, logging, settings, leg }) {
    this.folder = folder;
    this.logging = logging;
    this.shares = sharesOf(leg);
    this.hasSplits = (settings.timestamps ?? 'off') !== 'off';
    /** Of engines that have ended. @type {ArrowFile[]} */
    this.files = [];
    /** Logs that ended early, by the reason. @type {Map<string, { reason: string, workers: number[], missing: number }>} */
    this.stopped = new Map();
  }

  /** @param {string} reason @param {number} worker @param {number} missing transfers that its engine did not log */
  addStopped(reason, worker, missing) {
    const { workers = [], missing: before = 0 } = this.stopped.get(reason) ?? {};
    const all = workers.includes(worker) ? workers : [...workers, worker];
    this.stopped.set(reason, { reason, workers: all, missing: before + missing });
  }

  /**
   * Names the files of engines that begin.
   * @param {EngineState[]} engines of one worker @param {number} generation of it
   * @returns {import('./messages.js').LegConfig['log'][]} null: it writes none
   */
  open(engines, generation) {
    if (!this.logging) return engines.map(() => null);
    const reserveBytes = reserveFor(this.folder, this.shares);
    return engines.map((engine) => {
      engine.log = path.join(this.folder, arrowName(engine.share, generation));
      engine.splits = this.hasSplits ? path.join(this.folder, splitsName(engine.share, generation)) : null;
      return { path: engine.log, splitsPath: engine.splits, reserveBytes };
    });
  }

  /** Keeps an engine's transfer log, unless it had not been opened yet. @param {EngineState} engine @param {number} rows @param {boolean} whole */
  close(engine, rows, whole) {
    const { log, splits } = engine;
    if (log !== null && (rows > 0 || existsSync(log))) {
      this.files.push({ path: log, ...(splits === null ? {} : { splits }), rows, whole });
    }
    engine.log = engine.splits = null;
  }
}
