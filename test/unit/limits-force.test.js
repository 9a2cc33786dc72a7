// What --force makes of a load that the client cannot generate.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { decide } from '../../client/plan/preflight.js';
import { codesOf } from '../fixtures/codes.js';
import { host, known } from '../fixtures/hosts.js';
import { decideOn, elsewhere, planOn, row, scenarioOf } from '../fixtures/planned-limits.js';

/** @typedef {import('../../client/machine/host.js').Host} Host */

describe('--force', () => {
  it('reduces the connections to what the client can do, and reports it', () => {
    assert.deepEqual(planOn({ connections: 5000, force: true }), planOn({ connections: 5000 }));
    const forced = planOn({ connections: 40_000, workers: 1, force: true });
    assert.equal(forced.connections, 19_500);
    assert.equal(forced.legs[0].schedule.at(-1)?.slots, 19_500);
    const [{ code, data }] = forced.warnings;
    assert.deepEqual(
      [code, data.requested.connections, data.possible.connections, codesOf(data.limits)],
      ['load-reduced', 40_000, 19_500, ['worker-descriptors']],
    );
    const limit = row(forced, 'worker-descriptors');
    assert.deepEqual([limit.side, limit.exceeded], ['client', true]);
  });

  it('leaves ports for other programs on the machine', () => {
    const { connections, warnings } = planOn({ ...elsewhere, connections: 40_000, force: true });
    assert.equal(connections, Math.floor(28_232 * 0.95));
    assert.deepEqual(codesOf(warnings), ['load-reduced']);
  });

  it('slows reconnects down before it reduces connections', () => {
    const asked = { ...elsewhere, workload: 'reconnect', duration: '60s', connectRate: '50000/s', force: true };
    const slower = planOn(asked);
    assert.deepEqual([slower.connections, slower.connectRate], [100, Math.floor((26_820 - 100) / 60)]);
    const { requested, possible } = slower.warnings[0].data;
    assert.deepEqual(requested, { connections: 100, connectRate: 50_000 });
    assert.deepEqual(possible, { connections: 100, connectRate: 445 });
    const fewer = planOn({ ...asked, connections: 100_000 });
    assert.ok(fewer.connections > 13_000 && fewer.connections < 13_500, String(fewer.connections));
    assert.ok(fewer.connectRate !== null && fewer.connectRate > 200, String(fewer.connectRate));
    const tight = planOn({ workload: 'reconnect', connections: 300, workers: 1, force: true }, { descriptors: 600 });
    assert.deepEqual([tight.connections, tight.connectRate], [100, null]);
  });

  it('cannot provide what does not exist', () => {
    const limitsOf = (/** @type {Record<string, unknown>} */ content, /** @type {Partial<Host>} */ over = {}) => {
      const { scenario, possible, limits } = decideOn({ force: true, ...content }, over);
      assert.deepEqual([scenario, possible], [null, null]);
      return codesOf(limits.filter(({ side, exceeded }) => exceeded && side === 'client'));
    };
    assert.deepEqual(limitsOf({}, { descriptors: 400 }), ['worker-descriptors']);
    assert.deepEqual(limitsOf({ pin: { client: '9' } }), ['cpu-unavailable']);
  });

  it('always leaves a run that the client can do', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 300_000 }),
        fc.integer({ min: 502, max: 30_000 }),
        fc.integer({ min: 50, max: 60_000 }),
        fc.integer({ min: 200 * 2 ** 20, max: 2 ** 33 }),
        fc.boolean(),
        (connections, descriptors, ports, memoryAvailableBytes, reconnect) => {
          const content = {
            ...elsewhere,
            connections,
            force: true,
            workload: reconnect ? 'reconnect' : 'continuous',
            ramp: { add: 100_000 },
          };
          const machine = { ...host, descriptors, ports, memoryAvailableBytes };
          const { scenario } = decide(scenarioOf(content), machine, known);
          assert.ok(scenario !== null && scenario.connections >= 1 && scenario.connections <= connections);
          assert.equal(decide(scenario, machine, known).refusal, null);
        },
      ),
      { numRuns: 40 },
    );
  });
});
