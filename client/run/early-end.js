// What ends a leg before its planned end: a condition of stopOn, or percentiles known as well as untilConfident asks for.
import { ConfidenceRule } from '../judge/findings/confidence.js';
import { StopRules } from '../judge/conditions/stop-rules.js';
import { warning } from '../words/warnings.js';

/**
 * @typedef {import('../measure/sample.js').Sample} Sample
 * @typedef {import('./cluster/leg-outcome.js').Outcome} Outcome
 * @typedef {Pick<import('./cluster/primary.js').LegWorkers, 'stopping' | 'isOver' | 'drain'>} Workers
 * @typedef {{ stopOn: string[], untilConfident?: import('../judge/findings/confidence.js').UntilConfident | null }} Rules
 */

export class EarlyEnd {
  /**
   * @param {Rules} rules
   * @param {{ warn: (one: import('../words/warnings.js').Warning) => void, log: import('../store/event-log.js').Logger }} leg
   */
  constructor({ stopOn, untilConfident }, { warn, log }) {
    this.stopRules = new StopRules(stopOn);
    this.confidence = new ConfidenceRule(untilConfident);
    this.warn = warn;
    this.log = log;
    /** The condition of stopOn that was met. @type {import('../measure/leg-summary.js').Stopped | undefined} */
    this.stopped = undefined;
  }

  /** @param {Sample} sample the next one @param {Workers} workers */
  follow(sample, workers) {
    this.followStopRules(sample, workers);
    this.followConfidence(sample, workers);
  }

  /**
   * Ends the leg when a condition of stopOn has held long enough. The sample of the last second comes when the drain has begun:
   * then the leg has ended already, and is only judged (outcomeOf).
   * @param {Sample} sample @param {Workers} workers
   */
  followStopRules(sample, workers) {
    if (this.stopped !== undefined || workers.stopping) return;
    const stopped = this.stopRules.observe(sample);
    if (stopped === null) return;
    this.stopped = stopped;
    this.warn(warning('stopped-on-condition', stopped));
    if (!workers.isOver) workers.drain('stop-on');
  }

  /** Ends the leg when its percentiles are known well enough. @param {Sample} sample @param {Workers} workers */
  followConfidence(sample, workers) {
    if (workers.isOver || !this.confidence.observe(sample)) return;
    this.log.info({ atNs: sample.toNs }, 'the intervals of untilConfident are reached');
    workers.drain('confident');
  }

  /**
   * @param {Outcome} outcome of the workers
   * @returns {Outcome} of the leg: one in whose last second a condition of stopOn was met is like one that was ended by it
   */
  outcomeOf(outcome) {
    const isMet = this.stopped !== undefined && ['plan', 'done'].includes(outcome.endedBy);
    return isMet ? { ...outcome, endedBy: 'stop-on' } : outcome;
  }
}
