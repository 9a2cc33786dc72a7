// A server on a separate host, tested without a network: what an agent may start, how it starts, reads and stops
// servers for a controller, how the controller handles a lost agent, and what the plan and the commands refuse.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadScenario } from '../../client/scenario/scenario.js';
import { plan } from '../../client/plan/plan.js';
import { checkForAgents, checkForServerAgent, checkServerAgent } from '../../client/agents/place-rules.js';
import { AgentServers } from '../../client/agents/agent-servers.js';
import { decode, encode } from '../../client/agents/codec.js';
import { RemoteLauncher } from '../../client/agents/remote-launcher.js';
import { ServerHost } from '../../client/agents/server-host.js';
import { ServerPermission } from '../../client/agents/server-permission.js';
import { until } from '../fixtures/e2e-processes.js';
import { host } from '../fixtures/hosts.js';

/**
 * @import { StartOptions } from '../../client/agents/remote-launcher.js'
 * @import { FromServerHost, ToServerHost } from '../../client/agents/server-messages.js'
 * @import { Plan } from '../../client/measure/settings.js'
 */

const LISTED = [
  { name: 'epoll', language: 'c' },
  { name: 'select', language: 'c' },
  { name: 'go', language: 'go' },
];

describe('what an agent may start', () => {
  it('is nothing, unless its command line says more', () => {
    const objections = (/** @type {ServerPermission} */ permission) =>
      [
        { name: 'epoll' },
        { name: 'go' },
        { name: 'nope' },
        { command: 'true' },
        { name: 'epoll', env: { A: '1' } },
        { name: 'epoll', options: { backlog: 64, processes: '1; include /x;' } },
      ].map((order) => permission.objectionTo(order, LISTED)?.code ?? null);
    const nothing = new ServerPermission([], false);
    assert.equal(nothing.isAny, false);
    const [server, unknown, command, env] = ['ESERVERREFUSED', 'ESERVERUNKNOWN', 'ECOMMANDREFUSED', 'EENVREFUSED'];
    const option = 'EOPTIONREFUSED';
    assert.deepEqual(objections(nothing), [server, server, unknown, command, env, option]);
    assert.deepEqual(objections(new ServerPermission(['c/*'], false)), [null, server, unknown, command, env, option]);
    assert.deepEqual(objections(new ServerPermission(['go'], false)), [server, null, unknown, command, env, option]);
    assert.deepEqual(objections(new ServerPermission([], true)), [server, server, unknown, null, server, server]);
    assert.deepEqual(objections(new ServerPermission(['*'], true)), [null, null, unknown, null, null, null]);
  });

  it('takes options that are numbers, truths and plain words', () => {
    const permission = new ServerPermission(['*'], false);
    const objectionTo = (/** @type {Record<string, unknown>} */ options) =>
      permission.objectionTo({ name: 'epoll', options }, LISTED);
    assert.equal(objectionTo({ backlog: 64, nodelay: true, work: '30ms-50ms', processes: 'auto' }), null);
    const unclear = ['a b', 'a\n', 'a;', '$(a)', '/a', '--a', '', null, ['a'], { a: 1 }];
    for (const value of unclear) {
      assert.deepEqual(objectionTo({ backlog: 64, work: value })?.data, { options: ['work'] }, JSON.stringify(value));
    }
  });

  it('is said to whoever asks before a run, with what is missing there', async () => {
    const availabilityOf = (/** @type {{ name: string }} */ { name }) =>
      name === 'select'
        ? { available: false, why: 'no cc', remedy: 'install gcc', problem: { code: 'missing', data: {} } }
        : { available: true, why: null, remedy: null, problem: null };
    const launcher = /** @type {any} */ ({
      listServers: () => LISTED,
      checkAvailability: async (/** @type {any[]} */ servers) => servers.map(availabilityOf),
    });
    const permission = new ServerPermission(['c/*'], false);
    const servers = new AgentServers('s1', { launcher, permission, address: '10.0.0.7' });
    assert.deepEqual(servers.describe(), { address: '10.0.0.7', servers: ['c/*'], commands: false });
    const answers = await servers.availability(['epoll', 'select', 'go', 'nope']);
    const told = answers.map(({ available, problem }) => (available ? 'there' : problem?.code));
    assert.deepEqual(told, ['there', 'missing', 'ESERVERREFUSED', 'ESERVERUNKNOWN']);
  });
});

