// A run over agents whose clocks are hours apart, each in a time namespace: the common start, the seconds of the samples and
// the counts are as with one clock.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assertSums, startAgents, startNats } from '../fixtures/e2e-agents.js';
import { startTimeNamespace } from '../fixtures/e2e-namespace.js';
import { sandbox } from '../fixtures/e2e-run.js';
import { startCountingTarget } from '../fixtures/e2e-server.js';
import { requireTool, skip } from '../skip.js';

/** By how much the clocks of agents and controller are ahead, in s: one agent is 3 h ahead of the controller, one 2 h behind. */
const AHEAD = { far: 18_000, near: 0, controller: 7200 };
const PAYLOAD_BYTES = 64;
/** A start that is off by an hour is minutes late; a busy machine is not. */
const MOST_LATE_NS = 30e9;

describe('a run over agents whose clocks are hours apart', function () {
  this.timeout(120_000);
  const box = sandbox({ workers: 1, transferLog: 'none' });

  /**
   * Runs a body with a NATS server, and agents `far` and `near`; each of them, and who enters as they do, has a clock of its own.
   * @param {Mocha.Context} context
   * @param {(world: { nats: Awaited<ReturnType<typeof startNats>>, enter: Record<string, string[]>,
   *   started: { stop: () => Promise<void> }[] }) => Promise<void>} body  started: is stopped, the last one first
   */
  async function withClocks(context, body) {
    requireTool(context, 'nats-server');
    /** @type {import('../fixtures/e2e-namespace.js').Namespace[]} */
    const namespaces = [];
    /** @type {{ stop: () => Promise<void> }[]} */
    const started = [];
    try {
      /** @type {Record<string, string[]>} */
      const enter = {};
      for (const [name, seconds] of Object.entries(AHEAD)) {
        const made =
          (await startTimeNamespace(seconds)) ?? skip(context, 'no time namespace of our own (needs root and unshare)');
        namespaces.push(made);
        enter[name] = made.enter;
      }
      const nats = await startNats(box.folder);
      started.push(nats);
      started.push(await startAgents(box, nats.url, { names: ['far', 'near'], wrap: (name) => enter[name] }));
      await body({ nats, enter, started });
    } finally {
      for (const one of started.reverse()) await one.stop();
      for (const namespace of namespaces) await namespace.end();
    }
  }

  it('starts together, counts the same seconds, and is exact', async function () {
    await withClocks(this, async ({ nats, enter, started }) => {
      const target = await startCountingTarget();
      started.push(target);
      const run = box.stress(
        { target: `127.0.0.1:${target.port}`, connections: 41, duration: '3s' },
        ['--agents', '2', '--nats', nats.url, '--agent-timeout', '30s'],
        { wrap: enter.controller },
      );
      await run.endsWith(0);
      const [leg] = run.summary().legs;
      assert.deepEqual([leg.complete, leg.errors.total, leg.transfers.unfinished], [true, 0, 0]);
      assertSums(leg);
      const counted = await target.account();
      const { t0 } = JSON.parse(readFileSync(join(run.folder ?? '', 'environment.json'), 'utf8'));
      const startNs = BigInt(t0.monotonicNs) + BigInt(leg.startNs) - BigInt(AHEAD.controller) * 1_000_000_000n;
      assertSeconds(run.samples(), counted, startNs, leg);
    });
  });
});

/**
 * No connection was opened before the start, and no second has transfers whose request the target read after it: a clock
 * that was converted wrongly breaks one or the other.
 * @param {any[]} samples @param {import('../fixtures/counting-target.js').Counted} counted
 * @param {bigint} startNs by the clock of the target @param {any} leg
 */
function assertSeconds(samples, { connections: [check, ...connections], read }, startNs, leg) {
  const uncertaintyNs = Math.max(...leg.agents.map((/** @type {any} */ one) => one.clockUncertaintyNs));
  for (const { startLateNs, clockDriftNs, name } of leg.agents) {
    assert.ok(startLateNs < MOST_LATE_NS, `${name} started ${startLateNs} ns late`);
    assert.ok(Math.abs(clockDriftNs) <= 2 * uncertaintyNs, `${name}: the two clocks are one, and do not drift`);
  }
  const since = (/** @type {string} */ ns) => Number(BigInt(ns) - startNs);
  const first = Math.min(...connections.map(({ acceptedNs }) => since(acceptedNs)));
  assert.ok(first >= -uncertaintyNs && first < MOST_LATE_NS, `the first connection came ${first} ns after the start`);
  let transfers = 0;
  for (const sample of samples) {
    transfers += sample.counters.transfers;
    const bytes = read.reduce(
      (all, [fromNs, one]) => (since(fromNs) <= sample.toNs + uncertaintyNs ? all + one : all),
      0,
    );
    assert.ok(transfers <= (bytes - check.bytesRead) / PAYLOAD_BYTES, `${transfers} transfers until ${sample.toNs} ns`);
  }
  const all = connections.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
  assert.deepEqual([transfers, transfers], [leg.transfers.count, all / PAYLOAD_BYTES]);
}
