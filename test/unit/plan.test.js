// The plan: its shape, its times, its limits and what --dry-run says of it; and the facts of the host.

import assert from 'node:assert/strict';
import { isIPv4 } from 'node:net';
import { describePlan } from '../../client/plan/dry-run.js';
import { countPorts, hardLimit, readHost } from '../../client/plan/host.js';
import { plan } from '../../client/plan/plan.js';
import { loadScenario, resolveScenario } from '../../client/scenario/scenario.js';
import { skip } from '../hooks.js';

/** @type {import('../../client/plan/host.js').Host} */
const host = {
  cores: 2, cpus: [0, 1], backends: [{ name: 'epoll', available: true, why: null }],
  memoryBytes: 8 * 2 ** 30, memoryAvailableBytes: 6 * 2 ** 30, descriptors: 20_000, openFiles: 1_000_000,
  ports: 28_232, portRange: { from: 32_768, to: 60_999 }, threads: 32_768, somaxconn: 4096,
  tcpMemoryBytes: 2 ** 30, tcpMemoryMaxBytes: 2 ** 31, diskFreeBytes: 50 * 2 ** 30,
};

/** @param {Record<string, unknown>} content */
const scenarioOf = (content) => resolveScenario({ name: 'test', content: { servers: ['epoll'], connections: 100,
  ...content } });

describe('plan', () => {
  it('has the agreed shape', () => {
    const scenario = scenarioOf({ servers: ['select', { name: 'epoll', as: 'epoll, 2' }], connections: 2500,
      duration: '10s' });
    const schedule = [{ atNs: 0, slots: 1000, line: false }, { atNs: 5e9, slots: 2000, line: false },
      { atNs: 10e9, slots: 2500, line: false }];
    const times = { axes: {}, round: 1, workers: 2, io: 'epoll', pin: { client: null, server: null },
      sources: [], schedule, steadyFromNs: 15e9, steadyToNs: 25e9,
      drainTimeoutNs: 10e9,
      endNs: 35e9 };
    const options = { backlog: 4096 };
    assert.deepEqual(plan(scenario, host), {
      schema: 1, scenario: 'test', workload: 'continuous', protocol: 'echo', payloadBytes: 1024, connections: 2500,
      transferLog: 'parquet', seed: 1,
      legs: [
        { id: '01-select', label: 'select', server: { kind: 'named', name: 'select', options, env: {} }, ...times },
        { id: '02-epoll-2', label: 'epoll, 2', server: { kind: 'named', name: 'epoll', options, env: {} }, ...times },
      ],
      expected: { seconds: 70, transferLogBytes: null, descriptorsPerWorker: 1750 },
      warnings: [],
    });
  });

  it('plans a target and a command as one leg', () => {
    const target = resolveScenario({ content: { target: '127.0.0.1:80', connections: 1, serverPid: 7 } });
    assert.deepEqual(plan(target, host).legs.map(({ id, label, server }) => ({ id, label, server })),
      [{ id: '01-127.0.0.1-80', label: '127.0.0.1:80', server: { kind: 'target', host: '127.0.0.1', port: 80,
        pid: 7 } }]);
    const command = resolveScenario({ content: { command: '/opt/mine -p {port}', connections: 1 } });
    assert.deepEqual(plan(command, host).legs.map(({ id, server }) => ({ id, server })),
      [{ id: '01-mine', server: { kind: 'command', command: '/opt/mine -p {port}' } }]);
  });

  it('takes as many workers as descriptors need, at least two, never more than connections', () => {
    const workers = (/** @type {Record<string, unknown>} */ content, over = {}) =>
      plan(scenarioOf(content), { ...host, ...over }).legs[0]?.workers;
    assert.equal(workers({}), 2);
    assert.equal(workers({}, { cores: 1 }), 1);
    assert.equal(workers({ connections: 1 }), 1);
    assert.equal(workers({ connections: 10_000 }, { descriptors: 3000 }), 4);
    assert.equal(workers({ connections: 10_001 }, { descriptors: 3000 }), 5);
    assert.equal(workers({ workers: 3 }), 3);
    assert.equal(workers({ connections: 2, workers: 3 }), 2);
    assert.match(plan(scenarioOf({ connections: 2, workers: 3 }), host).warnings.join(), /3 asked, 2 used/);
  });

  it('bounds the transfer log where the scenario does', () => {
    const bytes = (/** @type {Record<string, unknown>} */ content) => plan(scenarioOf(content),
      host).expected.transferLogBytes;
    assert.equal(bytes({ workload: 'once', transferLog: 'arrow' }), 2500);
    assert.equal(bytes({ workload: 'hold' }), 0);
    assert.equal(bytes({ workload: 'hold', heartbeat: '10s', duration: '25s', transferLog: 'arrow' }), 4 * 100 * 25);
    assert.equal(bytes({ transferLog: 'none' }), 0);
    assert.equal(bytes({}), null);
  });

  /** @type {[string, Record<string, unknown>, Partial<typeof host>, RegExp][]} */
  const refusals = [
    ['ports', { connections: 80_000, servers: undefined, target: '10.0.0.1:80' }, {},
      /80,000 to one target .* 28,232 local ports.*ip_local_port_range/],
    ['descriptors', { connections: 20_000, workers: 1 }, {}, /20,000 descriptors.*--workers 2 or auto.*ulimit -Hn 20500/],
    ['descriptors of a tiny limit', { connections: 10 }, { descriptors: 256 }, /ulimit -Hn/],
    ['open files', { connections: 10_000 }, { openFiles: 15_000 }, /20,000 open files.*fs\.file-max/],
    ['memory', { connections: 10_000 }, { memoryBytes: 100 * 2 ** 20 }, /of memory, and this machine has 100MiB/],
    ['memory of the payload, three times a worker', { connections: 10, payload: '1GiB' }, { memoryBytes: 6 * 2 ** 30 },
      /about 6\.\dGiB of memory, and this machine has 6GiB/],
  ];
  for (const [what, content, over, message] of refusals) {
    it(`refuses what the client cannot do: ${what}`, () => {
      assert.throws(() => plan(scenarioOf(content), { ...host, ...over }), { exitCode: 3, message });
    });
  }

  it('does not refuse exactly as many connections as ports', () => {
    const elsewhere = { servers: undefined, target: '10.0.0.1:80' };
    assert.equal(plan(scenarioOf({ ...elsewhere, connections: 28_232 }), host).legs.length, 1);
    assert.throws(() => plan(scenarioOf({ ...elsewhere, connections: 28_233 }), host), { code: 'EPORTS' });
  });

  it('takes as many source addresses of loopback as the connections need', () => {
    const sources = (/** @type {number} */ connections) => plan(scenarioOf({ connections }), host).legs[0].sources;
    assert.deepEqual(sources(10_000), []);
    assert.deepEqual(sources(20_000), ['127.0.0.1', '127.0.0.2']);
    assert.equal(sources(80_000).length, 8);
    const many = sources(400_000);
    assert.ok(many.length * host.ports >= 400_000);
    assert.equal(new Set(many).size, many.length);
    assert.ok(many.every((address) => isIPv4(address)));
  });

  /** @type {[string, Record<string, unknown>, Partial<typeof host>, RegExp][]} */
  const warnings = [
    ['descriptors of a server', { connections: 25_000 }, {}, /one process can hold about 19,980 of the 25,000/],
    ['threads', { connections: 10_000 }, { threads: 5000 }, /thread or process for each connection can have less than 5,000/],
    ['backlog', { connections: 10_000 }, { somaxconn: 128 }, /backlog of 128 \(cut by net\.core\.somaxconn from 4,096\)/],
    ['TCP memory', { connections: 10_000, payload: '1MiB' }, {}, /9\.8GiB of payload.*TCP memory pressure from 1GiB/],
    ['disk', {}, { diskFreeBytes: 2 ** 20 }, /1MiB free.*--transferLog none/],
  ];
  for (const [what, content, over, message] of warnings) {
    it(`announces what will be run into: ${what}`, () => {
      assert.match(plan(scenarioOf(content), { ...host, ...over }).warnings.join('\n'), message);
    });
  }

  it('announces a server\'s limits only of servers it starts', () => {
    const scenario = resolveScenario({ content: { target: '10.0.0.1:80', connections: 25_000 } });
    assert.deepEqual(plan(scenario, { ...host, threads: 100 }).warnings, []);
  });

  it('plans every scenario shipped', async () => {
    for (const config of ['smoke', '10k-1b', '10k-1kb', '10k-1mb', '10k-idle', '80k-continuous']) {
      assert.ok(plan(await loadScenario({ config }), host).legs.length > 0, config);
    }
  });
});

