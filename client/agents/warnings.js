// The warnings of a run with agents, and the reasons for an incomplete leg on them.

import { duration } from '../words/format.js';
import { serverText, warningsOf } from '../words/warnings.js';

export const warning = warningsOf({
  'agent-lost': {
    severity: 'problem',
    /** @param {{ agent: string | null, how: string, started: boolean }} data  started: the load had begun */
    text: ({ agent, how, started }) => `agent ${agent} was lost${started ? ' during the leg' : ''}: ${how}`,
    remedy: 'Its figures up to its last report are kept.',
  },
  'leg-collected': {
    /** @param {{ leg: string }} data */
    text: ({ leg }) => `the controller ended during leg ${leg}; after that, its figures come from the agents only`,
    remedy: "Figures of the server's machine are missing.",
  },
  'leg-not-begun': {
    severity: 'problem',
    /** @param {{ leg: string }} data */
    text: ({ leg }) => `the controller ended before leg ${leg} began; nothing was measured`,
  },
  'agent-stopped': {
    severity: 'problem',
    /** @param {{ agent: string, forMs: number }} data */
    text: ({ agent, forMs }) =>
      `agent ${agent} stopped its load: the NATS server had acknowledged nothing for ${duration(forMs * 1e6)}`,
  },
  'agent-started-late': {
    /** @param {{ agent: string, lateNs: number }} data */
    text: ({ agent, lateNs }) =>
      `agent ${agent} got the start message ${duration(lateNs)} late and opened its connections that much later`,
  },
  'agent-slices-late': {
    /** @param {{ agent: string, lateNs: number }} data */
    text: ({ agent, lateNs }) =>
      `agent ${agent} got the slices ${duration(lateNs)} late; until then it loaded several servers at the same time`,
  },
  'server-agent-lost': {
    severity: 'problem',
    /** @param {{ agent: string, how: string, instance?: number }} data */
    text: ({ agent, how, ...data }) => `agent ${agent} with ${serverText(data)} was lost during the leg: ${how}`,
    remedy: "The server's figures up to its last report are kept.",
  },
  'server-agent-stopped': {
    severity: 'problem',
    /** @param {{ agent: string, why: string, instance?: number }} data */
    text: ({ agent, why, ...data }) => `agent ${agent} stopped ${serverText(data)} during the leg: ${why}`,
  },
});
