// The limits in the way of a run, on made-up machines: which are met, what is said of them, and what --force makes of
// that.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { TLS_CONNECTION_BYTES } from '../../client/plan/limits/client.js';
import { warningText } from '../../client/results/group-warnings.js';
import { plan } from '../../client/plan/plan.js';
import { decide } from '../../client/plan/preflight.js';
import { loadScenario, resolveScenario } from '../../client/scenario/scenario.js';
import { codesOf } from '../fixtures/codes.js';
import { host, known } from '../fixtures/hosts.js';

/** @typedef {import('../../client/machine/host.js').Host} Host */

/** @param {Record<string, unknown>} [content] */
const scenarioOf = (content = {}) =>
  resolveScenario({
    name: 'test',
    content: {
      connections: 100,
      ...('target' in content || 'command' in content ? {} : { servers: ['epoll'] }),
      ...content,
    },
  });
/** @param {Record<string, unknown>} content @param {Partial<Host>} [over] */
const decideOn = (content, over = {}) => decide(scenarioOf(content), { ...host, ...over }, known);
/** @param {Record<string, unknown>} content @param {Partial<Host>} [over] */
const planOn = (content, over = {}) => plan(scenarioOf(content), { ...host, ...over }, known);
/** @param {{limits: import('../../client/plan/limits/limit.js').Limit[]}} where @param {string} name */
const row = ({ limits }, name) => limits.find((limit) => limit.name === name) ?? assert.fail(`no ${name}`);
const elsewhere = { target: '10.0.0.1:80' };

