// The guarantees of the command line: exit codes, what goes to stdout, and that a usage error starts nothing and leaves
// nothing behind.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mistakesOf } from '../fixtures/codes.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { CLI, sandbox, withoutForeign } from '../fixtures/e2e-run.js';
import { asRootOnly, mountTmpfs } from '../fixtures/e2e-tmpfs.js';
import { refused } from '../fixtures/refused.js';

describe('the command line', function () {
  this.timeout(120_000);
  const box = sandbox({ workers: 1 });

  it('with --json prints summary.json and nothing else', async () => {
    const run = box.stress({ servers: ['epoll'], duration: '300ms' }, ['--json']);
    await run.endsWith(0);
    const said = JSON.parse(run.stdout);
    assert.deepEqual({ ...said, legs: said.legs.map(withoutForeign) }, run.summary());
    assert.equal(run.stderr, '');
    await assertBooks(run);
  });

  it.slow('with --quiet prints the table at the end and nothing else', async () => {
    const run = box.stress({ servers: ['epoll'], duration: '300ms' }, ['--quiet']);
    await run.endsWith(0);
    assert.match(run.stdout, /^\n +epoll\n ended +as planned\n[^]*\n\nlogs {4}.*\nreport {2}\/.*\.html\n$/);
    assert.doesNotMatch(run.stdout, /steady|connections · /);
    assert.equal(run.stderr, '');
  });

  it('with --dry-run prints the plan, starts nothing and writes nothing', async () => {
    const [text, json] = [[], ['--json']].map((flags) => box.stress({ servers: ['epoll'] }, ['--dry-run', ...flags]));
    await Promise.all([text.endsWith(0), json.endsWith(0)]);
    assert.match(text.stdout, /server epoll/);
    assert.deepEqual(
      JSON.parse(json.stdout).plan.legs.map((/** @type {any} */ { label }) => label),
      ['epoll'],
    );
    for (const run of [text, json]) assert.deepEqual([existsSync(run.logs), existsSync(run.report)], [false, false]);
  });

  it('prints a line each second, without control codes in a pipe', async () => {
    const run = box.stress({ servers: ['epoll'], duration: '2s' }, [], { env: { COLUMNS: '200' } });
    await run.endsWith(0);
    // eslint-disable-next-line no-control-regex
    assert.doesNotMatch(run.stdout + run.stderr, /[\x00-\x09\x0b-\x1f\x7f\x9b]/);
    const lines = run.stdout.split('\n').filter((line) => / (ramp|steady|drain) /.test(line));
    assert.ok(lines.length >= 3, run.stdout);
    assert.match(
      lines[1],
      /^ +\d+:\d\d +epoll +steady +0 +100 +100 +0 +[\d.,]+k? +[\d.]+( +[\d.]+ [mµn]?s){2}( +0){3} /,
    );
    const names =
      /time leg phase connecting open requested unanswered \/s MB\/s p50 p99 back-off rejects errors client server/;
    assert.match(run.stdout.replaceAll(/ +/g, ' '), names);
  });

  /** @type {[string, string[], string[]][]} */
  const mistakes = [
    ['an unknown flag', ['--conections', '5'], ['--conections unknown-option -> --connections']],
    ['a value out of range', ['--connections', '0'], ['connections wrong-value']],
    ['a flag without its value', ['--duration'], ['--duration missing-value']],
    ['an unknown server', ['--servers', 'epol'], ['servers unknown-server -> epoll']],
    ['two scenarios', ['--scenario', 'smoke'], ['ETWICE config']],
  ];
  it('reports usage errors in one line with exit code 2, and leaves nothing behind', async () => {
    for (const [what, flags, expected] of mistakes) {
      assert.deepEqual(mistakesOf(await box.refused({ servers: ['epoll'] }, flags)), expected, what);
    }
    const [[, flags, expected]] = mistakes;
    const run = box.stress({ servers: ['epoll'] }, ['--json', ...flags]);
    await run.endsWith(2);
    assert.deepEqual(mistakesOf(run.failure()), expected);
    assert.deepEqual([run.stderr.trim().split('\n').length, run.stdout], [1, '']);
    assert.deepEqual([existsSync(run.logs), existsSync(run.report)], [false, false]);
  });

  it('reports that the process to watch does not exist', async () => {
    const { code, data, exitCode } = await box.refused({ target: '127.0.0.1:9' }, ['--serverPid', '4194000']);
    assert.deepEqual([code, data, exitCode], ['EPID', { serverPid: 4194000 }, 2]);
  });

  it('refuses a public target unless it is allowed', async () => {
    const target = { target: '8.8.8.8:80', servers: undefined };
    const { code, data, exitCode } = await box.refused(target);
    assert.deepEqual([code, data, exitCode], ['EPUBLICTARGET', { host: '8.8.8.8', address: '8.8.8.8' }, 2]);
    await box.stress(target, ['--allowPublicTarget', '--dry-run']).endsWith(0);
  });

  it('shows the position and the value of a mistake in a scenario', async () => {
    const scenario = { servers: ['epoll'], ramp: { add: 'ten', evry: '1s' } };
    const run = box.stress(scenario);
    await run.endsWith(2);
    const failure = await box.refused(scenario);
    assert.deepEqual(mistakesOf(failure), ['ramp.evry unknown-key -> every', 'ramp.add wrong-value']);
    assert.equal(failure.data.mistakes[1].data.value, 'ten');
    const lines = failure.data.mistakes.map((/** @type {any} */ { text }) => `broadside: ${text}\n`);
    assert.equal(run.stderr, lines.join('').replaceAll(/refused-\w+\//g, ''), 'as for people');
    assert.equal(lines.length, run.stderr.split('test-0.json').length - 1, 'each names the file');
    const broken = join(box.folder, 'broken.json');
    writeFileSync(broken, '{ "connections": 5, }');
    for (const config of [broken, 'nowhere']) {
      const { code, data, exitCode } = await refused(['stress', '--config', config]);
      assert.deepEqual(
        [code, data.file ?? data.config, exitCode],
        [config === broken ? 'EJSON' : 'ECONFIG', config, 2],
      );
    }
  });

  it('explains a missing leg on stderr, when stdout has only results', async () => {
    for (const flag of ['--quiet', '--json']) {
      const run = box.stress({ servers: undefined, command: 'echo {port} no such luck >&2; exit 3' }, [flag]);
      await run.endsWith(1);
      const { endedBy, legs } = run.summary();
      const [{ id, failure }] = legs;
      assert.deepEqual(
        [endedBy, failure.data.errorCode, failure.data.errorData.exitCode],
        ['server-start', 'EDIED', 3],
      );
      if (flag === '--quiet') assert.equal(run.stderr, `broadside: echo: ${failure.text}\n`);
      else assert.deepEqual(run.failure(), { leg: id, ...failure });
    }
  });

  it('ends with exit code 3 before anything starts if the machine cannot run it', async () => {
    const file = join(box.folder, 'file');
    writeFileSync(file, '');
    const runs = [
      box.stress({ servers: ['epoll'], connections: 70_000, workers: 8, sources: ['127.0.0.1'] }, ['--json']),
      box.stress({ servers: ['epoll'] }, ['--json'], { logs: join(file, 'logs') }),
    ];
    await Promise.all(runs.map((run) => run.endsWith(3)));
    const { code, data, exitCode } = runs[0].failure();
    assert.deepEqual([code, exitCode], ['ELIMIT', 3]);
    const ports = data.limits.find((/** @type {any} */ limit) => limit.code === 'local-ports');
    assert.equal(ports.needed, 70_000);
    assert.ok(ports.available >= data.possible.connections && data.possible.connections > 0, JSON.stringify(data));
    assert.equal(existsSync(runs[0].logs), false);
    const folder = runs[1].failure();
    assert.deepEqual([folder.code, folder.data.option, folder.data.errno], ['EFOLDER', 'logs', 'ENOTDIR']);
  });

  it.slow('ends with exit code 3 and one line if too few descriptors are available to start', async () => {
    const count = "console.log(require('node:fs').readdirSync('/proc/self/fd').length)";
    const own = Number(execFileSync(process.execPath, ['-e', count], { stdio: ['ignore', 'pipe', 'inherit'] }));
    const script = `ulimit -n ${own + 8} && exec "$0" "$@"`;
    const [text, json] = [[], ['--json']].map((flags) =>
      box.stress({ servers: ['epoll'] }, flags, { wrap: ['/bin/sh', '-c', script] }),
    );
    await Promise.all([text.endsWith(3), json.endsWith(3)]);
    const failure = json.failure();
    assert.equal(failure.code, 'EMFILE');
    assert.equal(text.stderr, `broadside: ${failure.text}\n`);
  });

  it.slow('reports in one line that its output cannot be written, and ends with exit code 1', async () => {
    const full = ['/bin/sh', '-c', 'exec "$0" "$@" >/dev/full'];
    for (const words of [
      ['servers', '--json'],
      ['logs', '--json', '--logs', box.folder],
    ]) {
      const run = box.start([...full, process.execPath, CLI, ...words]);
      await run.endsWith(1);
      const { code, data } = run.failure();
      assert.deepEqual([code, data, run.stderr.split('\n').length], ['EOUTPUT', { errno: 'ENOSPC' }, 2]);
    }
    const run = box.stress({ servers: ['epoll'], duration: '300ms' }, ['--json'], { wrap: full });
    assert.deepEqual(await run.ended(), { code: 1, signal: null }, run.story());
    const { complete, exitCode } = run.summary();
    assert.deepEqual([complete, exitCode], [true, 0], 'the run itself continues to its end');
  });

  it('ends with exit code 3 if the logs folder is read-only', async function () {
    asRootOnly(this);
    const logs = join(box.folder, 'read-only');
    mkdirSync(logs);
    const unmount = mountTmpfs(this, logs, 'ro,size=1m');
    try {
      const run = box.stress({ servers: ['epoll'] }, ['--json'], { logs });
      await run.endsWith(3);
      const { code, data } = run.failure();
      assert.deepEqual([code, data.folder, data.errno], ['EFOLDER', logs, 'EROFS']);
      assert.deepEqual(readdirSync(logs), []);
    } finally {
      unmount();
    }
  });
});
