// The contract of servers/README.md for every server that discover() lists, and the additional guarantees of single
// models.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkedProtocols, starter } from '../../servers/conformance/index.js';
import { build, discover } from '../../servers/launcher/index.js';
import { namespace } from '../fixtures/hostile/children.js';
import { skip } from '../skip.js';
import { destroy, exchange, openMany } from '../contract/client.js';
import { describeConformance } from '../contract/conformance.js';
import { isRepresentative, requireServer } from '../contract/representatives.js';
import { cpuShareOf, endAll, programOf, startProgram, threadsOf, until } from '../contract/server-process.js';

/**
 * @import { Context } from 'mocha'
 * @import { StartOptions } from '../../servers/conformance/start.js'
 * @import { ListedServer } from '../../servers/launcher/manifest/list-servers.js'
 * @import { Socket } from '../contract/client.js'
 */

const found = await discover();

/**
 * All of it with echo for every server, and with every protocol for one of them; for the rest, that they speak it.
 * @param {ListedServer} server @param {string} protocol
 */
const depthOf = ({ name }, protocol) => (protocol === 'echo' || name === 'epoll' ? 'full' : 'short');

/** What somebody has put there without a manifest promises less: `npm run servers -- verify` tells what it keeps. And
 * programs that others wrote promise what their own documents say: see programs.test.js. */
const ours = found.filter(
  ({ name, available, language }) =>
    language !== 'contributed' && language !== 'program' && (available || name !== 'java-virtual'), // which needs Java 21
);

describe('a server of each language', function () {
  this.timeout(300_000);

  for (const server of ours.filter(({ name }) => isRepresentative(name))) {
    const {
      name,
      manifest: {
        run,
        ready,
        protocols: [protocol],
      },
      folder: cwd,
    } = server;
    it(`${name} ends with 2 after a usage error and with 1 if the port is taken`, async function () {
      requireServer(this, server);
      await build({ names: [name] });
      const start = starter({ run, ready, cwd, protocol });
      /** @param {StartOptions} options */
      const endingOf = (options) =>
        start(options).then(
          () => ({ code: null, stderr: '' }),
          ({ ending }) => ending,
        );
      assert.equal((await endingOf({ args: ['--bogus'] })).code, 2);
      assert.equal((await endingOf({ port: '65536' })).code, 2);
      const first = await start();
      try {
        const { code, stderr } = await endingOf({ port: first.port });
        assert.equal(code, 1);
        assert.match(stderr, /Address already in use|EADDRINUSE/i);
      } finally {
        await first.kill();
      }
    });
  }
});

describe('every server', () => {
  for (const server of ours) {
    const { name, manifest, folder } = server;
    describe(name, () => {
      /** @type {Promise<unknown> | undefined} */
      let built;
      const prepare = () => (built ??= build({ names: [name] }));
      before(async function () {
        this.timeout(300_000);
        requireServer(this, server);
        await prepare();
      });
      for (const protocol of manifest.protocols.filter((name) => checkedProtocols.includes(name))) {
        describe(protocol, () =>
          describeConformance({
            start: starter({ run: manifest.run, ready: manifest.ready, cwd: folder, protocol }),
            ...{ prepare, manifest, protocol },
            depth: depthOf(server, protocol),
            isWanted: ({ id }) => id !== 'work-options' || isRepresentative(name), // a language shares this code
          }),
        );
      }
    });
  }
});

describe('multi-threaded at its limit of threads', () => {
  /** @type {string} */
  let folder;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'broadside-ceiling-'));
  });
  afterEach(async () => {
    await endAll();
    rmSync(folder, { recursive: true, force: true });
  });

  /** @type {[string, RegExp, number | null, (context: Context, program: string) => string[]][]} */
  const ceilings = [
    [
      'set by --max-children',
      /maximum of threads \(--max-children\) reached/,
      5,
      (_, program) => [program, '--max-children', '5'],
    ],
    [
      'half of the free memory',
      /maximum of threads/,
      10,
      (context, program) => {
        writeFileSync(join(folder, 'meminfo'), 'MemTotal: 24000000 kB\nMemAvailable: 960 kB\n');
        const mount = `mount --bind ${folder}/meminfo /proc/meminfo`;
        const own = namespace('--mount', mount);
        if (!own) return skip(context, 'no mount namespace of our own (needs root and unshare)');
        return [...own, 'sh', '-c', `${mount}; exec "$@"`, 'sh', program];
      },
    ],
    [
      'an unpredicted limit of the kernel',
      /pthread_create: further connections wait in the accept queue: /,
      null,
      (_, program) => ['sh', '-c', 'ulimit -v 8192; exec "$@"', 'sh', program],
    ],
  ];

  for (const [what, words, ceiling, command] of ceilings) {
    it(`(${what}) reports it once, does not spin, and serves waiting connections when it can`, async function () {
      await build({ names: ['multi-threaded'] });
      const [manifest] = found.filter(({ name }) => name === 'multi-threaded');
      const server = await startProgram(command(this, programOf(manifest)));
      const sockets = await openMany(server, 200);
      /** @type {Set<Socket>} */
      const answered = new Set();
      const answers = sockets.map((socket) => exchange(socket).then(() => answered.add(socket)));
      await until(() => words.test(server.stderr()), 'it says so');
      await until(() => answered.size === threadsOf(server.pid) - 1, 'each of its threads serves a connection');
      const served = answered.size;
      assert.ok(ceiling === null ? served < sockets.length : served === ceiling, `${served} threads serve`);
      const share = await cpuShareOf(server);
      assert.ok(share < 0.05, `it takes ${(share * 100).toFixed(1)} % of a core`);
      assert.equal(answered.size, served);
      await until(() => {
        destroy([...answered]);
        return answered.size === sockets.length;
      }, 'the surplus is served');
      await Promise.all(answers);
      assert.equal(server.stderr().trim().split('\n').length, 1, server.stderr());
    });
  }
});
