// The clocks of agents as their controller measures them, through a real NATS server: agents of this process whose clock is
// set off on purpose by a known time.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent } from '../../client/run/agents/agent.js';
import { AgentGroup } from '../../client/run/agents/agent-group.js';
import { findAgents } from '../../client/run/agents/find-agents.js';
import { AllowList, LOOPBACK } from '../../client/run/agents/allow-list.js';
import { openNats } from '../../client/run/agents/connection.js';
import { NO_LOGIN, startNats } from '../fixtures/e2e-agents.js';
import { host } from '../fixtures/hosts.js';
import { requireTool } from '../skip.js';

const HOUR_NS = 3_600_000_000_000n;
/** By how much each agent's clock is ahead. */
const AHEAD_NS = { same: 0n, seconds: 3_000_000_001n, hours: 11n * HOUR_NS, behind: -2n * HOUR_NS };
/** By how much one of them moves between the start of a leg and its end. */
const DRIFT_NS = 5_000_000n;

/** Of which no worker reports anything. @type {any} */
const LEG = { id: '01-leg', connections: 4, workers: 4 };

describe('the clocks of agents', function () {
  this.timeout(60_000);
  /** @type {string} */
  let folder;
  /** @type {Awaited<ReturnType<typeof startNats>>} */
  let nats;
  /** @type {Agent[]} */
  let agents = [];
  /** @type {Map<string, bigint>} */
  let aheadNs;

  before(async function () {
    requireTool(this, 'nats-server');
    folder = mkdtempSync(join(tmpdir(), 'broadside-clocks-'));
    nats = await startNats(folder);
    aheadNs = new Map(Object.entries(AHEAD_NS));
    agents = await Promise.all(
      [...aheadNs.keys()].map(async (name) => {
        const { nc } = await openNats({ url: nats.url, login: NO_LOGIN }, name);
        return new Agent(nc, {
          ...{ name, version: '0', allow: new AllowList(LOOPBACK), logs: folder, deadlineMs: 30_000, log: () => {} },
          readHost: async () => host,
          clock: () => process.hrtime.bigint() + (aheadNs.get(name) ?? 0n),
        }).open();
      }),
    );
  });
  after(async () => {
    for (const agent of agents) await agent.close();
    await nats?.stop();
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  it('are known to within the stated uncertainty, from seconds to hours, and so is their drift during a leg', async () => {
    const connection = await openNats({ url: nats.url, login: NO_LOGIN }, 'controller');
    const group = new AgentGroup(connection, { hellos: await findAgents(connection.nc, { count: agents.length }) });
    try {
      await group.measureClocks();
      for (const { name, clock } of group.agents) {
        const wrongNs = Number(clock.exactOffsetNs - (aheadNs.get(name) ?? 0n));
        assert.ok(
          Math.abs(wrongNs) <= clock.roundTripNs / 2 + 1,
          `${name}: off by ${wrongNs}, ± ${clock.roundTripNs / 2} ns`,
        );
        assert.ok(clock.roundTripNs > 0, name);
      }
      await group.begin('20260101-000000-clocks', ['127.0.0.1']);
      group.forLeg(LEG);
      const before = new Map(group.agents.map(({ name, clock }) => [name, clock.roundTripNs]));
      aheadNs.set('hours', AHEAD_NS.hours + DRIFT_NS);
      for (const { name, clockUncertaintyNs = 0, clockDriftNs = NaN, startLateNs } of await group.endLeg()) {
        const movedNs = name === 'hours' ? Number(DRIFT_NS) : 0;
        assert.ok(
          clockUncertaintyNs >= (before.get(name) ?? Infinity) / 2,
          `${name}: the start was made with the first offset`,
        );
        const mostNs = 2 * clockUncertaintyNs + 1;
        assert.ok(Math.abs(clockDriftNs - movedNs) <= mostNs, `${name}: drift ${clockDriftNs}, ± ${mostNs} ns`);
        assert.equal(startLateNs, 0);
      }
    } finally {
      await group.end();
      await group.close();
    }
  });

  it('convert the start of a leg into the time of each agent', async () => {
    const connection = await openNats({ url: nats.url, login: NO_LOGIN }, 'controller');
    const group = new AgentGroup(connection, { hellos: await findAgents(connection.nc, { count: agents.length }) });
    try {
      await group.measureClocks();
      const startNs = process.hrtime.bigint() + 1_000_000_000n;
      /** @type {Map<string, bigint>} */
      const sent = new Map();
      group.send = ({ name }, entry) => {
        if (entry.type === 'message' && entry.message.type === 'start') sent.set(name, entry.message.startNs);
      };
      const source = group.forLeg(LEG);
      group.agents.forEach((_, index) => {
        const worker = source.make(index, { forked: () => {}, message: () => {}, lost: () => {} }, [index]);
        worker.fork();
        worker.send({ type: 'start', startNs });
      });
      for (const { name, clock } of group.agents) {
        const ownNs = (sent.get(name) ?? 0n) - (aheadNs.get(name) ?? 0n);
        assert.ok(Math.abs(Number(ownNs - startNs)) <= clock.roundTripNs / 2 + 1, `${name}: ${ownNs - startNs} ns`);
      }
    } finally {
      await group.close();
    }
  });
});
