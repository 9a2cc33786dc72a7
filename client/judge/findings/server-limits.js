// Whether the server's limit of descriptors or its accept queue was why connections failed. Pure.
// The one thing to know: a limit that was reached is a finding only where connections failed or waited as well; and where the
// descriptors were used up first, a full accept queue follows from that.

import { finding } from './finding.js';

/**
 * @typedef {object} Outcome  of a leg
 * @property {import('../../measure/server-use.js').ServerLimits} [serverLimits]
 * @property {import('../../measure/account.js').Account} [account]
 * @property {Record<string, number>} rejects  by cause, with a total
 * @property {Record<string, number>} errors   by cause, with a total
 * @property {{ connections: number }[]} [connectSteps]
 */

/** One connection may fail for any reason. */
const MIN_FAILED = 2;
/** A connection may need several descriptors: with so few left, the next one may fail. */
const MOST_LEFT = 3;

/** @param {Outcome} leg @returns {import('./finding.js').Finding[]} one at most */
function descriptorFindings({ serverLimits, account, rejects, errors }) {
  const { descriptors } = serverLimits ?? {};
  if (descriptors === undefined || descriptors.fullProcesses === 0) return [];
  const { unanswered = 0, connecting = 0 } = account ?? {};
  // closed by the server at once, or not accepted; what failed on the client's side has another cause
  const failed =
    unanswered + connecting + rejects.total - rejects.local + errors.reset + errors.closed + errors.timeout;
  const { served = 0, requested = 0 } = account ?? {};
  const left = descriptors.limit - descriptors.peakUsed;
  if (failed < MIN_FAILED || (left > MOST_LEFT && requested - served <= left)) return [];
  const reached = left <= MOST_LEFT;
  return [finding('descriptor-limit', { ...descriptors, reached, failed, ...(account ? { served, requested } : {}) })];
}

/** @param {Outcome} leg @returns {import('./finding.js').Finding[]} one at most */
function queueFindings({ serverLimits, account, rejects, connectSteps = [] }) {
  const { listen } = serverLimits ?? {};
  if (listen === undefined || (listen.dropsBeforeFull ?? listen.drops) === 0) return [];
  const { unanswered = 0, connecting = 0 } = account ?? {};
  const delayed = connectSteps.reduce((sum, { connections }) => sum + connections, 0);
  const timedOut = rejects.timeout;
  if (delayed + timedOut + connecting + unanswered < MIN_FAILED) return [];
  return [finding('backlog-full', { ...listen, delayed, timedOut, connecting, unanswered })];
}

/** @param {Outcome} leg @returns {import('./finding.js').Finding[]} */
export const serverLimitFindings = (leg) => [...descriptorFindings(leg), ...queueFindings(leg)];
