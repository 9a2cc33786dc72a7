// The limits of a run on made-up machines: which are reached, and how they are reported.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { TLS_CONNECTION_BYTES } from '../../client/results/footprint.js';
import { limitCodes, limitTexts } from '../../client/plan/limits/texts.js';
import { codesOf, dataOf } from '../fixtures/codes.js';
import { assertData, decideOn, elsewhere, planOn, row } from '../fixtures/planned-limits.js';

/** @typedef {import('../../client/machine/host.js').Host} Host */

const range = { from: 32_768, to: 60_999 };
/** @type {[string, Record<string, unknown>, Partial<Host>, string, Record<string, unknown>][]} */
const refusals = [
  [
    'descriptors',
    { connections: 20_000, workers: 1 },
    {},
    'worker-descriptors',
    { connections: 20_000, workers: 1, needed: 20_500, available: 20_000, enoughWorkers: 2, hardMost: null },
  ],
  [
    'descriptors of a tiny limit',
    { connections: 10 },
    { descriptors: 256 },
    'worker-descriptors',
    { enoughWorkers: null, needed: 505 },
  ],
  [
    'descriptors beyond fs.nr_open',
    { connections: 20_000, workers: 1 },
    { descriptorsMost: 20_000 },
    'worker-descriptors',
    { hardMost: 20_000, needed: 20_500 },
  ],
  [
    'ports',
    { ...elsewhere, connections: 80_000 },
    {},
    'local-ports',
    {
      connections: 80_000,
      addresses: 1,
      ports: 28_232,
      range,
      sources: { auto: false, own: [], count: 6 },
      widerPorts: 64_512,
    },
  ],
  [
    'ports of few sources',
    { connections: 40_000, sources: ['127.0.0.1'] },
    {},
    'local-ports',
    { sources: { auto: true, own: [], count: 0 } },
  ],
  [
    'ports of a wide range',
    { ...elsewhere, connections: 80_000 },
    { ports: 64_512, portRange: { from: 1024, to: 65_535 } },
    'local-ports',
    { sources: { auto: false, own: [], count: 3 }, widerPorts: null, slower: null, reuse: false },
  ],
  [
    'ports, with an address unused',
    { ...elsewhere, connections: 40_000 },
    { towards: '10.0.0.9' },
    'local-ports',
    { sources: { auto: false, own: ['10.0.0.5'], count: 3 } },
  ],
  [
    'ports of closed connections',
    { ...elsewhere, workload: 'reconnect', connectRate: '1000/s', duration: '60s' },
    {},
    'local-ports',
    { connections: 100, inTimeWait: 60_000, guessedRate: null, slower: { rate: null }, reuse: true },
  ],
  [
    'ports, by the connections alone',
    { ...elsewhere, workload: 'reconnect', connections: 30_000 },
    {},
    'local-ports',
    { connections: 30_000, guessedRate: 50_000 },
  ],
  [
    'ports that are all reserved',
    { connections: 80_000 },
    { ports: 0 },
    'local-ports',
    { addresses: 1, ports: 0, reserved: true, range },
  ],
  [
    'ports that are taken',
    { ...elsewhere, connections: 20_000 },
    { portsTaken: 10_000 },
    'local-ports',
    { ports: 28_232, taken: 10_000, reuse: true },
  ],
  [
    'open files',
    { connections: 10_000 },
    { openFiles: 15_000 },
    'open-files',
    { sockets: 20_000, local: true, used: 1000, available: 15_000 },
  ],
  [
    'memory',
    { connections: 10_000 },
    { memoryAvailableBytes: 100 * 2 ** 20 },
    'client-memory',
    {
      connections: 10_000,
      workers: 2,
      available: 100 * 2 ** 20,
      needed: 2 * (45 * 2 ** 20 + 3 * 1024) + 10_000 * (200 + 10_240),
    },
  ],
  [
    'memory of the payload, three times a worker',
    { connections: 10, payload: '1GiB' },
    {},
    'client-memory',
    { payloadBytes: 2 ** 30, needed: 2 * (45 * 2 ** 20 + 3 * 2 ** 30) + 10 * (200 + 10_240) },
  ],
  ['threads', { connections: 10 }, { threadsFree: 50 }, 'client-threads', { workers: 2, needed: 66, available: 50 }],
  ['CPUs', { pin: { client: '7' } }, {}, 'cpu-unavailable', { side: 'client', list: '7', missing: [7] }],
  ['CPUs of instances', { instances: 3, pin: { server: 'each' } }, {}, 'cpus-too-few', { instances: 3, cpus: 2 }],
  ['cores', { pin: { cores: '2:1' } }, {}, 'cores-too-few', { server: 2, client: 1, cpus: 2 }],
  [
    'io',
    { io: 'io_uring' },
    { backends: [{ name: 'io_uring', available: false, why: 'no' }] },
    'io-unavailable',
    { io: 'io_uring', why: 'no' },
  ],
  [
    'SCTP',
    { transport: 'sctp' },
    { sctp: { kernel: 'no', usrsctp: 'not built', version: '' } },
    'sctp-unavailable',
    {
      transport: 'sctp',
      missing: [
        { stack: 'kernel', why: 'no' },
        { stack: 'usrsctp', why: 'not built' },
      ],
    },
  ],
  [
    'ports of usrsctp',
    { transport: 'sctp', connections: 17_000, workers: 1 },
    { descriptors: 100_000 },
    'usrsctp-ports',
    { connections: 17_000, workers: 1 },
  ],
  ['::1', { listen: 'ipv6' }, {}, 'ipv6-unavailable', {}],
  [
    'congestion control',
    { socket: { congestion: 'bbr' } },
    {},
    'congestion-unavailable',
    { congestion: 'bbr', known: ['reno', 'cubic'] },
  ],
  [
    'buffers',
    { socket: { sendBuffer: '1MiB' } },
    {},
    'socket-buffer',
    { direction: 'send', needed: 2 ** 20, available: 212_992, sysctl: 'net.core.wmem_max' },
  ],
  ['sources', { sources: ['10.1.1.1'] }, {}, 'source-unavailable', { source: '10.1.1.1' }],
];

