// The programs that measured servers before and that no package carries, for real, where an environment variable names
// them (fixtures/originals.js). What they put on the wire is replayed in any case: transcripts.test.js.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopServer } from '../../client/predecessors/volley/command.js';
import { checkAvailability, listServers, startServer } from '../../servers/launcher/index.js';
import { lives as isAlive, runToEnd } from '../contract/server-process.js';
import { CLI, sandbox } from '../fixtures/e2e-run.js';
import { requireOriginal } from '../fixtures/originals.js';

/** @typedef {import('../../servers/launcher/start/start.js').StartOptions} StartOptions */

/**
 * @template Result
 * @param {StartOptions} options
 * @param {(server: import('../../servers/launcher/start/start.js').Server) => Promise<Result>} use
 * @returns {Promise<Result>}
 */
async function withServer(options, use) {
  const server = await startServer(options);
  try {
    return await use(server);
  } finally {
    await server.stop();
  }
}

/**
 * @param {string[]} command of a program that must succeed
 * @returns {Promise<string>} its stdout
 */
async function outputOf(command) {
  const { code, stdout, stderr } = await runToEnd(command);
  assert.equal(code, 0, `${command.join(' ')}\n${stdout}${stderr}`);
  return stdout;
}

describe('an original that no package carries', function () {
  this.timeout(400_000);
  const box = sandbox();

  it.slow("is volley's client, against our server, which its zero word ends", async function () {
    const volley = requireOriginal(this, 'BROADSIDE_ORIGINAL_VOLLEY');
    await withServer({ name: 'epoll', protocol: 'volley', options: { volleyStop: true } }, async (server) => {
      const text = await outputOf([join(volley, 'target/client'), '-p', String(server.port), '-c', '20']);
      const [, samples] = /^\d+us \d+\.\d\dus (\d+)\n$/.exec(text) ?? assert.fail(text);
      assert.ok(Number(samples) >= 1_000_000, text);
      const { code, signal } = await server.exited;
      assert.deepEqual([code, signal], [0, null]);
    });
  });

  it.slow("is each of volley's servers that can be built here, under our client", async function () {
    const volley = requireOriginal(this, 'BROADSIDE_ORIGINAL_VOLLEY');
    const folder = mkdtempSync(join(tmpdir(), 'broadside-volley-'));
    try {
      symlinkSync(volley, join(folder, 'volley'));
      const found = await checkAvailability(listServers({ folder }));
      assert.ok(found.some(({ name }) => name === 'volley-go') && found.some(({ name }) => name === 'volley-rust'));
      const measured = [];
      for (const { name } of found.filter(({ available }) => available)) {
        /** @type {import('../../servers/launcher/start/start.js').Server} */
        let server;
        try {
          server = await startServer({ folder, name, protocol: 'volley', readyTimeoutMs: 30_000 });
        } catch (error) {
          if (/** @type {any} */ (error).code === 'EBUILD') continue; // with the compiler of today
          throw error;
        }
        try {
          const target = `127.0.0.1:${server.port}`;
          const run = box.stress({
            ...{ target, protocol: 'volley', payload: undefined, volley: { verify: true }, connections: 5 },
            ...{ start: 'together', pause: '0s', lifetime: { transfers: 200, reopen: false }, duration: '60s' },
          });
          await run.endsWith(0);
          const [leg] = run.summary().legs;
          assert.deepEqual([leg.transfers.count, leg.transfers.failed, leg.errors.total], [5 * 200, 0, 0], name);
          await stopServer({ host: '127.0.0.1', port: server.port });
          const { code, signal } = await server.exited;
          assert.deepEqual([code, signal], [0, null], name);
          measured.push(name);
        } finally {
          await server.stop();
        }
      }
      assert.ok(measured.length >= 2, measured.join());
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  for (const name of ['epoll', 'multi-threaded', 'node']) {
    it.slow(`is ACE's client, against ${name}`, async function () {
      const ace = requireOriginal(this, 'BROADSIDE_ORIGINAL_ACE');
      await withServer({ name, protocol: 'ace' }, async ({ port }) => {
        for (const power of ['0', '7', '16']) {
          const words = ['-t', 'tcp', '-s', power, '-c', '500', '-H', '127.0.0.1', '-p', String(port)];
          assert.match(await outputOf([join(ace, 'SOCK_STREAM_clt'), ...words]), /^num_points: 500$/m);
        }
      });
    });
  }

  it.slow("is ACE's server, which our client announces its messages to, and leaves alive", async function () {
    const ace = requireOriginal(this, 'BROADSIDE_ORIGINAL_ACE');
    const command = `exec ${join(ace, 'SOCK_STREAM_srv')} -t tcp -p {port} -a 127.0.0.1`;
    await withServer({ command, protocol: 'ace' }, async (server) => {
      const at = ['-t', 'tcp', '-p', String(server.port), '-H', '127.0.0.1'];
      for (const power of ['0', '7', '16']) {
        const logs = join(box.folder, `ace-${power}`);
        const folders = ['--logs', logs, '--report', join(box.folder, 'report')];
        const words = ['ace', ...folders, ...at, '-s', power, '-c', '500'];
        assert.match(await outputOf([process.execPath, CLI, ...words]), /^num_points: 500$/m);
      }
      const run = box.stress({
        ...{ target: `127.0.0.1:${server.port}`, protocol: 'ace', payload: '128B', pause: '0s', connections: 10 },
        ...{ lifetime: { transfers: 50, reopen: false }, duration: '60s' },
      });
      await run.endsWith(0);
      const [leg] = run.summary().legs;
      assert.deepEqual([leg.transfers.count, leg.errors.total, leg.rejects.total], [10 * 50, 0, 0]);
      assert.deepEqual(
        server.pids.filter((pid) => !isAlive(pid)),
        [],
      );
    });
  });

  it.slow('is tcpkali, against our echo', async function () {
    const tcpkali = requireOriginal(this, 'BROADSIDE_ORIGINAL_TCPKALI');
    await withServer({ name: 'epoll', protocol: 'echo' }, async ({ port }) => {
      const words = ['-c', '50', '-T', '2', '-r', '200', '-m', 'PING.', '--latency-marker', 'PING.'];
      assert.match(await outputOf([tcpkali, ...words, `127.0.0.1:${port}`]), /^Total data received: +[1-9]/m);
    });
  });

  it.slow('is rust_echo_bench, against our echo', async function () {
    const bench = requireOriginal(this, 'BROADSIDE_ORIGINAL_RUST_ECHO_BENCH');
    await withServer({ name: 'epoll', protocol: 'echo' }, async ({ port }) => {
      const words = ['-a', `127.0.0.1:${port}`, '-c', '50', '-l', '512', '-t', '2'];
      const [, sent, received] =
        /^Speed: (\d+) request\/sec, (\d+) response\/sec/m.exec(await outputOf([bench, ...words])) ?? [];
      assert.ok(Number(received) > 0 && Number(sent) >= Number(received), `${sent} sent, ${received} received`);
    });
  });
});
