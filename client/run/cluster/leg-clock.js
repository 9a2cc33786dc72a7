// The clock of a leg: its start, the time since then, and the two timers of its primary.

const SECOND_NS = 1_000_000_000n;

export class LegClock {
  /** @param {bigint} t0Ns zero of the run's times */
  constructor(t0Ns) {
    this.t0Ns = t0Ns;
    /** Null until the start is known. @type {bigint | null} */
    this.startNs = null;
    /** @type {NodeJS.Timeout | null} */
    this.deadline = null;
    /** @type {NodeJS.Timeout | null} */
    this.ticker = null;
  }

  /**
   * Sets the start to a whole second of the run's clock.
   * @param {bigint} leadNs least time until the start, so that every worker learns of it in time
   * @returns {bigint}
   */
  start(leadNs) {
    const nowNs = process.hrtime.bigint() - this.t0Ns;
    this.startNs = this.t0Ns + ((nowNs + leadNs + SECOND_NS - 1n) / SECOND_NS) * SECOND_NS;
    return this.startNs;
  }

  /** @returns {number} ns since the leg's start; negative before it */
  sinceStart() {
    return this.startNs === null ? -Infinity : Number(process.hrtime.bigint() - this.startNs);
  }

  /** @returns {number | null} the start, relative to t0 */
  get startedNs() {
    return this.startNs === null ? null : Number(this.startNs - this.t0Ns);
  }

  /** Replaces the previous deadline. @param {number} ms @param {() => void} onMissed */
  setDeadline(ms, onMissed) {
    if (this.deadline) clearTimeout(this.deadline);
    this.deadline = setTimeout(onMissed, Math.max(0, ms));
  }

  /** @param {() => void} onSecond called once a second */
  tick(onSecond) {
    this.ticker = setInterval(onSecond, 1000);
  }

  /** Stops both timers. */
  stop() {
    if (this.deadline) clearTimeout(this.deadline);
    if (this.ticker) clearInterval(this.ticker);
  }
}
