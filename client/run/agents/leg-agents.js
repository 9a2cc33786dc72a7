// The workers of one leg, on the agents of its run.
import { agentOf } from '../../measure/agents.js';
import { RemoteWorker } from './remote-worker.js';

/** Workers learn of the start this long before it, and of a drain. */
const START_LEAD_NS = 1_000_000_000n;
const NOTICE_NS = 500e6;

/**
 * @typedef {import('../cluster/worker-handle.js').Events} Events
 * @typedef {import('../cluster/worker-handle.js').WorkerSource} WorkerSource
 */

/** @implements {WorkerSource} */
export class LegAgents {
  startLeadNs = START_LEAD_NS;
  noticeNs = NOTICE_NS;

  /** @param {import('./agent-group.js').AgentGroup} group @param {Pick<import('../../plan/plan.js').Leg, 'id' | 'agentSources'>} leg */
  constructor(group, { id, agentSources = [] }) {
    this.group = group;
    this.leg = id;
    this.sources = agentSources;
    this.agents = group.agents.length;
    /** @type {RemoteWorker[]} */
    this.workers = [];
  }

  /** @param {number} index @param {Events} events @param {number[]} shares of its engines */
  make(index, events, shares) {
    const { leg, group, sources } = this;
    const agent = agentOf(index, this.agents);
    const worker = new RemoteWorker(index, events, shares, {
      leg,
      agent: group.agents[agent],
      sources: sources[agent] ?? [],
      carrier: group,
    });
    this.workers[index] = worker;
    return worker;
  }

  tolerates() {
    return this.group.tolerates();
  }

  /** @param {import('./messages.js').FromAgent} entry */
  receive(entry) {
    if ('leg' in entry && entry.leg === this.leg) this.workers[entry.worker]?.receive(entry);
  }

  /** @param {import('./known-agent.js').KnownAgent} agent */
  lose(agent) {
    for (const worker of this.workers) if (worker.agent === agent) worker.loseHost();
  }
}
