// What doctor says of agents: the limits of several hosts in one table, a row for each agent, and who refuses the
// target.

import assert from 'node:assert/strict';
import { permissionChecks } from '../../client/commands/doctor-checks.js';
import { foundAgentsTable } from '../../client/console/found-agents-table.js';
import { pointsOf } from '../../client/measure/settings.js';
import { combineDecisions, decidePoints, limitsOfAgents } from '../../client/plan/points.js';
import { combinedHost } from '../../client/plan/agents.js';
import { conditionOf, freeAgents, tooFewText } from '../../client/run/agents/find-agents.js';
import { PROTOCOL_VERSION } from '../../client/run/agents/codec.js';
import { loadScenario } from '../../client/scenario/scenario.js';
import { assertGolden } from '../fixtures/golden.js';
import { host as made } from '../fixtures/hosts.js';

const plain = (/** @type {any} */ _tone, /** @type {string} */ text) => text;
const host = { ...made, addresses: [], towards: null };

/**
 * @param {Record<string, Partial<typeof host>>} hosts by name
 * @param {number | number[]} connections of several: of a sweep
 */
async function shares(hosts, connections) {
  const load = Array.isArray(connections) ? { 'sweep.connections': connections } : { connections };
  const scenario = await loadScenario({ config: undefined, flags: { target: '10.0.0.9:7', ...load } });
  const together = combinedHost(Object.entries(hosts).map(([name, over]) => ({ name, host: { ...host, ...over } })));
  const { shares: found } = combineDecisions(
    decidePoints(pointsOf(scenario), together, []).map(({ decision }) => decision),
  );
  return found ?? assert.fail();
}

/** @param {any[]} rows @param {string} code */
const rowsOf = (rows, code) =>
  rows
    .filter((row) => row.code === code)
    .map(({ servers, needed, available, exceeded }) => ({ servers, needed, available, exceeded }));

/** @param {Record<string, any>} over @returns {any} */
const hello = (over) => ({
  version: PROTOCOL_VERSION,
  broadside: '0.1.0',
  run: null,
  serves: null,
  isForServers: false,
  allow: ['10.0.0.0/8'],
  host,
  ...over,
});

describe('the limits of agents', () => {
  it('have one row each where all agents are alike, without a name', async () => {
    const [one] = await shares({ a: {} }, 5000);
    assert.deepEqual(limitsOfAgents(await shares({ a: {}, b: {} }, 10_000)), one.decision.limits);
  });

  it('name the agent that is nearest to its limit, and every agent that exceeds it', async () => {
    const rows = limitsOfAgents(await shares({ a: {}, b: { ports: 9000 }, c: { ports: 28_000 } }, 12_000));
    assert.deepEqual(rowsOf(rows, 'local-ports'), [{ servers: ['b'], needed: 4000, available: 9000, exceeded: false }]);
    const over = limitsOfAgents(
      await shares({ a: { ports: 3000 }, b: {}, c: { ports: 3000 }, d: { ports: 2000 } }, 16_000),
    );
    assert.deepEqual(rowsOf(over, 'local-ports'), [
      { servers: ['a', 'c'], needed: 4000, available: 3000, exceeded: true },
      { servers: ['d'], needed: 4000, available: 2000, exceeded: true },
    ]);
  });

  it('are those of the point of a sweep that needs most of each agent', async () => {
    const found = await shares({ a: {}, b: {} }, [100, 30_000, 2000]);
    for (const { decision } of found) assert.equal(decision.scenario?.connections, 15_000);
    const [{ needed }] = rowsOf(limitsOfAgents(found), 'local-ports');
    assert.equal(needed, 15_000);
  });
});

describe('the table of agents', () => {
  it('has a row for each, with its state, its host, and what its share needs of it', async () => {
    const [share] = await shares({ a: {} }, 5000);
    const { limits, sizing } = share.decision;
    const row = (/** @type {object} */ over, /** @type {object} */ more = {}) => {
      const own = hello(over);
      return { ...own, state: conditionOf(own), clockUncertaintyNs: null, share: null, ...more };
    };
    const first = row(
      { name: 'a' },
      {
        clockUncertaintyNs: 42_000,
        share: { connections: 5000, workers: sizing.workers, limits, fits: true },
      },
    );
    const agents = [
      first,
      row({ name: 'b', run: 'r1' }),
      row({ name: 'c', version: 0, broadside: '0.0.1', allow: ['::1', '10.0.0.1'] }),
    ];
    const serves = { address: '10.0.0.9', servers: ['epoll', 'c/*'], commands: true };
    const serving = [...agents, row({ name: 's', serves, isForServers: true }, { state: 'free' })];
    const tables = [agents, [{ ...first, share: null }], serving].map((shown) => foundAgentsTable(shown, plain));
    assertGolden('agents.txt', `${tables.join('\n\n')}\n`);
  });
});

describe('agents that are not enough', () => {
  it('are counted, and each that cannot be used is named with the reason', () => {
    const hellos = [hello({ name: 'a' }), hello({ name: 'b', run: 'r1' }), hello({ name: 'c', version: 99 })];
    assert.deepEqual(
      freeAgents(hellos).map(({ name }) => name),
      ['a'],
    );
    const [head, busy, old] = tooFewText(hellos, 3, 10_000).split('\n');
    assert.match(head, /^--agents 3: 1 free agent .*10 s \(a\)$/);
    assert.match(busy, /\bb\b.*\br1\b/);
    assert.match(old, /\bc\b.*version/);
  });
});

describe('the permission of agents', () => {
  it('is one row where all may reach the target, and one for each that may not', () => {
    const allowed = { name: 'a', allow: ['10.0.0.0/8'], refused: [] };
    const refusing = { name: 'b', allow: ['127.0.0.0/8'], refused: ['10.0.0.9'] };
    const rows = [[allowed], [allowed, refusing]].map((agents) =>
      permissionChecks(agents, ['10.0.0.9']).map(({ code, exceeded, servers, data, remedy }) => [
        ...[code, exceeded, servers, data.refused, remedy !== null],
      ]),
    );
    assert.deepEqual(
      rows[0].map((row) => row.slice(0, 3)),
      [['agent-target', false, []]],
    );
    assert.deepEqual(rows[1], [['agent-target', true, ['b'], ['10.0.0.9'], true]]);
  });
});