describe('dry run', () => {
  it('says the plan, its time and its disk', async () => {
    const scenario = await loadScenario({ config: '10k-1mb' });
    const text = describePlan(scenario, plan(scenario, host), host);
    for (const fragment of ['10,000, 1,000 more every 1s', 'continuous: echo of 1MiB',
      '10s ramp, 1m steady state, up to 10s drain',
      '01-multi-threaded', '03-epoll', 'server epoll (backlog 4096)', 'up to 4m in 3 legs', 'a million transfers',
      '50GiB free', 'warning', 'transfer 1m']) assert.ok(text.includes(fragment), `no ${fragment} in:\n${text}`);
  });

  it('says a bounded disk, a held load and a target', () => {
    const scenario = resolveScenario({ content: { target: '127.0.0.1:80', connections: 10, workload: 'hold',
      heartbeat: '1s' } });
    const text = describePlan(scenario, plan(scenario, host), host);
    for (const fragment of ['target 127.0.0.1:80', 'hold: stay open, one echo of 1KiB every 1s', 'all at once',
      'transfer log about']) assert.ok(text.includes(fragment), `no ${fragment} in:\n${text}`);
  });
});

describe('host', () => {
  it('reads limits', () => {
    const limits = 'Limit                     Soft Limit           Hard Limit           Units\n' +
      'Max processes             100                  unlimited            processes\n' +
      'Max open files            1024                 20000                files\n';
    assert.equal(hardLimit(limits, 'Max open files'), 20_000);
    assert.equal(hardLimit(limits, 'Max processes'), Infinity);
    assert.equal(hardLimit(null, 'Max open files'), Infinity);
  });

  it('counts ports without the reserved ones', () => {
    const range = { from: 1000, to: 1999 };
    assert.deepEqual([null, '', '\n', '1500', '1500,1990-2010', '10-20'].map((reserved) => countPorts(range,
      reserved)),
      [1000, 1000, 1000, 999, 989, 1000]);
  });

  it('knows this machine', async function () {
    if (process.platform !== 'linux') skip(this, 'reads /proc, which only Linux has');
    const facts = await readHost({ logs: '/nowhere/at/all' });
    for (const key of /** @type {const} */ (['cores', 'memoryBytes', 'descriptors', 'ports', 'threads',
      'diskFreeBytes'])) {
      assert.ok(Number(facts[key]) > 0, key);
    }
  });
});