/** @type {[string, Record<string, unknown>, Partial<Host>, string, Record<string, unknown>][]} */
const announcements = [
  [
    'descriptors of a single process',
    { servers: ['multi-threaded'], connections: 25_000 },
    {},
    'server-descriptors',
    { holds: 19_980, connections: 25_000, processes: 1, needed: 25_020, surplus: 'backlog', enoughProcesses: null },
  ],
  [
    'descriptors of a command',
    { command: './mine {port}', connections: 25_000 },
    {},
    'server-descriptors',
    { known: false, holds: 19_980 },
  ],
  [
    'too few processes given',
    { servers: [{ name: 'libuv', options: { processes: 2 } }], connections: 80_000 },
    {},
    'server-descriptors',
    { processes: 2, holds: 35_964, connections: 80_000, surplus: 'closed', enoughProcesses: 5 },
  ],
  [
    'threads',
    { servers: ['multi-threaded'], connections: 10_000 },
    { threads: 5000, threadsFree: 4800 },
    'server-children',
    { kind: 'thread', connections: 10_000, most: 3800, bound: 'tasks', raiseTo: 11_201 },
  ],
  [
    'threads of a control group, on a machine with many tasks',
    { servers: ['multi-threaded'], connections: 10_000 },
    { threads: 4096, threadsFree: 4076, tasks: 3500 },
    'server-children',
    { most: 3076, bound: 'tasks' },
  ],
  [
    'threads of a small control group',
    { servers: ['multi-threaded'], connections: 1000 },
    { threads: 1024, threadsFree: 1000 },
    'server-children',
    { most: 500 },
  ],
  [
    'memory mappings',
    { servers: ['multi-threaded'], connections: 10_000 },
    { mappings: 5000 },
    'server-children',
    { most: 2000, bound: 'mappings', raiseTo: 21_000 },
  ],
  [
    'memory of threads',
    { servers: ['multi-threaded'], connections: 10_000 },
    { memoryAvailableBytes: 9 * 10 ** 8 },
    'server-children',
    { most: 9155, bound: 'memory' },
  ],
  [
    'threads as given',
    { servers: [{ name: 'multi-threaded', options: { maxChildren: 50 } }] },
    {},
    'server-children',
    { most: 50, bound: 'option' },
  ],
  [
    'a backlog cut by the kernel',
    { connections: 10_000 },
    { somaxconn: 128 },
    'accept-queue',
    { cause: 'ramp', needed: 1000, each: 128, cutFrom: 4096, somaxconn: 1000, backlog: null, paced: false },
  ],
  [
    'a short backlog',
    { servers: [{ name: 'epoll', options: { backlog: 16 } }] },
    {},
    'accept-queue',
    { each: 16, backlog: 100, somaxconn: null },
  ],
  [
    'a backlog too short even for paced connects',
    { servers: [{ name: 'epoll', options: { backlog: 16 } }], connections: 10_000, connectRate: '5000/s' },
    {},
    'accept-queue',
    { needed: 52, each: 16, backlog: 52, paced: true },
  ],
  [
    'backlogs of several processes',
    { servers: [{ name: 'epoll', options: { backlog: 16, processes: 3 } }] },
    {},
    'accept-queue',
    { processes: 3, each: 16, backlog: 34 },
  ],
  [
    'one connection at a time',
    { servers: ['iterative'] },
    {},
    'server-concurrency',
    { available: 1, connections: 100, option: null, waiting: 99, queue: 4096 },
  ],
  [
    'as many as there are processes',
    { servers: ['preforked'], connections: 50_000, ramp: { spread: true } },
    {},
    'server-concurrency',
    { available: 16, connections: 50_000, option: 'processes', queue: 4096, waiting: 49_984, most: 1024 },
  ],
  [
    'as many as there are threads',
    { servers: [{ name: 'prethreaded', options: { threads: 99 } }] },
    {},
    'server-concurrency',
    { available: 99, connections: 100, option: 'threads' },
  ],
  [
    'TCP memory',
    { connections: 10_000, payload: '1MiB' },
    {},
    'tcp-memory',
    { needed: 10_000 * 2 ** 20, available: 2 ** 30, pages: 2_560_000 },
  ],
  [
    'connections that are closing',
    { connections: 10_000 },
    { orphans: 9999 },
    'tcp-orphans',
    { needed: 10_000, available: 9999 },
  ],
  [
    "the firewall's table",
    { connections: 10_000 },
    { conntrack: { most: 10_000, used: 3, timeWaitSeconds: 120 } },
    'conntrack',
    { used: 3, added: 10_000, available: 10_000, needed: 10_003, timeWaitSeconds: null },
  ],
  [
    "the firewall's table by closed ones",
    { workload: 'reconnect', connectRate: '1000/s' },
    { conntrack: { most: 10_000, used: 3, timeWaitSeconds: 20 } },
    'conntrack',
    { added: 20_100, timeWaitSeconds: 20 },
  ],
  ['disk', {}, { diskFreeBytes: 2 ** 20 }, 'disk-space', { available: 2 ** 20, guessedRate: 200_000 }],
];

