// What ends a leg before its planned end: a condition of stopOn.
import { StopRules } from '../judge/conditions/stop-rules.js';
import { warning } from '../words/warnings.js';

/**
 * @import { Sample, Warning } from '../../config/types.js'
 * @import { Stopped } from '../measure/leg-summary.js'
 * @import { Outcome } from './cluster/leg-outcome.js'
 * @import { LegWorkers } from './cluster/primary.js'
 */

/**
 * @typedef {Pick<LegWorkers, 'stopping' | 'isOver' | 'drain'>} Workers
 */

export class EarlyEnd {
  /** @param {string[]} stopOn @param {(one: Warning) => void} warn */
  constructor(stopOn, warn) {
    this.stopRules = new StopRules(stopOn);
    this.warn = warn;
    /** The condition that was met. @type {Stopped | undefined} */
    this.stopped = undefined;
  }

  /**
   * Ends the leg when a condition has held long enough. The sample of the last second comes when the drain has begun:
   * then the leg has ended already, and is only judged (outcomeOf).
   * @param {Sample} sample the next one @param {Workers} workers
   */
  follow(sample, workers) {
    if (this.stopped !== undefined || workers.stopping) return;
    const stopped = this.stopRules.observe(sample);
    if (stopped === null) return;
    this.stopped = stopped;
    this.warn(warning('stopped-on-condition', stopped));
    if (!workers.isOver) workers.drain('stop-on');
  }

  /**
   * @param {Outcome} outcome of the workers
   * @returns {Outcome} of the leg: one in whose last second a condition was met is like one that was ended by it
   */
  outcomeOf(outcome) {
    const isMet = this.stopped !== undefined && ['plan', 'done'].includes(outcome.endedBy);
    return isMet ? { ...outcome, endedBy: 'stop-on' } : outcome;
  }
}
