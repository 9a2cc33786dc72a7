// The guarantees of the command line: exit codes, what goes to stdout, and that a usage error starts nothing and leaves
// nothing behind.

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codesOf, mistakesOf } from '../fixtures/codes.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { CLI, ROOT, sandbox, withoutForeign } from '../fixtures/e2e-run.js';
import { gitIn } from '../fixtures/git.js';
import { requireTool } from '../skip.js';

/** @import { Run } from '../fixtures/e2e-run.js' */

describe('the command line', function () {
  this.timeout(120_000);
  const box = sandbox({ servers: ['epoll'], workers: 1 });
  const doctor = [process.execPath, CLI, 'doctor'];

  /** @param {Run} run */
  const assertNothingWritten = (run) =>
    assert.deepEqual([existsSync(run.logs), existsSync(run.report)], [false, false]);

  it('with --json prints summary.json and nothing else', async () => {
    const run = box.stress({ transfers: 500, duration: '60s' }, ['--json']);
    await run.endsWith(0);
    const said = JSON.parse(run.stdout);
    assert.deepEqual({ ...said, legs: said.legs.map(withoutForeign) }, run.summary());
    assert.equal(run.stderr, '');
    await assertBooks(run);
  });

  it('with --dry-run prints the plan, starts nothing and writes nothing', async () => {
    const run = box.stress({}, ['--dry-run', '--json']);
    await run.endsWith(0);
    const { legs } = JSON.parse(run.stdout).plan;
    assert.deepEqual(
      legs.map((/** @type {any} */ { label }) => label),
      ['epoll'],
    );
    assertNothingWritten(run);
  });

  it('with --base measures the command of broadside.json at a revision, and in the working tree', async function () {
    requireTool(this, 'git');
    const top = join(box.folder, 'repository');
    const git = (/** @type {string[]} */ ...args) => gitIn(top, ...args);
    mkdirSync(top);
    writeFileSync(join(top, 'version'), 'one');
    git('init', '--quiet');
    git('add', '.');
    git('commit', '--quiet', '--message', 'one');
    writeFileSync(join(top, 'version'), 'two');
    const started = join(top, 'started');
    const server = join(ROOT, 'test/fixtures/echo-command.js');
    // npm runs the command in the folder of Broadside; all paths are of the folder in which it was typed
    const command = `printf '%s%s ' "$(cat version)" "$GIT_DIR" >> '${started}'; exec node '${server}' {port} ready`;
    const load = { command, protocol: 'echo', connections: 8, transfers: 500, duration: '60s', interleave: 'off' };
    writeFileSync(join(top, 'broadside.json'), `{ // as it is measured\n${JSON.stringify(load).slice(1)}`);
    const options = ['--json', '--base', 'HEAD', '--build', 'cp version built; cat built >&2'];
    const ofHook = { GIT_DIR: join(top, '.git'), GIT_INDEX_FILE: join(top, '.git/index') };
    const env = {
      npm_package_name: 'broadside',
      npm_lifecycle_event: 'stress',
      INIT_CWD: top,
      XDG_CACHE_HOME: join(box.folder, 'cache'),
      ...ofHook,
    };
    const state = () => ['config', 'index', 'HEAD'].map((name) => readFileSync(join(top, '.git', name), 'hex'));
    const before = state();
    const place = { logs: join(top, '.broadside/logs'), report: join(top, '.broadside/report') };
    const run = box.start([process.execPath, CLI, 'stress', ...options], { env, ...place });
    await run.endsWith(0);
    const environment = JSON.parse(readFileSync(join(run.folder ?? '', 'environment.json'), 'utf8'));
    assert.notEqual(environment.commit?.slice(0, 40), git('rev-parse', 'HEAD'), 'it is that of Broadside');
    assert.deepEqual(state(), before, 'the repository that a hook runs in is as it was');
    assert.equal(
      git('status', '--porcelain', '--', '.broadside'),
      '',
      'the next run does not count the folder as changed',
    );
    const legs = run.summary().legs.map((/** @type {any} */ { label, transfers }) => [label, transfers.count]);
    assert.deepEqual(legs, [
      ['base', 500],
      ['head', 500],
    ]);
    assert.equal(readFileSync(started, 'utf8'), 'one two ');
    assert.equal(JSON.parse(run.stdout).run, run.summary().run);
    assert.equal(run.stderr.trim().split('\n').length, 4, run.story());

    const without = await box.refused({}, ['--base', 'HEAD']);
    assert.deepEqual(mistakesOf(without), ['command base-without-command']);
  });

  it('with a mistake ends with exit code 2 and a line on stderr, and leaves nothing behind', async () => {
    const run = box.stress({}, ['--json', '--conections', '5']);
    await run.endsWith(2);
    assert.deepEqual(mistakesOf(run.failure()), ['--conections unknown-option -> --connections']);
    assert.deepEqual([run.stderr.trim().split('\n').length, run.stdout], [1, '']);
    assertNothingWritten(run);
  });

  it('whose output cannot be written ends with exit code 1', async () => {
    const full = ['/bin/sh', '-c', 'exec "$0" "$@" >/dev/full'];
    const run = box.start([...full, process.execPath, CLI, 'servers', '--json']);
    await run.endsWith(1);
    const { code, data } = run.failure();
    assert.deepEqual([code, data], ['EOUTPUT', { errno: 'ENOSPC' }]);
  });

  it('doctor says with exit code 0 that the run is possible, starts nothing and writes nothing', async () => {
    const run = box.stress({ servers: ['epoll', 'multi-threaded'] }, ['--json'], { program: doctor });
    await run.endsWith(0);
    const { can, requested, limits } = JSON.parse(run.stdout);
    assert.deepEqual([can, requested.connections, run.stderr], [true, 100, '']);
    const names = codesOf(limits);
    for (const code of ['worker-descriptors', 'local-ports']) assert.ok(names.includes(code), String(names));
    assertNothingWritten(run);
  });

  it('ends with exit code 3 before anything starts if this machine cannot run it', async () => {
    const { code, data, exitCode } = await box.refused({ connections: 70_000, workers: 8, sources: ['127.0.0.1'] });
    assert.equal(exitCode, 3);
    assert.equal(code, 'ELIMIT');
    const ports = data.limits.find((/** @type {any} */ limit) => limit.code === 'local-ports');
    assert.deepEqual([ports.side, ports.exceeded, ports.needed], ['client', true, 70_000]);
    assert.ok(ports.available >= data.possible.connections && data.possible.connections > 0, JSON.stringify(data));
  });
});