/** A launcher whose servers are promises that the test settles. */
class FakeLauncher {
  /** @type {any[]} */
  started = [];
  /** @type {string[][]} */
  built = [];
  /** @type {string | null} */
  authority = null;
  /** @type {Promise<void>} */
  gate = Promise.resolve();

  listServers() {
    return LISTED;
  }

  /** @param {any} options */
  async startServer(options) {
    await this.gate;
    if (options.command === 'false') throw Object.assign(new Error('died'), { code: 'EDIED', data: { exitCode: 1 } });
    /** @type {(ending: any) => void} */
    let end = () => {};
    const exited = new Promise((resolve) => {
      end = resolve;
    });
    const server = {
      options,
      end,
      stops: 0,
      cpuSeconds: 0,
      host: options.host,
      port: 7000 + this.started.length,
      pids: [process.pid],
      authority: this.authority,
      exited,
      usage: () => {
        const { cpuSeconds } = server;
        return { cpuSeconds, rssBytes: 1000, threads: 1, processes: 1, processSeconds: { [process.pid]: 0 } };
      },
      stop: async () => {
        server.stops += 1;
        end({ code: 0, signal: null });
        return { ...(await exited), forced: false };
      },
    };
    this.started.push(server);
    return server;
  }

  /** @param {any} options @param {number} count */
  startInstances({ onLine, ...options }, count) {
    const each = Array.from({ length: count }, (_, instance) => ({
      ...options,
      onLine: (/** @type {string} */ stream, /** @type {string} */ line) => onLine(stream, line, instance),
    }));
    return Promise.all(each.map((wanted) => this.startServer(wanted)));
  }

  /** @param {{ names: string[], onLine: (line: string) => void }} options */
  async build({ names, onLine }) {
    this.built.push(names);
    onLine('cc epoll.c');
    return [];
  }
}

const OFFSET_NS = 5_000_000_000_000n;

/**
 * A controller's launcher and an agent's, with the bytes of their messages between them.
 * @param {{ permission?: ServerPermission }} [options]
 */
function pair({ permission = new ServerPermission(['c/*'], true) } = {}) {
  const launcher = new FakeLauncher();
  /** @type {any[]} */
  const held = [];
  let isHeld = false;
  const clock = { ns: 1_000_000_000n };
  const agent = new ServerHost(
    { launcher: /** @type {any} */ (launcher), permission, address: '127.0.0.2' },
    {
      say: (message) => {
        const read = /** @type {FromServerHost} */ (decode(encode(message)));
        if (isHeld) held.push(read);
        else controller.remote.receive(read);
      },
      clock: () => clock.ns + OFFSET_NS,
      log: () => {},
    },
  );
  const remote = new RemoteLauncher({
    name: 's1',
    address: '127.0.0.2',
    offsetNs: () => OFFSET_NS,
    send: (message) => void agent.receive(/** @type {ToServerHost} */ (decode(encode(message)))),
  });
  const controller = { remote };
  return {
    ...{ launcher, agent, remote, clock },
    hold: () => void (isHeld = true),
    letGo: () => {
      isHeld = false;
      for (const message of held.splice(0)) remote.receive(message);
    },
  };
}

/** @param {object} [more] @returns {StartOptions} */
const epoll = (more = {}) => ({
  ...{ name: 'epoll', options: { backlog: 64 }, protocol: 'echo', transport: 'tcp', readyTimeoutMs: 1000 },
  ...more,
});

