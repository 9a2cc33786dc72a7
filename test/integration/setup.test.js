// Set-up as npm runs it, as a child process, in a small artificial checkout: the real set-up, the real node_modules
// (linked), an addon of one file, and a launcher that only records when it builds.

import assert from 'node:assert/strict';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { npmCommand } from '../../client/setup/run.js';
import { findProgram } from '../../servers/launcher/process/find-program.js';
import { asRootOnly, mountTmpfs } from '../fixtures/e2e-tmpfs.js';
import { endOf } from '../fixtures/ended-child.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const BINDING = `{ 'targets': [{ 'target_name': 'engine', 'sources': ['addon.c'] }] }`;
const ADDON = `#include <node_api.h>
static napi_value start(napi_env env, napi_value exports) { (void)env; return exports; }
NAPI_MODULE(engine, start)
`;
const LAUNCHER = `import { appendFileSync } from 'node:fs';
export async function build({ language }) { appendFileSync(new URL('../built', import.meta.url), language + '\\n'); }
`;

describe('set-up', function () {
  this.timeout(120_000);

  /** @type {string} */
  let root;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'broadside-checkout-'));
    cpSync(join(ROOT, 'client', 'setup'), join(root, 'client', 'setup'), {
      recursive: true,
      filter: (path) => !path.endsWith('/build'),
    });
    const used = [
      ...['builder/content-hash', 'builder/lock'],
      ...['process/find-program', 'process/lines', 'process/process-tree'],
    ].map((name) => `servers/launcher/${name}.js`);
    for (const path of [
      'package.json',
      'package-lock.json',
      'config/validators.js',
      'config/schema-types.js',
      'config/schema',
      'client/errors.js',
      'client/engine/prebuilt.js',
      'client/store/replace-file.js',
      ...used,
    ]) {
      cpSync(join(ROOT, path), join(root, path), { recursive: true });
    }
    symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
    for (const path of ['client/engine', 'servers/launcher']) mkdirSync(join(root, path), { recursive: true });
    writeFileSync(join(root, 'client/engine/binding.gyp'), BINDING);
    writeFileSync(join(root, 'client/engine/addon.c'), ADDON);
    writeFileSync(join(root, 'servers/launcher/index.js'), LAUNCHER);
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  /**
   * @param {Record<string, string>} [env]
   * @param {string[]} [flags]
   * @param {string} [node]
   */
  function setUp(env = {}, flags = [], node = process.execPath) {
    // No registry: whatever set-up does here, it must do without network.
    const offline = { npm_config_registry: 'http://127.0.0.1:1', npm_config_fetch_retries: '0' };
    return endOf(node, [join(root, 'client/setup/command.js'), ...flags], {
      env: { ...process.env, ...offline, npm_config_cache: join(root, 'npm-cache'), ...env },
    });
  }
  /** @param {string[]} names @returns {string} a folder with these programs only */
  function programs(...names) {
    const bin = join(root, 'bin');
    mkdirSync(bin);
    for (const name of names) symlinkSync(findProgram(name) ?? assert.fail(name), join(bin, name));
    return bin;
  }
  const addon = () => join(root, 'client/engine/build/Release/engine.node');
  const timesServersWereBuilt = () => {
    const path = join(root, 'servers/built');
    const languages = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
    assert.deepEqual(
      languages.filter((each) => each !== 'c'),
      [],
      'no other toolchain is required',
    );
    return languages.length;
  };

  it.slow('builds once, offline with node_modules present, then prints nothing', async () => {
    const first = await setUp({}, ['--development']);
    assert.equal(first.status, 0, first.stderr);
    assert.equal(first.stdout, '');
    const lines = first.stderr.trimEnd().split('\n');
    const took = [
      'compiling the validators',
      'making the types of the schemas',
      'building the engine',
      'building the servers in C',
    ];
    assert.deepEqual(
      lines.map((line) => /^set-up: (.*) took \d+\.\d s$/.exec(line)?.[1]),
      took,
      first.stderr,
    );
    assert.ok(existsSync(addon()));
    for (const flags of [[], ['--development'], []]) {
      assert.deepEqual(await setUp({}, flags), { status: 0, stdout: '', stderr: '' });
    }
    assert.equal(timesServersWereBuilt(), 1);
  });

  it.slow('lets two simultaneous first runs do the work once', async () => {
    const both = await Promise.all([setUp(), setUp()]);
    assert.deepEqual(
      both.map(({ status }) => status),
      [0, 0],
      both.map(({ stderr }) => stderr).join('\n'),
    );
    assert.equal(timesServersWereBuilt(), 1);
    assert.equal(both.filter(({ stderr }) => stderr.includes('building the engine took')).length, 1);
    assert.ok(existsSync(addon()));
    assert.equal(existsSync(join(root, 'client/setup/build/lock')), false);
  });

  it.slow('rebuilds what has changed or is missing, and nothing else', async () => {
    assert.equal((await setUp()).status, 0);
    appendFileSync(join(root, 'client/engine/addon.c'), '/* changed */\n');
    const changed = await setUp();
    assert.match(changed.stderr, /building the engine took/);
    assert.doesNotMatch(changed.stderr, /servers/);
    rmSync(addon());
    assert.match((await setUp()).stderr, /building the engine took/);
    assert.ok(existsSync(addon()));
    assert.equal(timesServersWereBuilt(), 1);
  });

  it.slow("shows the compiler's error when a build fails, with the file that has the rest, and recovers", async () => {
    writeFileSync(join(root, 'client/engine/addon.c'), '#error not like this\n');
    const failed = await setUp({}, ['--json']);
    assert.equal(failed.status, 3);
    assert.equal(failed.stdout, '');
    const { code, data } = JSON.parse(failed.stderr.trimEnd().split('\n').at(-1) ?? '').error;
    assert.deepEqual([code, data.problem, data.step], ['ESETUP', 'command-failed', 'addon']);
    assert.match(data.lines[0], /not like this/);
    assert.ok(
      data.lines.length <= 10 && !data.lines.some((/** @type {string} */ line) => /gyp|^cc /.test(line)),
      data.lines,
    );
    assert.match(readFileSync(data.log, 'utf8'), /gyp info(.|\n)*not like this/);
    writeFileSync(join(root, 'client/engine/addon.c'), ADDON);
    assert.equal((await setUp()).status, 0);
  });

  it('reports what is missing in one line before it does anything', async () => {
    const bare = join(root, 'bin');
    mkdirSync(bare);
    const { status, stderr } = await setUp({ PATH: bare, PYTHON: '', CC: '' }, ['--json']);
    assert.equal(status, 3);
    const { code, data } = JSON.parse(stderr).error;
    assert.deepEqual([code, data.missing], ['ETOOLS', ['Python 3', 'make', 'a C compiler']]);
    assert.equal(existsSync(addon()), false);
  });

  it.slow('uses gcc or clang where there is no cc', async () => {
    const bin = programs('sh', 'make', 'as', 'ld', 'printf', 'mkdir', 'rm', 'ln', 'cp', 'touch', 'sed', 'grep', 'cat');
    // what is on the PATH may be a script that needs more than this
    const python = await endOf('python3', ['-c', 'import sys; print(sys.executable)']);
    const compiler = findProgram('gcc') ?? findProgram('clang') ?? assert.fail('no compiler');
    symlinkSync(compiler, join(bin, basename(compiler)));
    const { status, stderr } = await setUp({ PATH: bin, CC: '', PYTHON: python.stdout.trim() });
    assert.equal(status, 0, stderr);
    assert.ok(existsSync(addon()));
  });

  it.slow("shows npm's error when the dependencies cannot be installed, also under npm run --silent", async () => {
    rmSync(join(root, 'node_modules'));
    const { status, stderr } = await setUp({ npm_config_loglevel: 'silent' }, ['--json']);
    assert.equal(status, 3);
    const { problem, step, lines } = JSON.parse(stderr).error.data;
    assert.deepEqual([problem, step], ['command-failed', 'npm-ci']);
    assert.match(lines[0], /npm error.*ECONNREFUSED/);
  });

  it("takes npm ci that ends with 0 and has installed nothing as failed, and shows the registry's error", async () => {
    rmSync(join(root, 'node_modules'));
    const npm = join(root, 'npm-cli.js');
    const failed = 'npm http fetch GET https://127.0.0.1/which attempt 3 failed with EAI_AGAIN';
    writeFileSync(npm, `console.error('npm http fetch GET 200 a 1ms\\n${failed}');`);
    const { status, stderr } = await setUp({ npm_execpath: npm }, ['--json']);
    assert.equal(status, 3, stderr);
    const { problem, step, lines } = JSON.parse(stderr).error.data;
    assert.deepEqual([problem, step, lines], ['command-failed', 'npm-ci', [failed]]);
  });

  it('names the remedy where npm cannot write its cache, before npm tries', function () {
    asRootOnly(this);
    rmSync(join(root, 'node_modules'));
    const cache = join(root, 'closed');
    mkdirSync(cache);
    const unmount = mountTmpfs(this, cache, 'ro');
    return setUp({ npm_config_cache: cache }, ['--json'])
      .then(({ status, stderr }) => {
        assert.equal(status, 3, stderr);
        const { code, data } = JSON.parse(stderr).error;
        assert.deepEqual([code, data], ['ESETUP', { problem: 'npm-cache', folder: cache, errno: 'EROFS' }]);
      })
      .finally(unmount);
  });

  it('names the remedy where Node came without headers and they cannot be downloaded', async () => {
    const node = join(root, 'node', 'bin', 'node');
    mkdirSync(dirname(node), { recursive: true });
    cpSync(process.execPath, node);
    const env = {
      npm_config_nodedir: '',
      npm_execpath: 'set',
      npm_config_disturl: 'http://127.0.0.1:1',
      HOME: root,
      XDG_CACHE_HOME: root,
    };
    const { status, stderr } = await setUp(env, ['--json'], node);
    assert.equal(status, 3, stderr);
    const { code, data } = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error;
    assert.deepEqual([code, data.problem, data.step, data.lines], ['ESETUP', 'no-headers', 'node-headers', []]);
  });

  it('fails as JSON in the last line under `npm run -s stress -- --json`', async () => {
    cpSync(join(ROOT, 'client', 'cli.js'), join(root, 'client', 'cli.js'));
    const PATH = programs('sh', 'node');
    const [npm, ...words] = npmCommand();
    const env = { ...process.env, PATH, PYTHON: '', CC: '', npm_config_cache: join(root, 'npm-cache') };
    const { status, stdout, stderr } = await endOf(npm, [...words, 'run', '-s', 'stress', '--', '--json'], {
      cwd: root,
      env,
    });
    assert.deepEqual([status, stdout], [3, ''], stderr);
    const { code, exitCode } = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error;
    assert.deepEqual([code, exitCode], ['ETOOLS', 3]);
  });

  it('reports a full disk in one line', function () {
    asRootOnly(this);
    const folder = join(root, 'client', 'setup', 'build');
    mkdirSync(folder);
    const unmount = mountTmpfs(this, folder, 'size=4k');
    return setUp({}, ['--json'])
      .then(({ status, stderr }) => {
        assert.equal(status, 3);
        const { code, data } = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error;
        assert.deepEqual([code, data.problem, data.errno], ['ESETUP', 'system-call', 'ENOSPC']);
      })
      .finally(unmount);
  });

  it('exits with 2 for an unknown flag', async () => {
    const { status, stderr } = await setUp({}, ['--sytem', '--json']);
    assert.equal(status, 2);
    const { code, data } = JSON.parse(stderr).error;
    assert.deepEqual([code, data.unknown], ['EARGUMENTS', ['--sytem']]);
  });
});
