// The plan: its shape, its times, and the size of the client.

import assert from 'node:assert/strict';
import { factsOf } from '../fixtures/codes.js';
import { storedPlan } from '../../client/measure/settings.js';
import { plan, planRun } from '../../client/plan/plan.js';
import { scenarioNames } from '../../client/scenario/file.js';
import { loadScenario, resolveScenario } from '../../client/scenario/scenario.js';
import { host, known } from '../fixtures/hosts.js';
import { assertConforms } from '../fixtures/schemas.js';

/** @param {Record<string, unknown>} content */
const scenarioOf = (content) =>
  resolveScenario({ name: 'test', content: { servers: ['epoll'], connections: 100, ...content } });

/** A host for a million connections. */
const large = { ...host, ownDescriptors: true, openFiles: 3e6, memoryAvailableBytes: 24 * 2 ** 30 };

describe('plan', () => {
  it("contains the model of each leg's server, if known", () => {
    const listed = known.map((server) => ({ ...server, language: 'c', model: `the model of ${server.name}` }));
    const prethreaded = { name: 'prethreaded', options: { threads: 4, backlog: 99 } };
    const servers = [prethreaded, { name: 'epoll', options: { backlog: 99 } }];
    const { legs, sharedOptions } = plan(scenarioOf({ servers, starts: 1 }), host, listed);
    assert.deepEqual(
      legs.map(({ serverModel }) => serverModel),
      [
        { language: 'c', model: 'the model of prethreaded', concurrent: 4, by: 'threads' },
        { language: 'c', model: 'the model of epoll', concurrent: 'unbounded' },
      ],
    );
    assert.deepEqual(sharedOptions, { backlog: 99 });
    assert.ok(plan(scenarioOf({}), host, known).legs.every((leg) => !('serverModel' in leg)));
  });

  it('has the warm-up between ramp and steady state; one counted in transfers may be shorter', () => {
    const timesOf = (/** @type {Record<string, unknown>} */ content) => {
      const made = plan(scenarioOf({ ramp: { every: '2s' }, duration: '10s', ...content }), host);
      const [{ rampToNs, warmupTransfers, steadyFromNs, steadyToNs }] = made.legs;
      return [rampToNs / 1e9, warmupTransfers, steadyFromNs / 1e9, steadyToNs / 1e9, made.expected.seconds];
    };
    assert.deepEqual(timesOf({ warmup: '5s' }), [2, null, 7, 17, 27]);
    assert.deepEqual(timesOf({ warmup: 10_000, warmupTimeout: '30s' }), [2, 10_000, 32, 42, 52]);
    assert.deepEqual(timesOf({}), [2, null, 2, 12, 22]);
  });

  it('reports when connectRate is too slow for the ramp', () => {
    const warnings = (/** @type {string} */ connectRate) =>
      plan(scenarioOf({ connections: 100, connectRate, ramp: { every: '5s' } }), host).warnings;
    assert.deepEqual(warnings('20/s'), []);
    assert.deepEqual(factsOf(warnings('1/s')), [
      ['connect-rate-below-ramp', { connectRate: 1, byRampEnd: 5, connections: 100, rampNs: 5e9, neededNs: 100e9 }],
    ]);
  });

  it('has one leg for a target or a command', () => {
    const legOf = (/** @type {object} */ content) => {
      const { legs } = plan(resolveScenario({ content: { connections: 1, ...content } }), host);
      return legs.map(({ id, server }) => [id, server]);
    };
    assert.deepEqual(legOf({ target: '127.0.0.1:80', serverPid: 7 }), [
      ['01-127.0.0.1-80', { kind: 'target', host: '127.0.0.1', port: 80, pid: 7 }],
    ]);
    assert.deepEqual(legOf({ command: '/opt/mine -p {port}' }), [
      ['01-mine', { kind: 'command', command: '/opt/mine -p {port}' }],
    ]);
  });

  it('has as many workers as descriptors need, at least two, never more than connections', () => {
    for (const [content, over, workers] of /** @type {[object, object, number][]} */ ([
      [{}, {}, 2],
      [{}, { cores: 1 }, 1],
      [{ connections: 1 }, {}, 1],
      [{ connections: 10_000 }, { descriptors: 3000 }, 4],
      [{ connections: 10_001 }, { descriptors: 3000 }, 5],
      [{ workers: 3 }, {}, 3],
      [{ connections: 2, workers: 3 }, {}, 2],
    ]))
      assert.equal(plan(scenarioOf({ ...content }), { ...host, ...over }).legs[0].workers, workers);
    assert.deepEqual(factsOf(plan(scenarioOf({ connections: 2, workers: 3 }), host).warnings), [
      ['fewer-workers', { given: 3, used: 2 }],
    ]);
  });

  it('limits the transfer log as the scenario says', () => {
    const bytes = (/** @type {Record<string, unknown>} */ content) =>
      plan(scenarioOf({ ramp: { every: '5s' }, ...content }), host).expected.transferLogBytes;
    assert.equal(bytes({ workload: 'once', transferLog: 'arrow' }), 2900);
    assert.equal(bytes({ workload: 'hold' }), 0);
    assert.equal(bytes({ workload: 'hold', heartbeat: '10s', duration: '25s', transferLog: 'arrow' }), 4 * 100 * 29);
    assert.equal(bytes({ workload: 'reconnect', connectRate: '10/s', duration: '5s', transferLog: 'arrow' }), 2900);
    assert.equal(bytes({ transferLog: 'none' }), 0);
    const open = { rate: '100/s', duration: '5s', transferLog: 'arrow' };
    assert.deepEqual(
      [{ warmup: '0s' }, {}, { warmup: '3s' }, { warmup: 200 }, { warmup: 200, warmupTimeout: '1s' }].map((warmup) =>
        bytes({ ...open, ...warmup }),
      ),
      [500, 1000, 800, 700, 600].map((rows) => rows * 29),
    );
    assert.equal(bytes({}), null);
  });

  it('conforms to its schema, whatever it is made of', async () => {
    const shipped = scenarioNames().map((config) => loadScenario({ config }));
    const others = [
      { command: './mine --port {port}', instances: 2, pin: { server: 'each' }, wrap: { server: 'nice' } },
      { target: ['127.0.0.1:1', '127.0.0.1:2'], servers: undefined, connections: 4 },
      { target: 'unix:/tmp/socket', servers: undefined, serverPid: 1 },
      { rate: [{ rate: '10/s', to: '20/s', for: '5s' }], payload: '1B-64B' },
      { warmup: 10 },
      { connections: [{ connections: 10, to: 20, for: '5s' }], rounds: 2 },
      { find: { maximise: 'connections', while: 'p99 < 10ms' } },
      { transport: 'sctp' },
      { connections: 40_000, force: true },
      {
        tests: [
          { as: 'a', pipeline: 2 },
          { as: 'b', transfers: 5 },
        ],
      },
    ].map(({ command, ...content }) =>
      scenarioOf(command === undefined ? content : { ...content, servers: undefined, command }),
    );
    for (const scenario of [...(await Promise.all(shipped)), ...others]) {
      const machine = scenario.connections > 100_000 ? large : host;
      const { plan: made } = await planRun(scenario, machine, known);
      assertConforms('plan', JSON.parse(JSON.stringify(storedPlan(made, scenario))));
    }
  });
});