describe('the launcher of servers on another host', () => {
  it('starts a server at the address of the agent, reads it with the clock of the controller, and stops it', async () => {
    const { remote, launcher, clock, agent } = pair();
    const server = await remote.startServer(epoll());
    const [{ options }] = launcher.started;
    assert.deepEqual([options.options, options.host, options.protocol], [{ backlog: 64 }, '127.0.0.2', 'echo']);
    assert.deepEqual([server.host, server.port, server.pids], ['127.0.0.2', 7000, []]);
    assert.equal(agent.isBusy, true);
    launcher.started[0].cpuSeconds = 1.5;
    clock.ns = 3_000_000_000n;
    const reading = await server.meter?.read([]);
    assert.deepEqual([reading?.atNs, reading?.instances[0].reading?.cpuSeconds], [3_000_000_000n, 1.5]);
    assert.ok(reading && Array.isArray(reading.busy) && reading.descriptors !== null);
    const { code, forced } = await server.stop();
    assert.deepEqual([code, forced, (await server.exited).code, agent.isBusy], [0, false, 0, false]);
    assert.equal(await server.meter?.read([]), null, 'nothing is left to read');
  });

  it('counts what a late reading has counted in the next one', async () => {
    const { remote, agent } = pair();
    const server = await remote.startServer(epoll());
    const reading = agent.read(1, []);
    agent.read = () => ({
      ...reading,
      kernel: { TcpOutRsts: 3, TcpOrphans: 2 },
      listen: { sockets: 1, backlog: 9, queue: 0, drops: 4 },
    });
    // one that nobody waits for any more
    const servers = [...remote.servers.values()][0];
    servers.keep(agent.read(1, []));
    const read = await server.meter?.read([]);
    assert.deepEqual([read?.kernel, read?.listen?.drops], [{ TcpOutRsts: 6, TcpOrphans: 2 }, 8]);
    const both = await Promise.all([server.meter?.read([]), server.meter?.read([])]);
    const counts = both.map((counted) => [counted?.kernel?.TcpOutRsts, counted?.listen?.drops].join());
    assert.deepEqual(counts, ['3,4', '3,4'], 'two that come at once are kept apart');
  });

  it('leaves to the first sample what was counted since the start of a leg, and no more', async () => {
    const { remote, clock, agent } = pair();
    const { meter } = await remote.startServer(epoll());
    const reading = agent.read(1, []);
    const listen = { sockets: 1, backlog: 9, queue: 0, drops: 4 };
    agent.read = () => ({ ...reading, atNs: clock.ns + OFFSET_NS, kernel: { TcpOutRsts: 3 }, listen });
    const countedAt = async (/** @type {bigint} */ startNs) => {
      const first = await meter?.begin({ startNs, endNs: startNs }, []);
      assert.equal(first?.atNs, clock.ns);
      const next = await meter?.read([]);
      return [next?.kernel?.TcpOutRsts, next?.listen?.drops];
    };
    assert.deepEqual(await countedAt(clock.ns + 1n), [3, 4]);
    assert.deepEqual(await countedAt(clock.ns - 1n), [6, 8]);
  });

  it('reads a server at the moments that are asked for, in the time of the controller', async () => {
    const { remote, launcher, agent, clock } = pair();
    const server = await remote.startServer(epoll());
    const [held] = agent.held.values();
    await server.meter?.read([clock.ns + 1_000_000n, clock.ns - 1n, clock.ns + 3600_000_000_000n]);
    assert.equal(held.meter.moments.timers.size, 1, 'neither what is over, nor what nobody plans');
    [launcher.started[0].cpuSeconds, clock.ns] = [0.5, clock.ns + 2_000_000n];
    await until('it is read', () => held.meter.earlier.length === 1);
    const readNs = clock.ns;
    [launcher.started[0].cpuSeconds, clock.ns] = [2, clock.ns + 1_000_000_000n];
    const reading = await server.meter?.read([]);
    assert.deepEqual(
      reading?.earlier.map(({ atNs, instances }) => [atNs, instances[0].reading?.cpuSeconds]),
      [[readNs, 0.5]],
    );
    assert.deepEqual((await server.meter?.read([]))?.earlier, [], 'once');
    await server.stop();
  });

  it('passes on what the agent says against it, or against more instances than a scenario may have', async () => {
    const { remote, launcher } = pair({ permission: new ServerPermission(['epoll'], false) });
    for (const [more, code] of /** @type {[object, string][]} */ ([
      [{ name: 'go' }, 'ESERVERREFUSED'],
      [{ name: undefined, command: 'true' }, 'ECOMMANDREFUSED'],
      [{ env: { LD_PRELOAD: 'x' } }, 'EENVREFUSED'],
    ])) {
      await assert.rejects(remote.startServer(epoll(more)), { code });
    }
    await assert.rejects(remote.build({ names: ['epoll', 'go'] }), { code: 'ESERVERREFUSED' });
    await assert.rejects(remote.startInstances(epoll(), 1025), { code: 'EINSTANCESREFUSED' });
    assert.deepEqual([launcher.started.length, launcher.built], [0, []]);
    const died = pair().remote.startServer(epoll({ name: undefined, command: 'false' }));
    await assert.rejects(died, { code: 'EDIED', data: { exitCode: 1 } });
  });

  it('carries out nothing of an order but what is permitted', async () => {
    const { agent, launcher } = pair({ permission: new ServerPermission(['epoll'], false) });
    const more = { wrap: ['sh', '-c', 'id'], words: ['-x'], folder: '/tmp', host: '0.0.0.0', port: 1, cpus: '0' };
    const order = /** @type {any} */ (epoll({ tls: { ca: '/etc/passwd' }, ...more }));
    await agent.receive({ type: 'start', request: 1, instances: 1, order });
    const [{ options }] = launcher.started;
    const { onLine: _onLine, cpuClock: _cpuClock, ...given } = options;
    const wanted = Object.entries(given).filter(([, value]) => value !== undefined);
    assert.deepEqual(Object.fromEntries(wanted), { ...epoll(), host: '127.0.0.2' });
  });

  it('builds there, and passes on the lines of builds and servers', async () => {
    const { remote, launcher } = pair();
    /** @type {any[]} */
    const lines = [];
    await remote.build({ names: ['epoll'], onLine: (line) => lines.push(line) });
    assert.deepEqual([launcher.built, lines.splice(0)], [[['epoll']], ['cc epoll.c']]);
    const servers = await remote.startInstances(epoll({ onLine: (/** @type {any[]} */ ...all) => lines.push(all) }), 2);
    launcher.started[1].options.onLine('stderr', 'out of memory');
    launcher.started[1].end({ code: null, signal: 'SIGKILL' });
    const ending = await servers[1].exited;
    assert.deepEqual(lines, [['stderr', 'out of memory', 1]]);
    assert.deepEqual(ending, { code: null, signal: 'SIGKILL', lastLines: ['out of memory'] });
    /** @type {any} */
    const reading = await servers[0].meter?.read([]);
    const ended = reading.instances.map((/** @type {any} */ { hasEnded }) => hasEnded);
    assert.deepEqual(ended, [false, true]);
  });

  it('keeps the certificate of a server that speaks TLS, in the folder of the run', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'broadside-authority-'));
    try {
      const { remote, launcher } = pair();
      launcher.authority = join(folder, 'there.pem');
      writeFileSync(launcher.authority, 'PEM');
      remote.folder = folder;
      const server = await remote.startServer(epoll());
      assert.equal(readFileSync(String(server.authority), 'utf8'), 'PEM');
      assert.notEqual(server.authority, launcher.authority);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('ends with its agent: a server whose agent is lost, and whatever is asked of it afterwards', async () => {
    const { remote, hold } = pair();
    const server = await remote.startServer(epoll());
    hold();
    const starting = remote.startServer(epoll());
    const reading = server.meter?.read([]);
    remote.lose('nothing came');
    await assert.rejects(starting, { code: 'ESERVERAGENTLOST', data: { agent: 's1', how: 'nothing came' } });
    assert.equal(await reading, null);
    const { code, data } = (await server.exited).warning?.({ instance: 1 }) ?? assert.fail();
    assert.deepEqual([code, data], ['server-agent-lost', { instance: 1, agent: 's1', how: 'nothing came' }]);
    await server.stop();
    await assert.rejects(remote.startServer(epoll()), { code: 'ESERVERAGENTLOST' });
  });

  it('stops everything at the end of the run, also a server that was being started', async () => {
    const { remote, launcher, agent } = pair();
    const first = await remote.startServer(epoll());
    let open = () => {};
    launcher.gate = new Promise((resolve) => void (open = resolve));
    const starting = remote.startServer(epoll());
    const ended = agent.end('the controller is gone');
    open();
    await Promise.all([ended, starting]);
    assert.ok(launcher.started.length === 2 && launcher.started.every(({ stops }) => stops > 0));
    assert.equal(agent.isBusy, false);
    const { code, data } = (await first.exited).warning?.({}) ?? assert.fail();
    assert.deepEqual([code, data], ['server-agent-stopped', { agent: 's1', why: 'the controller is gone' }]);
    await assert.rejects(remote.startServer(epoll()), { code: 'EAGENTENDED' });
  });

  it('without a controller, keeps its servers until the planned end and then stops them', async () => {
    const { remote, agent, clock } = pair();
    await remote.startServer(epoll());
    assert.equal(agent.isKept, false);
    remote.legStarts(9_000_000_000n);
    assert.equal(agent.isKept, false, 'the load ends with this process');
    remote.carrier.outlivesController = true;
    remote.legStarts(9_000_000_000n);
    assert.equal(agent.isKept, true);
    clock.ns = 9_000_000_000n;
    assert.equal(agent.isKept, false);
  });
});

