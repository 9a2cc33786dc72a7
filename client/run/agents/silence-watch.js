// Finds the agents of a run that have become silent, and lets them hear that their controller is there.
// The one thing to know: after a pause of this process, or without a connection, no agent counts as silent, because nothing
// could be heard.
import { BEAT_MS } from './messages.js';
import { subjects } from './subjects.js';

/** @typedef {import('./known-agent.js').KnownAgent} KnownAgent */

export class SilenceWatch {
  /**
   * @param {import('@nats-io/transport-node').NatsConnection} nc
   * @param {{ run: string, agents: KnownAgent[], timeoutMs: number, onSilent: (agent: KnownAgent) => void }} options
   *   timeoutMs: after which an agent is silent
   */
  constructor(nc, { run, agents, timeoutMs, onSilent }) {
    this.nc = nc;
    this.run = run;
    this.agents = agents;
    this.timeoutMs = timeoutMs;
    this.onSilent = onSilent;
    this.tickedAt = 0;
    /** @type {NodeJS.Timeout | null} */
    this.ticker = null;
  }

  /** Begins to watch. @returns {this} */
  open() {
    this.forgive();
    this.ticker = setInterval(() => this.tick(), BEAT_MS);
    void this.followConnection();
    return this;
  }

  /** Nothing could be heard until now. */
  forgive() {
    this.tickedAt = performance.now();
    for (const agent of this.agents) agent.heardAt = this.tickedAt;
  }

  async followConnection() {
    for await (const { type } of this.nc.status()) if (type === 'reconnect') this.forgive();
  }

  tick() {
    const now = performance.now();
    this.nc.publish(subjects.beat(this.run));
    const wasAway = now - this.tickedAt > 2 * BEAT_MS || !(/** @type {any} */ (this.nc).protocol?.connected ?? true);
    if (wasAway) return this.forgive();
    this.tickedAt = now;
    for (const agent of this.agents) {
      if (agent.lost === null && now - agent.heardAt > this.timeoutMs) this.onSilent(agent);
    }
  }

  close() {
    if (this.ticker) clearInterval(this.ticker);
  }
}
