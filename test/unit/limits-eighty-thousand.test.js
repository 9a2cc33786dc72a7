// The limits of eighty thousand connections on a machine of two cores.

import assert from 'node:assert/strict';
import { plan } from '../../client/plan/plan.js';
import { loadScenario } from '../../client/scenario/scenario.js';
import { host, known } from '../fixtures/hosts.js';

/** @typedef {import('../../client/machine/host.js').Host} Host */

describe('eighty thousand connections', () => {
  /** This machine's figures: 2 cores, 24 GB, 20,000 descriptors. @type {Host} */
  const machine = {
    ...host,
    memoryBytes: 25_276_514_304,
    memoryAvailableBytes: 24_317_370_368,
    openFiles: 2_466_183,
    tcpMemoryBytes: 1_572_327_424,
    tcpMemoryMaxBytes: 2_358_484_992,
    conntrack: { most: 262_144, used: 0, timeWaitSeconds: 120 },
    diskFreeBytes: 82_440_982_528,
  };

  it('fit: 5 workers, several sources, servers of 5 processes; only the limit on threads is reported', async () => {
    const scenario = await loadScenario({ config: '80k-continuous' });
    const { legs, limits, warnings } = plan(scenario, machine, known);
    assert.ok(legs.every(({ workers, sources }) => workers === 5 && sources.length === 8));
    assert.deepEqual(
      legs.map(({ label, server }) => [label, server.kind === 'named' && server.options.processes]),
      [
        ['multi-threaded', undefined],
        ['select', 5],
        ['epoll', 5],
      ],
    );
    const met = limits.filter(({ exceeded }) => exceeded);
    assert.deepEqual(
      met.map(({ code, servers, side }) => [code, servers, side]),
      [
        ['server-descriptors', ['multi-threaded'], 'server'],
        ['server-children', ['multi-threaded'], 'server'],
      ],
    );
    assert.equal(warnings.length, 2);
    assert.deepEqual(
      met.map(({ holds }) => holds),
      [19_980, 31_568],
    );
  });
});
