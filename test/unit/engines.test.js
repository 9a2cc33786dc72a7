// How many engines each worker has, and what that does to limits and shares.

import assert from 'node:assert/strict';
import { assign, sharesOf } from '../../client/run/cluster/assignment.js';
import { plan } from '../../client/plan/plan.js';
import { engineValues } from '../../client/scenario/engine-keys.js';
import { loadScenario } from '../../client/scenario/scenario.js';
import { host, known } from '../fixtures/hosts.js';
import { decideOn, planOn, row } from '../fixtures/planned-limits.js';

const large = { ownDescriptors: true, openFiles: 3e6, memoryAvailableBytes: 24 * 2 ** 30 };
const counts = (/** @type {{workers: number, engines?: number}} */ { workers, engines }) => [workers, engines];

describe('engines of a worker', () => {
  it('are one as long as the descriptors of its process suffice', () => {
    assert.deepEqual(counts(planOn({ connections: 39_000 }, large).legs[0]), [2, undefined]);
    assert.deepEqual(counts(planOn({ connections: 39_002 }, large).legs[0]), [2, 2]);
    const shared = planOn({ connections: 39_002 }, { ...large, ownDescriptors: false });
    assert.deepEqual(counts(shared.legs[0]), [3, undefined]);
  });

  it('are as many as it takes, with the workers that were given', () => {
    const { legs, limits, expected } = planOn({ connections: 80_000, workers: 1 }, large);
    assert.deepEqual(counts(legs[0]), [1, 5]);
    const { needed, available, exceeded, data } = row({ limits }, 'worker-descriptors');
    assert.deepEqual([needed, available, exceeded], [16_020, 20_000, false]);
    assert.deepEqual([data.workers, data.engines, data.spare], [1, 5, 20]);
    assert.equal(expected.descriptorsPerWorker, 16_020);
  });

  it('are no more than have something to do', () => {
    const { limits } = decideOn({ connections: 40_000, workers: 1, transfers: 1 }, large);
    const { data, exceeded } = row({ limits }, 'worker-descriptors');
    assert.deepEqual([data.engines, exceeded], [1, true]);
  });

  it('share all slots of a million connections in two processes', async () => {
    const settings = await loadScenario({ config: '1m-hold' });
    const [leg] = plan(settings, { ...host, ...large }, known).legs;
    assert.deepEqual(counts(leg), [2, 26]);
    const shares = Array.from({ length: sharesOf(leg) }, (_, share) =>
      assign({ settings, leg, share, generation: 0, t0Ns: 0n, endpoints: [], log: null }),
    );
    const sum = (/** @type {(share: any) => number} */ of) => shares.reduce((all, share) => all + of(share), 0);
    assert.equal(
      sum(({ settings: { slots } }) => slots.count),
      1_000_000,
    );
    assert.equal(
      sum(({ settings: { schedule } }) => schedule.at(-1)?.slots ?? 0),
      1_000_000,
    );
    for (const {
      worker,
      engine,
      settings: { slots, ownDescriptors },
    } of shares) {
      assert.ok(slots.count < 19_980 && slots.stride === 52 && ownDescriptors);
      assert.equal(slots.first, worker + 2 * engine);
    }
    assert.equal(new Set(shares.map(({ settings: { slots } }) => slots.first)).size, 52);
    assert.equal(new Set(shares.map(({ settings: { seed } }) => seed)).size, 52);
  });
});

describe('what an engine is given of a scenario', () => {
  it('is each value of its own under one name, and nothing where there is none', () => {
    const load = /** @type {const} */ ({ workload: 'hold', heartbeatNs: 5, timestamps: 'off', connectRate: 7 });
    const given = engineValues({
      ...{ ...load, backoff: { baseNs: 1, factor: 2, capNs: 3 }, lifetime: { transfers: null, timeNs: 4 } },
    });
    assert.deepEqual(given, {
      ...{ workload: 'hold', heartbeatNs: 5, timestamps: 'off', lifetimeTimeNs: 4 },
      ...{ backoffBaseNs: 1, backoffFactor: 2, backoffCapNs: 3 },
    });
    assert.deepEqual(engineValues({ lifetime: null }), {});
  });
});
