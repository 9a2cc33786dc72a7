// A server on a host of its own, without any network: how an agent starts, reads and stops servers for a controller, what the
// controller makes of a lost agent, and what the plan and the commands refuse.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadScenario } from '../../client/scenario/scenario.js';
import { plan } from '../../client/plan/plan.js';
import { checkForAgents, checkForServerAgent, checkServerAgent } from '../../client/scenario/place-rules.js';
import { isLocal, serverAddress } from '../../client/plan/sources.js';
import { decode, encode } from '../../client/run/agents/codec.js';
import { RemoteLauncher } from '../../client/run/agents/remote-launcher.js';
import { ServerHost } from '../../client/run/agents/server-host.js';
import { ServerPermission } from '../../client/run/agents/server-permission.js';
import { until } from '../fixtures/e2e-processes.js';
import { host } from '../fixtures/hosts.js';

const LISTED = [
  { name: 'epoll', language: 'c' },
  { name: 'select', language: 'c' },
  { name: 'go', language: 'go' },
];

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
    if (options.command === 'false') {
      throw Object.assign(new Error('it ended before it was ready'), { code: 'EDIED', data: { exitCode: 1 } });
    }
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
      usage: () => ({
        cpuSeconds: server.cpuSeconds,
        rssBytes: 1000,
        threads: 1,
        processes: 1,
        processSeconds: { [process.pid]: 0 },
      }),
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
    return Promise.all(
      Array.from({ length: count }, (_, instance) =>
        this.startServer({
          ...options,
          onLine: (/** @type {string} */ stream, /** @type {string} */ line) => onLine(stream, line, instance),
        }),
      ),
    );
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
        const read = decode(encode(message));
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
    send: (message) => void agent.receive(decode(encode(message))),
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

/** @param {object} [more] */
const epoll = (more = {}) => ({
  ...{ name: 'epoll', options: { backlog: 64 }, protocol: 'echo', transport: 'tcp', readyTimeoutMs: 1000 },
  ...more,
});

