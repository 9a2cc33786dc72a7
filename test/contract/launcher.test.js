// The launcher: starts servers and commands, reports why one cannot be started, and leaves nothing behind.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, discover, startServer, verifyExchange, watchPid } from '../../servers/launcher/index.js';
import { lineSplitter } from '../../servers/launcher/process/lines.js';
import { readAll, readProcess, readTree } from '../../servers/launcher/process/process-tree.js';
import { destroy, exchange, open, openMany, within } from './client.js';
import { allowedCpus, failure, lives, runToEnd, until } from './server-process.js';
import { MARKER } from '../fixtures/e2e-processes.js';

const LAUNCHER = new URL('../../servers/launcher/index.js', import.meta.url).href;
const GUARDED = new URL('../../servers/launcher/process/guarded.js', import.meta.url).href;
const ECHO = `"${process.execPath}" "${fileURLToPath(new URL('../fixtures/echo-command.js', import.meta.url))}"`;

/** @param {number} pid */
const groupOf = (pid) => Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')[2]);

/** @param {number} pid @param {string} mark @returns {string | null} its command, if it or its environment has the mark */
function markedCommandOf(pid, mark) {
  try {
    const [command, environment] = ['cmdline', 'environ'].map((file) => readFileSync(`/proc/${pid}/${file}`, 'latin1'));
    return command.includes(mark) || environment.includes(mark) ? command : null;
  } catch {
    return null; // it has ended, or is not ours to look at
  }
}

