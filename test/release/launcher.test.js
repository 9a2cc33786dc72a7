// The launcher: its counts of processes, CPU and threads, and commands that go wrong in other
// ways than those of ../contract/launcher.test.js.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { watchPid } from '../../servers/launcher/index.js';
import { verifyExchange } from '../fixtures/one-exchange.js';
import { readProcess } from '../../servers/launcher/process/process-tree.js';
import { destroy, exchange, openMany, within } from '../contract/client.js';
import { failure, lives, runToEnd, until } from '../contract/server-process.js';
import { ECHO, launching } from '../contract/launching.js';
import { MARKER } from '../fixtures/e2e-processes.js';
import { usageOf } from '../fixtures/known-usage.js';

const GUARDED = new URL('../../servers/launcher/process/guarded.js', import.meta.url).href;

describe('the launcher', () => {
  const box = launching();
  const { mark, start } = box;

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
        const { processSeconds } = usageOf(server);
        return busy.every((pid) => processSeconds[pid] > 0);
      };
      await until(exchanged, 'each of them has used CPU');
      const { cpuSeconds, processes, processSeconds, threads } = usageOf(server);
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
      await until(() => usageOf(server).processes === 3, 'the end of one');
      const after = usageOf(server);
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
      assert.equal(usageOf(server).processes, 1, `${name} with ${processes}`);
    }
    const two = start({ name: 'multi-threaded', options: { processes: 2 } });
    const { data, exitCode } = await failure(two, 'EOPTION');
    assert.deepEqual([data.server, data.reason, data.value, exitCode], ['multi-threaded', 'processes', 2, 2]);
  });

  it('rejects a host in a ready line other than the requested one', async () => {
    const line = JSON.stringify({ ready: true, host: '192.0.2.1', port: 4711 });
    const { data } = await failure(start({ command: `echo '${line}'; sleep 1000` }), 'ENOTREADY');
    assert.deepEqual([data.reason, data.host, data.expected], ['host', '192.0.2.1', '127.0.0.1']);
  });

  it('attributes an environment in which no program can start to the server, not to the guard', async () => {
    writeFileSync(join(box.folder, 'libc.so.6'), 'no library');
    const env = { LD_LIBRARY_PATH: box.folder };
    const { data } = await failure(start({ name: 'epoll', env }), 'EDIED');
    assert.deepEqual([data.server, data.exitCode], ['epoll', 127]);
    assert.match(data.stderr.join('\n'), /libc\.so\.6/);
  });

  it('reports that a command which becomes a daemon must stay in the foreground', async () => {
    const command = `setsid -f sh -c 'echo $$ >${box.folder}/pid; exec sleep 1000'; while ! [ -s ${box.folder}/pid ]; do sleep 0.01; done`;
    const { data } = await failure(start({ command }), 'EDIED');
    assert.deepEqual([data.exitCode, data.leftBehind], [0, 1]);
    assert.equal(lives(Number(readFileSync(`${box.folder}/pid`, 'utf8'))), false);
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

  it('ends what a killed guard has left, and reports it', async () => {
    /** @type {string[]} */
    const lines = [];
    const command = `(echo last words; exec sleep 1000) & echo $! >${box.folder}/pid
      setsid sh -c 'echo $$ >${box.folder}/daemon; exec sleep 1000' & ${ECHO} {port}; :`;
    const server = await start({ command, onLine: (_, line) => lines.push(line) });
    const pidIn = (/** @type {string} */ name) => Number(readFileSync(`${box.folder}/${name}`, 'utf8'));
    await until(() => usageOf(server).processes === 4, 'a reading that knows them all');
    await until(() => existsSync(`${box.folder}/daemon`) && pidIn('daemon') > 0, 'the daemon says who it is');
    const left = [pidIn('pid'), pidIn('daemon'), server.pids[0]];
    assert.deepEqual(left.map(lives), [true, true, true]);
    process.kill(Number(readProcess(server.pids[0])?.parent), 'SIGKILL');
    assert.deepEqual(await within(server.exited, 'the end'), { code: null, signal: 'SIGKILL', guardKilled: true });
    assert.deepEqual(left.filter(lives), []);
    assert.deepEqual(await server.stop(), { code: null, signal: 'SIGKILL', guardKilled: true, forced: false });
    assert.ok(lines.includes('last words'));
    await assert.rejects(verifyExchange({ host: '127.0.0.1', port: server.port }));
  });

  it('counts CPU, memory and threads of the whole tree, including ended processes', async () => {
    const spin = `${process.execPath} -e 'let use; do use = process.cpuUsage(); while (use.user + use.system < 3e5);'`;
    const server = await start({ command: `${spin}; (${spin}; ${ECHO} {port}; :)& wait` });
    const { cpuSeconds, processes, threads, rssBytes, waitSeconds, threadSeconds } = usageOf(server);
    assert.ok(cpuSeconds > 0.4, `two processes that ended used 0.3 s each, counted are ${cpuSeconds}`);
    assert.equal(processes, 3); // two shells and the server
    assert.ok(threads > 3 && rssBytes > 10_000_000);
    assert.ok(waitSeconds !== null && threadSeconds !== null && Object.keys(threadSeconds).length === threads);
    assert.ok((usageOf(server).contextSwitches?.voluntary ?? 0) > 0);
    const own = usageOf(watchPid(process.pid));
    assert.ok(own.cpuSeconds > 0 && own.processes > 3);
  });

  it('does not read threads one by one when there are many', async () => {
    const server = await start({ name: 'multi-threaded' });
    const sockets = await openMany(server, 70);
    await Promise.all(sockets.map((socket) => exchange(socket)));
    const { threads, waitSeconds, threadSeconds, contextSwitches, processSeconds } = usageOf(server);
    assert.deepEqual(
      { threads, waitSeconds, threadSeconds, contextSwitches },
      { threads: 71, waitSeconds: null, threadSeconds: null, contextSwitches: null },
    );
    assert.deepEqual(Object.keys(processSeconds), [String(server.pids[0])], 'that costs one file a process');
    destroy(sockets);
  });
});
