// Moments at which something is read, whatever else happens then: a timer for each.

/** What is further ahead is nobody's plan. */
const MOST_AHEAD_MS = 60_000;

export class Moments {
  /** @param {() => void} act @param {() => bigint} [clock] of the moments */
  constructor(act, clock = () => process.hrtime.bigint()) {
    this.act = act;
    this.clock = clock;
    /** Those to come. @type {Set<NodeJS.Timeout>} */
    this.timers = new Set();
  }

  /** @param {bigint[]} momentsNs by the clock; one that is over is left out */
  add(momentsNs) {
    for (const momentNs of momentsNs) {
      const ms = Number(momentNs - this.clock()) / 1e6;
      if (ms < 0 || ms > MOST_AHEAD_MS) continue;
      const timer = setTimeout(() => {
        this.timers.delete(timer);
        this.act();
      }, Math.ceil(ms)).unref();
      this.timers.add(timer);
    }
  }

  close() {
    for (const timer of this.timers) clearTimeout(timer);
    this.timers.clear();
  }
}
