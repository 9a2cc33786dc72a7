// What the engines of a leg have reported: their intervals, merged into samples, and their transfer logs.
import { SampleMerge } from '../../measure/sample-merge.js';
import { sharesOf } from './assignment.js';
import { EngineLogs } from './engine-logs.js';
import { ExpectedArrivals } from './expected-arrivals.js';

/**
 * @typedef {import('./messages.js').FromWorker} FromWorker
 * @typedef {import('./worker-handle.js').WorkerHandle} WorkerHandle
 * @typedef {import('../../measure/sample-merge.js').LostWork} LostWork
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
   * @param {{ settings: import('./assignment.js').Settings, leg: import('./assignment.js').Leg, folder: string,
   *   logging: boolean, instances: number, agents: number }} options  leg: whose times may change; instances: of the server
   */
  constructor({ settings, leg, folder, logging, instances, agents }) {
    const hosts = { workers: leg.workers, agents };
    this.merge = new SampleMerge(sharesOf(leg), new ExpectedArrivals(leg, settings), instances, hosts);
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

  /** An engine has delivered its last interval. @param {WorkerHandle} worker @param {Extract<FromWorker, { type: 'done' }>} message */
  end({ index, engines }, { engine: number, log }) {
    const engine = engines[number];
    const { inLog, ended, unlogged } = this.merge.tallies[engine.share];
    this.logs.close(engine, inLog, true);
    if (log?.error) this.logs.addIncomplete(log.error, index, { missing: ended - log.rows, spans: unlogged });
    this.merge.end(engine.share);
    engine.hasEnded = true;
  }

  /** Counts as lost what the engines of a dead worker had in flight, and closes their logs. @param {WorkerHandle} worker */
  countLost({ running }) {
    const lost = running.map((engine) => {
      const own = this.merge.lose(engine.share);
      this.logs.close(engine, own.rows, false);
      return own;
    });
    return addLost(lost);
  }

  /** Closes the logs of a worker that does not begin. @param {WorkerHandle} worker */
  closeLogs({ engines }) {
    for (const engine of engines) this.logs.close(engine, 0, false);
  }

  /** @param {WorkerHandle} worker @returns {number | null} until when all its engines have reported; null: none has */
  reportedNs({ running }) {
    const ends = running.map(({ share }) => this.merge.tallies[share].received?.toNs ?? null);
    return ends.every((end) => end === null) ? null : Math.min(...ends.map((end) => end ?? 0));
  }

  /** @param {WorkerHandle} worker @returns {boolean} whether the next sample waits for its report */
  isBehind({ state, running }) {
    return state === 'running' && running.some(({ share }) => this.merge.tallies[share].key <= this.merge.flushed);
  }
}
