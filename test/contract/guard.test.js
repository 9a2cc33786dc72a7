// The guard: nothing that it has started outlives the process that started it, and it reports how the command ended.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { guardProgram } from '../../servers/launcher/builder/build.js';
import { readProcess } from '../../servers/launcher/process/process-tree.js';
import { endOf } from '../fixtures/ended-child.js';
import { within } from './client.js';
import { lives, until } from './server-process.js';

/** @import { ChildProcess } from 'node:child_process' */

/** @type {string} */
let guard;
/** @type {string} */
let folder;
/** @type {ChildProcess[]} */
let guards = [];

/**
 * @param {string[]} command
 * @returns {{child: ChildProcess, lines: () => any[], over: Promise<number | null>}}
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

    it('does not kill a command that ends within the grace time', async () => {
      const { child, over, lines } = shell(`trap 'sleep 0.3; exit 0' TERM; echo $$ >"$1/pid"
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

async function sanitizedGuard() {
  const source = fileURLToPath(new URL('../../servers/launcher/process', import.meta.url));
  const words = ['-C', source, 'guard', 'SANITIZE=address,undefined', 'OUT=build/address', 'STRICT=1'];
  const { status, stderr } = await endOf('make', words);
  if (status !== 0) throw new Error(stderr);
  return join(source, 'build/address/guard');
}

describeGuard('the guard under address,undefined', sanitizedGuard, describe.sanitized);
