// Limits how much an agent may report. Workers report once a second, but reports that waited while the NATS server was
// away arrive at once; so the limit applies to the total since the reservation.

/** Messages and bytes of the stream: 5 times what a host with 64 busy engines sends. */
const RATE = Object.freeze({ batches: 250, bytes: 64 * 2 ** 20 });
const START = Object.freeze({ batches: 1000, bytes: 64 * 2 ** 20 });

export class Allowance {
  /** @param {number} nowMs */
  constructor(nowMs) {
    this.sinceMs = nowMs;
    this.batches = 0;
    this.bytes = 0;
  }

  /**
   * @param {number} bytes of the next batch
   * @param {number} nowMs
   * @returns {boolean} whether it is within the allowance
   */
  take(bytes, nowMs) {
    const seconds = (nowMs - this.sinceMs) / 1000;
    this.batches += 1;
    this.bytes += bytes;
    return this.batches <= START.batches + RATE.batches * seconds && this.bytes <= START.bytes + RATE.bytes * seconds;
  }
}
