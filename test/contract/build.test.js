// Finding and building servers, in a copy of servers/c: missing tools are reported with a remedy, an up-to-date server
// starts no build, and simultaneous builds do not disturb each other.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { constants } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, discover, ServerError } from '../../servers/launcher/index.js';
import { firstUnmet } from '../../servers/launcher/manifest/requirements.js';
import { readTree } from '../../servers/launcher/process/process-tree.js';
import { copyServers } from './server-copy.js';
import { lives, until } from './server-process.js';
import { sandbox } from '../fixtures/e2e-run.js';
import { endOf } from '../fixtures/ended-child.js';

/** @import { Problem } from '../../servers/launcher/errors.js' */

const C = fileURLToPath(new URL('../../servers/c', import.meta.url));
const ENGINE = fileURLToPath(new URL('../../client/engine', import.meta.url));
const LAUNCHER = new URL('../../servers/launcher/index.js', import.meta.url).href;

describe('finding and building servers', function () {
  this.timeout(120_000);
  const box = sandbox();

  it('lists every shipped server with a manifest that matches the schema', async () => {
    const found = await discover();
    const wrong = found.filter(({ fault }) => fault !== null);
    assert.deepEqual(
      wrong.map(({ name, why }) => `${name}: ${why}`),
      [],
    );
    const names = found.filter(({ language }) => language === 'c').map(({ name }) => name);
    const models = readdirSync(join(C, 'models')).map((file) => file.replace(/\.c$/, ''));
    assert.deepEqual(names, models.sort(), 'each model in servers/c/models has a manifest in servers/c/manifests');
  });

  it('lists a server whose manifest is invalid, with the reason', async () => {
    const { manifestOf, find } = copyServers(box.folder);
    const errorsOf = async (/** @type {string} */ name) => {
      const { problem } = await find(name);
      assert.equal(problem?.code, 'invalid-manifest', name);
      const errors = /** @type {Problem[]} */ (problem.data.errors);
      return errors.map(({ code, data }) => [code, data.path]);
    };
    writeFileSync(manifestOf('epoll'), readFileSync(manifestOf('epoll'), 'utf8').replace('"line"', '"soon"'));
    assert.deepEqual(await errorsOf('epoll'), [['enum', 'ready']]);
    writeFileSync(manifestOf('select'), '{');
    assert.deepEqual(await errorsOf('select'), [['json', undefined]]);
    const poll = JSON.parse(readFileSync(manifestOf('poll'), 'utf8'));
    for (const wrong of ['../../../etc/passwd', '/etc/passwd', 'build/../../poll', '..']) {
      writeFileSync(manifestOf('poll'), JSON.stringify({ ...poll, build: { ...poll.build, output: wrong } }));
      assert.deepEqual(await errorsOf('poll'), [['not', 'build.output']], wrong);
    }
    cpSync(manifestOf('libuv'), manifestOf('twin'));
    assert.deepEqual(await errorsOf('twin'), [['name', undefined]]);
  });

  it('builds once, and again only when a source has changed', async () => {
    const { folder, output } = copyServers(box.folder);
    const names = ['epoll'];
    assert.deepEqual(await build({ folder, names }), [{ name: 'epoll', built: true }]);
    const { mtimeMs } = statSync(output('epoll'));
    assert.deepEqual(await build({ folder, names }), [{ name: 'epoll', built: false }]);
    assert.equal(statSync(output('epoll')).mtimeMs, mtimeMs);
    appendFileSync(join(folder, 'c', 'protocols', 'echo.c'), '\n/* touched */\n');
    assert.deepEqual(await build({ folder, names }), [{ name: 'epoll', built: true }]);
    rmSync(output('epoll'));
    assert.deepEqual(await build({ folder, names }), [{ name: 'epoll', built: true }]);
  });

  it("prints the compiler's output when a build fails, and does not consider it built", async () => {
    const { folder, output } = copyServers(box.folder);
    appendFileSync(join(folder, 'c', 'frame', 'main.c'), '\n#error broken on purpose\n');
    const error = await build({ folder, names: ['epoll'] }).catch((each) => each);
    assert.ok(error instanceof ServerError);
    assert.equal(error.code, 'EBUILD');
    assert.ok(error.data.lines.some((/** @type {string} */ line) => line.includes('broken on purpose')));
    assert.equal(existsSync(output('epoll')), false);
  });

  it('reports a missing output or a missing build command', async () => {
    const { folder, manifestOf } = copyServers(box.folder);
    const manifest = JSON.parse(readFileSync(manifestOf('epoll'), 'utf8'));
    mkdirSync(join(folder, 'odd', 'manifests'), { recursive: true });
    for (const [name, command, reason, details] of /** @type {[string, string[], string, object][]} */ ([
      ['none', ['true'], 'no-output', { output: 'none' }],
      ['dir', ['mkdir', '-p', 'dir'], 'output-not-a-file', { output: 'dir' }],
      ['plain', ['touch', 'plain'], 'output-not-executable', { output: 'plain' }],
      ['nocmd', ['no-such-command'], 'cannot-start', { program: 'no-such-command', errno: constants.errno.ENOENT }],
      ['mute', ['false'], 'exit-status', { exitCode: 1 }],
      ['ended', ['/bin/sh', '-c', 'kill -9 $$'], 'signal', { signal: 'SIGKILL' }],
    ])) {
      const recipe = { command, output: name, sources: ['manifests'] };
      const path = join(folder, 'odd', 'manifests', `${name}.json`);
      const content = { ...manifest, name, requires: [], build: recipe, run: [`./${name}`, '{port}'] };
      writeFileSync(path, JSON.stringify(content));
      const { code, data } = await build({ folder, names: [name] }).catch((each) => each);
      assert.equal(code, 'EBUILD', name);
      assert.deepEqual(data, { server: name, command, reason, ...details, lines: [] });
      rmSync(path);
    }
  });

  it('ends a build with the process that is killed, and lets another begin only then', async () => {
    const { folder } = box;
    const slow = join(folder, 'slow');
    mkdirSync(slow);
    // The first will not end on SIGTERM; the second fails if the first still runs.
    const recipe = [
      'if [ -e first ]; then ! kill -0 `cat first` 2>&1 && cp /bin/true slow; else',
      'trap "" TERM; echo $$$$ >first; while :; do sleep 0.05; done; fi',
    ].join(' ');
    writeFileSync(join(slow, 'Makefile'), `slow:\n\t@${recipe}\n`);
    const script = `const { build } = await import(${JSON.stringify(LAUNCHER)});
        await build({ folder: process.argv[1], names: ['slow'] });`;
    const builder = spawn(process.execPath, ['--input-type=module', '-e', script, folder], { stdio: 'inherit' });
    try {
      await until(() => existsSync(join(slow, 'first')), 'the first build');
      const lock = () => JSON.parse(readFileSync(join(slow, '.lock'), 'utf8'));
      await until(() => lock().worker !== undefined, 'the lock names the build too');
      const pids = readTree(Number(builder.pid)).map(({ pid }) => pid);
      assert.ok(pids.length >= 4, 'the builder, the guard, make and a shell');
      builder.kill('SIGKILL');
      await once(builder, 'exit');
      assert.deepEqual(await build({ folder, names: ['slow'] }), [{ name: 'slow', built: true }]);
      await until(() => !pids.some(lives), 'the end of all the first has started');
    } finally {
      builder.kill('SIGKILL');
    }
  });
});

