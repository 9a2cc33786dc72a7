// The pure parts of set-up: the required Node version, whether node_modules matches, hashes, missing tools, and the
// record of completed steps. test/integration/setup.test.js runs the real thing.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { compare, sourcesBelow } from '../../client/setup/steps.js';
import { hashFiles } from '../../servers/launcher/builder/content-hash.js';
import { tellingLines } from '../../servers/launcher/process/lines.js';
import { isSupported } from '../../client/setup/index.js';
import { prepare } from '../../client/setup/prepare.js';
import { nodeHeaders } from '../../client/setup/run.js';
import { requireBuildTools } from '../../client/setup/tools.js';
import { factsOf } from '../fixtures/codes.js';
import { isFresh, markFresh } from '../../servers/launcher/builder/stamp.js';

/** @import { Step } from '../../client/setup/prepare.js' */

/** @type {string} */
let folder;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'broadside-setup-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('set-up: the Node version', () => {
  it('must be 20.19 or later', () => {
    const all = ['20.19.0', '20.20.2', '22.0.0', '100.0.0', '20.18.9', '18.20.4', '4.9.1', '20.0.0'];
    assert.deepEqual(all.filter(isSupported), ['20.19.0', '20.20.2', '22.0.0', '100.0.0']);
  });
});

describe('set-up: node_modules against the lock file', () => {
  const wanted = {
    '': {},
    'node_modules/a': { version: '1.0.0', integrity: 'x' },
    'node_modules/b': { version: '2.0.0', integrity: 'y', dev: true },
    'node_modules/c': { version: '3.0.0', integrity: 'z', optional: true, os: ['aix'], cpu: ['ppc64'] },
    'node_modules/d': { version: '4.0.0', integrity: 'o', optional: true },
  };
  const { 'node_modules/a': a, 'node_modules/b': b, 'node_modules/d': d } = wanted;
  const packages = { 'node_modules/a': a, 'node_modules/d': d };

  it('accepts the required packages, without those for other platforms or development, and detects what differs', () => {
    const older = { ...packages, 'node_modules/a': { version: '0.9.0', integrity: 'x' } };
    const forged = { ...packages, 'node_modules/a': { version: '1.0.0', integrity: 'forged' } };
    for (const [installed, more, expected] of /** @type {[any, object, any[]][]} */ ([
      [{ ...packages, 'node_modules/b': b }, { development: true }, []],
      [packages, {}, []],
      [packages, { development: true }, [['missing', { path: 'node_modules/b' }]]],
      [older, {}, [['other-version', { path: 'node_modules/a', found: '0.9.0', wanted: '1.0.0' }]]],
      [forged, {}, [['other-content', { path: 'node_modules/a', version: '1.0.0' }]]],
      [{ 'node_modules/a': a }, {}, [['missing', { path: 'node_modules/d' }]]],
      [
        packages,
        { isThere: (/** @type {string} */ path) => path !== 'node_modules/a' },
        [['missing', { path: 'node_modules/a' }]],
      ],
    ])) {
      const options = { development: false, isThere: () => true, ...more };
      assert.deepEqual(factsOf(compare(wanted, installed, options)), expected);
    }
  });
});