describe('limits of the client', () => {
  /** @type {[string, Record<string, unknown>, Partial<Host>, RegExp][]} */
  const refusals = [
    [
      'descriptors',
      { connections: 20_000, workers: 1 },
      {},
      /^descriptors of a worker: 20,000 connections in 1 worker need 20,500 .*20,000 descriptors\. .*--workers 2 or auto.*\(ulimit -Hn 20500\)/m,
    ],
    ['descriptors of a tiny limit', { connections: 10 }, { descriptors: 256 }, /\. Raise the limit \(ulimit -Hn 505\)/],
    [
      'descriptors beyond fs.nr_open',
      { connections: 20_000, workers: 1 },
      { descriptorsMost: 20_000 },
      /\(sysctl -w fs\.nr_open=20500, then ulimit -Hn 20500\)/,
    ],
    [
      'ports',
      { ...elsewhere, connections: 80_000 },
      {},
      /^local ports: 80,000 connections .* 1 source address has 28,232 .*ip_local_port_range 32768 60999.*more addresses .*"1024 65535" gives 64,512/m,
    ],
    [
      'ports of few sources',
      { connections: 40_000, sources: ['127.0.0.1'] },
      {},
      /--sources auto takes as many of 127\.0\.0\.0\/8/,
    ],
    [
      'ports of a wide range',
      { ...elsewhere, connections: 80_000 },
      { ports: 64_512, portRange: { from: 1024, to: 65_535 } },
      /What helps: more addresses of this machine, 3 in all \(ip address add\), as --sources\.$/m,
    ],
    [
      'ports, with an address unused',
      { ...elsewhere, connections: 40_000 },
      { towards: '10.0.0.9' },
      /more --sources \(this machine also has 10\.0\.0\.5\)/,
    ],
    [
      'ports of closed connections',
      { ...elsewhere, workload: 'reconnect', connectRate: '1000/s', duration: '60s' },
      {},
      /100 connections and up to 60,000 that were closed and are in TIME_WAIT .*lower --connectRate; .*sysctl -w net\.ipv4\.tcp_tw_reuse=1/,
    ],
    [
      'ports, by the connections alone',
      { ...elsewhere, workload: 'reconnect', connections: 30_000 },
      {},
      /^local ports: 30,000 connections and up to [0-9,]+ that were closed and are in TIME_WAIT \(at 50,000 connects\/s, a guess/m,
    ],
    [
      'ports that are all reserved',
      { connections: 80_000 },
      { ports: 0 },
      /1 source address has 0 .*\. Free some of them: net\.ipv4\.ip_local_reserved_ports reserves all of 32768 to 60999\.$/m,
    ],
    [
      'ports that are taken',
      { ...elsewhere, connections: 20_000 },
      { portsTaken: 10_000 },
      /has 28,232 .*, 10,000 of them taken already, by others or in TIME_WAIT .*net\.ipv4\.tcp_tw_reuse=1/,
    ],
    [
      'open files',
      { connections: 10_000 },
      { openFiles: 15_000 },
      /20,000 open files.*1,000 are open already.*sysctl -w fs\.file-max=\d+/,
    ],
    [
      'memory',
      { connections: 10_000 },
      { memoryAvailableBytes: 100 * 2 ** 20 },
      /need about 189\.\dMiB of memory.* 100MiB are available/,
    ],
    [
      'memory of the payload, three times a worker',
      { connections: 10, payload: '1GiB' },
      {},
      /about 6\.\dGiB of memory.*6GiB are available/,
    ],
    ['threads', { connections: 10 }, { threadsFree: 50 }, /2 workers .* about 66 threads, and 50 are left/],
    ['CPUs', { pin: { client: '7' } }, {}, /^pin\.client: 7 names CPU 7/],
    [
      'io',
      { io: 'io_uring' },
      { backends: [{ name: 'io_uring', available: false, why: 'no' }] },
      /^io: io_uring cannot be used here: no/,
    ],
    ['::1', { listen: 'ipv6' }, {}, /^listen: ipv6, and this machine has no ::1; switch IPv6 on \(sysctl/],
    [
      'congestion control',
      { socket: { congestion: 'bbr' } },
      {},
      /^socket\.congestion: bbr cannot be had here.*modprobe tcp_bbr/,
    ],
    [
      'buffers',
      { socket: { sendBuffer: '1MiB' } },
      {},
      /^socket\.sendBuffer: a send buffer of 1MiB .* cuts all to 208KiB.*sysctl -w net\.core\.wmem_max=1048576/m,
    ],
    ['sources', { sources: ['10.1.1.1'] }, {}, /^sources: 10\.1\.1\.1 is no address of this machine/],
  ];
  it('has no TCP memory where no payload is sent', () => {
    const named = (/** @type {Record<string, unknown>} */ content) =>
      planOn(content).limits.filter(({ name }) => /TCP memory/.test(name));
    assert.equal(named({ connections: 500 }).length, 1);
    assert.deepEqual(named({ connections: 500, workload: 'hold', heartbeat: '0s' }), []);
  });

  it('has no ports and no TCP memory for unix sockets', () => {
    const { limits, warnings } = planOn({ listen: 'unix', connections: 15_000, ramp: { add: 15_000, every: '1s' } });
    assert.deepEqual(
      limits.filter(({ name }) => /ports|TCP/.test(name)),
      [],
    );
    assert.match(
      warnings.map(warningText).join('\n'),
      /What does not fit is refused at once, and tried again after back-off/,
    );
  });

  for (const [what, content, over, message] of refusals) {
    it(`are refused before anything starts: ${what}`, () => {
      assert.throws(() => planOn(content, over), { exitCode: 3, message });
    });
  }

  it('are refused together, with what --force would run', () => {
    const { refusal } = decideOn({ ...elsewhere, connections: 50_000, workers: 1 });
    assert.match(
      refusal ?? '',
      /^connections: 50,000: the client cannot do that here\ndescriptors.*\nlocal ports.*\n--force runs up to what it can: 19,500 connections\nnpm run doctor, .*$/,
    );
  });

  it('let exactly as many connections as ports pass, and say what they cost', () => {
    const { warnings } = planOn({ ...elsewhere, connections: 28_232 });
    assert.match(
      warnings.map(warningText).join('\n'),
      /^local ports: .*Beyond half of an address's ports .* costs the client CPU/,
    );
    assert.deepEqual(planOn({ ...elsewhere, connections: 14_116 }).warnings, []);
    assert.throws(() => planOn({ ...elsewhere, connections: 28_233 }), { code: 'ELIMIT' });
  });

  it('are not refused on a guess: without connectRate it is said from which rate on ports lack', () => {
    const reconnect = { ...elsewhere, workload: 'reconnect', duration: '60s', connections: 1 };
    const { warnings } = planOn(reconnect);
    assert.match(
      warnings.map(warningText).join('\n'),
      /^local ports: 1 connection and up to 131,072 .*\(at 50,000 connects\/s, a guess: no connectRate is given\) need .* 28,232 .*At more than about 470 connects\/s they run out: .*rejects "local".*What helps: --connectRate 470\/s; more addresses/,
    );
    assert.deepEqual(planOn({ ...reconnect, connectRate: '200/s' }).warnings, []);
    assert.match(
      planOn({ ...reconnect, connectRate: '470/s' })
        .warnings.map(warningText)
        .join('\n'),
      /Beyond half/,
      'as said, none lacks',
    );
    assert.throws(() => planOn({ ...reconnect, connectRate: '50000/s' }), {
      code: 'ELIMIT',
      message: /and up to 131,072 that were closed and are in TIME_WAIT need.*a lower --connectRate/,
    });
    assert.match(
      planOn({ ...reconnect, connections: 28_230 })
        .warnings.map(warningText)
        .join('\n'),
      /Few are left for connecting again: .*What helps: more addresses/,
    );
  });

  it('do not advise what auto does already', () => {
    const few = { connections: 100, sources: 'auto' };
    const machine = { ports: 1, portRange: { from: 60_000, to: 60_000 } };
    const { remedy, verdict } = row(decideOn(few, machine), 'local ports');
    assert.equal(verdict, 'kernel');
    assert.match(
      remedy ?? '',
      /^What helps: sysctl -w net\.ipv4\.ip_local_port_range="1024 65535" gives 64,512 an address\.$/,
    );
  });

  it('count both ends where the server is here', () => {
    const far = decideOn({ ...elsewhere, connections: 10_000 });
    const near = decideOn({ connections: 10_000 });
    const difference = (/** @type {string} */ name) => Number(row(near, name).needed) - Number(row(far, name).needed);
    assert.equal(difference('memory of client and sockets'), 10_000 * 5 * 1024);
    assert.equal(difference('open files of the system'), 10_000);
  });

  it('say where engines that look before they sleep have too few cores', () => {
    const asked = { connections: 10, busyPoll: '1ms', workers: 2 };
    assert.match(
      planOn(asked, { cores: 2 }).warnings.map(warningText).join('\n'),
      /^cores for busyPoll: with busyPoll 1ms .* 2 workers and the server on 2 cores\. .*Give fewer --workers, or leave busyPoll out\.$/,
    );
    assert.match(
      planOn({ ...asked, workers: 1 }, { cores: 1 })
        .warnings.map(warningText)
        .join('\n'),
      /1 core\. .* Leave busyPoll out\./,
    );
    assert.deepEqual(planOn({ ...asked, workers: 'auto' }, { cores: 2 }).warnings, []);
    assert.deepEqual(planOn({ ...asked, ...elsewhere }, { cores: 2 }).warnings, []);
    assert.match(
      planOn({ ...asked, pin: { client: '1' } }, { cores: 2 })
        .warnings.map(warningText)
        .join('\n'),
      /: 2 workers on 1 core\. /,
    );
    assert.deepEqual(planOn({ ...asked, busyPoll: '0s' }, { cores: 2 }).warnings, []);
  });

  it('count what TLS keeps of a connection', () => {
    const needed = (/** @type {any} */ tls) =>
      row(decideOn({ ...elsewhere, connections: 10_000, tls }), 'memory of client and sockets').needed ?? 0;
    assert.equal(needed({ verify: false }) - needed(false), 10_000 * TLS_CONNECTION_BYTES);
    const { what, verdict } = row(
      decideOn(
        { ...elsewhere, connections: 10_000, tls: true, force: true },
        { memoryAvailableBytes: 400 * 1024 ** 2 },
      ),
      'memory of client and sockets',
    );
    assert.match(what, /, 449\.2MiB for TLS, and 400MiB are available\.$/);
    assert.equal(verdict, 'client');
  });

  it('say that one core is shared', () => {
    assert.match(
      planOn({}, { cores: 1 }).warnings.map(warningText).join('\n'),
      /^cores: client and server share one core/,
    );
    assert.deepEqual(planOn(elsewhere, { cores: 1 }).warnings, []);
  });
});

describe('limits of servers and kernel', () => {
  /** @type {[string, Record<string, unknown>, Partial<Host>, RegExp][]} */
  const announcements = [
    [
      'descriptors of a single process',
      { servers: ['multi-threaded'], connections: 25_000 },
      {},
      /^multi-threaded: one process can hold about 19,980 of the 25,000 connections.*waits in its accept queue.*\. Raise the limit \(ulimit -Hn 25020\)/m,
    ],
    [
      'descriptors of a command',
      { command: './mine {port}', connections: 25_000 },
      {},
      /^mine: a server of one process can hold about 19,980/m,
    ],
    [
      'too few processes given',
      { servers: [{ name: 'libuv', options: { processes: 2 } }], connections: 80_000 },
      {},
      /^libuv: 2 processes can hold about 35,964 of the 80,000.*accepted and closed again\. Give it "processes": 5 or "auto"/m,
    ],
    [
      'threads',
      { servers: ['multi-threaded'], connections: 10_000 },
      { threads: 5000, threadsFree: 4800 },
      /^multi-threaded: a thread for each of the 10,000 connections, and it can have about 3,800 \(kernel\.pid_max.*sysctl -w kernel\.pid_max=11201/m,
    ],
    [
      'threads of a control group, on a machine with many tasks',
      { servers: ['multi-threaded'], connections: 10_000 },
      { threads: 4096, threadsFree: 4076, tasks: 3500 },
      /it can have about 3,076 \(kernel\.pid_max/,
    ],
    [
      'threads of a small control group',
      { servers: ['multi-threaded'], connections: 1000 },
      { threads: 1024, threadsFree: 1000 },
      /it can have about 500 \(/,
    ],
    [
      'memory mappings',
      { servers: ['multi-threaded'], connections: 10_000 },
      { mappings: 5000 },
      /about 2,000 \(vm\.max_map_count\).*vm\.max_map_count=21000/,
    ],
    [
      'memory of threads',
      { servers: ['multi-threaded'], connections: 10_000 },
      { memoryAvailableBytes: 9 * 10 ** 8 },
      /about 9,155 \(half of the memory available\)/,
    ],
    [
      'threads as given',
      { servers: [{ name: 'multi-threaded', options: { maxChildren: 50 } }] },
      {},
      /about 50 \(options\.maxChildren\)/,
    ],
    [
      'a backlog cut by the kernel',
      { connections: 10_000 },
      { somaxconn: 128 },
      /^epoll: each step of the ramp adds 1,000 .*a backlog of 128 \(cut by net\.core\.somaxconn from 4,096\).*somaxconn=1000; or a smaller --ramp\.add, --ramp\.spread, or a --connectRate\./m,
    ],
    [
      'a short backlog',
      { servers: [{ name: 'epoll', options: { backlog: 16 } }] },
      {},
      /a backlog of 16\. .*What helps: options\.backlog 100; or/,
    ],
    [
      'a backlog too short even for paced connects',
      { servers: [{ name: 'epoll', options: { backlog: 16 } }], connections: 10_000, connectRate: '5000/s' },
      {},
      /adds 52 connections at once to a backlog of 16\..*options\.backlog 52; .*or a lower --connectRate\./,
    ],
    [
      'backlogs of several processes',
      { servers: [{ name: 'epoll', options: { backlog: 16, processes: 3 } }] },
      {},
      /to 3 backlogs of 16\..*options\.backlog 34/,
    ],
    [
      'one connection at a time',
      { servers: ['iterative'] },
      {},
      /^iterative: it serves 1 of the 100 connections at once, each until it closes\. The rest waits in its accept queue: open but unanswered\.$/m,
    ],
    [
      'as many as there are processes',
      { servers: ['preforked'], connections: 50_000, ramp: { spread: true } },
      {},
      /^preforked: it serves 16 of the 50,000 connections at once \(processes\), .* Of the rest about 4,096 wait .*; what does not fit is not opened in time\. It serves as many at once as options\.processes says.*, up to 1,024; the rest waits\./m,
    ],
    [
      'as many as there are threads',
      { servers: [{ name: 'prethreaded', options: { threads: 99 } }] },
      {},
      /^prethreaded: it serves 99 of the 100 connections at once \(threads\)/m,
    ],
    [
      'TCP memory',
      { connections: 10_000, payload: '1MiB' },
      {},
      /9\.8GiB of payload.*TCP memory pressure from 1GiB.*above 2,560,000/,
    ],
    [
      "the firewall's table",
      { connections: 10_000 },
      { conntrack: { most: 10_000, used: 3, timeWaitSeconds: 120 } },
      /3 entries .* up to 10,000 come on top, and it has room for 10,000.*nf_conntrack_max=20006/,
    ],
    [
      "the firewall's table by closed ones",
      { workload: 'reconnect', connectRate: '1000/s' },
      { conntrack: { most: 10_000, used: 3, timeWaitSeconds: 20 } },
      /up to 20,100 come on top, each for 20 s after its end/,
    ],
    ['disk', {}, { diskFreeBytes: 2 ** 20 }, /1MiB free; at 200,000 transfers\/s .*--transferLog none/],
  ];
  for (const [what, content, over, message] of announcements) {
    it(`are announced: ${what}`, () => {
      assert.match(planOn(content, over).warnings.map(warningText).join('\n'), message);
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
    it(`are not met where ${what}`, () => {
      const { warnings } = planOn(content, over);
      assert.deepEqual(
        warnings.filter((one) => one.code !== 'connect-rate-below-ramp'),
        [],
      );
    });
  }

  it('are never met by the descriptors of as many processes as auto takes', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 400_000 }),
        fc.integer({ min: 1024, max: 100_000 }),
        (connections, descriptors) => {
          const { limits } = decideOn({ connections, ramp: { add: 100_000 } }, { descriptors });
          assert.equal(row({ limits }, 'descriptors of a process').verdict, 'ok');
        },
      ),
    );
  });

  it('are said once of servers that share them', () => {
    const { limits } = planOn({ servers: ['multi-threaded', 'select', 'epoll'] });
    const queues = limits.filter(({ name }) => name === 'accept queue');
    assert.deepEqual(
      queues.map(({ servers }) => servers),
      [['multi-threaded', 'select', 'epoll']],
    );
  });
});

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

  it('fit: 5 workers, several sources, servers of 5 processes, and a ceiling for the threads alone', async () => {
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
    const met = limits.filter(({ verdict }) => verdict !== 'ok');
    assert.deepEqual(
      met.map(({ name, servers, verdict }) => [name, servers, verdict]),
      [
        ['descriptors of a process', ['multi-threaded'], 'server'],
        ['threads', ['multi-threaded'], 'server'],
      ],
    );
    assert.equal(warnings.length, 2);
    assert.deepEqual(
      met.map(({ holds }) => holds),
      [19_980, 31_568],
    );
  });

  it('take many small processes where descriptors are few', async () => {
    const scenario = await loadScenario({ config: '80k-continuous' });
    const small = { ...machine, descriptors: 1024, threads: 200_000, threadsFree: 190_000 };
    const { legs } = plan(scenario, small, known);
    assert.equal(legs[0].workers, Math.ceil(80_000 / 524));
    const processes = legs.map(({ server }) => server.kind === 'named' && server.options.processes);
    assert.deepEqual(processes, [undefined, 92, 92]);
  });

  it('take two workers and one process where descriptors are many', async () => {
    const scenario = await loadScenario({ config: '80k-continuous' });
    const { legs } = plan(scenario, { ...machine, descriptors: 1_000_000 }, known);
    assert.deepEqual(
      legs.map(({ workers, server }) => [workers, server.kind === 'named' && server.options.processes]),
      [
        [2, undefined],
        [2, 1],
        [2, 1],
      ],
    );
  });

  it('take more sources where ports are few', async () => {
    const scenario = await loadScenario({ config: '80k-continuous' });
    const { legs } = plan(scenario, { ...machine, ports: 1000, portRange: { from: 60_000, to: 60_999 } }, known);
    assert.equal(legs[0].sources.length, 200);
  });
});

