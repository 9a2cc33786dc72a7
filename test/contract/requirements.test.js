// Requirements of servers: a toolchain that is missing or too old makes only its own servers unavailable, and is probed
// as rarely as possible. The toolchains here are scripts that record each time they are run.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  build,
  checkAvailability,
  discover,
  listServers,
  ServerError,
  startServer,
} from '../../servers/launcher/index.js';
import { isLower, versionIn } from '../../servers/launcher/manifest/requirements.js';
import { markFresh } from '../../servers/launcher/builder/stamp.js';

/** @import { Problem } from '../../servers/launcher/errors.js' */

const ECHO = fileURLToPath(new URL('../fixtures/echo-command.js', import.meta.url));

// The programs have names of their own, so that a job that runs meanwhile with this PATH finds what it would find
// without.
describe('the requirements of a server', () => {
  /** @type {string} */
  let folder;
  const path = process.env.PATH;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'broadside-requires-'));
    mkdirSync(join(folder, 'bin'));
    process.env.PATH = `${join(folder, 'bin')}${delimiter}${path}`;
  });
  afterEach(() => {
    process.env.PATH = path;
    rmSync(folder, { recursive: true, force: true });
  });

  /** @param {string} name @param {string} script what it does; it notes first that it was run */
  const program = (name, script) => {
    const lines = ['#!/bin/sh', `echo "${name} $*" >>${folder}/runs`, script, ''];
    writeFileSync(join(folder, 'bin', name), lines.join('\n'), { mode: 0o755 });
  };
  const runs = () => {
    const path = join(folder, 'runs');
    return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
  };
  /**
   * @param {string} language
   * @param {string} name
   * @param {Record<string, unknown>[]} requires
   * @param {object} [more]
   */
  function server(language, name, requires, more = {}) {
    const manifest = {
      name,
      language,
      model: 'm',
      description: 'd',
      protocols: ['echo'],
      ready: 'connection',
      concurrent: 'unbounded',
      surplus: 'backlog',
      scales: 'none',
      run: [process.execPath, ECHO, '{port}'],
      requires: requires.map((each) => ({ remedy: `install ${name}`, ...each })),
      ...more,
    };
    mkdirSync(join(folder, 'servers', language, 'manifests'), { recursive: true });
    writeFileSync(join(folder, 'servers', language, 'manifests', `${name}.json`), JSON.stringify(manifest));
  }
  const servers = () => join(folder, 'servers');
  /** @returns {Promise<Record<string, any>>} by server: null, or the code and the data of what it lacks */
  const problems = async () =>
    Object.fromEntries(
      (await discover({ folder: servers() })).map(({ name, problem }) => [
        name,
        problem && { code: problem.code, ...problem.data },
      ]),
    );
  const missing = (/** @type {string} */ command) => ({ code: 'missing-command', command });

  it('extract the first version number from the output, and compare it by its parts', () => {
    assert.equal(versionIn('go version go1.26.8 linux/amd64', '1.19'), '1.26.8');
    assert.equal(versionIn('tool 7 (release 2.1)', '2.0'), '2.1');
    assert.equal(versionIn('openjdk version "17" 2021-09-14', '17'), '17');
    assert.equal(versionIn('nothing', '1'), null);
    for (const [version, atLeast, lower] of /** @type {const} */ ([
      ['1.9', '1.19', true],
      ['1.19', '1.9', false],
      ['1.19', '1.19', false],
      ['1.19.4', '1.19', false],
      ['17', '17.0.1', true],
      ['2', '1.99', false],
      ['1.8.0', '17', true],
    ])) {
      assert.equal(isLower(version, atLeast), lower, `${version} < ${atLeast}`);
    }
  });

  it('make a server with too old a toolchain unavailable, with the reason, and no other', async () => {
    program('gol', 'echo gol version gol1.18.3 linux');
    program('jav', 'echo "jav 17.0.15" >&2');
    program('mute', ':');
    program('broken', 'echo "no toolchain" >&2; exit 3');
    server('gol', 'old', [{ command: 'gol', atLeast: '1.19', version: ['version'] }]);
    server('gol', 'older', [{ command: 'gol', atLeast: '1.18', version: ['version'] }]);
    server('jav', 'new', [{ command: 'jav', atLeast: '17' }]);
    server('x', 'none', [{ command: 'no-such-program', atLeast: '1' }]);
    server('x', 'mute', [{ command: 'mute', atLeast: '1' }]);
    server('x', 'broken', [{ command: 'broken', atLeast: '1' }]);
    assert.deepEqual(await problems(), {
      old: { code: 'old-version', command: 'gol', found: '1.18.3', needed: '1.19' },
      older: null,
      new: null,
      none: missing('no-such-program'),
      mute: { code: 'unknown-version', command: 'mute', found: null, needed: '1' },
      broken: { code: 'failed-command', command: 'broken --version', exitCode: 3, lastLine: 'no toolchain' },
    });
    const [old] = (await discover({ folder: servers() })).filter(({ name }) => name === 'old');
    assert.equal(old.remedy, 'install old');
    const error = await startServer({ name: 'old', folder: servers() }).catch((each) => each);
    assert.ok(error instanceof ServerError);
    assert.deepEqual(
      [error.code, error.exitCode, error.data],
      ['EUNAVAILABLE', 3, { server: 'old', problem: old.problem }],
    );
    assert.ok(error.message.includes(old.remedy), error.message);
    const started = await startServer({ name: 'older', folder: servers() });
    await started.stop();
  });

  it('run their own check in the folder, and show the end of its output', async () => {
    program('pyt', 'test -e marker || { echo "traceback" >&2; echo "ImportError: no uvl" >&2; exit 1; }');
    server('pyt', 'with', [{ check: ['pyt', '-c', 'import uvl'] }]);
    assert.deepEqual(await problems(), {
      with: {
        code: 'failed-command',
        command: 'pyt -c "import uvl"',
        exitCode: 1,
        lastLine: 'ImportError: no uvl',
      },
    });
    server('other', 'without', [{ check: ['pyt', '-c', 'import uvl'] }]);
    writeFileSync(join(folder, 'servers', 'other', 'marker'), '');
    assert.equal((await problems()).without, null);
    server('other', 'absent', [{ check: ['no-such-program'] }]);
    assert.deepEqual((await problems()).absent, missing('no-such-program'));
  });

  it('are checked of running it once it is built, in the words of its own program', async () => {
    program('pyt', 'test -e marker || { echo "not permitted" >&2; exit 1; }');
    const recipe = { command: ['true'], output: 'built', sources: ['manifests'] };
    server('pyt', 'one', [{ check: ['./built', '--check'], when: 'run' }], {
      build: recipe,
      run: ['./built', '{port}'],
    });
    assert.equal((await problems()).one, null, 'it can be built');
    writeFileSync(join(folder, 'servers', 'pyt', 'built'), '#!/bin/sh\nexec pyt\n', { mode: 0o755 });
    const [listed] = listServers({ folder: servers() });
    markFresh(listed);
    const [{ why, problem }] = await checkAvailability([listed]);
    assert.deepEqual([why, problem?.code], ['not permitted', 'failed-command']);
  });

  it('are checked once each, and not for servers that are not needed', async () => {
    program('gol', 'echo 1.20');
    program('rus', 'echo 1.63');
    const both = [{ command: 'gol', atLeast: '1.19' }, { check: ['gol', 'ok'] }];
    for (const name of ['a', 'b', 'c']) server('gol', name, both);
    server('rus', 'r', [{ command: 'rus', atLeast: '1.63' }]);
    const listed = listServers({ folder: servers() });
    assert.deepEqual(runs(), []);
    await checkAvailability(listed.filter(({ name }) => name === 'a'));
    assert.deepEqual(runs(), ['gol --version', 'gol ok']);
    assert.deepEqual(await problems(), { a: null, b: null, c: null, r: null });
    assert.deepEqual(runs().sort(), ['gol --version', 'gol ok', 'rus --version']);
    const started = await startServer({ name: 'r', folder: servers() });
    await started.stop();
    assert.equal(runs().length, 3);
  });

  it('are listed with the reason, without waiting, if the manifest is a pipe', async () => {
    server('x', 'one', []);
    execFileSync('mkfifo', [join(folder, 'servers', 'x', 'manifests', 'pipe.json')]);
    const { one, pipe } = await problems();
    assert.deepEqual([one, pipe.code], [null, 'invalid-manifest']);
    assert.deepEqual(
      pipe.errors.map((/** @type {{code: string}} */ { code }) => code),
      ['unreadable'],
    );
  });

  it('for the build are ignored once the server is built', async () => {
    const command = ['/bin/sh', '-c', 'mkdir -p build; cp source build/it'];
    const recipe = { command, output: 'build/it', sources: ['source'] };
    server('x', 'it', [{ command: 'the-compiler', when: 'build' }], { build: recipe });
    server('x', 'that', [{ command: 'the-compiler', when: 'build' }, { command: 'the-runtime' }], {
      build: { ...recipe, output: 'build/that' },
    });
    const here = join(folder, 'servers', 'x');
    writeFileSync(join(here, 'source'), '1');
    assert.deepEqual(await problems(), { it: missing('the-compiler'), that: missing('the-compiler') });
    program('the-compiler', '');
    program('the-runtime', '');
    await build({ folder: servers(), names: ['it'] });
    writeFileSync(join(here, 'build', 'that'), '');
    const [, that] = listServers({ folder: servers() });
    markFresh(that);
    rmSync(join(folder, 'bin'), { recursive: true });
    assert.deepEqual(await problems(), { it: null, that: missing('the-runtime') });
    writeFileSync(join(here, 'source'), '2');
    assert.deepEqual((await problems()).it, missing('the-compiler'));
  });

  it('report all errors of a manifest, and take the language from its folder', async () => {
    const wrong = {
      langauge: 'perl',
      language: undefined,
      protocols: ['echo', 'gopher'],
      run: ['true'],
      concurrent: 'some',
      model: '',
      scales: undefined,
      requires: [{ command: 'a', library: 'b', probe: 'c' }],
      options: { 'x y': ['z'] },
    };
    server('perl', 'perl-poll', [], wrong);
    const [found] = await discover({ folder: servers() });
    assert.deepEqual([found.language, found.name, found.available], ['perl', 'perl-poll', false]);
    const { fault } = found;
    assert.equal(fault?.code, 'invalid-manifest');
    const errors = /** @type {Problem[]} */ (fault?.data.errors);
    const told = errors.map(({ code, data: { path, key, keys } }) => [code, path, key ?? keys ?? null]);
    assert.deepEqual(
      told.sort(),
      [
        ['additionalProperties', '', 'langauge'],
        ['required', '', ['language', 'scales']],
        ['minLength', 'model', null],
        ['enum', 'protocols[1]', null],
        ['required', 'requires[0]', ['remedy']],
        ['oneOf', 'requires[0]', null],
        ['contains', 'run', null],
        ['propertyNames', 'options', 'x y'],
        ['oneOf', 'concurrent', null],
      ].sort(),
    );
    assert.equal(errors[0].data.meant, 'language');
    assert.equal(fault?.remedy, `correct ${join(servers(), 'perl', 'manifests', 'perl-poll.json')}`);
    const error = await startServer({ name: 'perl-poll', folder: servers() }).catch((each) => each);
    assert.equal(error.exitCode, 3);
  });

  it('report two servers of one name, each with the location of the other', async () => {
    server('x', 'twin', []);
    server('y', 'twin', []);
    server('y', 'single', []);
    const found = await discover({ folder: servers() });
    assert.deepEqual(
      found.map(({ language, name, problem }) => [language, name, problem?.code, problem?.data.others]),
      [
        ['x', 'twin', 'duplicate-name', [join('servers', 'y', 'manifests', 'twin.json')]],
        ['y', 'single', undefined, undefined],
        ['y', 'twin', 'duplicate-name', [join('servers', 'x', 'manifests', 'twin.json')]],
      ],
    );
    const error = await startServer({ name: 'twin', folder: servers() }).catch((each) => each);
    assert.deepEqual([error.code, error.data.problem.code], ['EUNAVAILABLE', 'duplicate-name']);
  });

  it('add arguments without {value} for true, and leave them out for false', async () => {
    server('x', 'it', [], { options: { stop: ['--stop', '--now'], size: ['--size={value}'] } });
    /** @param {Record<string, unknown>} options */
    const wordsFor = async (options) => {
      const started = await startServer({ name: 'it', folder: servers(), options, words: ['last'] });
      const words = readFileSync(`/proc/${started.pids[0]}/cmdline`, 'utf8').split('\0').slice(3, -1);
      await started.stop();
      return words;
    };
    assert.deepEqual(await wordsFor({ stop: true, size: 5 }), ['--stop', '--now', '--size=5', 'last']);
    assert.deepEqual(await wordsFor({ stop: false }), ['last']);
    const error = await wordsFor({ stop: 'yes' }).catch((each) => each);
    assert.deepEqual(
      [error.code, error.data],
      ['EOPTION', { server: 'it', reason: 'value', option: 'stop', value: 'yes' }],
    );
  });
});
