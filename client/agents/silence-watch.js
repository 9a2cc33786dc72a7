// Finds the agents of a run that have become silent, and sends them the controller's beats. After a pause of this
// process, or without a connection, no agent counts as silent, because no message could arrive.
import { BEAT_MS } from './messages.js';
import { subjects } from './subjects.js';

/**
 * @import { Broker } from './broker.js'
 * @import { KnownAgent } from './known-agent.js'
 */

export class SilenceWatch {
  /**
   * @param {Broker} broker
   * @param {{ run: string, agents: KnownAgent[], timeoutMs: number, onSilent: (agent: KnownAgent) => void }} options
   *   timeoutMs: after which an agent is silent
   */
  constructor(broker, { run, agents, timeoutMs, onSilent }) {
    this.broker = broker;
    this.run = run;
    this.agents = agents;
    this.timeoutMs = timeoutMs;
    this.onSilent = onSilent;
    this.tickedAt = 0;
    /** @type {NodeJS.Timeout | null} */
    this.ticker = null;
    /** Stops listening for reconnections. */
    this.endFollowing = () => {};
  }

  /** Begins to watch. @returns {this} */
  open() {
    this.forgive();
    this.ticker = setInterval(() => this.tick(), BEAT_MS);
    this.endFollowing = this.broker.onReconnect(() => this.forgive());
    return this;
  }

  /** Restarts the time of silence for all agents, because no message could arrive until now. */
  forgive() {
    this.tickedAt = performance.now();
    for (const agent of this.agents) agent.heardAt = this.tickedAt;
  }

  tick() {
    const now = performance.now();
    this.broker.publish(subjects.beat(this.run));
    const wasAway = now - this.tickedAt > 2 * BEAT_MS || !this.broker.isConnected;
    if (wasAway) return this.forgive();
    this.tickedAt = now;
    for (const agent of this.agents) {
      if (agent.lost === null && now - agent.heardAt > this.timeoutMs) this.onSilent(agent);
    }
  }

  close() {
    if (this.ticker) clearInterval(this.ticker);
    this.endFollowing();
  }
}
