// The loss of a worker: its warning, and whether the worker is replaced.
import { endsByItself } from './assignment.js';
import { warning } from '../../words/warnings.js';

/**
 * @import { Warning } from '../../../config/types.js'
 * @import { LostWork } from '../../measure/sample-merge.js'
 * @import { Leg, Settings } from './assignment.js'
 * @import { WorkerHandle } from './worker-handle.js'
 */

const MAX_RESTARTS = 5;

/**
 * @typedef {object} Loss
 * @property {Pick<WorkerHandle, 'index' | 'generation' | 'lossOf'>} worker
 * @property {string} how
 * @property {boolean} started  false: the worker could not be started
 * @property {number | null} reportedNs  until when it has reported; null: never
 * @property {LostWork} lost  what it had in flight
 * @property {string} stderr  the last lines of its stderr
 *
 * @typedef {object} Consequence
 * @property {boolean} isReplaced
 * @property {Warning} [failure]  why the leg is not complete; absent: it can still be complete
 * @property {boolean} [isFatal]  whether the failure ends the leg
 */

/**
 * @param {Loss} loss
 * @param {Settings} settings
 * @param {Pick<Leg, 'rates'>} leg
 * @returns {Warning}
 */
export const lossWarning = ({ worker, how, started, reportedNs, lost, stderr }, settings, leg) =>
  warning('worker-lost', {
    worker: worker.index,
    how,
    started,
    reported: reportedNs !== null,
    open: lost.open,
    unfinished: lost.unfinished,
    abandoned: lost.abandoned,
    repeats: endsByItself(settings),
    openLoop: Boolean(leg.rates),
    stderr,
  });

/**
 * @param {Loss} loss
 * @param {{ hasStarted: boolean, isEnding: boolean, steadyToNs: number, isTolerated: boolean }} state of the leg;
 *   isTolerated: it can be complete without this worker
 * @returns {Consequence}
 */
export function consequenceOf({ worker, how, started, reportedNs }, { hasStarted, isEnding, steadyToNs, isTolerated }) {
  const loss = worker.lossOf(how, hasStarted);
  if (loss !== null) {
    return isTolerated ? { isReplaced: false } : { isReplaced: false, failure: loss, isFatal: !hasStarted };
  }
  if (isEnding) {
    if ((reportedNs ?? 0) >= steadyToNs) return { isReplaced: false };
    return { isReplaced: false, failure: warning('worker-lost-early', { worker: worker.index, started }) };
  }
  if (worker.generation < MAX_RESTARTS) return { isReplaced: true };
  const times = worker.generation + 1;
  const failure = warning('worker-lost-repeatedly', { worker: worker.index, started, times, how });
  return { isReplaced: false, failure, isFatal: !hasStarted };
}
