// Follows "Add a server in ten minutes" of servers/README.md literally in a separate checkout: its code in a folder,
// its commands one after another.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { verifyExchange } from '../fixtures/one-exchange.js';
import { readTree } from '../../servers/launcher/process/process-tree.js';
import { block, writeExample } from '../contract/readme-example.js';
import { lives, runToEnd, until } from '../contract/server-process.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** @param {string} folder in which a checkout without servers is made */
function checkOut(folder) {
  for (const part of ['client', 'config', 'report', 'package.json', 'package-lock.json', '.npmrc']) {
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  }
  for (const part of ['launcher', 'conformance']) {
    cpSync(join(ROOT, 'servers', part), join(folder, 'servers', part), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
}

describe('a contributed server', function () {
  this.timeout(240_000);
  /** @type {string} */
  let folder;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'broadside-contributed-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is verified in a checkout without test/', async () => {
    checkOut(folder);
    const echo = join(ROOT, 'test', 'fixtures', 'echo-command.js');
    const subject = `${process.execPath} ${echo} {port}`;
    const cli = [process.execPath, join(folder, 'client', 'cli.js'), 'servers', 'verify'];
    const { code, stdout, stderr } = await runToEnd([...cli, subject, '--only', '^(split-)?vectors$', '--json']);
    assert.equal(code, 0, stdout + stderr);
    assert.deepEqual(
      JSON.parse(stdout).checks.map((/** @type {any} */ check) => [check.id, check.ok]),
      [
        ['vectors', true],
        ['split-vectors', true],
      ],
    );
  });

  it('in Python, with a manifest, passes every check', async () => {
    checkOut(folder);
    const mine = join(folder, 'servers', 'my-asyncio');
    mkdirSync(join(mine, 'manifests'), { recursive: true });
    writeFileSync(join(mine, 'server.py'), block('python'));
    writeFileSync(join(mine, 'manifests', 'my-asyncio.json'), block('json'));
    const cli = [process.execPath, join(folder, 'client', 'cli.js'), 'servers', 'verify', 'my-asyncio'];
    const { code, stdout, stderr } = await runToEnd(cli);
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, /\n20 checks in .* s: 20 ok, 0 failed, 0 skipped\n$/);
  });

  it('is listed, built, started, ended, verified and measured by the commands of the README', async () => {
    checkOut(folder);
    writeExample(join(folder, 'servers', 'mine'));
    const commands = block('sh')
      .trim()
      .split('\n')
      .map((line) => line.replace(/ +#.*/, ''));
    assert.deepEqual(
      commands.map((line) => /^npm run (servers -- \w+|\w+)/.exec(line)?.[1]),
      ['servers', 'servers -- build', 'servers -- start', 'servers -- verify', 'stress'],
    );
    const [list, make, start, verify, stress] = commands.map((line) => line.replace('npm run', 'npm run -s'));
    /** @param {string} line */
    const outcome = (line) => runToEnd(['/bin/sh', '-c', `cd ${folder} && exec ${line}`]);

    const listed = await outcome(list);
    assert.equal(listed.code, 0, listed.stderr);
    assert.match(listed.stdout, /^ mine +contributed +see its folder +volley +\? +yes$/m);
    const built = await outcome(make);
    assert.match(built.stdout, /^mine +built, /, built.stderr);
    assert.match((await outcome(make)).stdout, /^mine +up to date\n$/);

    // A group of its own, as a terminal's shell gives it one: Ctrl+C reaches all of it.
    const words = ['-c', `cd ${folder} && exec ${start}`];
    const server = spawn('/bin/sh', words, { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
    const group = Number(server.pid);
    const ended = once(server, 'exit');
    let said = '';
    server.stdout.on('data', (text) => (said += text));
    try {
      await until(() => said.includes('\n'), 'it says where it listens', 60_000);
      const [, port, pid] = /^mine listens on 127\.0\.0\.1:(\d+) \(volley\), process (\d+)/.exec(said) ?? [];
      await verifyExchange({ host: '127.0.0.1', port: Number(port), protocol: 'volley' });
      process.kill(-group, 'SIGINT');
      await ended;
      await until(() => readTree(group).length === 0 && !lives(Number(pid)), 'the end of all that it started');
    } finally {
      server.kill('SIGKILL');
    }

    const verified = await outcome(verify);
    assert.equal(verified.code, 0, verified.stdout + verified.stderr);
    assert.match(verified.stdout, /\n\d+ checks in .* s: 1\d ok, 0 failed, \d+ skipped\n$/);
    const measured = await outcome(`${stress} --json --logs ${folder}/logs --report ${folder}/page`);
    assert.equal(measured.code, 0, measured.stderr);
    const {
      legs: [leg],
    } = JSON.parse(measured.stdout);
    assert.deepEqual([leg.server, leg.complete, leg.connections.peakOpen], ['mine', true, 100]);
    assert.ok(leg.transfers.count > 100 && leg.errors.total === 0);
  });
});
