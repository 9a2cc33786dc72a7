// Ends a leg before its planned end when a condition of stopOn is met.
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
  /** @param {string[]} stopOn @param {(warning: Warning) => void} warn */
  constructor(stopOn, warn) {
    this.stopRules = new StopRules(stopOn);
    this.warn = warn;
    /** The condition that was met. @type {Stopped | undefined} */
    this.stopped = undefined;
  }

  /**
   * Ends the leg when a condition has held long enough. The sample of the last second comes after the drain has begun:
   * the leg has then ended already, and outcomeOf() takes the condition into account.
   * @param {Sample} sample the leg's next sample @param {Workers} workers
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
   * @returns {Outcome} of the leg; a condition met in its last second counts as having ended it
   */
  outcomeOf(outcome) {
    const isMet = this.stopped !== undefined && ['plan', 'done'].includes(outcome.endedBy);
    return isMet ? { ...outcome, endedBy: 'stop-on' } : outcome;
  }
}
