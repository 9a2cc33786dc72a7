// The parts of the npm package that need no build: the servers left out of it, the requirements of programs, and when
// its programs are used.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageManifest, shrinkwrap } from '../../.ci/package/contents.js';
import { fromCommit } from '../../.ci/package/licences.js';
import { helpTexts } from '../../.ci/package/help-texts.js';
import { escaped, exitCodesIn, manPage } from '../../.ci/package/man-page.js';
import { isOlder, needsIn } from '../../.ci/package/programs.js';
import { commands } from '../../client/commands/index.js';
import { program } from '../../client/commands/program.js';
import { unfitness } from '../../client/engine/prebuilt.js';
import { invocationOf, commandPrefix, typed } from '../../client/invocation.js';
import { prebuiltProgram } from '../../servers/launcher/builder/prebuilt.js';

const ROOT = join(import.meta.dirname, '../..');

describe('package: manifests', () => {
  it('have what npm and a user need, and nothing of development', () => {
    const manifest = packageManifest({
      name: 'broadside',
      version: '1.2.3',
      private: true,
      bin: { broadside: 'client/cli.js' },
      files: ['client/'],
      scripts: { prestress: 'x' },
      dependencies: { ws: '1' },
      optionalDependencies: { 'node-gyp': '1' },
      devDependencies: { mocha: '1' },
    });
    assert.deepEqual(manifest, {
      name: 'broadside',
      version: '1.2.3',
      bin: { broadside: 'client/cli.js' },
      dependencies: { ws: '1' },
      man: ['./broadside.1'],
      os: ['linux'],
    });
  });

  it('let nothing be imported but package.json: the interface is the command', async () => {
    assert.equal(fileURLToPath(import.meta.resolve('broadside/package.json')), join(ROOT, 'package.json'));
    for (const path of ['broadside', 'broadside/client/cli.js', 'broadside/client/errors.js'])
      await assert.rejects(import(path), { code: 'ERR_PACKAGE_PATH_NOT_EXPORTED' }, path);
  });

  it('pin the versions of the lock file, without those of development and what is optional', () => {
    const pinned = shrinkwrap({
      name: 'broadside',
      lockfileVersion: 3,
      packages: {
        '': { name: 'broadside', dependencies: { ws: '^1' }, devDependencies: { mocha: '^1' } },
        'node_modules/ws': { version: '1.0.1' },
        'node_modules/mocha': { version: '1.0.2', dev: true },
        'node_modules/node-gyp': { version: '1.0.3', optional: true },
        'node_modules/both': { version: '1.0.4', devOptional: true },
      },
    });
    assert.deepEqual(pinned, {
      name: 'broadside',
      lockfileVersion: 3,
      packages: {
        '': { name: 'broadside', dependencies: { ws: '^1' }, os: ['linux'] },
        'node_modules/ws': { version: '1.0.1' },
      },
    });
  });

  it('give the SBOM a serial number and a time that follow from the commit', () => {
    const bill = { serialNumber: 'urn:uuid:random', metadata: { timestamp: 'now', tools: [] }, components: [] };
    const commit = { id: '0123456789abcdef0123456789abcdef01234567', time: '2026-11-28T01:02:03.000Z' };
    assert.deepEqual(fromCommit(bill, commit), {
      serialNumber: 'urn:uuid:01234567-89ab-8def-8123-456789abcdef',
      metadata: { timestamp: '2026-11-28T01:02:03.000Z', tools: [] },
      components: [],
    });
    assert.deepEqual(fromCommit(bill, null), { metadata: { tools: [] }, components: [] });
  });
});

describe('package: commands in messages', () => {
  const root = '/opt/broadside';
  /** @param {string} script @param {Record<string, string>} [env] @param {string} [cwd] @param {boolean} [installed] */
  const how = (script, env = {}, cwd = root, installed = false) =>
    invocationOf({ argv: ['node', script, 'stress'], env, cwd }, { root, installed });
  const ofNpm = { npm_package_name: 'broadside', npm_lifecycle_event: 'stress' };

  it('are typed as this one was, and paths are relative to the folder of the user', () => {
    /** @type {[ReturnType<typeof how>, string, string][]} */
    const rows = [
      [how(`${root}/client/cli.js`, { ...ofNpm, INIT_CWD: root }), 'npm run stress -- --config smoke', root],
      [
        how(`${root}/client/cli.js`, { ...ofNpm, INIT_CWD: `${root}/logs` }),
        'npm run stress -- --config smoke',
        `${root}/logs`,
      ],
      [
        how(`${root}/client/cli.js`, { ...ofNpm, INIT_CWD: '/home/a' }),
        'npm --prefix /opt/broadside run stress -- --config smoke',
        '/home/a',
      ],
      [how('/usr/bin/broadside', {}, '/home/a'), 'broadside stress --config smoke', '/home/a'],
      [
        how(
          '/usr/bin/broadside',
          { npm_package_name: 'mine', npm_lifecycle_event: 'bench', INIT_CWD: '/home' },
          '/home/a',
        ),
        'broadside stress --config smoke',
        '/home/a',
      ],
      [
        how('/lib/node_modules/broadside/client/cli.js', {}, '/home/a', true),
        'broadside stress --config smoke',
        '/home/a',
      ],
      [how('client/cli.js'), 'npm run stress -- --config smoke', root],
    ];
    for (const [actual, line, folder] of rows) {
      assert.deepEqual([typed('stress', '--config smoke', actual), actual.folder], [line, folder]);
    }
  });

  it('have no separator where no arguments follow', () => {
    const [npm, byName] = [how('client/cli.js'), how('/usr/bin/broadside')];
    assert.deepEqual([typed('logs', '', npm), typed('logs', '', byName)], ['npm run logs', 'broadside logs']);
    assert.deepEqual(
      [commandPrefix('logs', npm), commandPrefix('logs', byName)],
      ['npm run logs --', 'broadside logs'],
    );
    assert.equal(typed('setup', '', npm), 'npm run setup');
    assert.match(typed('setup', '', byName), /^node \/.*\/client\/setup\/command\.js --force$/);
  });
});

