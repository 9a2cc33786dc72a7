// The programs of servers/programs, started by the launcher: ready when they accept a connection, and nothing left
// behind. TMPDIR is a folder of the test, so that all leftovers are seen.

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { discover, ServerError, startServer } from '../../servers/launcher/index.js';
import { verifyExchange } from '../fixtures/one-exchange.js';
import { readTree } from '../../servers/launcher/process/process-tree.js';
import { skip } from '../skip.js';
import { lives, until } from './server-process.js';
import { usageOf } from '../fixtures/known-usage.js';

/**
 * @import { AddressInfo } from 'node:net'
 * @import { Server, StartOptions } from '../../servers/launcher/start/start.js'
 */

const programs = (await discover()).filter(({ language }) => language === 'program');
/** What they do not take away at a path that was named; in a folder of the launcher's it goes with that. */
const LEAVES_SOCKET = ['memcached'];
/** The total number of processes of a program for a requested number. */
const SEVERAL = {
  nginx: { options: { processes: 3 }, processes: 4 },
  'nginx-https': { options: { processes: 3 }, processes: 4 },
};

describe('every program', function () {
  this.timeout(60_000);
  /** @type {string} */
  let folder;
  /** @type {string | undefined} */
  let usual;
  /** @type {Server[]} */
  let servers = [];
  beforeEach(() => {
    usual = process.env.TMPDIR;
    folder = mkdtempSync(join(tmpdir(), 'broadside-programs-'));
    process.env.TMPDIR = folder;
  });
  afterEach(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    servers = [];
    if (usual === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = usual;
    rmSync(folder, { recursive: true, force: true });
  });
  /** @param {StartOptions} options */
  const start = async (options) => {
    const server = await startServer(options);
    servers.push(server);
    return server;
  };

  it('is listed after the languages, with what to install', () => {
    const names = programs.map(({ name }) => name);
    assert.ok(names.includes('nginx') && names.includes('redis-server'), names.join());
    for (const { name, manifest } of programs) {
      assert.match(manifest.requires?.[0].remedy ?? '', /^apt-get install /, name);
    }
  });

  for (const { name, manifest, available, why, remedy } of programs) {
    const [protocol] = manifest.protocols;

    it(`${name} serves, accepts its options, and leaves nothing behind`, async function () {
      if (!available) skip(this, `${why} (${remedy})`);
      const all = { backlog: 100, processes: 2, threads: 2 };
      const taken = Object.keys(manifest.options ?? {});
      const options = Object.fromEntries(Object.entries(all).filter(([key]) => taken.includes(key)));
      const listens = manifest.listens ?? ['ipv4'];
      const hosts = [
        '127.0.0.1',
        ...(listens.includes('ipv6') ? ['::1'] : []),
        ...(listens.includes('unix') ? ['unix:'] : []),
        ...(listens.includes('unix') && !LEAVES_SOCKET.includes(name) ? [`unix:${folder}/socket`] : []),
      ];
      const starts = [{ some: {}, host: hosts[0] }, ...hosts.map((host) => ({ some: options, host }))];
      for (const { some, host } of starts) {
        const server = await start({ name, protocol, options: some, host });
        assert.equal(server.ready.by, 'connection');
        assert.equal(server.authority !== null, manifest.tls !== undefined);
        const { host: address, port, authority } = server;
        await verifyExchange({ host: address, port, protocol, authority });
        const ending = await server.stop();
        assert.deepEqual([ending.signal, ending.forced], [null, false]);
        assert.deepEqual([server.pids.filter(lives), readdirSync(folder)], [[], []]);
      }
    });

    it(`${name} reports why it cannot listen`, async function () {
      if (!available) skip(this, `${why} (${remedy})`);
      const other = createServer().listen(0, '127.0.0.1');
      await new Promise((resolve) => other.on('listening', resolve));
      const { port } = /** @type {AddressInfo} */ (other.address());
      try {
        const error = await start({ name, protocol, port }).then(
          () => assert.fail('it must fail'),
          (each) => each,
        );
        assert.ok(error instanceof ServerError, String(error));
        assert.match(error.message, /already in use/);
      } finally {
        other.close();
      }
      assert.deepEqual(readdirSync(folder), []);
    });
  }

  it('leaves no folder when its guard is killed', async function () {
    const [nginx] = programs.filter(({ name }) => name === 'nginx');
    if (!nginx.available) skip(this, `${nginx.why} (${nginx.remedy})`);
    const server = await start({ name: 'nginx', protocol: 'http' });
    assert.equal(readdirSync(folder).length, 1);
    const [guard] = readTree(process.pid).filter(({ pid }) => pid === parentOf(server.pids[0]));
    process.kill(guard.pid, 'SIGKILL');
    await server.exited;
    assert.deepEqual([server.pids.filter(lives), readdirSync(folder)], [[], []]);
  });

  for (const [name, { options, processes }] of Object.entries(SEVERAL)) {
    it(`${name} has the requested number of processes`, async function () {
      const [program] = programs.filter((each) => each.name === name);
      if (!program.available) skip(this, `${program.why} (${program.remedy})`);
      const server = await start({ name, protocol: program.protocols[0], options });
      await until(() => usageOf(server).processes === processes, `${processes} processes`);
    });
  }
});

/** @param {number} pid @returns {number} */
function parentOf(pid) {
  const path = `/proc/${pid}/status`;
  return existsSync(path) ? Number(/^PPid:\s*([0-9]+)/m.exec(readFileSync(path, 'utf8'))?.[1]) : 0;
}
