// The account of a leg's connections: what became of each one requested, at the end of the steady state. The parts add
// up to the connections requested; books.js checks that. Each slot is in one part.

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
 *   with other legs, in slices; allTransfers: how many there were, of a leg that ended because all were done
 * @returns {Account | undefined} undefined of samples that do not say which connections were answered
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
    // some are always between two connections, and of some no reply was due yet
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
  const rest = requested - partsSum(account);
  if (rest < 0) return { ...account, leaving: -rest };
  const never = Math.max(0, (gauges.neverAnswered ?? 0) - gauges.unanswered);
  if (takesTurns && !churns && answered + never > 0) {
    // at the end of a slice some that were lost are open again, or are to be, and send in the next one
    const lost = Math.min(never, account.idle + rest);
    return { ...account, served: answered + account.idle + rest - lost, lost: account.lost + lost, idle: 0 };
  }
  const unserved = withoutWorker + never;
  account.closed = Math.min(rest, once || churns ? withoutWorker : Math.max(unserved, rest - allTransfers));
  account.served += rest - account.closed;
  return account;
}