describe('set-up: hashes', () => {
  it('change with names, contents and arguments, and with nothing else', () => {
    const [first, second] = [join(folder, 'one.c'), join(folder, 'two.c')];
    writeFileSync(first, 'int a;');
    writeFileSync(second, 'int a;');
    const before = hashFiles(folder, [first], ['x']);
    utimesSync(first, 1, 1);
    assert.equal(hashFiles(folder, [first], ['x']), before);
    const others = [
      ...[hashFiles(folder, [second], ['x']), hashFiles(folder, [first], ['y'])],
      ...[hashFiles(folder, [first, second], ['x']), hashFiles(folder, [first])],
    ];
    writeFileSync(first, 'int b;');
    others.push(hashFiles(folder, [first], ['x']));
    rmSync(first);
    others.push(hashFiles(folder, [first], ['x']));
    assert.equal(new Set([before, ...others]).size, others.length + 1);
  });

  it('differ when a boundary between words moves', () => {
    const words = fc.array(fc.string(), { maxLength: 4 });
    fc.assert(
      fc.property(words, words, (left, right) => {
        assert.equal(
          hashFiles('/', [], left) === hashFiles('/', [], right),
          JSON.stringify(left) === JSON.stringify(right),
        );
      }),
    );
  });

  it('cover sources, not build results, and are the same in a folder that was moved', () => {
    for (const path of ['a', 'build', 'target', 'node_modules', '.hidden']) mkdirSync(join(folder, path));
    for (const path of ['z.c', 'a/b.c', 'a/b.txt', 'build/c.c', 'target/d.c', 'node_modules/e.c', '.hidden/f.c']) {
      writeFileSync(join(folder, path), '');
    }
    const hashOf = (/** @type {string} */ root) => hashFiles(root, sourcesBelow(root, /\.c$/));
    assert.deepEqual(sourcesBelow(folder, /\.c$/), [join(folder, 'a', 'b.c'), join(folder, 'z.c')]);
    const before = hashOf(folder);
    const moved = `${folder}-moved`;
    renameSync(folder, moved);
    folder = moved;
    assert.equal(hashOf(moved), before);
  });
});

describe('set-up: tools', () => {
  /** @param {string} name @param {string} [script] */
  const program = (name, script = '') => {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return join(folder, name);
  };
  /** @param {NodeJS.ProcessEnv} env @returns {any} the error */
  const refusal = (env) => {
    try {
      requireBuildTools(env);
    } catch (error) {
      const { code, exitCode } = /** @type {any} */ (error);
      assert.deepEqual([code, exitCode], ['ETOOLS', 3]);
      return error;
    }
    return assert.fail('accepted');
  };

  it('accepts any compiler, and the programs that variables name', () => {
    program('make');
    assert.deepEqual(refusal({ PATH: folder }).data, {
      ...{ missing: ['Python 3', 'a C compiler'], packages: ['build-essential', 'python3'] },
    });
    program('clang');
    requireBuildTools({ PYTHON: program('my-python'), PATH: folder });
    writeFileSync(join(folder, 'python3'), 'not executable', { mode: 0o644 });
    assert.deepEqual(refusal({ PATH: folder }).data, { missing: ['Python 3'], packages: ['python3'] });
    rmSync(join(folder, 'python3'));
    program('python3');
    requireBuildTools({ PATH: folder });
    const CC = join(folder, 'no-such-compiler');
    assert.deepEqual(refusal({ PATH: folder, CC }).data, { problem: 'no-such-compiler', compiler: CC });
  });

  it('tries the compiler on one line, and reports the first line of its error', () => {
    for (const name of ['make', 'python3']) program(name);
    const CC = program('my-cc', "echo 'stdio.h: No such file or directory' >&2; echo 'stopped' >&2; exit 1");
    const { problem, compiler, line } = refusal({ PATH: folder, CC, TMPDIR: folder }).data;
    assert.deepEqual([problem, compiler, line], ['compiler-fails', CC, 'stdio.h: No such file or directory']);
    program('my-cc', 'kill -9 $$');
    assert.match(refusal({ PATH: folder, CC, TMPDIR: folder }).data.line, /SIGKILL/);
  });
});

