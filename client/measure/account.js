// The account of a leg's connections: the state of each requested connection at the end of the steady state. Each slot
// is in one part, and the parts add up to the connections requested; books.js checks that.

/** @import { LegSummary, Sample } from '../../config/types.js' */

/** @typedef {NonNullable<LegSummary['account']>} Account  of the slots at one moment */

/** The parts, in the order in which they are shown. */
export const accountParts = Object.freeze(
  /** @type {const} */ (['served', 'unanswered', 'idle', 'connecting', 'rejected', 'lost', 'queued', 'closed']),
);

/** @param {Partial<Account>} account @returns {number} the sum of its parts */
export const partsSum = (account) => accountParts.reduce((sum, part) => sum + (account[part] ?? 0), 0);

/**
 * @param {Record<string, number>} gauges of the sample in which the steady state ended
 * @param {{ requested: number, churns: boolean, once: boolean, reopensLost?: boolean, takesTurns?: boolean,
 *   allTransfers?: number }} leg  requested: at that moment, as planned; reopensLost: losesAndReopens(); takesTurns:
 *   with other legs, in slices; allTransfers: their number, if the leg ended because all were done
 * @returns {Account | undefined} undefined if the samples do not say which connections were answered
 */
export function accountOf(gauges, { requested, churns, once, reopensLost, takesTurns, allTransfers = 0 }) {
  const { answered, renewing = 0, lostBackingOff = 0, openedLastSecond = 0, withoutWorker = 0 } = gauges;
  if (answered === undefined) return undefined;
  const idle = Math.max(0, gauges.open - answered - gauges.unanswered);
  const account = {
    requested,
    served: answered,
    unanswered: gauges.unanswered,
    idle,
    connecting: gauges.connecting,
    rejected: gauges.backingOff - lostBackingOff,
    lost: lostBackingOff,
    queued: gauges.queued + Math.max(0, requested - gauges.requested),
    closed: 0,
  };
  if (churns) {
    // some slots are always between two connections, and some replies are not due yet
    account.unanswered -= openedLastSecond;
    account.connecting -= renewing;
    account.served += idle + openedLastSecond + renewing;
    account.idle = 0;
  } else if (reopensLost) {
    const fresh = Math.min(account.unanswered, openedLastSecond);
    account.served += account.lost + fresh;
    account.unanswered -= fresh;
    account.lost = 0;
  }
  const unassigned = requested - partsSum(account);
  if (unassigned < 0) return { ...account, leaving: -unassigned };
  const neverServed = Math.max(0, (gauges.neverAnswered ?? 0) - gauges.unanswered);
  if (takesTurns && !churns && answered + neverServed > 0) {
    // at the end of a slice some lost connections are open again, or will be, and send in the next slice
    const lost = Math.min(neverServed, account.idle + unassigned);
    return { ...account, served: answered + account.idle + unassigned - lost, lost: account.lost + lost, idle: 0 };
  }
  const unserved = withoutWorker + neverServed;
  account.closed = Math.min(unassigned, once || churns ? withoutWorker : Math.max(unserved, unassigned - allTransfers));
  account.served += unassigned - account.closed;
  return account;
}
