// The transfer logs that the engines of a leg write: the file of each, and what of it is kept when its engine has ended.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { joinedSpans } from '../../measure/spans.js';
import { arrowName, splitsName } from '../../store/transfer-log/index.js';
import { sharesOf } from './assignment.js';
import { reserveFor } from './leg-log.js';

/**
 * @typedef {import('./worker-handle.js').EngineState} EngineState
 * @typedef {import('../../store/transfer-log/index.js').ArrowFile} ArrowFile
 *
 * @typedef {import('../../measure/spans.js').Span} Span  since the start of the leg
 * @typedef {{ reason: string, workers: number[], missing: number, spans: Span[] }} Incomplete  missing: rows
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
    /** Logs that lack rows, by the reason. @type {Map<string, Incomplete>} */
    this.incomplete = new Map();
  }

  /**
   * @param {string} reason @param {number} worker
   * @param {{ missing: number, spans: Span[] }} lacks  transfers that its engine did not log, and when they ended
   */
  addIncomplete(reason, worker, { missing, spans }) {
    const { workers = [], missing: before = 0, spans: others = [] } = this.incomplete.get(reason) ?? {};
    const all = workers.includes(worker) ? workers : [...workers, worker];
    this.incomplete.set(reason, {
      reason,
      workers: all,
      missing: before + missing,
      spans: joinedSpans([...others, ...spans]),
    });
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
