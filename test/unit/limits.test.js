// The limits of a run on made-up machines: which are reached, and how they are reported.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { TLS_CONNECTION_BYTES } from '../../client/measure/footprint.js';
import { codesOf, dataOf } from '../fixtures/codes.js';
import { announcements, refusals } from '../fixtures/limit-cases.js';
import { assertData, decideOn, elsewhere, planOn, row } from '../fixtures/planned-limits.js';

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

  for (const [what, content, over, code] of refusals) {
    it(`stop a run before anything starts: ${what}`, () => {
      assert.throws(
        () => planOn(content, over),
        (/** @type {any} */ error) => {
          assert.deepEqual([error.exitCode, error.code], [3, 'ELIMIT']);
          assert.equal(row(error.data, code).exceeded, true);
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
    assertData(row(planOn({}, { cores: 1.5, cpuQuota: 1.5 }), 'cores'), { available: 1.5, quota: 1.5 });
  });

  it('have a remedy for whoever can raise the limit of descriptors', () => {
    const remedies = /** @type {const} */ (['root', 'container', 'service', 'login']).map((raisedBy) => {
      const made = planOn({ connections: 10_000, workers: 1, force: true }, { descriptors: 1024, raisedBy });
      return row(made, 'worker-descriptors').remedy ?? '';
    });
    const ways = [/ulimit -Hn 1\d{4}/, /--ulimit nofile=1\d{4}/, /LimitNOFILE=1\d{4}/, /nofile 1\d{4}.*limits\.conf/];
    remedies.forEach((remedy, index) => assert.deepEqual(ways.map((way) => way.test(remedy)).indexOf(true), index));
  });
});

describe('limits of servers and kernel', () => {
  for (const [what, content, over, code] of announcements) {
    it(`are reported: ${what}`, () => {
      const made = planOn(content, over);
      const { needed, available, exceeded } = row(made, code);
      assert.equal(exceeded, true);
      const told = dataOf(made.warnings, code);
      assert.deepEqual([told?.needed, told?.available], [needed, available]);
    });
  }

  /** @type {[string, Record<string, unknown>, Partial<import('../../client/machine/host.js').Host>][]} */
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
    ['a unix socket needs no loopback', { listen: 'unix' }, { loopbacks: [] }],
    ['a target elsewhere needs no loopback', elsewhere, { loopbacks: [] }],
    ['a target elsewhere needs no ::1', { target: '[fd00::9]:80' }, { hasIpv6: true }],
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