describe('set-up: what a failed build says', () => {
  it('is the last lines, without command lines, warnings and what node-gyp and make add', () => {
    const error = ['core/a.c: In function ‘f’:', 'core/a.c:5:3: error: ‘x’ undeclared', '    5 |   x;', '      |   ^'];
    const noise = [
      'gyp info spawn make',
      "make: Entering directory '/a b/build'",
      '  CC(target) Release/obj.target/engine/core/a.o',
      'cc -std=c11 -Wall -c -o build/a.o a.c',
      '/opt/my cc/gcc-12 -O2 -o build/a a.o',
    ];
    const warning = ['core/a.c:4:2: warning: unused variable ‘y’', '    4 |   int y;', '      |       ^'];
    const end = ['make: *** [Makefile:8: a.o] Error 1', 'gyp ERR! build error', 'gyp ERR! not ok'];
    assert.deepEqual(tellingLines([...noise, ...warning, ...error, ...end]), error);
    const linker = ['/usr/bin/ld: cannot find -luring: No such file', 'collect2: error: ld returned 1 exit status'];
    assert.deepEqual(tellingLines([...noise, ...linker, '', ...end]), linker);
    const rule = "make: *** No rule to make target 'a.o', needed by 'a'.  Stop.";
    assert.deepEqual(tellingLines([rule, ...end]), [rule]);
    const npm = ['npm error code E401', 'npm error need auth'];
    assert.deepEqual(tellingLines(['npm warn deprecated x', ...npm]), npm);
  });

  const numbered = (/** @type {number} */ length, text = 'line') => Array.from({ length }, (_, i) => `${text} ${i}`);

  it('is the first lines that say why, and the last, where it is long', () => {
    const many = numbered(30, 'npm error');
    const shown = [...many.slice(0, 4), '… (21 lines)', ...many.slice(-5)];
    assert.deepEqual(tellingLines(many), shown);
    assert.deepEqual(tellingLines([...numbered(9), ...many]), shown, 'what comes before it is left out');
    assert.deepEqual(tellingLines(numbered(30)), numbered(30).slice(-10), 'nothing says why');
    for (const before of [8, 9, 10, 11]) {
      const late = [...numbered(before), 'error: x', ...numbered(9)];
      assert.deepEqual(tellingLines(late), late.slice(-10), 'it is among the last');
    }
    assert.deepEqual(tellingLines(['error: x', ...numbered(10)]).length, 10);
  });

  for (const [of, reason, output] of /** @type {[string, string[], string[]][]} */ ([
    [
      'npm ci',
      [
        'npm error code EUSAGE',
        'npm error The `npm ci` command can only install with an existing package-lock.json or',
        'npm error npm-shrinkwrap.json with lockfileVersion >= 1. Run an install with npm@5 or',
        'npm error later to generate a package-lock.json file, then try again.',
      ],
      ['npm error', 'npm error Usage:', 'npm error npm ci', 'npm error', ...numbered(80, 'npm error   --option')],
    ],
    [
      'make',
      ["a.c:5:3: error: 'x' undeclared (first use in this function)", '    5 |   x;', '      |   ^'],
      [
        'make: *** [Makefile:2: a.o] Error 1',
        ...numbered(20).map((line) => `a.c:9:1: error: ${line}`),
        'make: *** Waiting for unfinished jobs....',
      ],
    ],
    [
      'go build',
      ['./main.go:5:2: undefined: foo', './main.go:6:2: declared and not used: y'],
      [...numbered(12).map((line) => `./main.go:7:2: undefined: ${line}`), './main.go:9:2: too many errors'],
    ],
    [
      'cargo build',
      ['error[E0425]: cannot find value `y` in this scope', ' --> src/main.rs:2:5', '  |', '2 |     y;'],
      [
        '  |     ^ not found in this scope',
        ...numbered(12).flatMap((line) => [
          'warning: unused variable: `z`',
          ` --> src/${line}.rs:3:5`,
          '3 |   let z;',
          '',
        ]),
        ...numbered(12).map((line) => `error: ${line}`),
        'error: could not compile `x` (bin "x") due to 13 previous errors; 12 warnings emitted',
      ],
    ],
    ['a shell', ['/bin/sh: 1: ninja: not found'], numbered(12)],
    ['tsc', ["src/a.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'."], numbered(12)],
    ['pip', ['ERROR: Could not find a version that satisfies the requirement x'], numbered(12)],
  ]))
    it(`begins with the reason of ${of}`, () => {
      const before = ['   Compiling error-chain v0.12.4', '# example.com/x', ...numbered(20, 'done')];
      const shown = tellingLines([...before, ...reason, ...output]);
      assert.deepEqual(shown.slice(0, reason.length), reason);
      assert.equal(shown.length, 10);
    });
});

