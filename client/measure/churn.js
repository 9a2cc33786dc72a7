// Decides whether connections are closed, or lost, and reopened while a leg runs. In such a leg the number open at one
// moment says little, and a connection opened in the last second has had no time for a reply.

/**
 * @param {{workload?: string, lifetime?: {reopen?: boolean} | null, protocol?: string,
 *   protocolOptions?: {keepAlive?: boolean}}} settings of the scenario
 * @returns {boolean} whether the client closes and reopens connections all the time: in workload reconnect, at the end
 *   of their lifetime, or after a reply without keep-alive
 */
export function churnsConnections({ workload, lifetime = null, protocol, protocolOptions }) {
  if (workload === 'once' || lifetime?.reopen === false) return false;
  return workload === 'reconnect' || lifetime !== null || (protocol === 'http' && protocolOptions?.keepAlive === false);
}

/**
 * @param {{ requested: number, reopened: number, lost: number, lostWithWorker?: number, closedInPause?: number }}
 *   connections of a leg's summary, or the counts so far; closedInPause: those that the server closed while other legs
 *   had their turn
 * @returns {boolean} whether the server closed connections as it had announced, so often that every slot was reopened
 */
export function serverRecycles({ requested, reopened, lost, lostWithWorker = 0, closedInPause = 0 }) {
  return requested > 0 && reopened - lost - lostWithWorker - closedInPause >= requested;
}

/**
 * @param {{ requested: number, reopened: number }} connections of a leg's summary
 * @param {{ total: number, timeout: number }} errors
 * @param {number} answered open connections that have had a reply, at the end of the steady state
 * @returns {boolean} whether a server that answers loses connections all the time, so that every slot was reopened. The
 *   state of the slots at one moment is then chance. Connections that time out are not answered.
 */
export const losesAndReopens = ({ requested, reopened }, { total, timeout }, answered) =>
  answered > 0 && reopened >= requested && 2 * timeout < total;
