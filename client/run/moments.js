// Calls a function at given moments, with a timer for each.

/** Moments further ahead are ignored. */
const MAX_AHEAD_MS = 60_000;

export class Moments {
  /** @param {() => void} act @param {() => bigint} [clock] of the moments */
  constructor(act, clock = () => process.hrtime.bigint()) {
    this.act = act;
    this.clock = clock;
    /** Of the moments to come. @type {Set<NodeJS.Timeout>} */
    this.timers = new Set();
  }

  /** @param {bigint[]} momentsNs by the clock; past moments are ignored */
  add(momentsNs) {
    for (const momentNs of momentsNs) {
      const ms = Number(momentNs - this.clock()) / 1e6;
      if (ms < 0 || ms > MAX_AHEAD_MS) continue;
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
