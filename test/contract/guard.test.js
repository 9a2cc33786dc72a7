// The guard: nothing that it has started outlives the process that started it, and it reports how the command ended.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { guardProgram } from '../../servers/launcher/builder/build.js';
import { readProcess } from '../../servers/launcher/process/process-tree.js';
import { within } from './client.js';
import { allowedCpus, lives, until } from './server-process.js';

/** @type {string} */
let guard;
/** @type {string} */
let folder;
/** @type {import('node:child_process').ChildProcess[]} */
let guards = [];

/**
 * @param {string[]} command
 * @returns {{child: import('node:child_process').ChildProcess, lines: () => any[], over: Promise<number | null>}}
 */
function start(command) {
  const child = spawn(guard, command, { stdio: ['pipe', 'ignore', 'pipe', 'pipe'] });
  guards.push(child);
  let report = '';
  /** @type {any} */ (child.stdio[3]).on('data', (/** @type {Buffer} */ bytes) => (report += bytes));
  const lines = () =>
    report
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  return {
    child,
    lines,
    over: within(
      once(child, 'close').then(([code]) => code),
      'the end of the guard',
    ),
  };
}

/** @param {string} script in which $1 is a folder of this test */
const shell = (script) => start(['/bin/sh', '-c', script, 'sh', folder]);

/** @param {string} name of a file in the folder that holds a pid */
async function pidIn(name) {
  const path = join(folder, name);
  await until(() => existsSync(path) && readFileSync(path, 'utf8').endsWith('\n'), `the pid in ${name}`);
  return Number(readFileSync(path, 'utf8'));
}

/**
 * @param {string} title
 * @param {() => string | Promise<string>} program
 * @param {Mocha.SuiteFunction | Mocha.SuiteFunction['sanitized']} [define]
 */
