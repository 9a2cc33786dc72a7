// One agent of a run, as its controller knows it.
import { Allowance } from './allowance.js';

/**
 * @typedef {import('./messages.js').Hello} Hello
 *
 * @typedef {object} KnownAgent
 * @property {string} name
 * @property {Hello} hello
 * @property {import('./clock-offset.js').ClockOffset & { exactOffsetNs: bigint }} clock
 * @property {import('./outbox.js').Outbox | null} outbox
 * @property {import('./allowance.js').Allowance} allowance  of what it reports in the run
 * @property {number} heardAt     by performance.now()
 * @property {string | null} lost how
 * @property {boolean} [shutOut]  the stream takes nothing of it any more
 * @property {boolean} hasStopped  its load by itself, before the end of a leg
 * @property {number} uncertaintyNs of the offset of its clock, at the start and at the end of the current leg, whichever is greater
 * @property {number} driftNs     of its clock, in the current leg
 * @property {number} lateNs      of the start of the current leg
 */

/** @param {Hello} hello @returns {KnownAgent} */
export const knownAgent = (hello) => ({
  name: hello.name,
  hello,
  clock: { exactOffsetNs: 0n, offsetNs: 0, roundTripNs: 0 },
  outbox: null,
  allowance: new Allowance(0),
  heardAt: 0,
  lost: null,
  hasStopped: false,
  uncertaintyNs: 0,
  driftNs: 0,
  lateNs: 0,
});