describe('limits of the client', () => {
  it('include no TCP memory if no payload is sent', () => {
    const named = (/** @type {Record<string, unknown>} */ content) =>
      planOn(content).limits.filter(({ code }) => code === 'tcp-memory');
    assert.equal(named({ connections: 500 }).length, 1);
    assert.deepEqual(named({ connections: 500, workload: 'hold', heartbeat: '0s' }), []);
    const [{ needed }] = named({ connections: 500, workload: 'hold', heartbeat: '10s', payload: '1B' });
    assert.equal(needed, 50 * 4096, 'of those that are in flight at once');
  });

  it('include no ports and no TCP memory for unix sockets', () => {
    const { limits, warnings } = planOn({ listen: 'unix', connections: 15_000, ramp: { add: 15_000, every: '1s' } });
    assert.deepEqual(
      limits.filter(({ code }) => ['local-ports', 'tcp-memory'].includes(code)),
      [],
    );
    assert.deepEqual(codesOf(warnings), ['accept-queue']);
    assertData(row({ limits }, 'accept-queue'), { unix: true, needed: 15_000 });
  });

  for (const [what, content, over, code, data] of refusals) {
    it(`stop a run before anything starts: ${what}`, () => {
      assert.throws(
        () => planOn(content, over),
        (/** @type {any} */ error) => {
          assert.deepEqual([error.exitCode, error.code], [3, 'ELIMIT']);
          assertData(row(error.data, code), data);
          return true;
        },
      );
    });
  }

  it('are reported together, with what --force would run', () => {
    const { refusal, limits, possible } = decideOn({ ...elsewhere, connections: 50_000, workers: 1 });
    assert.deepEqual(codesOf(limits.filter(({ side, exceeded }) => exceeded && side === 'client')), [
      'worker-descriptors',
      'local-ports',
    ]);
    assert.deepEqual([possible?.connections, refusal?.split('\n').length], [19_500, 5]);
  });

  it('allow exactly as many connections as there are ports, and state what they cost', () => {
    const passed = planOn({ ...elsewhere, connections: 28_232 });
    assert.deepEqual(codesOf(passed.warnings), ['local-ports']);
    assertData(row(passed, 'local-ports'), { searched: true, sustainableRate: null });
    assert.deepEqual(planOn({ ...elsewhere, connections: 14_116 }).warnings, []);
    assert.throws(() => planOn({ ...elsewhere, connections: 28_233 }), { code: 'ELIMIT' });
  });

  it('do not stop a run because of an estimate: without connectRate a warning states the rate at which ports run out', () => {
    const reconnect = { ...elsewhere, workload: 'reconnect', duration: '60s', connections: 1 };
    const guessed = planOn(reconnect);
    assert.deepEqual(codesOf(guessed.warnings), ['local-ports']);
    const limit = row(guessed, 'local-ports');
    assert.deepEqual([limit.side, limit.exceeded, limit.available], ['kernel', true, 28_232]);
    assertData(limit, { inTimeWait: 131_072, guessedRate: 50_000, sustainableRate: 470, slower: { rate: 470 } });
    assert.deepEqual(planOn({ ...reconnect, connectRate: '200/s' }).warnings, []);
    assertData(row(planOn({ ...reconnect, connectRate: '470/s' }), 'local-ports'), {
      searched: true,
      sustainableRate: null,
    });
    assert.throws(
      () => planOn({ ...reconnect, connectRate: '50000/s' }),
      (/** @type {any} */ { code, data }) => {
        assertData(row(data, 'local-ports'), { inTimeWait: 131_072, guessedRate: null, slower: { rate: null } });
        return code === 'ELIMIT';
      },
    );
    assertData(row(planOn({ ...reconnect, connections: 28_230 }), 'local-ports'), { sustainableRate: 0, slower: null });
  });

  it('do not advise what auto already does', () => {
    const few = { connections: 100, sources: 'auto' };
    const machine = { ports: 1, portRange: { from: 60_000, to: 60_000 } };
    const limit = row(decideOn(few, machine), 'local-ports');
    assert.deepEqual([limit.side, limit.exceeded], ['kernel', true]);
    assertData(limit, { slower: null, sources: null, widerPorts: 64_512, reuse: false });
  });

  it('count both ends of a connection if the server runs on this machine', () => {
    const far = decideOn({ ...elsewhere, connections: 10_000 });
    const near = decideOn({ connections: 10_000 });
    const difference = (/** @type {string} */ name) => Number(row(near, name).needed) - Number(row(far, name).needed);
    assert.equal(difference('client-memory'), 10_000 * 5 * 1024);
    assert.equal(difference('open-files'), 10_000);
  });

  it('report when engines that busy-poll have too few cores', () => {
    const asked = { connections: 10, busyPoll: '1ms', workers: 2 };
    const announced = (/** @type {Record<string, unknown>} */ content, /** @type {number} */ cores) => {
      const made = planOn(content, { cores });
      assert.ok(codesOf(made.warnings).includes('busy-poll-cores'));
      return row(made, 'busy-poll-cores');
    };
    assertData(announced(asked, 2), { busyPollNs: 1e6, workers: 2, shared: true, available: 2 });
    assertData(announced({ ...asked, workers: 1 }, 1), { workers: 1, available: 1 });
    assert.deepEqual(planOn({ ...asked, workers: 'auto' }, { cores: 2 }).warnings, []);
    assert.deepEqual(planOn({ ...asked, ...elsewhere }, { cores: 2 }).warnings, []);
    assertData(announced({ ...asked, pin: { client: '1' } }, 2), { workers: 2, available: 1, shared: false });
    assert.deepEqual(planOn({ ...asked, busyPoll: '0s' }, { cores: 2 }).warnings, []);
  });

  it('count the memory that TLS needs per connection', () => {
    const needed = (/** @type {any} */ tls) =>
      row(decideOn({ ...elsewhere, connections: 10_000, tls }), 'client-memory').needed ?? 0;
    assert.equal(needed({ verify: false }) - needed(false), 10_000 * TLS_CONNECTION_BYTES);
    const limit = row(
      decideOn(
        { ...elsewhere, connections: 10_000, tls: true, force: true },
        { memoryAvailableBytes: 400 * 1024 ** 2 },
      ),
      'client-memory',
    );
    assertData(limit, { tlsBytes: 10_000 * TLS_CONNECTION_BYTES, available: 400 * 1024 ** 2 });
    assert.deepEqual([limit.side, limit.exceeded], ['client', true]);
  });

  it('report that client and server share one core', () => {
    assert.deepEqual(codesOf(planOn({}, { cores: 1 }).warnings), ['cores']);
    assert.deepEqual(planOn(elsewhere, { cores: 1 }).warnings, []);
  });
});