const describeGuard = (title, program, define = describe) =>
  define(title, () => {
    before(async function () {
      this.timeout(60_000);
      guard = await program();
    });
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'broadside-guard-'));
    });
    afterEach(() => {
      for (const child of guards) child.kill('SIGKILL');
      guards = [];
      rmSync(folder, { recursive: true, force: true });
    });

    for (const [script, line, status] of /** @type {const} */ ([
      ['exit 0', { exit: 0, signal: null, forced: false }, 0],
      ['exit 7', { exit: 7, signal: null, forced: false }, 7],
      ['kill -9 $$', { exit: null, signal: 9, forced: false }, 137],
    ])) {
      it(`reports how the command ended: ${script}`, async () => {
        const { lines, over } = shell(script);
        assert.equal(await over, status);
        const [begin, end] = lines();
        assert.ok(begin.pid > 0);
        assert.deepEqual(end, line);
      });
    }

    it('removes its folder with everything that the tree has left in it, but nothing that it links to', async () => {
      const scratch = join(folder, 'scratch');
      const script = 'mkdir -p "$1/a/b"; echo x >"$1/a/b/c"; ln -s "$2" "$1/link"; echo x >"$2/kept"; exit 3';
      const { over } = start(['--scratch', scratch, '/bin/sh', '-c', script, 'sh', scratch, folder]);
      assert.equal(await over, 3);
      assert.deepEqual([existsSync(scratch), existsSync(join(folder, 'kept'))], [false, true]);
    });

    it('reports a command that does not exist', async () => {
      const { child, over, lines } = start(['/nonexistent/server']);
      let stderr = '';
      child.stderr?.on('data', (bytes) => (stderr += bytes));
      assert.equal(await over, 127);
      assert.match(stderr, /\/nonexistent\/server/);
      const { execErrno } = lines().find((line) => 'execErrno' in line) ?? {};
      assert.equal(execErrno, constants.errno.ENOENT);
    });

    it('sets variables for the command only, including the PATH it is looked up in', async () => {
      const variables = ['--env', 'BROADSIDE_TRIAL=a b=c', '--env', `PATH=${folder}:/bin:/usr/bin`];
      const script = '#!/bin/sh\necho "$BROADSIDE_TRIAL" >"$1/said"; echo $$ >"$1/pid"; exec sleep 1000\n';
      writeFileSync(join(folder, 'trial'), script, { mode: 0o755 });
      const { child } = start([...variables, 'trial', folder]);
      await pidIn('pid');
      assert.equal(readFileSync(join(folder, 'said'), 'utf8'), 'a b=c\n');
      assert.doesNotMatch(readFileSync(`/proc/${child.pid}/environ`, 'utf8'), /BROADSIDE_TRIAL/);
    });

    it('binds the command and its children to CPUs, but not itself', async () => {
      const [cpu] = allowedCpus(process.pid).split(/[-,]/);
      const script = 'sleep 1000 & echo $! >"$1/child"; wait';
      const { child, lines, over } = start(['--cpus', cpu, '--env', 'A=1', '/bin/sh', '-c', script, 'sh', folder]);
      const sleeper = await pidIn('child');
      await until(() => lines().length > 0, 'the report of the start'); // it may come after the command's own file
      const pids = [sleeper, lines()[0].pid];
      assert.deepEqual(pids.map(allowedCpus), [cpu, cpu]);
      assert.equal(allowedCpus(Number(child.pid)), allowedCpus(process.pid));
      child.stdin?.end();
      await over;
    });

    for (const [list, isWellFormed] of /** @type {[string, boolean][]} */ ([
      ['8191', true],
      ['0,8191', true],
      ...['', 'x', '0x', '1-', '1-0', '0,,1', '-1', '0 1', '8192', '99999999999999999999'].map((wrong) => [
        wrong,
        false,
      ]),
    ])) {
      it(`starts nothing when it cannot bind to "${list}", and reports the available CPUs`, async () => {
        const { child, over, lines } = start([
          '--cpus',
          String(list),
          '/bin/sh',
          '-c',
          'echo x >"$1/ran"',
          'sh',
          folder,
        ]);
        let stderr = '';
        child.stderr?.on('data', (bytes) => (stderr += bytes));
        assert.equal(await over, 2);
        assert.ok(stderr.startsWith(`guard: --cpus ${list}: `), stderr);
        const [{ cpusAvailable }, ...others] = lines();
        assert.deepEqual(others, []);
        if (isWellFormed) assert.match(cpusAvailable, /^\d+(-\d+)?(,\d+(-\d+)?)*$/);
        else assert.equal(cpusAvailable, null);
        assert.equal(existsSync(join(folder, 'ran')), false);
      });
    }

    for (const words of [
      [],
      ['--env'],
      ['--env', 'A=1'],
      ['--cpus'],
      ['--cpus', '0'],
      ['--cpus', '0', '--env', 'A=1'],
    ]) {
      it(`requires a command: guard ${words.join(' ')}`, async () => assert.equal(await start(words).over, 2));
    }

    it('gives the command its own session', async () => {
      const { child, lines } = shell('echo $$ >"$1/pid"; exec sleep 1000');
      const pid = await pidIn('pid');
      await until(() => lines().length > 0, 'the report of the start'); // it may come after the command's own file
      assert.equal(lines()[0].pid, pid);
      const session = (/** @type {number} */ of) =>
        readFileSync(`/proc/${of}/stat`, 'utf8').split(') ')[1].split(' ')[3];
      assert.equal(session(pid), String(pid));
      assert.notEqual(session(Number(child.pid)), String(pid));
    });

    for (const [how, end] of /** @type {const} */ ([
      ['its stdin closes', (/** @type {any} */ child) => child.stdin.end()],
      ['SIGTERM comes', (/** @type {any} */ child) => child.kill('SIGTERM')],
    ])) {
      it(`ends the whole tree, including daemons, when ${how}`, async () => {
        const { child, lines, over } = shell(`
        (setsid sh -c 'echo $$ >"$0/daemon"; exec sleep 1000' "$1" &)
        sh -c 'echo $$ >"$0/child"; sleep 1000; :' "$1" &
        echo $$ >"$1/main"; wait`);
        const pids = await Promise.all(['daemon', 'child', 'main'].map(pidIn));
        await until(() => readProcess(pids[0])?.parent === child.pid, 'the guard inherits the daemon');
        end(child);
        await over;
        assert.deepEqual(pids.filter(lives), []);
        assert.equal(lines().at(-1).forced, false);
      });
    }

    it('gives the command as long to end after SIGTERM as the contract promises before it sends SIGKILL', async () => {
      const contract = readFileSync(new URL('../../servers/README.md', import.meta.url), 'utf8');
      const promised = /^3\. \*\*End\.\*\*.*(?:\n {3}.*)*?(\d+) seconds/m.exec(contract)?.[1];
      const startedMs = performance.now();
      const { child, over } = shell('trap "" TERM; echo $$ >"$1/pid"; while :; do sleep 0.05; done');
      await pidIn('pid');
      child.stdin?.end();
      assert.equal(await over, 137);
      const took = performance.now() - startedMs;
      assert.equal(promised, '2', 'servers/README.md');
      assert.ok(took >= 2000, `killed after ${took} ms`);
    });

    it('does not kill a command that ends within the grace time', async () => {
      const { child, over, lines } = shell(`trap 'sleep 1.2; exit 0' TERM; echo $$ >"$1/pid"
      while :; do sleep 0.05; done`);
      await pidIn('pid');
      child.stdin?.end();
      assert.equal(await over, 0);
      assert.deepEqual(lines().at(-1), { exit: 0, signal: null, forced: false });
    });

    it('kills a command that ignores SIGTERM', async () => {
      const { child, lines, over } = shell('trap "" TERM; echo $$ >"$1/pid"; while :; do sleep 0.05; done');
      const pid = await pidIn('pid');
      child.stdin?.end();
      assert.equal(await over, 137);
      assert.equal(lives(pid), false);
      assert.deepEqual(lines().at(-1), { exit: null, signal: 9, forced: true });
    });

    it('ignores SIGINT and SIGHUP, which the command does not inherit', async () => {
      const { child, over, lines } = shell('echo $$ >"$1/pid"; exec sleep 1000');
      const pid = await pidIn('pid');
      child.kill('SIGINT');
      child.kill('SIGHUP');
      await until(
        () => /SigPnd:\t0+\nShdPnd:\t0+\n/.test(readFileSync(`/proc/${child.pid}/status`, 'utf8')),
        'delivery',
      );
      assert.equal(lives(pid), true);
      process.kill(pid, 'SIGINT');
      assert.equal(await over, 130);
      assert.equal(lines().at(-1).signal, 2);
    });

    it('ends processes that the command leaves behind', async () => {
      const { over, lines } = shell(`(setsid sh -c 'echo $$ >"$0/daemon"; exec sleep 1000' "$1" &)
      while ! [ -s "$1/daemon" ]; do sleep 0.01; done; exit 3`);
      assert.equal(await over, 3);
      assert.equal(lives(await pidIn('daemon')), false);
      assert.deepEqual(lines().at(-1), { exit: 3, signal: null, forced: false, left: 1 });
    });

    it('ends the command when it is killed itself', async () => {
      const { child, over } = shell('echo $$ >"$1/pid"; exec sleep 1000');
      const pid = await pidIn('pid');
      child.kill('SIGKILL');
      await over;
      await until(() => !lives(pid), 'the end of the command');
    });

    it('ends the tree when its parent was killed', async () => {
      const script = `require('node:child_process').spawn(process.argv[1], process.argv.slice(2), {
      stdio: ['pipe', 'ignore', 'ignore'] }); setInterval(() => {}, 1000);`;
      const command = ['/bin/sh', '-c', 'echo $$ >"$1/pid"; exec sleep 1000', 'sh', folder];
      const starter = spawn(process.execPath, ['-e', script, guard, ...command], { stdio: 'ignore' });
      const pid = await pidIn('pid');
      const guardPid = Number(readProcess(pid)?.parent);
      starter.kill('SIGKILL');
      await until(() => !lives(pid), 'the end of the command');
      await until(() => !lives(guardPid), 'the end of the guard');
    });
  });

describeGuard('the guard', () => guardProgram());

function sanitizedGuard() {
  const source = fileURLToPath(new URL('../../servers/launcher/process', import.meta.url));
  const words = ['-C', source, 'guard', 'SANITIZE=address,undefined', 'OUT=build/address', 'STRICT=1'];
  const { status, stderr } = spawnSync('make', words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return join(source, 'build/address/guard');
}

describeGuard('the guard under address,undefined', sanitizedGuard, describe.sanitized);
