// The launcher: starts servers and commands, reports why one cannot be started, and leaves nothing behind.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { verifyExchange } from '../fixtures/one-exchange.js';
import { lineSplitter } from '../../servers/launcher/process/lines.js';
import { readProcess, readTree } from '../../servers/launcher/process/process-tree.js';
import { destroy, exchange, open } from './client.js';
import { allowedCpus, failure, lives, until } from './server-process.js';
import { ECHO, launching } from './launching.js';

/** @import { ChildProcess } from 'node:child_process' */

const LAUNCHER = new URL('../../servers/launcher/index.js', import.meta.url).href;

/** @param {number} pid */
const groupOf = (pid) => Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')[2]);

describe('the launcher', () => {
  const box = launching();
  const { mark, start } = box;

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

  it('detects by a connection that a command is ready, and replaces {port}, {host} and {protocol}', async () => {
    /** @type {string[]} */
    const lines = [];
    const server = await start({
      command: `echo to {host} {port} {protocol}; exec ${ECHO} {port}`,
      onLine: (stream, line) => lines.push(`${stream} ${line}`),
    });
    assert.equal(server.ready.by, 'connection');
    const socket = await open(server);
    await exchange(socket);
    destroy([socket]);
    await server.stop();
    assert.deepEqual(lines.sort(), ['stderr listening', `stdout to 127.0.0.1 ${server.port} echo`]);
  });

  it('reports the stderr of a server that died at the start', async () => {
    const { data, message, exitCode } = await failure(start({ command: 'echo no licence >&2; exit 4' }), 'EDIED');
    assert.deepEqual([data.exitCode, data.signal, data.stderr], [4, null, ['no licence']]);
    assert.ok(message.includes('no licence'), message);
    assert.equal(exitCode, 1);
    assert.equal((await failure(start({ command: 'kill -9 $$' }), 'EDIED')).data.signal, 'SIGKILL');
  });

  it('gives up on a server that is never ready, and ends it', async () => {
    const command = `echo warming up >&2; echo $$ >${box.folder}/pid; exec sleep 1000`;
    const { data } = await failure(start({ command, readyTimeoutMs: 3000 }), 'ENOTREADY');
    assert.deepEqual([data.reason, data.timeoutMs, data.stderr], ['timeout', 3000, ['warming up']]);
    assert.equal(lives(Number(readFileSync(`${box.folder}/pid`, 'utf8'))), false);
  });

  it('chooses another port when the first was taken meanwhile', async () => {
    const command = `[ -e ${box.folder}/tried ] || { : >${box.folder}/tried; echo "bind: Address already in use" >&2; exit 1; }
      exec ${ECHO} {port}`;
    const { host, port } = await start({ command });
    await verifyExchange({ host, port });
    const always = start({
      command: 'echo x >>$TRIES; echo EADDRINUSE >&2; exit 1',
      env: { TRIES: `${box.folder}/tries` },
    });
    await failure(always, 'EDIED');
    assert.equal(readFileSync(`${box.folder}/tries`, 'utf8'), 'x\n'.repeat(5));
  });

  /**
   * Another process that starts epoll, in a process group of its own, and writes the signals that it gets.
   * @returns {Promise<{starter: ChildProcess, lines: string[], port: number, pid: number,
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
    box.starters.push(starter);
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
});