describe('the launcher of servers on another host', () => {
  it('starts a server at the address of the agent, reads it with the clock of the controller, and stops it', async () => {
    const { remote, launcher, clock, agent } = pair();
    const server = await remote.startServer(epoll());
    const [{ options }] = launcher.started;
    assert.deepEqual(
      [options.name, options.options, options.host, options.protocol],
      ['epoll', { backlog: 64 }, '127.0.0.2', 'echo'],
    );
    assert.deepEqual([server.host, server.port, server.pids], ['127.0.0.2', 7000, []]);
    assert.equal(agent.isBusy, true);
    launcher.started[0].cpuSeconds = 1.5;
    clock.ns = 3_000_000_000n;
    const reading = await server.machine?.read([]);
    assert.equal(reading?.atNs, 3_000_000_000n);
    assert.equal(server.usage().cpuSeconds, 1.5);
    assert.ok(reading && Array.isArray(reading.busy) && reading.descriptors !== null);
    const { code, forced } = await server.stop();
    assert.deepEqual([code, forced], [0, false]);
    assert.equal((await server.exited).code, 0);
    assert.equal(agent.isBusy, false);
    assert.equal(await server.machine?.read([]), null, 'nothing is left to read');
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
    const read = await server.machine?.read([]);
    assert.deepEqual([read?.kernel, read?.listen?.drops], [{ TcpOutRsts: 6, TcpOrphans: 2 }, 8]);
    const both = await Promise.all([server.machine?.read([]), server.machine?.read([])]);
    assert.deepEqual(
      both.map((one) => [one?.kernel.TcpOutRsts, one?.listen?.drops]),
      [
        [3, 4],
        [3, 4],
      ],
      'two that come at once are kept apart',
    );
  });

  it('reads a server at the moments that are asked for, in the time of the controller', async () => {
    const { remote, launcher, agent, clock } = pair();
    const server = await remote.startServer(epoll());
    const [held] = agent.held.values();
    await server.machine?.read([clock.ns + 1_000_000n, clock.ns - 1n, clock.ns + 3600_000_000_000n]);
    assert.equal(held.moments.timers.size, 1, 'neither what is over, nor what nobody plans');
    [launcher.started[0].cpuSeconds, clock.ns] = [0.5, clock.ns + 2_000_000n];
    await until('it is read', () => held.earlier.length === 1);
    const readNs = clock.ns;
    [launcher.started[0].cpuSeconds, clock.ns] = [2, clock.ns + 1_000_000_000n];
    const reading = await server.machine?.read([]);
    assert.deepEqual(
      reading?.earlier.map(({ atNs, instances }) => [atNs, instances[0].reading?.cpuSeconds]),
      [[readNs, 0.5]],
    );
    assert.deepEqual((await server.machine?.read([]))?.earlier, [], 'once');
    await server.stop();
  });

  it('passes on what the agent says against it', async () => {
    const { remote, launcher } = pair({ permission: new ServerPermission(['epoll'], false) });
    await assert.rejects(remote.startServer(epoll({ name: 'go' })), { code: 'ESERVERREFUSED' });
    await assert.rejects(remote.startServer(epoll({ name: undefined, command: 'true' })), { code: 'ECOMMANDREFUSED' });
    await assert.rejects(remote.startServer(epoll({ env: { LD_PRELOAD: 'x' } })), { code: 'EENVREFUSED' });
    await assert.rejects(remote.build({ names: ['epoll', 'go'] }), { code: 'ESERVERREFUSED' });
    assert.deepEqual([launcher.started.length, launcher.built], [0, []]);
    const any = pair();
    await assert.rejects(any.remote.startServer(epoll({ name: undefined, command: 'false' })), {
      code: 'EDIED',
      data: { exitCode: 1 },
    });
  });

  it('refuses more instances than a scenario may have', async () => {
    const { remote, launcher } = pair();
    await assert.rejects(remote.startInstances(epoll(), 1025), { code: 'EINSTANCESREFUSED' });
    assert.deepEqual(launcher.started, []);
  });

  it('carries out nothing of an order but what is permitted', async () => {
    const { agent, launcher } = pair({ permission: new ServerPermission(['epoll'], false) });
    const more = { wrap: ['sh', '-c', 'id'], words: ['-x'], folder: '/tmp', host: '0.0.0.0', port: 1, cpus: '0' };
    const order = /** @type {any} */ (epoll({ tls: { ca: '/etc/passwd' }, ...more }));
    await agent.receive({ type: 'start', request: 1, instances: 1, order });
    const [{ options }] = launcher.started;
    const { onLine, cpuClock, ...given } = options;
    assert.deepEqual(Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)), {
      ...epoll(),
      host: '127.0.0.2',
    });
    assert.deepEqual([typeof onLine, typeof cpuClock], ['function', 'function']);
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
    const reading = await servers[0].machine?.read([]);
    assert.deepEqual(
      reading.instances.map((/** @type {any} */ { hasEnded }) => hasEnded),
      [false, true],
    );
  });

  it('passes on all that a build says, also of one that fails', async () => {
    const { remote, launcher } = pair();
    launcher.build = async ({ onLine }) => {
      for (let line = 1; line <= 25; line += 1) onLine(`line ${line}`);
      throw new Error('cc has failed');
    };
    /** @type {string[]} */
    const lines = [];
    const building = remote.build({ names: ['epoll'], onLine: (line) => void lines.push(line) });
    await assert.rejects(building, { code: 'EAGENTSERVER' });
    assert.deepEqual([lines.length, lines.at(-1)], [21, '... 5 more lines']);
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
    const reading = server.machine?.read([]);
    remote.lose('nothing came');
    await assert.rejects(starting, { code: 'ESERVERAGENTLOST', data: { agent: 's1', how: 'nothing came' } });
    assert.equal(await reading, null);
    assert.deepEqual((await server.exited).agentLost, { agent: 's1', how: 'nothing came' });
    await server.stop();
    await assert.rejects(remote.startServer(epoll()), { code: 'ESERVERAGENTLOST' });
  });

  it('stops everything at the end of the run, also a server that was being started', async () => {
    const { remote, launcher, agent } = pair();
    const first = await remote.startServer(epoll());
    /** @type {() => void} */
    let open = () => {};
    launcher.gate = new Promise((resolve) => {
      open = () => resolve();
    });
    const starting = remote.startServer(epoll());
    const ended = agent.end('the controller is gone');
    open();
    await Promise.all([ended, starting]);
    assert.deepEqual(
      launcher.started.map(({ stops }) => stops > 0),
      [true, true],
    );
    assert.equal(agent.isBusy, false);
    assert.equal((await first.exited).stoppedBecause, 'the controller is gone');
    await assert.rejects(remote.startServer(epoll()), { code: 'EAGENTENDED' });
  });

  it('without a controller, keeps its servers until the planned end and then stops them', async () => {
    const { remote, agent, clock } = pair();
    await remote.startServer(epoll());
    assert.equal(agent.isKept, false);
    remote.keepUntil(9_000_000_000n);
    assert.equal(agent.isKept, true);
    clock.ns = 9_000_000_000n;
    assert.equal(agent.isKept, false);
  });
});

