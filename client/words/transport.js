// What carries the bytes of a leg, in the words of console and page. Pure. The one thing to know: a stack of SCTP in user
// space is always said to be one, because its figures do not compare with those of a kernel.

/** @typedef {'tcp' | 'sctp' | 'sctp-seqpacket' | 'udp'} Transport */
/** @typedef {'kernel' | 'usrsctp'} SctpStack */

/** @param {string | undefined} transport @returns {boolean} */
export const isSctp = (transport) => transport === 'sctp' || transport === 'sctp-seqpacket';

/** @type {Record<string, string>} */
const STYLES = { sctp: 'SCTP one-to-one', 'sctp-seqpacket': 'SCTP one-to-many' };

/** @type {Record<string, string>} */
const STACKS = { kernel: 'kernel stack', usrsctp: 'user-space stack usrsctp over UDP' };

/**
 * @param {{transport?: string, stack?: string}} leg
 * @returns {string | null} such as: SCTP one-to-one, user-space stack usrsctp over UDP; null over TCP
 */
export function transportText({ transport, stack }) {
  if (transport === 'udp') return 'UDP';
  if (transport === undefined || !isSctp(transport)) return null;
  return stack === undefined ? STYLES[transport] : `${STYLES[transport]}, ${STACKS[stack]}`;
}

/**
 * @param {{transport?: string, stack?: string}} leg
 * @returns {string | null} a few words beside a figure: "UDP", "SCTP", "SCTP in user space"; null over TCP
 */
export function transportLabel({ transport, stack }) {
  if (transport === 'udp') return 'UDP';
  if (!isSctp(transport)) return null;
  const style = transport === 'sctp-seqpacket' ? 'SCTP seqpacket' : 'SCTP';
  return stack === 'usrsctp' ? `${style} in user space` : style;
}
