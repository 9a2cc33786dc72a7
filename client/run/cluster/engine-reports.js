// The reports of a leg's engines: their intervals, merged into samples, and their transfer logs.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { SampleMerge } from '../../measure/sample-merge.js';
import { joinedSpans } from '../../measure/spans.js';
import { arrowName, splitsName } from '../../store/transfer-log/index.js';
import { sharesOf } from './assignment.js';
import { ExpectedArrivals } from './expected-arrivals.js';
import { reserveFor } from './leg-log.js';

/**
 * @import { LostWork } from '../../measure/sample-merge.js'
 * @import { Span } from '../../measure/spans.js'
 * @import { ArrowFile } from '../../store/transfer-log/convert.js'
 * @import { LegSettings } from '../../engine/index.js'
 * @import { Leg, Settings } from './assignment.js'
 * @import { FromWorker } from './messages.js'
 * @import { EngineState, WorkerHandle, WorkerSource } from './worker-handle.js'
 */

/**
 * @typedef {{ reason: string, workers: number[], missing: number, spans: Span[] }} Incomplete  missing: rows
 */

/** @param {LostWork[]} parts at least one @returns {LostWork} */
const addLost = (parts) =>
  parts.reduce((a, b) => ({
    open: a.open + b.open,
    abandoned: a.abandoned + b.abandoned,
    unfinished: a.unfinished + b.unfinished,
    unsent: a.unsent + b.unsent,
    rows: a.rows + b.rows,
  }));

export class EngineReports {
  /**
   * @param {{ settings: Settings, leg: Leg, folder: string, logging: boolean, instances: number, hosts?:
   *   WorkerSource['hosts'] }}
   *   options  leg: its times may change; instances: of the server; hosts: of the workers, if there are several
   */
  constructor({ settings, leg, folder, logging, instances, hosts }) {
    this.merge = new SampleMerge(sharesOf(leg), new ExpectedArrivals(leg, settings), { instances, hosts });
    this.logs = new EngineLogs({ settings, leg, folder, logging });
  }

  /** The engines of a replacement begin. @param {WorkerHandle} worker */
  begin({ running }) {
    for (const { share } of running) this.merge.begin(share);
  }

  /** @param {WorkerHandle} worker @param {Extract<FromWorker, { type: 'interval' }>} message */
  add({ engines }, { engine, interval, usage }) {
    this.merge.add(engines[engine].share, interval, usage);
  }

  /**
   * An engine has delivered its last interval.
   * @param {WorkerHandle} worker
   * @param {Extract<FromWorker, { type: 'done' }>} message
   */
  end({ index, engines }, { engine: number, log }) {
    const engine = engines[number];
    const { inLog, ended, unlogged } = this.merge.tallies[engine.share];
    this.logs.close(engine, inLog, true);
    if (log?.error) this.logs.addIncomplete(log.error, index, { missing: ended - log.rows, spans: unlogged });
    this.merge.end(engine.share);
    engine.hasEnded = true;
  }

  /**
   * Counts what the engines of a dead worker had in flight as lost, and closes their logs.
   * @param {WorkerHandle} worker
   */
  countLost({ running }) {
    const lostWork = running.map((engine) => {
      const lost = this.merge.lose(engine.share);
      this.logs.close(engine, lost.rows, false);
      return lost;
    });
    return addLost(lostWork);
  }

  /** Closes the logs of a worker that does not begin. @param {WorkerHandle} worker */
  closeLogs({ engines }) {
    for (const engine of engines) this.logs.close(engine, 0, false);
  }

  /** @param {WorkerHandle} worker @returns {number | null} until when all its engines have reported; null: none did */
  reportedNs({ running }) {
    const ends = running.map(({ share }) => this.merge.tallies[share].received?.toNs ?? null);
    return ends.every((end) => end === null) ? null : Math.min(...ends.map((end) => end ?? 0));
  }

  /** @param {WorkerHandle} worker @returns {boolean} whether the next sample waits for its report */
  isBehind({ state, running }) {
    return state === 'running' && running.some(({ share }) => this.merge.tallies[share].key <= this.merge.flushed);
  }
}

/** The transfer logs that the engines write: names their files, and lists those of engines that have ended. */
class EngineLogs {
  /**
   * @param {{ folder: string, logging: boolean, settings: Settings,
   *   leg: Leg }} options  folder: the leg's
   */
  constructor({ folder, logging, settings, leg }) {
    this.folder = folder;
    this.logging = logging;
    this.shares = sharesOf(leg);
    this.hasSplits = (settings.timestamps ?? 'off') !== 'off';
    /** Logs of engines that have ended. @type {ArrowFile[]} */
    this.files = [];
    /** Logs that lack rows, by the reason. @type {Map<string, Incomplete>} */
    this.incomplete = new Map();
  }

  /**
   * @param {string} reason @param {number} worker
   * @param {{ missing: number, spans: Span[] }} lacks  transfers that its engine did not log, and when they ended
   */
  addIncomplete(reason, worker, { missing, spans }) {
    const { workers = [], missing: earlierMissing = 0, spans: earlierSpans = [] } = this.incomplete.get(reason) ?? {};
    const affected = workers.includes(worker) ? workers : [...workers, worker];
    this.incomplete.set(reason, {
      reason,
      workers: affected,
      missing: earlierMissing + missing,
      spans: joinedSpans([...earlierSpans, ...spans]),
    });
  }

  /**
   * Names the files of engines that begin.
   * @param {EngineState[]} engines of one worker @param {number} generation of the worker
   * @returns {LegSettings['log'][]} null: the engine writes no log
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

  /**
   * Keeps an engine's transfer log if it was opened.
   * @param {EngineState} engine
   * @param {number} rows
   * @param {boolean} whole
   */
  close(engine, rows, whole) {
    const { log, splits } = engine;
    if (log !== null && (rows > 0 || existsSync(log))) {
      this.files.push({ path: log, ...(splits === null ? {} : { splits }), rows, whole });
    }
    engine.log = engine.splits = null;
  }
}
