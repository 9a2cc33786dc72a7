// Set-up as npm runs it, as a child process, in a small artificial checkout: what it refuses, and in which words. What
// it builds is tested by .ci/bare-machines.js, and by test/release/setup.test.js.

import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npmCommand } from '../../client/setup/run.js';
import { asRootOnly, mountTmpfs } from '../fixtures/e2e-tmpfs.js';
import { endOf } from '../fixtures/ended-child.js';
import { ROOT, smallCheckouts } from '../fixtures/small-checkouts.js';

describe('set-up', function () {
  this.timeout(120_000);
  const box = smallCheckouts();

  it('reports what is missing in one line before it does anything', async () => {
    const bare = join(box.root, 'bin');
    mkdirSync(bare);
    const { status, stderr } = await box.setUp({ PATH: bare, PYTHON: '', CC: '' }, ['--json']);
    assert.equal(status, 3);
    const { code, data } = JSON.parse(stderr).error;
    assert.deepEqual([code, data.missing], ['ETOOLS', ['Python 3', 'make', 'a C compiler']]);
    assert.equal(existsSync(box.addon()), false);
  });

  it("takes npm ci that ends with 0 and has installed nothing as failed, and shows the registry's error", async () => {
    rmSync(join(box.root, 'node_modules'));
    const npm = join(box.root, 'npm-cli.js');
    const failed = 'npm http fetch GET https://127.0.0.1/which attempt 3 failed with EAI_AGAIN';
    writeFileSync(npm, `console.error('npm http fetch GET 200 a 1ms\\n${failed}');`);
    const { status, stderr } = await box.setUp({ npm_execpath: npm }, ['--json']);
    assert.equal(status, 3, stderr);
    const { problem, step, lines } = JSON.parse(stderr).error.data;
    assert.deepEqual([problem, step, lines], ['command-failed', 'npm-ci', [failed]]);
  });

  it('is done before tests as far as the schemas need it, and they say what else is not up to date', async () => {
    for (const path of [
      '.mocharc.json',
      'config/validators.js',
      'test/set-up.js',
      'test/interface.js',
      'test/reporter.js',
    ])
      cpSync(join(ROOT, path), join(box.root, path));
    const validate = "import('../config/validators.js').then(({ validatorOf }) => validatorOf('har')(5))";
    writeFileSync(join(box.root, 'test/a.test.js'), `it('is', async () => console.log('valid:', await ${validate}));`);
    const schema = join(box.root, 'config/schema/har.json');
    const { $schema, $id } = JSON.parse(readFileSync(schema, 'utf8'));
    writeFileSync(schema, JSON.stringify({ $schema, $id })); // allows anything
    const mocha = join(box.root, 'node_modules/mocha/bin/mocha.js');
    const { status, stdout, stderr } = await endOf(process.execPath, [mocha, 'test/a.test.js'], { cwd: box.root });
    assert.equal(status, 0, stderr);
    assert.match(stdout, /valid: true/);
    assert.match(stderr, /addon.*npm run setup -- --development/);
  });

  it('names the remedy where npm cannot write its cache, before npm tries', function () {
    asRootOnly(this);
    rmSync(join(box.root, 'node_modules'));
    const cache = join(box.root, 'closed');
    mkdirSync(cache);
    const unmount = mountTmpfs(this, cache, 'ro');
    return box
      .setUp({ npm_config_cache: cache }, ['--json'])
      .then(({ status, stderr }) => {
        assert.equal(status, 3, stderr);
        const { code, data } = JSON.parse(stderr).error;
        assert.deepEqual([code, data], ['ESETUP', { problem: 'npm-cache', folder: cache, errno: 'EROFS' }]);
      })
      .finally(unmount);
  });

  it('fails as JSON in the last line under `npm run -s stress -- --json`', async () => {
    cpSync(join(ROOT, 'client', 'cli.js'), join(box.root, 'client', 'cli.js'));
    const PATH = box.programs('sh', 'node');
    const [npm, ...words] = npmCommand();
    const env = { ...process.env, PATH, PYTHON: '', CC: '', npm_config_cache: join(box.root, 'npm-cache') };
    const { status, stdout, stderr } = await endOf(npm, [...words, 'run', '-s', 'stress', '--', '--json'], {
      cwd: box.root,
      env,
    });
    assert.deepEqual([status, stdout], [3, ''], stderr);
    const { code, exitCode } = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error;
    assert.deepEqual([code, exitCode], ['ETOOLS', 3]);
    const cli = join(box.root, 'client', 'cli.js');
    const shown = await endOf(process.execPath, [cli, '--version'], { cwd: box.root, env });
    assert.deepEqual([shown.status, shown.stderr], [0, ''], 'says its version without set-up');
    assert.equal(shown.stdout, `${JSON.parse(readFileSync(join(box.root, 'package.json'), 'utf8')).version}\n`);
  });

  it('reports a full disk in one line', function () {
    asRootOnly(this);
    const folder = join(box.root, 'client', 'setup', 'build');
    mkdirSync(folder);
    const unmount = mountTmpfs(this, folder, 'size=4k');
    return box
      .setUp({}, ['--json'])
      .then(({ status, stderr }) => {
        assert.equal(status, 3);
        const { code, data } = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error;
        assert.deepEqual([code, data.problem, data.errno], ['ESETUP', 'system-call', 'ENOSPC']);
      })
      .finally(unmount);
  });

  it('exits with 2 for an unknown flag', async () => {
    const { status, stderr } = await box.setUp({}, ['--sytem', '--json']);
    assert.equal(status, 2);
    const { code, data } = JSON.parse(stderr).error;
    assert.deepEqual([code, data.unknown], ['EARGUMENTS', ['--sytem']]);
  });
});
