// What can go wrong with agents in a run without ending it, and why a leg on them is incomplete. Pure.

import { duration } from '../words/format.js';
import { theServer, warningsOf } from '../words/warnings.js';

export const warning = warningsOf({
  'agent-lost': {
    severity: 'problem',
    /** @param {{ agent: string | null, how: string, started: boolean }} data  started: the load had begun */
    text: ({ agent, how, started }) => `agent ${agent} was lost${started ? ' during the leg' : ''}: ${how}`,
    remedy: 'Its figures are kept up to its last report.',
  },
  'leg-collected': {
    /** @param {{ leg: string }} data */
    text: ({ leg }) => `the controller ended during leg ${leg}; from then on its figures are what the agents reported`,
    remedy: "Those of the server's machine are missing.",
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
      `agent ${agent} learned of the start ${duration(lateNs)} late and opened its connections that much later`,
  },
  'agent-slices-late': {
    /** @param {{ agent: string, lateNs: number }} data */
    text: ({ agent, lateNs }) =>
      `agent ${agent} learned of the slices ${duration(lateNs)} late; until then it loaded servers at the same time`,
  },
  'server-agent-lost': {
    severity: 'problem',
    /** @param {{ agent: string, how: string, instance?: number }} data */
    text: ({ agent, how, ...data }) => `agent ${agent} with ${theServer(data)} was lost during the leg: ${how}`,
    remedy: "The server's figures are kept up to its last report.",
  },
  'server-agent-stopped': {
    severity: 'problem',
    /** @param {{ agent: string, why: string, instance?: number }} data */
    text: ({ agent, why, ...data }) => `agent ${agent} stopped ${theServer(data)} during the leg: ${why}`,
  },
});