describe('the plan with a server on another host', () => {
  const there = { name: 's1', address: '10.0.0.7', host: { ...host, descriptors: 1000, somaxconn: 16 } };
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
    const processes = (/** @type {import('../../client/plan/plan.js').Plan} */ { legs: [leg] }) =>
      /** @type {any} */ (leg.server).options.processes;
    assert.equal(processes(here), 1);
    assert.ok(processes(apart) > 5, 'a process of the server has 1,000 descriptors there');
    assert.deepEqual([here.legs[0].serverAgent, apart.legs[0].serverAgent], [undefined, 's1']);
    const limitOf = (/** @type {import('../../client/plan/plan.js').Plan} */ { limits }, /** @type {string} */ code) =>
      limits.find((limit) => limit.code === code);
    assert.equal(limitOf(apart, 'worker-descriptors')?.available, host.descriptors);
    assert.equal(limitOf(apart, 'accept-queue')?.available, 16 * processes(apart));
    assert.equal(limitOf(here, 'open-files')?.data.sockets, 10_000);
    assert.equal(limitOf(apart, 'open-files')?.data.sockets, 5000);
  });

  it('connects to the address of the agent', async () => {
    const scenario = await scenarioOf({});
    assert.equal(serverAddress(scenario, { server: there }), '10.0.0.7');
    assert.equal(serverAddress(scenario, {}), '127.0.0.1');
    const loopback = { ...there, address: '127.0.0.2' };
    assert.deepEqual(
      [there, loopback].map((server) => isLocal(scenario, { addresses: [], server })),
      [false, true],
    );
  });

  it('refuses what another host cannot do, with the key', async () => {
    /** @type {[Record<string, any>, string[]][]} */
    const table = [
      [{ servers: undefined, target: '10.0.0.9:7' }, ['target']],
      [{ listen: 'unix' }, ['listen']],
      [{ 'pin.server': '0' }, ['pin']],
      [{ 'wrap.server': 'nice' }, ['wrap']],
      [{ transport: 'sctp' }, ['transport']],
      [{ servers: undefined, command: { a: { command: './a {port}', folder: '/a' } } }, ['command']],
    ];
    for (const [flags, keys] of table) {
      const scenario = await scenarioOf(flags);
      assert.throws(() => checkForServerAgent(scenario), {
        code: 'ESERVERAGENTSCENARIO',
        data: { keys },
        exitCode: 2,
      });
    }
    checkForServerAgent(await scenarioOf({}));
  });

  it('refuses what this agent may not do', async () => {
    const agent = { name: 's1', address: '10.0.0.7', commands: false };
    const named = await scenarioOf({});
    checkServerAgent(named, agent);
    assert.throws(() => checkServerAgent(named, { ...agent, address: 'fd00::7' }), {
      code: 'ESERVERAGENTFAMILY',
      exitCode: 3,
    });
    const elsewhere = { ...agent, address: '192.0.2.7' };
    assert.throws(() => checkServerAgent(named, elsewhere), { code: 'EPUBLICTARGET', exitCode: 3 });
    checkServerAgent({ ...named, allowPublicTarget: true }, elsewhere);
    const command = await scenarioOf({ servers: undefined, command: './mine --port {port}' });
    assert.throws(() => checkServerAgent(command, agent), { code: 'ECOMMANDREFUSED', exitCode: 3 });
    checkServerAgent(command, { ...agent, commands: true });
    const withEnv = { ...named, servers: (named.servers ?? []).map((one) => ({ ...one, env: { GOGC: '1' } })) };
    assert.throws(() => checkServerAgent(withEnv, agent), { code: 'EENVREFUSED', exitCode: 3 });
    checkServerAgent(withEnv, { ...agent, commands: true });
  });

  it('lets agents send load to servers that another agent starts', async () => {
    const scenario = await scenarioOf({});
    assert.throws(() => checkForAgents(scenario, 2), { code: 'EAGENTSCENARIO' });
    checkForAgents(scenario, 2, { startsServers: true });
  });
});
