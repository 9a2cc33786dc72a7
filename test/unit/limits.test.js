// The limits of a run on made-up machines: which are reached, how they are reported, and the effect of --force.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { TLS_CONNECTION_BYTES } from '../../client/measure/footprint.js';
import { decide } from '../../client/plan/preflight.js';
import { codesOf, dataOf } from '../fixtures/codes.js';
import { host, known } from '../fixtures/hosts.js';
import { announcements, refusals } from '../fixtures/limit-cases.js';
import { assertData, decideOn, elsewhere, planOn, row, scenarioOf } from '../fixtures/planned-limits.js';

/** @import { Host } from '../../client/machine/host.js' */

describe('limits of the client', () => {
  it('include no TCP memory if no payload is sent, and no ports for unix sockets', () => {
    const held = { connections: 500, workload: 'hold' };
    const neededOf = (/** @type {Record<string, unknown>} */ content, code = 'tcp-memory') =>
      planOn(content).limits.find((limit) => limit.code === code)?.needed;
    assert.equal(neededOf({ ...held, heartbeat: '0s' }), undefined);
    assert.equal(neededOf({ ...held, heartbeat: '10s', payload: '1B' }), 50 * 4096, 'of those in flight at once');
    const unix = { listen: 'unix', connections: 15_000, ramp: { add: 15_000, every: '1s' } };
    assert.deepEqual([neededOf(unix), neededOf(unix, 'local-ports')], [undefined, undefined]);
    assertData(row(planOn(unix), 'accept-queue'), { unix: true, needed: 15_000 });
  });

  it('stop a run before anything starts', () => {
    for (const [what, content, over, code] of refusals)
      assert.throws(
        () => planOn(content, over),
        (/** @type {any} */ error) => {
          assert.deepEqual([error.exitCode, error.code], [3, 'ELIMIT']);
          return row(error.data, code).exceeded;
        },
        what,
      );
  });

  it('are reported together, with what --force would run', () => {
    const { refusal, limits, possible } = decideOn({ ...elsewhere, connections: 50_000, workers: 1 });
    assert.deepEqual(codesOf(limits.filter(({ side, exceeded }) => exceeded && side === 'client')), [
      'worker-descriptors',
      'local-ports',
    ]);
    assert.deepEqual([possible?.connections, refusal?.split('\n').length], [19_500, 4]);
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

  it('count both ends of a connection if the server runs on this machine, and the memory of TLS', () => {
    const far = decideOn({ ...elsewhere, connections: 10_000 });
    const near = decideOn({ connections: 10_000 });
    const encrypted = decideOn({ ...elsewhere, connections: 10_000, tls: true });
    const differences = [
      ['client-memory', near, 10_000 * 5 * 1024],
      ['open-files', near, 10_000],
      ['client-memory', encrypted, 10_000 * TLS_CONNECTION_BYTES],
    ];
    for (const [code, decided, difference] of /** @type {[string, typeof far, number][]} */ (differences))
      assert.equal(Number(row(decided, code).needed) - Number(row(far, code).needed), difference);
    assertData(row(encrypted, 'client-memory'), { tlsBytes: 10_000 * TLS_CONNECTION_BYTES });
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
  it('are reported', () => {
    for (const [what, content, over, code] of announcements) {
      const made = planOn(content, over);
      const { needed, available, exceeded } = row(made, code);
      const told = dataOf(made.warnings, code);
      assert.deepEqual([exceeded, told?.needed, told?.available], [true, needed, available], what);
    }
    const servers = ['multi-threaded', 'select', 'epoll'];
    assert.deepEqual(row(planOn({ servers }), 'accept-queue').servers, servers, 'once for all that share it');
  });

  const unused = { most: 10_000, used: 0, timeWaitSeconds: 120 };
  const few = { descriptors: 600 };
  const unlimited = {
    ...{ openFiles: null, threads: null, threadsFree: null, mappings: null, somaxconn: null },
    ...{ tcpMemoryBytes: null, diskFreeBytes: null },
  };
  /** @type {[string, Record<string, unknown>, Partial<Host>][]} */
  const fine = [
    ['a ramp that is spread has no burst', { connections: 10_000, ramp: { spread: true } }, { somaxconn: 128 }],
    ['connectRate bounds the burst', { connections: 10_000, connectRate: '5000/s' }, { somaxconn: 128 }],
    ['a server elsewhere is not ours to judge', { ...elsewhere, connections: 10_000 }, { threads: 100, somaxconn: 16 }],
    ["an unused firewall's table forgets nothing", { workload: 'reconnect' }, { conntrack: unused }],
    ['a unix socket needs no loopback', { listen: 'unix' }, { loopbacks: [] }],
    ['a target elsewhere needs no loopback', elsewhere, { loopbacks: [] }],
    ['a target elsewhere needs no ::1', { target: '[fd00::9]:80' }, { hasIpv6: true }],
    ['nothing is sent, nothing is buffered', { workload: 'hold', connections: 10_000, payload: '1MiB' }, {}],
    ['a log that is not written takes no disk', { transferLog: 'none' }, { diskFreeBytes: 1 }],
    ['there are places for all', { servers: [{ name: 'prethreaded', options: { threads: 100 } }] }, {}],
    ['a place needs one descriptor', { servers: ['preforked'], connections: 16, ramp: { add: 1 } }, few],
    ['unlimited is never too little', { connections: 10_000, servers: ['multi-threaded', 'epoll'] }, unlimited],
  ];
  it('are not reached where there is enough', () => {
    for (const [what, content, over] of fine) {
      const codes = codesOf(planOn(content, over).warnings).filter((code) => code !== 'connect-rate-below-ramp');
      assert.deepEqual(codes, [], what);
    }
  });

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
});

describe('--force', () => {
  it('reduces the connections to what the client can do, and reports it', () => {
    const { legs, ...fitting } = planOn({ connections: 5000, force: true });
    const { legs: unforced, ...plain } = planOn({ connections: 5000 });
    assert.deepEqual(fitting, plain);
    const without = (/** @type {any} */ { settings: _, ...leg }) => leg;
    assert.deepEqual(legs.map(without), unforced.map(without));
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