describe('limits of servers and kernel', () => {
  it('have a text for each code, and a test for each text', () => {
    const elsewhereTested = [
      'socket-folder-unusable',
      'io-backend',
      'sctp-stack',
      'server-available',
      'folder-writable',
    ];
    const tested = [...refusals, ...announcements].map(([, , , code]) => code);
    assert.deepEqual(
      [...new Set([...tested, ...elsewhereTested, 'cores', 'busy-poll-cores'])].sort(),
      [...limitCodes].sort(),
    );
    assert.throws(() => limitTexts('no-such-limit', {}), TypeError);
  });

  for (const [what, content, over, code, data] of announcements) {
    it(`are reported: ${what}`, () => {
      const made = planOn(content, over);
      const { needed, available, exceeded } = row(made, code);
      assert.equal(exceeded, true);
      const told = dataOf(made.warnings, code);
      assert.deepEqual([told?.needed, told?.available], [needed, available]);
      assertData(row(made, code), data);
    });
  }

  /** @type {[string, Record<string, unknown>, Partial<Host>][]} */
  const fine = [
    ['a ramp that is spread has no burst', { connections: 10_000, ramp: { spread: true } }, { somaxconn: 128 }],
    ['connectRate bounds the burst', { connections: 10_000, connectRate: '5000/s' }, { somaxconn: 128 }],
    [
      'a server elsewhere is not ours to judge',
      { ...elsewhere, connections: 10_000 },
      { threads: 100, somaxconn: 16, mappings: 100 },
    ],
    [
      "an unused firewall's table forgets nothing",
      { workload: 'reconnect' },
      { conntrack: { most: 10_000, used: 0, timeWaitSeconds: 120 } },
    ],
    ['nothing is sent, nothing is buffered', { workload: 'hold', connections: 10_000, payload: '1MiB' }, {}],
    ['a log that is not written takes no disk', { transferLog: 'none' }, { diskFreeBytes: 1 }],
    [
      'there are places for all',
      {
        servers: [
          { name: 'prethreaded', options: { threads: 100 } },
          { name: 'preforked', options: { processes: 100 } },
        ],
      },
      {},
    ],
    [
      'a place needs one descriptor',
      { servers: ['preforked'], connections: 16, ramp: { add: 1 } },
      { descriptors: 600 },
    ],
    [
      'unlimited is never too little',
      { connections: 10_000, servers: ['multi-threaded', 'epoll'] },
      {
        openFiles: null,
        threads: null,
        threadsFree: null,
        mappings: null,
        somaxconn: null,
        tcpMemoryBytes: null,
        diskFreeBytes: null,
      },
    ],
  ];
  for (const [what, content, over] of fine) {
    it(`are not reached if ${what}`, () => {
      const { warnings } = planOn(content, over);
      assert.deepEqual(
        warnings.filter((one) => one.code !== 'connect-rate-below-ramp'),
        [],
      );
    });
  }

  it('are never reached by the descriptors of as many processes as auto starts', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 400_000 }),
        fc.integer({ min: 1024, max: 100_000 }),
        (connections, descriptors) => {
          const { limits } = decideOn({ connections, ramp: { add: 100_000 } }, { descriptors });
          assert.equal(row({ limits }, 'server-descriptors').exceeded, false);
        },
      ),
    );
  });

  it('are reported once for all servers that share them', () => {
    const { limits } = planOn({ servers: ['multi-threaded', 'select', 'epoll'] });
    const queues = limits.filter(({ code }) => code === 'accept-queue');
    assert.deepEqual(
      queues.map(({ servers }) => servers),
      [['multi-threaded', 'select', 'epoll']],
    );
  });
});
