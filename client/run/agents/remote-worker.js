// A worker on an agent, as the controller sees it: the same handle as that of a child process, its messages carried by the
// stream of the run.
import { WorkerHandle } from '../cluster/worker-handle.js';

/**
 * @typedef {import('./messages.js').FromAgent} FromAgent
 * @typedef {import('./messages.js').Which} Which
 * @typedef {import('./known-agent.js').KnownAgent} KnownAgent
 * @typedef {{ send: (agent: KnownAgent, entry: import('./messages.js').ToAgent) => void,
 *   startedLate: (agent: KnownAgent, lateNs: number) => void }} Carrier
 */

export class RemoteWorker extends WorkerHandle {
  /**
   * @param {number} index @param {import('../cluster/worker-handle.js').Events} events @param {number[]} shares of its engines
   * @param {{ leg: string, agent: KnownAgent, sources: string[], carrier: Carrier }} place  sources: addresses that it connects
   *   from; empty: the kernel's choice
   */
  constructor(index, events, shares, { leg, agent, sources, carrier }) {
    super(index, events, shares);
    this.leg = leg;
    this.agent = agent;
    this.sources = sources;
    this.carrier = carrier;
  }

  /** @override */
  get isReplaceable() {
    return this.agent.lost === null;
  }

  /** @override */
  get host() {
    return this.agent.name;
  }

  /** Whether its process may still say something. */
  get isReachable() {
    return this.hasProcess && !this.hasLeft;
  }

  /** @returns {Which} */
  get which() {
    return { leg: this.leg, worker: this.index, generation: this.generation };
  }

  /** @override */
  fork() {
    super.fork();
    if (this.agent.lost === null) this.carrier.send(this.agent, { ...this.which, type: 'fork' });
    else setImmediate(() => this.loseHost());
  }

  /** @override @param {import('../cluster/messages.js').ToWorker} message */
  send(message) {
    if (this.isReachable)
      this.carrier.send(this.agent, { ...this.which, type: 'message', message: this.converted(message) });
  }

  /**
   * @param {import('../cluster/messages.js').ToWorker} message
   * @returns {import('../cluster/messages.js').ToWorker} in the agent's time, and from its addresses
   */
  converted(message) {
    const { sources, agent } = this;
    const { clock } = agent;
    if (message.type === 'start') return { ...message, startNs: message.startNs + clock.exactOffsetNs };
    if (message.type !== 'leg') return message;
    const from = (/** @type {import('../cluster/assignment.js').Endpoint[]} */ endpoints) =>
      sources.length === 0 ? endpoints : endpoints.flatMap((one) => sources.map((source) => ({ ...one, source })));
    return {
      ...message,
      configs: message.configs.map((config) => ({
        ...config,
        endpoints: from(config.endpoints),
        t0Ns: config.t0Ns + clock.exactOffsetNs,
      })),
    };
  }

  /** @override */
  kill() {
    if (this.isReachable) this.carrier.send(this.agent, { ...this.which, type: 'kill' });
  }

  /** @override */
  disconnect() {
    this.carrier.send(this.agent, { ...this.which, type: 'end' });
  }

  /** Its agent is lost. */
  loseHost() {
    if (!this.isReachable) return;
    this.events.lost(this, this.agent.lost ?? 'lost', true);
  }

  /** @param {FromAgent & Which} entry of this worker */
  receive(entry) {
    if (!this.isReachable || entry.generation !== this.generation) return;
    if (entry.type === 'message') {
      if (entry.message.type === 'hello') this.pid = entry.message.pid;
      this.events.message(this, entry.message);
    } else if (entry.type === 'forked') this.events.forked(this, entry.pid);
    else if (entry.type === 'started') this.carrier.startedLate(this.agent, entry.lateNs);
    else if (entry.type === 'lost') {
      this.keepStderr(entry.stderr);
      this.events.lost(this, entry.how, entry.started);
    }
  }
}
