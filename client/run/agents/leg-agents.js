// The workers of one leg, on the agents of its run.
import { agentOf } from '../../measure/agents.js';
import { clockErrorNs } from './clock-offset.js';
import { RemoteWorker } from './remote-worker.js';
import { must } from './shape.js';

/** Workers learn of the start this long before it, and of a drain. */
const START_LEAD_NS = 1_000_000_000n;
const NOTICE_NS = 500e6;

/**
 * @typedef {import('../cluster/worker-handle.js').Events} Events
 * @typedef {import('../cluster/worker-handle.js').WorkerSource} WorkerSource
 * @typedef {import('./worker-account.js').Leg & Pick<import('../../plan/plan.js').Leg, 'id' | 'agentSources'>} PlannedLeg
 */

/** @implements {WorkerSource} */
export class LegAgents {
  startLeadNs = START_LEAD_NS;
  noticeNs = NOTICE_NS;

  /** @param {import('./agent-group.js').AgentGroup} group @param {PlannedLeg} leg */
  constructor(group, leg) {
    this.group = group;
    this.leg = leg;
    this.agents = group.agents.length;
    /** @type {RemoteWorker[]} */
    this.workers = [];
  }

  /** @param {number} index @param {Events} events @param {number[]} shares of its engines */
  make(index, events, shares) {
    const { leg, group } = this;
    const agent = agentOf(index, this.agents);
    const worker = new RemoteWorker(index, events, shares, {
      leg,
      agent: group.agents[agent],
      sources: leg.agentSources?.[agent] ?? [],
      carrier: group,
    });
    this.workers[index] = worker;
    return worker;
  }

  /** By which the clock of one of them may be off now, at most; 0 where there is one. */
  get clockErrorNs() {
    const { agents } = this.group;
    return agents.length > 1 ? Math.max(...agents.map(({ clock }) => clockErrorNs(clock))) : 0;
  }

  tolerates() {
    return this.group.tolerates();
  }

  /**
   * @param {import('./known-agent.js').KnownAgent} agent
   * @param {Extract<import('./messages.js').FromAgent, import('./messages.js').Which>} entry of this leg, that it has written
   */
  receive(agent, entry) {
    const worker = this.workers[entry.worker];
    must(worker?.agent === agent, `it reports worker ${entry.worker}, which it does not have`);
    worker.receive(entry);
  }

  /** @param {import('./known-agent.js').KnownAgent} agent */
  lose(agent) {
    for (const worker of this.workers) if (worker.agent === agent) worker.loseHost();
  }
}