describe('package: programs', () => {
  it('name the libraries and the version of glibc that they need', () => {
    const text = `
 0x0000000000000001 (NEEDED)             Shared library: [liburing.so.2]
 0x0000000000000001 (NEEDED)             Shared library: [libc.so.6]
  000000: Version: 1  File: libc.so.6  Cnt: 3
  0x0010:   Name: GLIBC_2.4  Flags: none  Version: 6
  0x0020:   Name: GLIBC_2.34  Flags: none  Version: 5
  0x0030:   Name: GLIBC_2.2.5  Flags: none  Version: 4`;
    assert.deepEqual(needsIn(text), { shared: ['liburing.so.2', 'libc.so.6'], glibc: '2.34' });
    assert.deepEqual([isOlder('2.9', '2.34'), isOlder('2.34', '2.34'), isOlder('2.35', '2.4')], [true, false, false]);
  });
});

describe('package: where programs come from', () => {
  const prebuilt = {
    version: '1.2.3',
    commit: null,
    openssl: '3',
    platforms: { here: { interpreter: '/bin/sh', glibc: '2.34', libraries: {}, compiler: 'cc', programs: {} } },
  };
  const machine = { folder: '/p', platform: 'here', openssl: '3.0.1', load: () => {} };

  it('prebuilt ones are used only where they run', () => {
    /** @type {string[]} */
    const loaded = [];
    assert.equal(unfitness(prebuilt, { ...machine, load: (path) => loaded.push(path) }), null);
    assert.deepEqual(loaded, ['/p/here/client/engine/build/Release/engine.node']);
    for (const [code, content, other] of /** @type {[string, object, object][]} */ ([
      ['no-platform', {}, { platform: 'there' }],
      ['no-glibc', { platforms: { here: { ...prebuilt.platforms.here, interpreter: '/no/such/linker' } } }, {}],
      ['other-openssl', {}, { openssl: '4.0.1' }],
      ['not-loadable', {}, { load: () => assert.fail('GLIBC_2.99 not found') }],
    ]))
      assert.equal(unfitness({ ...prebuilt, ...content }, { ...machine, ...other })?.code, code);
  });

  it('a server is run where it was built, and otherwise as it was brought', () => {
    const root = mkdtempSync(join(tmpdir(), 'broadside-prebuilt-'));
    try {
      const folder = join(root, 'prebuilt');
      const output = join(root, 'servers/c/build/epoll');
      const brought = join(folder, 'servers/c/build/epoll');
      assert.equal(prebuiltProgram(output, { root, folder }), null);
      mkdirSync(dirname(brought), { recursive: true });
      writeFileSync(brought, '');
      assert.equal(prebuiltProgram(output, { root, folder }), brought);
      assert.equal(prebuiltProgram('/elsewhere/build/epoll', { root, folder }), null);
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});

describe('man page', () => {
  it('covers every command, subcommand and option', async () => {
    const texts = await helpTexts({ commands, program });
    const { words, options } = texts[1];
    assert.deepEqual(words, ['stress']);
    for (const name of ['-c', '--fail-if', '--failIf', '--ramp.add', '-h']) assert.ok(options.includes(name), name);
    const page = manPage({
      version: '1.2.3',
      texts,
      exitCodes: exitCodesIn(readFileSync(join(ROOT, 'config/guides/conditions.md'), 'utf8')),
    });
    for (const name of ['SERVERS VERIFY', 'LOGS EXPORT']) assert.ok(page.includes(`.SH "BROADSIDE ${name}"`), name);
    for (const code of ['0', '1', '2', '3', '99', '130, 143']) assert.ok(page.includes(`.B ${code}\n`), code);
    for (const option of options) assert.ok(page.includes(escaped(option)), option);
    assert.equal(escaped(".a\n'b\nc.d\\e -f"), "\\&.a\n\\&'b\nc.d\\ee \\-f");
  });
});
