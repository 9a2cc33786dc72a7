// The common start of legs that are measured side by side: once all of them are ready, or have ended before.

/** @typedef {import('./primary.js').LegWorkers} LegWorkers */

export class SharedStart {
  constructor() {
    /** @type {Set<LegWorkers>} */
    this.legs = new Set();
  }

  /** @param {LegWorkers} leg that will be ready, or leaves */
  join(leg) {
    this.legs.add(leg);
  }

  /** Starts all legs if none has to be waited for. A worker that died meanwhile is waited for again. */
  startIfReady() {
    const legs = [...this.legs];
    const [first] = legs;
    if (first === undefined || first.clock.startNs !== null || !legs.every((leg) => leg.workers.canStart)) return;
    const startNs = first.clock.start(first.source.startLeadNs);
    for (const leg of legs) leg.begin(startNs);
  }

  /** @param {LegWorkers} leg that has ended */
  leave(leg) {
    this.legs.delete(leg);
    this.startIfReady();
  }
}
