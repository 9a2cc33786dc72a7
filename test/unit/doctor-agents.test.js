// What doctor says of agents: the limits of several hosts in one table, a row for each agent, and who refuses the target.

import assert from 'node:assert/strict';
import { permissionChecks } from '../../client/commands/doctor-checks.js';
import { foundAgentsTable } from '../../client/console/found-agents-table.js';
import { combineDecisions, decideVariants, limitsOfAgents } from '../../client/plan/variants.js';
import { combinedHost } from '../../client/plan/agents.js';
import { conditionOf, freeAgents, tooFewText } from '../../client/run/agents/find-agents.js';
import { PROTOCOL_VERSION } from '../../client/run/agents/codec.js';
import { loadScenario } from '../../client/scenario/scenario.js';
import { assertGolden } from '../fixtures/golden.js';
import { host as made } from '../fixtures/hosts.js';

const plain = (/** @type {any} */ _tone, /** @type {string} */ text) => text;
const host = { ...made, addresses: [], towards: null };

/** @param {Record<string, Partial<typeof host>>} hosts by name @param {number | number[]} connections of several: of a sweep */
async function shares(hosts, connections) {
  const load = Array.isArray(connections) ? { 'sweep.connections': connections } : { connections };
  const scenario = await loadScenario({ config: undefined, flags: { target: '10.0.0.9:7', ...load } });
  const together = combinedHost(Object.entries(hosts).map(([name, over]) => ({ name, host: { ...host, ...over } })));
  const { shares: found } = combineDecisions(decideVariants(scenario, together, []).map(({ decision }) => decision));
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
    const one = await shares({ a: {} }, 5000);
    const two = await shares({ a: {}, b: {} }, 10_000);
    const rows = limitsOfAgents(two);
    assert.deepEqual(
      rows.map(({ code }) => code),
      one[0].decision.limits.map(({ code }) => code),
    );
    assert.deepEqual(rows, one[0].decision.limits);
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
    assert.deepEqual(
      found.map(({ scenario: { connections }, decision: { scenario } }) => [connections, scenario !== null]),
      [
        [15_000, true],
        [15_000, true],
      ],
    );
    assert.deepEqual(
      rowsOf(limitsOfAgents(found), 'local-ports').map(({ needed }) => needed),
      [15_000],
    );
  });
});

describe('the table of agents', () => {
  it('has a row for each, with its state, its host, and what its share needs of it', async () => {
    const [share] = await shares({ a: {} }, 5000);
    const { limits, sizing } = share.decision;
    const agents = [
      {
        ...hello({ name: 'a' }),
        state: conditionOf(hello({})),
        clockUncertaintyNs: 42_000,
        share: { connections: 5000, workers: sizing.workers, limits, fits: true },
      },
      {
        ...hello({ name: 'b', run: 'r1' }),
        state: conditionOf(hello({ run: 'r1' })),
        clockUncertaintyNs: null,
        share: null,
      },
      {
        ...hello({ name: 'c', version: 0, broadside: '0.0.1', allow: ['::1', '10.0.0.1'] }),
        state: conditionOf(hello({ version: 0 })),
        clockUncertaintyNs: null,
        share: null,
      },
    ];
    const serves = { address: '10.0.0.9', servers: ['epoll', 'c/*'], commands: true };
    const serving = [
      ...agents,
      {
        ...hello({ name: 's', serves, isForServers: true }),
        state: /** @type {const} */ ('free'),
        clockUncertaintyNs: null,
        share: null,
      },
    ];
    const tables = [agents, [{ ...agents[0], share: null }], serving].map((shown) => foundAgentsTable(shown, plain));
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
    const lines = tooFewText(hellos, 3, 10_000).split('\n');
    assert.equal(lines.length, 4);
    assert.match(lines[0], /^--agents 3: 1 free agent .*10 s \(a\)$/);
    assert.match(lines[1], /\bb\b.*\br1\b/);
    assert.match(lines[2], /\bc\b.*version/);
  });
});

describe('the permission of agents', () => {
  it('is one row where all may reach the target, and one for each that may not', () => {
    const [row, ...others] = permissionChecks([{ name: 'a', allow: ['10.0.0.0/8'], refused: [] }], ['10.0.0.9']);
    assert.deepEqual([row.code, row.exceeded, row.servers, others], ['agent-target', false, [], []]);
    const rows = permissionChecks(
      [
        { name: 'a', allow: ['10.0.0.0/8'], refused: [] },
        { name: 'b', allow: ['127.0.0.0/8'], refused: ['10.0.0.9'] },
      ],
      ['10.0.0.9'],
    );
    assert.deepEqual(
      rows.map(({ exceeded, servers, data, remedy }) => [exceeded, servers, data.refused, remedy !== null]),
      [[true, ['b'], ['10.0.0.9'], true]],
    );
  });
});
