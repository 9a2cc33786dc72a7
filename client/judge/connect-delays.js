// Connects that took as long as it takes until a SYN is sent again, and why. Pure; used by the page's reasons and by
// the answer of a run.

/** @import { LegSummary } from '../../config/types.js' */

/** @typedef {'this-machine' | 'accept-queue' | 'no-answer'} DelayReason */
/**
 * @typedef {{ slow: number, of: number, atNs: number, reason: DelayReason }} ConnectDelays  atNs: the least of these
 *   times
 */

/**
 * @param {Pick<LegSummary, 'connectSteps' | 'connectTimeNs' | 'kernel' | 'findings'>} leg of summary.json
 * @returns {ConnectDelays | null} null where there were none
 */
export function connectDelaysOf({ connectSteps = [], connectTimeNs, kernel = {}, findings = [] }) {
  const slow = connectSteps.reduce((sum, one) => sum + one.connections, 0);
  if (slow === 0) return null;
  // the kernel's counters of full queues are of all sockets of the machine, the finding is of the server's own
  const isFull = findings.some(({ code }) => code === 'backlog-full');
  const reason = kernel.TcpExtTCPSynRetrans === 0 ? 'this-machine' : isFull ? 'accept-queue' : 'no-answer';
  return { slow, of: connectTimeNs?.count ?? slow, atNs: connectSteps[0].atNs, reason };
}