describe('--force', () => {
  it('changes nothing that the client can do', () => {
    assert.deepEqual(planOn({ connections: 5000, force: true }), planOn({ connections: 5000 }));
  });

  it('cuts the connections down to what the client can do, and says so', () => {
    const forced = planOn({ connections: 40_000, workers: 1, force: true });
    assert.equal(forced.connections, 19_500);
    assert.equal(forced.legs[0].schedule.at(-1)?.slots, 19_500);
    const [{ code, data }] = forced.warnings;
    assert.deepEqual(
      [code, data.requested.connections, data.possible.connections, codesOf(data.limits)],
      ['load-reduced', 40_000, 19_500, ['worker-descriptors']],
    );
    assert.equal(row(forced, 'descriptors of a worker').verdict, 'client');
  });

  it('leaves ports to others on the machine', () => {
    const { connections, warnings } = planOn({ ...elsewhere, connections: 40_000, force: true });
    assert.equal(connections, Math.floor(28_232 * 0.95));
    assert.equal(warnings.length, 1, warnings.map(warningText).join('\n'));
  });

  it('slows reconnects down before it takes connections away', () => {
    const asked = { ...elsewhere, workload: 'reconnect', duration: '60s', connectRate: '50000/s', force: true };
    const slower = planOn(asked);
    assert.deepEqual([slower.connections, slower.connectRate], [100, Math.floor((26_820 - 100) / 60)]);
    const { requested, possible } = slower.warnings[0].data;
    assert.deepEqual(
      [requested, possible],
      [
        { connections: 100, connectRate: 50_000 },
        { connections: 100, connectRate: 445 },
      ],
    );
    const fewer = planOn({ ...asked, connections: 100_000 });
    assert.ok(fewer.connections > 13_000 && fewer.connections < 13_500, String(fewer.connections));
    assert.ok(fewer.connectRate !== null && fewer.connectRate > 200, String(fewer.connectRate));
    const tight = planOn({ workload: 'reconnect', connections: 300, workers: 1, force: true }, { descriptors: 600 });
    assert.deepEqual([tight.connections, tight.connectRate], [100, null]);
  });

  it('cannot make what is not there', () => {
    assert.throws(() => planOn({ force: true }, { descriptors: 400 }), {
      exitCode: 3,
      message: /in 2 workers need 550 each.*\(ulimit -Hn 550\)\.\nnpm run doctor, .*$/,
    });
    assert.throws(() => planOn({ force: true, pin: { client: '9' } }), { exitCode: 3, message: /^pin\.client: 9/ });
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
      { numRuns: 100 },
    );
  });
});
