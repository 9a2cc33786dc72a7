// Whether a leg ended without one successful transfer, though some were due: it has measured nothing, so it is not
// complete. Pure.

import { warning } from './warnings.js';

/** Kinds of replies by which a server says that it failed. 4xx and misses are valid answers to what was requested. */
const FAILED_KINDS = ['5xx', 'error'];

/**
 * @param {Record<string, any>} figures of a leg that ended as planned
 * @param {{ workload?: string, heartbeatNs?: number }} load
 * @returns {import('./warnings.js').Warning | null} why it is not complete; null: a transfer succeeded, or none was due
 */
export function fruitlessOf({ transfers, statuses, attempts, rejects }, { workload, heartbeatNs = 0 }) {
  if (transfers === undefined) return null;
  const { count, failed, unfinished, unsent = 0 } = transfers;
  const data = { failed, unfinished, unsent, rejects: rejects.total };
  if (count > 0) {
    const kinds = Object.keys(statuses ?? {}).filter((kind) => kind !== 'total' && statuses[kind] > 0);
    const isFailed = kinds.length > 0 && kinds.every((kind) => FAILED_KINDS.includes(kind));
    return isFailed ? warning('no-transfers', { ...data, replies: kinds.join(' or ') }) : null;
  }
  const holds = workload === 'hold' && heartbeatNs === 0;
  // where none was begun, it was due unless connections opened and waited as planned
  const due = failed + unfinished + unsent > 0 || (attempts.opened === 0 && attempts.total > 0);
  return due && !holds ? warning('no-transfers', data) : null;
}