describe('set-up: npm and the headers of Node', () => {
  const names = ['npm_config_nodedir', 'NPM_CONFIG_NODEDIR'];
  /** @param {string} value @returns {string | null} where the headers are when npm's configuration names this folder */
  function headersWith(value) {
    const before = names.map((name) => process.env[name]);
    try {
      for (const name of names) delete process.env[name];
      process.env.npm_config_nodedir = value;
      return nodeHeaders();
    } finally {
      names.forEach((name, i) => {
        if (before[i] === undefined) delete process.env[name];
        else process.env[name] = before[i];
      });
    }
  }

  it('are where the configuration says, which may also name include/node itself', () => {
    const headers = join(folder, 'include', 'node');
    mkdirSync(headers, { recursive: true });
    writeFileSync(join(headers, 'node_version.h'), '#define NODE_MAJOR_VERSION 20\n');
    assert.throws(() => headersWith(folder), {
      code: 'ESETUP',
      data: { problem: 'no-headers-in-nodedir', nodedir: folder },
    });
    writeFileSync(join(headers, 'node_api.h'), '');
    assert.deepEqual([headersWith(folder), headersWith(headers)], [folder, folder]);
  });
});

describe('set-up: optional libraries', () => {
  it('make a C program stale when they come or go', () => {
    const server = {
      folder,
      manifest: { build: { command: ['make', 'a'], output: 'build/a', sources: ['a.c'] }, run: ['build/a'] },
    };
    mkdirSync(join(folder, 'build'));
    writeFileSync(join(folder, 'a.c'), '');
    writeFileSync(join(folder, 'build', 'a'), '', { mode: 0o755 });
    const before = process.env.CPATH;
    process.env.CPATH = join(folder, 'headers');
    try {
      markFresh(server);
      assert.equal(isFresh(server), true);
      mkdirSync(join(folder, 'headers'));
      writeFileSync(join(folder, 'headers', 'uv.h'), '');
      assert.equal(isFresh(server), false);
      markFresh(server);
      assert.equal(isFresh(server), true);
    } finally {
      if (before === undefined) delete process.env.CPATH;
      else process.env.CPATH = before;
    }
  });
});

describe('set-up: remembers what was done', () => {
  let [inputs, isThere, ran] = ['first', true, ''];

  /** @param {string} name @param {Error} [failure] @returns {Step} */
  const step = (name, failure) => ({
    ...{ name, builds: false, inputs: () => inputs, isThere: () => isThere },
    async run() {
      ran += name;
      if (failure) throw failure;
      return [`${name}.out`];
    },
  });
  /** @param {Step[]} steps @returns {Promise<string>} what ran */
  const run = async (steps, force = false) => {
    ran = '';
    await prepare({ root: folder, steps, say: () => {}, force });
    return ran;
  };

  it('and does not repeat it until inputs change, outputs disappear, it is forced, or the record is damaged', async () => {
    const steps = [step('a'), step('b')];
    assert.deepEqual([await run(steps), await run(steps)], ['ab', '']);
    inputs = 'second';
    assert.equal(await run(steps), 'ab');
    isThere = false;
    assert.equal(await run(steps), 'ab');
    isThere = true;
    assert.deepEqual([await run(steps, true), await run(steps)], ['ab', '']);
    writeFileSync(join(folder, 'client', 'setup', 'build', 'stamp.json'), '{"a":');
    assert.equal(await run(steps), 'ab');
  });

  it('up to the step that failed', async () => {
    const failure = new Error('no');
    await assert.rejects(run([step('a'), step('b', failure)]), failure);
    assert.equal(await run([step('a'), step('b')]), 'b');
  });
});
