// Connects that took as long as the kernel waits before it sends a SYN again, and the reason.

/** @import { LegSummary } from '../../config/types.js' */

/** @typedef {'this-machine' | 'accept-queue' | 'no-answer'} DelayReason */
/**
 * @typedef {{ slow: number, of: number, atNs: number, reason: DelayReason }} ConnectDelays  slow, of: connects, delayed
 *   and in all; atNs: the shortest delayed connect
 */

/**
 * @param {Pick<LegSummary, 'connectSteps' | 'connectTimeNs' | 'kernel' | 'findings'>} leg of summary.json
 * @returns {ConnectDelays | null} null if no connect was delayed
 */
export function connectDelaysOf({ connectSteps = [], connectTimeNs, kernel = {}, findings = [] }) {
  const slow = connectSteps.reduce((sum, step) => sum + step.connections, 0);
  if (slow === 0) return null;
  // the kernel counts full queues of all sockets of the machine; the finding is about the server's queue
  const isFull = findings.some(({ code }) => code === 'backlog-full');
  const reason = kernel.TcpExtTCPSynRetrans === 0 ? 'this-machine' : isFull ? 'accept-queue' : 'no-answer';
  return { slow, of: connectTimeNs?.count ?? slow, atNs: connectSteps[0].atNs, reason };
}