describe('the plan with a server on another host', () => {
  const there = {
    name: 's1',
    title: 'agent s1',
    address: '10.0.0.7',
    host: { ...host, descriptors: 1000, somaxconn: 16 },
  };
  /** @param {Record<string, any>} flags */
  const scenarioOf = (flags) =>
    loadScenario({ config: undefined, flags: { servers: ['epoll'], connections: 5000, ...flags } });
  const known = [
    {
      ...{ name: 'epoll', language: 'c', model: 'm', available: true },
      manifest: {
        options: { processes: ['-p', '{value}'] },
        protocols: ['echo'],
        scales: 'processes',
        surplus: 'backlog',
      },
    },
  ];

  it('takes the limits of the server from its host, and those of the client from this one', async () => {
    const scenario = await scenarioOf({});
    const here = plan(scenario, host, known);
    const apart = plan(scenario, { ...host, towards: '10.0.0.1', server: there }, known);
    const processes = (/** @type {Plan} */ { legs: [leg] }) => /** @type {any} */ (leg.server).options.processes;
    assert.equal(processes(here), 1);
    assert.ok(processes(apart) > 5, 'a process of the server has 1,000 descriptors there');
    assert.deepEqual([here.legs[0].serverAgent, apart.legs[0].serverAgent], [undefined, 's1']);
    const limitOf = (/** @type {Plan} */ { limits }, /** @type {string} */ code) =>
      limits.find((limit) => limit.code === code);
    assert.equal(limitOf(apart, 'worker-descriptors')?.available, host.descriptors);
    assert.equal(limitOf(apart, 'accept-queue')?.available, 16 * processes(apart));
    assert.equal(limitOf(here, 'open-files')?.data.sockets, 10_000);
    assert.equal(limitOf(apart, 'open-files')?.data.sockets, 5000);
  });

  it('refuses what another host cannot do, with the key', async () => {
    const named = await scenarioOf({});
    for (const [flags, key] of /** @type {[Record<string, any>, string][]} */ ([
      [{ servers: undefined, target: '10.0.0.9:7' }, 'target'],
      [{ listen: 'unix' }, 'listen'],
      [{ 'pin.server': '0' }, 'pin'],
      [{ 'wrap.server': 'nice' }, 'wrap'],
      [{ transport: 'sctp' }, 'transport'],
      [{ servers: undefined, command: { a: { command: './a {port}', folder: '/a' } } }, 'command'],
    ])) {
      const scenario = await scenarioOf(flags);
      const expected = { code: 'ESERVERAGENTSCENARIO', data: { keys: [key] }, exitCode: 2 };
      assert.throws(() => checkForServerAgent(scenario), expected);
    }
    assert.throws(() => checkForAgents(named, 2), { code: 'EAGENTSCENARIO' });
    checkForAgents(named, 2, { startsServers: true });
    checkForServerAgent(named);
  });

  it('refuses what this agent may not do', async () => {
    const agent = { name: 's1', address: '10.0.0.7', commands: false };
    const named = await scenarioOf({});
    const elsewhere = { ...agent, address: '192.0.2.7' };
    const command = await scenarioOf({ servers: undefined, command: './mine --port {port}' });
    const withEnv = { ...named, servers: (named.servers ?? []).map((server) => ({ ...server, env: { GOGC: '1' } })) };
    for (const [scenario, there, code] of /** @type {[typeof named, typeof agent, string][]} */ ([
      [named, { ...agent, address: 'fd00::7' }, 'ESERVERAGENTFAMILY'],
      [named, elsewhere, 'EPUBLICTARGET'],
      [command, agent, 'ECOMMANDREFUSED'],
      [withEnv, agent, 'EENVREFUSED'],
    ])) {
      assert.throws(() => checkServerAgent(scenario, there), { code, exitCode: 3 });
    }
    checkServerAgent(named, agent);
    checkServerAgent({ ...named, allowPublicTarget: true }, elsewhere);
    for (const scenario of [command, withEnv]) checkServerAgent(scenario, { ...agent, commands: true });
  });
});