describe('an optional library', () => {
  const box = sandbox();

  /**
   * @param {string} library
   * @returns {(compiler: string) => Promise<boolean>} whether a server that requires it can be built
   */
  const serverTakes = (library) => async (compiler) => {
    const before = process.env.CC;
    process.env.CC = compiler;
    try {
      return (
        (await firstUnmet([{ library, probe: `parts/${library}-probe.c`, remedy: '' }], {
          folder: C,
          built: false,
        })) === null
      );
    } finally {
      if (before === undefined) delete process.env.CC;
      else process.env.CC = before;
    }
  };

  /**
   * @param {string} name in binding.gyp
   * @returns {(compiler: string) => Promise<boolean>} whether the engine takes it
   */
  const engineTakes = (name) => async (compiler) => {
    const command = new RegExp(`'${name}%': '<!\\((.*)\\)'`).exec(
      readFileSync(join(ENGINE, 'binding.gyp'), 'utf8'),
    )?.[1];
    const { stdout } = await endOf('sh', ['-c', command ?? ''], { cwd: ENGINE, env: { ...process.env, CC: compiler } });
    assert.match(stdout, /^(yes|no)\n$/);
    return stdout === 'yes\n';
  };

  for (const [what, header, library, takes] of /** @type {const} */ ([
    ['of the server io_uring', 'liburing.h', 'uring', serverTakes('uring')],
    ['of the server libuv', 'uv.h', 'uv', serverTakes('uv')],
    ['of the engine', 'liburing.h', 'uring', engineTakes('liburing')],
  ])) {
    it(`${what}, ${library}, is left out without its header or without the library, and taken with both`, async () => {
      writeFileSync(join(box.folder, header), '#error missing\n');
      writeFileSync(join(box.folder, `lib${library}.so`), '');
      const program = join(box.folder, 'main.c');
      writeFileSync(program, `#include <${header}>\nint main(void) { return 0; }\n`);
      const isHere = (await endOf('cc', [program, `-l${library}`, '-o', '/dev/null'])).status === 0;
      const taken = [];
      for (const flag of [`-I${box.folder}`, `-L${box.folder}`, '']) taken.push(await takes(`cc ${flag}`.trim()));
      assert.deepEqual(taken, [false, false, isHere]);
    });
  }
});
