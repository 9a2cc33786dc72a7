// A process of simulated agents: each is a real agent with a connection of its own, except that its workers are simulated.
// Prints "ready" when all answer, and ends with its stdin.
//
//   node agents-process.js REQUEST_AS_JSON

import { names } from '../../../client/engine/index.js';
import { Agent } from '../../../client/run/agents/agent.js';
import { AllowList, LOOPBACK } from '../../../client/run/agents/allow-list.js';
import { openNats } from '../../../client/run/agents/connection.js';
import { host } from '../../fixtures/hosts.js';
import { nameOf } from './cells.js';
import { intervalMaker } from './made-up-intervals.js';
import { SimulatedWorkers } from './simulated-workers.js';

/** Longer than any measurement. */
const DEADLINE_MS = 600_000;
const NO_LOGIN = { creds: null, nkey: null, token: null, ca: null, certificate: null, key: null };

/** @type {{ url: string, folder: string, from: number, count: number, transfers: number }} */
const { url, folder, from, count, transfers } = JSON.parse(process.argv[2] ?? '{}');
const workers = new SimulatedWorkers(intervalMaker({ names, transfers, seed: from + 1 }));
const own = { ...host, addresses: [], towards: null };

process.stdin.on('end', () => process.exit()).resume();
for (let index = from; index < from + count; index += 1) {
  const name = nameOf(index);
  const { nc } = await openNats({ url, login: NO_LOGIN }, name);
  const options = { name, version: 'simulated', allow: new AllowList(LOOPBACK), logs: folder, deadlineMs: DEADLINE_MS };
  await new Agent(nc, { ...options, readHost: async () => own, log: () => {}, workers }).open();
}
process.stdout.write('ready\n');
