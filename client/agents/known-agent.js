// One agent of a run, as its controller knows it.
import { Allowance } from './allowance.js';

/**
 * @import { ClockOffset } from './clock-offset.js'
 * @import { Hello } from './messages.js'
 * @import { Outbox } from './outbox.js'
 */

/**
 * @typedef {object} KnownAgent
 * @property {string} name
 * @property {Hello} hello
 * @property {ClockOffset & { exactOffsetNs: bigint }} clock
 * @property {KnownAgent['clock']} firstClock  as it was when the current legs began
 * @property {Outbox | null} outbox
 * @property {Allowance} allowance  of what it reports in the run
 * @property {number} heardAt     by performance.now()
 * @property {string | null} lost how
 * @property {boolean} [shutOut]  the stream takes nothing of it any more
 * @property {boolean} hasStopped  its load by itself, before the end of a leg
 * @property {number} uncertaintyNs of the offset of its clock, at the start and at the end of the current legs,
 *   whichever is greater
 * @property {number} driftNs     of its clock, in the current legs
 * @property {number} lateNs      of the start of the current legs
 * @property {boolean} wasSlicedLate  it learned too late of the slices of one of them
 */

/** Of an agent whose clock has not been measured. */
const NO_CLOCK = Object.freeze({ exactOffsetNs: 0n, offsetNs: 0, roundTripNs: 0 });

/** @param {Hello} hello @returns {KnownAgent} */
export const knownAgent = (hello) => ({
  name: hello.name,
  hello,
  clock: NO_CLOCK,
  firstClock: NO_CLOCK,
  outbox: null,
  allowance: new Allowance(0),
  heardAt: 0,
  lost: null,
  hasStopped: false,
  uncertaintyNs: 0,
  driftNs: 0,
  lateNs: 0,
  wasSlicedLate: false,
});
