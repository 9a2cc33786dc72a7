// What a controller knows about an agent of its run.
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
 * @property {KnownAgent['clock']} firstClock  at the start of the current legs
 * @property {Outbox | null} outbox
 * @property {Allowance} allowance  for its reports in the run
 * @property {number} heardAt     time of its last message, by performance.now()
 * @property {string | null} lost how it was lost; null: it is not lost
 * @property {boolean} [shutOut]  the stream refuses its messages
 * @property {boolean} hasStopped  it stopped its load before the end of a leg
 * @property {number} uncertaintyNs the largest possible error of its clock's offset, at the start and at the end of the
 *   current legs
 * @property {number} driftNs     of its clock, during the current legs
 * @property {number} lateNs      delay of its start of the current legs
 * @property {boolean} wasSlicedLate  it received the slices of a current leg too late
 */

/** The clock of an agent before the first measurement. */
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