describe('the launcher', () => {
  /** In the environment of all that is started here, and on the command line of its guard. */
  const mark = { [MARKER]: randomUUID() };
  /** @type {import('../../servers/launcher/start/start.js').Server[]} */
  let servers = [];
  /** @type {import('node:child_process').ChildProcess[]} other processes that start servers */
  let starters = [];
  /** @param {import('../../servers/launcher/start/start.js').StartOptions} options */
  const start = async (options) => {
    const server = await startServer({ ...options, env: { ...options.env, ...mark } });
    servers.push(server);
    return server;
  };
  /** @type {string} */
  let folder;
  before(async function () {
    this.timeout(300_000);
    await build({ names: ['epoll', 'multi-threaded', 'select'] });
  });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'broadside-launcher-'));
  });
  afterEach(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    servers = [];
    for (const starter of starters) starter.kill('SIGKILL');
    starters = [];
    rmSync(folder, { recursive: true, force: true });
    const left = readAll().flatMap(({ pid, threads }) => (threads > 0 && markedCommandOf(pid, mark[MARKER])) || []);
    assert.deepEqual(left, [], 'something is left');
  });

  it.slow('starts, monitors and stops every available server', async function () {
    this.timeout(300_000);
    await build();
    const found = (await discover()).filter(({ available }) => available);
    assert.ok(found.length >= 3);
    for (const { name, manifest } of found) {
      const [protocol] = manifest.protocols;
      const options = 'backlog' in (manifest.options ?? {}) ? { backlog: 100 } : {};
      const server = await start({ name, protocol, options });
      const tls = server.authority === null ? null : { ca: readFileSync(server.authority) };
      await verifyExchange({ host: server.host, port: server.port, protocol, tls, timeoutMs: 5000 });
      const { cpuSeconds, rssBytes, threads, processes } = server.usage();
      assert.ok(cpuSeconds >= 0 && rssBytes > 100_000 && threads >= 1);
      assert.ok(processes >= server.pids.length, `${name}: ${processes} processes, and it names ${server.pids}`);
      assert.deepEqual([server.name, server.label, server.ready.by], [name, name, manifest.ready]);
      const code = name === 'nats-server' ? 1 : 0;
      assert.deepEqual(await server.stop(), { code, signal: null, forced: false }, name);
      assert.deepEqual(await server.exited, { code, signal: null });
      assert.deepEqual(server.pids.filter(lives), []);
      const after = server.usage();
      assert.deepEqual([after.rssBytes, after.threads, after.processes], [0, 0, 0]);
    }
  });

  it('chooses ports below the ephemeral range', async () => {
    const [low] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s/).map(Number);
    if (low < 8192) return;
    const server = await start({ name: 'epoll' });
    assert.ok(server.port < low, `${server.port} is not below ${low}`);
  });

  it('passes options on, and rejects those that a server does not have', async () => {
    const server = await start({ name: 'multi-threaded', options: { backlog: 77, maxChildren: 5 } });
    const cmdline = readFileSync(`/proc/${server.pids[0]}/cmdline`, 'utf8').split('\0');
    assert.deepEqual(cmdline.slice(-5, -1), ['--backlog', '77', '--max-children', '5']);
    const wrong = await failure(start({ name: 'epoll', options: { threads: 3 } }), 'EOPTION');
    const { server: of, reason, option, known } = wrong.data;
    assert.deepEqual([wrong.exitCode, of, reason, option], [2, 'epoll', 'option', 'threads']);
    assert.ok(known.includes('backlog'), known.join());
    const spoken = await failure(start({ name: 'epoll', protocol: 'gopher' }), 'EOPTION');
    assert.deepEqual([spoken.data.reason, spoken.data.protocol], ['protocol', 'gopher']);
    const ofCommand = await failure(start({ command: 'true', options: { backlog: 1 } }), 'EOPTION');
    assert.deepEqual([ofCommand.data.reason, ofCommand.data.option], ['option', 'backlog']);
    const unknown = await failure(start({ name: 'epol' }), 'EUNKNOWN');
    assert.equal(unknown.data.server, 'epol');
    assert.ok(unknown.data.known.includes('epoll'));
  });

  it('limits multi-threaded to the five threads of maxChildren', async () => {
    /** @type {string[]} */
    const lines = [];
    const onLine = (/** @type {string} */ _, /** @type {string} */ line) => lines.push(line);
    const server = await start({ name: 'multi-threaded', options: { maxChildren: 5 }, onLine });
    const sockets = await openMany(server, 8);
    await Promise.all(sockets.slice(0, 5).map((socket) => exchange(socket)));
    await until(() => lines.some((line) => /maximum of threads/.test(line)), 'it says so');
    assert.equal(server.usage().threads, 6, 'the acceptor and five more');
    const waiting = sockets.slice(5).map((socket) => exchange(socket));
    destroy(sockets.slice(0, 3));
    await Promise.all(waiting);
    destroy(sockets);
  });

  it('starts the requested number of processes, each with its own descriptors and CPU figures', async () => {
    for (const name of ['epoll', 'select']) {
      const server = await start({ name, options: { backlog: 100, processes: 3 } });
      const { pids } = server;
      assert.equal(pids.length, 4, 'the first, which waits, and three that serve');
      assert.deepEqual(
        pids.slice(1).map((pid) => readProcess(pid)?.parent),
        Array(3).fill(pids[0]),
      );
      const sockets = await openMany(server, 60);
      const busy = pids.slice(1);
      const exchanged = async () => {
        await Promise.all(sockets.map((socket) => exchange(socket, randomBytes(100_000))));
        const { processSeconds } = server.usage();
        return busy.every((pid) => processSeconds[pid] > 0);
      };
      await until(exchanged, 'each of them has used CPU');
      const { cpuSeconds, processes, processSeconds, threads } = server.usage();
      assert.deepEqual([processes, threads], [4, 4]);
      assert.deepEqual(
        Object.keys(processSeconds)
          .map(Number)
          .sort((a, b) => a - b),
        [...pids].sort((a, b) => a - b),
      );
      const sum = Object.values(processSeconds).reduce((total, each) => total + each);
      // of each process in steps of 10 ms, of user and system time each; of the tree to the nanosecond
      const steps = 0.02 * processes;
      assert.ok(Math.abs(sum - cpuSeconds) < steps, `${sum} in all processes, ${cpuSeconds} of the tree`);
      destroy(sockets);
      process.kill(busy[2], 'SIGKILL');
      await until(() => server.usage().processes === 3, 'the end of one');
      const after = server.usage();
      assert.equal(busy[2] in after.processSeconds, false);
      assert.ok(after.cpuSeconds >= cpuSeconds, 'what it used is not forgotten');
      assert.deepEqual(await server.stop(), { code: 0, signal: null, forced: false });
      assert.deepEqual(pids.filter(lives), []);
    }
  });

  it('rejects a number of processes for a server with one process, and treats "auto" as one', async () => {
    for (const [name, processes] of /** @type {const} */ ([
      ['multi-threaded', 'auto'],
      ['multi-threaded', 1],
      ['epoll', 'auto'],
      ['epoll', 1],
    ])) {
      const server = await start({ name, options: { processes } });
      assert.equal(server.pids.length, 1, `${name} with ${processes}`);
      assert.equal(server.usage().processes, 1, `${name} with ${processes}`);
    }
    const two = start({ name: 'multi-threaded', options: { processes: 2 } });
    const { data, exitCode } = await failure(two, 'EOPTION');
    assert.deepEqual([data.server, data.reason, data.value, exitCode], ['multi-threaded', 'processes', 2, 2]);
  });

  it('binds a server and all its processes to CPUs, and reports unavailable ones', async () => {
    const [cpu] = allowedCpus(process.pid).split(/[-,]/);
    const { pids } = await start({ name: 'epoll', options: { processes: 2 }, cpus: cpu });
    assert.deepEqual(pids.map(allowedCpus), [cpu, cpu, cpu]);
    const command = await start({ command: `exec ${ECHO} {port}`, cpus: cpu, env: { A: 'b' } });
    assert.equal(allowedCpus(command.pids[0]), cpu);
    const free = await start({ name: 'epoll', cpus: null });
    assert.equal(allowedCpus(free.pids[0]), allowedCpus(process.pid));
    const { data, exitCode } = await failure(start({ name: 'epoll', cpus: `${cpu},8191` }), 'ECPU');
    assert.equal(data.cpus, `${cpu},8191`);
    assert.match(data.available, /^\d[\d,-]*$/);
    assert.equal(exitCode, 3);
    const wrong = await failure(start({ name: 'epoll', cpus: 'all' }), 'ECPU');
    assert.deepEqual(wrong.data, { cpus: 'all', available: null });
  });

  it('detects by an exchange that a command is ready, and replaces {port}, {host} and {protocol}', async () => {
    /** @type {string[]} */
    const lines = [];
    const server = await start({
      command: `echo to {host} {port} {protocol}; exec ${ECHO} {port}`,
      onLine: (stream, line) => lines.push(`${stream} ${line}`),
    });
    assert.equal(server.ready.by, 'exchange');
    assert.deepEqual(lines, [`stdout to 127.0.0.1 ${server.port} echo`, 'stderr listening']);
    const socket = await open(server);
    await exchange(socket);
    destroy([socket]);
  });

  it("uses the port in a command's ready line", async () => {
    const server = await start({ command: `exec ${ECHO} 0 ready` });
    assert.equal(server.ready.by, 'line');
    await verifyExchange(server);
  });

  it('rejects a host in a ready line other than the requested one', async () => {
    const line = JSON.stringify({ ready: true, host: '192.0.2.1', port: 4711 });
    const { data } = await failure(start({ command: `echo '${line}'; sleep 1000` }), 'ENOTREADY');
    assert.deepEqual([data.reason, data.host, data.expected], ['host', '192.0.2.1', '127.0.0.1']);
  });

  it('passes the environment on', async () => {
    /** @type {string[]} */
    const lines = [];
    const command = `echo "$BROADSIDE_TRIAL" >&2; exec ${ECHO} 0 ready`;
    await start({ command, env: { BROADSIDE_TRIAL: 'seen' }, onLine: (_, line) => lines.push(line) });
    await until(() => lines.includes('seen'), 'the line');
  });

  it('attributes an environment in which no program can start to the server, not to the guard', async () => {
    writeFileSync(join(folder, 'libc.so.6'), 'no library');
    const env = { LD_LIBRARY_PATH: folder };
    const { data } = await failure(start({ name: 'epoll', env }), 'EDIED');
    assert.deepEqual([data.server, data.exitCode], ['epoll', 127]);
    assert.match(data.stderr.join('\n'), /libc\.so\.6/);
  });

  it('reports the stderr of a server that died at the start', async () => {
    const { data, message, exitCode } = await failure(start({ command: 'echo no licence >&2; exit 4' }), 'EDIED');
    assert.deepEqual([data.exitCode, data.signal, data.stderr], [4, null, ['no licence']]);
    assert.ok(message.includes('no licence'), message);
    assert.equal(exitCode, 1);
    assert.equal((await failure(start({ command: 'kill -9 $$' }), 'EDIED')).data.signal, 'SIGKILL');
  });

  it('reports that a command which becomes a daemon must stay in the foreground', async () => {
    const command = `setsid -f sh -c 'echo $$ >${folder}/pid; exec sleep 1000'; while ! [ -s ${folder}/pid ]; do sleep 0.01; done`;
    const { data } = await failure(start({ command }), 'EDIED');
    assert.deepEqual([data.exitCode, data.leftBehind], [0, 1]);
    assert.equal(lives(Number(readFileSync(`${folder}/pid`, 'utf8'))), false);
  });

  it('gives up at once on a server that speaks another protocol, and names it', async () => {
    const program =
      "require('http').createServer((_, reply) => reply.end()).listen(Number(process.argv[1]), '127.0.0.1')";
    const command = `exec node -e "${program}" {port}`;
    const { data } = await failure(start({ command, readyTimeoutMs: 60_000 }), 'ENOTREADY');
    assert.deepEqual([data.reason, data.protocol, data.exchange.spoken], ['protocol', 'http', 'http']);
  });

  it('asks a server that does not answer the exchange in plain text, and names what it speaks', async () => {
    const answer =
      "(socket) => socket.on('error', () => {}).on('data', (bytes) => /^GET /.test(bytes) && socket.end('HTTP/1.0 200 OK\\r\\n\\r\\n'))";
    const program = `require('net').createServer(${answer}).listen(Number(process.argv[1]), '127.0.0.1')`;
    const command = `exec node -e "${program}" {port}`;
    const { data } = await failure(start({ command, readyTimeoutMs: 60_000 }), 'ENOTREADY');
    assert.deepEqual([data.reason, data.protocol, data.exchange.reason], ['protocol', 'http', 'timeout']);
  });

  it('gives up on a server that is never ready, and ends it', async () => {
    const command = `echo warming up >&2; echo $$ >${folder}/pid; exec sleep 1000`;
    const { data } = await failure(start({ command, readyTimeoutMs: 3000 }), 'ENOTREADY');
    assert.deepEqual([data.reason, data.timeoutMs, data.stderr], ['timeout', 3000, ['warming up']]);
    assert.equal(data.exchange.reason, 'not-listening');
    assert.equal(lives(Number(readFileSync(`${folder}/pid`, 'utf8'))), false);
  });

  it('chooses another port when the first was taken meanwhile', async () => {
    const command = `[ -e ${folder}/tried ] || { : >${folder}/tried; echo "bind: Address already in use" >&2; exit 1; }
      exec ${ECHO} {port}`;
    await verifyExchange(await start({ command }));
    const always = start({
      command: 'echo x >>$TRIES; echo EADDRINUSE >&2; exit 1',
      env: { TRIES: `${folder}/tries` },
    });
    await failure(always, 'EDIED');
    assert.equal(readFileSync(`${folder}/tries`, 'utf8'), 'x\n'.repeat(5));
  });

  it('reports how a server ended during a leg', async () => {
    const server = await start({ name: 'epoll' });
    process.kill(server.pids[0], 'SIGKILL');
    assert.deepEqual(await within(server.exited, 'its end'), { code: null, signal: 'SIGKILL' });
    assert.deepEqual(await server.stop(), { code: null, signal: 'SIGKILL', forced: false });
  });

  it('kills a server that ignores SIGTERM, and reports it', async () => {
    const server = await start({ command: `${ECHO} {port} stubborn` });
    const { forced } = await server.stop();
    assert.equal(forced, true);
    assert.equal(lives(server.pids[0]), false);
  });

  /**
   * Another process that starts epoll, in a process group of its own, and writes the signals that it gets.
   * @returns {Promise<{starter: import('node:child_process').ChildProcess, lines: string[], port: number, pid: number,
   *   guard: number}>}
   */
  async function startElsewhere() {
    const script = `const { startServer } = await import(${JSON.stringify(LAUNCHER)});
      for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(name, () => console.log(name));
      const { pids: [pid], port } = await startServer({ name: 'epoll' });
      console.log(JSON.stringify({ pid, port })); setInterval(() => {}, 1000);`;
    const words = ['--input-type=module', '-e', script];
    const starter = spawn(process.execPath, words, {
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
      env: { ...process.env, ...mark },
    });
    starters.push(starter);
    /** @type {string[]} */
    const lines = [];
    starter.stdout.on(
      'data',
      lineSplitter((line) => lines.push(line)),
    );
    await until(() => lines.length > 0, 'the server');
    const { pid, port } = JSON.parse(lines[0]);
    return { starter, lines, port, pid, guard: Number(readProcess(pid)?.parent) };
  }

  it('leaves neither server nor guard behind when it is killed', async () => {
    const { starter, pid, guard } = await startElsewhere();
    assert.deepEqual([lives(pid), lives(guard)], [true, true]);
    starter.kill('SIGKILL');
    await until(() => !lives(pid) && !lives(guard), 'the end of the server and of its guard');
  });

  it('reports when no descriptor is left to start a server', async () => {
    const script = `const { openSync } = await import('node:fs');
      const { startGuarded } = await import(${JSON.stringify(GUARDED)});
      const held = [];
      try { for (;;) held.push(openSync('/dev/null')); } catch {}
      const guarded = startGuarded('/bin/true', ['true'], { onLine() {} });
      console.log(await guarded.started.catch(({ code, data }) => code + ' ' + data.errno));
      console.log(JSON.stringify(await guarded.stop()));`;
    const words = ['-c', 'ulimit -n 64 && exec "$0" --input-type=module -e "$1"', process.execPath, script];
    const { code, stdout, stderr } = await runToEnd(['env', `${MARKER}=${mark[MARKER]}`, '/bin/sh', ...words]);
    assert.deepEqual([code, stderr], [0, '']);
    const [error, ending] = stdout.split('\n');
    assert.equal(error, 'EGUARD EMFILE');
    assert.equal(JSON.parse(ending).forced, false);
  });

  it('protects a server from signals to its process group until it ends the server itself', async () => {
    const { starter, lines, port, pid, guard } = await startElsewhere();
    const group = Number(starter.pid);
    const members = readTree(group).map((each) => [each.pid, groupOf(each.pid)]);
    assert.deepEqual(
      members,
      [
        [group, group],
        [guard, guard],
        [pid, pid],
      ],
      'each is in a group of its own',
    );
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
      process.kill(-group, signal);
      await until(() => lines.includes(signal), `${signal} has come`);
      await verifyExchange({ host: '127.0.0.1', port });
    }
    assert.deepEqual([lives(pid), lives(guard)], [true, true]);
    process.kill(-group, 'SIGKILL');
    await until(() => !lives(pid) && !lives(guard), 'the end of the server and of its guard');
  });

  it('ends what a killed guard has left, and reports it', async () => {
    /** @type {string[]} */
    const lines = [];
    const command = `(echo last words; exec sleep 1000) & echo $! >${folder}/pid
      setsid sh -c 'echo $$ >${folder}/daemon; exec sleep 1000' & ${ECHO} {port}; :`;
    const server = await start({ command, onLine: (_, line) => lines.push(line) });
    const pidIn = (/** @type {string} */ name) => Number(readFileSync(`${folder}/${name}`, 'utf8'));
    await until(() => server.usage().processes === 4, 'a reading that knows them all');
    await until(() => existsSync(`${folder}/daemon`) && pidIn('daemon') > 0, 'the daemon says who it is');
    const left = [pidIn('pid'), pidIn('daemon'), server.pids[0]];
    assert.deepEqual(left.map(lives), [true, true, true]);
    process.kill(Number(readProcess(server.pids[0])?.parent), 'SIGKILL');
    assert.deepEqual(await within(server.exited, 'the end'), { code: null, signal: 'SIGKILL', guardKilled: true });
    assert.deepEqual(left.filter(lives), []);
    assert.deepEqual(await server.stop(), { code: null, signal: 'SIGKILL', guardKilled: true, forced: false });
    assert.ok(lines.includes('last words'));
    await assert.rejects(verifyExchange({ host: '127.0.0.1', port: server.port, protocol: 'echo', timeoutMs: 1000 }));
  });

  it('counts CPU, memory and threads of the whole tree, including ended processes', async () => {
    const spin = `${process.execPath} -e 'let use; do use = process.cpuUsage(); while (use.user + use.system < 3e5);'`;
    const server = await start({ command: `${spin}; (${spin}; ${ECHO} {port}; :)& wait` });
    const { cpuSeconds, processes, threads, rssBytes, waitSeconds, threadSeconds } = server.usage();
    assert.ok(cpuSeconds > 0.4, `two processes that ended used 0.3 s each, counted are ${cpuSeconds}`);
    assert.equal(processes, 3); // two shells and the server
    assert.ok(threads > 3 && rssBytes > 10_000_000);
    assert.ok(waitSeconds !== null && threadSeconds !== null && Object.keys(threadSeconds).length === threads);
    assert.ok((server.usage().contextSwitches?.voluntary ?? 0) > 0);
    const own = watchPid(process.pid).usage();
    assert.ok(own.cpuSeconds > 0 && own.processes > 3);
  });

  it('does not read threads one by one when there are many', async () => {
    const server = await start({ name: 'multi-threaded' });
    const sockets = await openMany(server, 70);
    await Promise.all(sockets.map((socket) => exchange(socket)));
    const { threads, waitSeconds, threadSeconds, contextSwitches, processSeconds } = server.usage();
    assert.deepEqual(
      { threads, waitSeconds, threadSeconds, contextSwitches },
      { threads: 71, waitSeconds: null, threadSeconds: null, contextSwitches: null },
    );
    assert.deepEqual(Object.keys(processSeconds), [String(server.pids[0])], 'that costs one file a process');
    destroy(sockets);
  });
});
