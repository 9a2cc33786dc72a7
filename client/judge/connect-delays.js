// Connects that took as long as it takes until a SYN is sent again, and why. Pure; used by the page's reasons and by the
// answer of a run.

/** @typedef {'this-machine' | 'accept-queue' | 'no-answer'} DelayReason */
/** @typedef {{ slow: number, of: number, atNs: number, reason: DelayReason }} ConnectDelays  atNs: the least of these times */

/**
 * @param {Pick<import('../../config/types.js').LegSummary, 'connectSteps' | 'connectTimeNs' | 'kernel' | 'serverKernel'>} leg of summary.json
 * @returns {ConnectDelays | null} null where there were none
 */
export function connectDelaysOf({ connectSteps = [], connectTimeNs, kernel = {}, serverKernel }) {
  const slow = connectSteps.reduce((sum, one) => sum + one.connections, 0);
  if (slow === 0) return null;
  const listening = serverKernel ?? kernel;
  const isFull = listening.TcpExtListenOverflows || listening.TcpExtListenDrops;
  const reason = kernel.TcpExtTCPSynRetrans === 0 ? 'this-machine' : isFull ? 'accept-queue' : 'no-answer';
  return { slow, of: connectTimeNs?.count ?? slow, atNs: connectSteps[0].atNs, reason };
}
