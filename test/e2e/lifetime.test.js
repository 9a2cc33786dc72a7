// Key `lifetime`: connections that end after a number of transfers or a time, in closed and open loop.
// The server counts the transfers of each connection.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { pickPort } from '../../servers/launcher/start/ports.js';
import { pageText } from '../fixtures/page-text.js';
import { mistakesOf } from '../fixtures/codes.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { sandbox } from '../fixtures/e2e-run.js';

const PAYLOAD_BYTES = 64; // the base scenario's

/** @typedef {{bytes: number, endedBy: string | null, socket: import('node:net').Socket}} Served a connection */

describe('the lifetime of connections', function () {
  this.timeout(120_000);
  const box = sandbox({ workers: 1 });
  /** @type {(() => void)[]} */
  const ends = [];
  after(() => ends.forEach((end) => end()));

  /** @returns {Promise<{port: number, served: Served[]}>} a server that sends back what comes, for one test */
  async function serve() {
    /** @type {Served[]} */
    const served = [];
    const server = createServer((socket) => {
      const one = { bytes: 0, endedBy: /** @type {string | null} */ (null), socket };
      served.push(one);
      socket.on('data', (bytes) => {
        one.bytes += bytes.length;
        socket.write(bytes);
      });
      socket.on('end', () => (one.endedBy ??= 'fin'));
      socket.on(
        'error',
        (/** @type {NodeJS.ErrnoException} */ { code = '' }) => (one.endedBy ??= code === 'ECONNRESET' ? 'rst' : code),
      );
    });
    server.listen(await pickPort('127.0.0.1'), '127.0.0.1');
    ends.push(() => {
      server.close();
      for (const { socket } of served) socket.destroy();
    });
    await once(server, 'listening');
    return { port: /** @type {import('node:net').AddressInfo} */ (server.address()).port, served };
  }

  /** @param {Record<string, unknown>} scenario */
  async function measure(scenario) {
    const { port, served } = await serve();
    const run = box.stress({ connections: 20, ...scenario }, ['--target', `127.0.0.1:${port}`]);
    await run.endsWith(0);
    const {
      legs: [{ leg }],
    } = await assertBooks(run, { planned: true });
    assert.deepEqual([leg.connections.lost, leg.errors.total, leg.rejects.total, leg.warnings], [0, 0, 0, []]);
    return { run, leg, served };
  }

  for (const more of [{}, { pipeline: 4, pause: '0s' }, { rate: '2000/s', pause: '0s' }]) {
    const add = 'pipeline' in more ? it : it.slow;
    add(`in transfers, ${JSON.stringify(more)}`, async () => {
      const { run, leg, served } = await measure({ lifetime: { transfers: 8 }, ...more });
      assert.ok(leg.connections.reopened >= 20, `${leg.connections.reopened} reopened`);
      const full = served.filter(({ bytes }) => bytes === 8 * PAYLOAD_BYTES);
      assert.ok(
        served.every(({ bytes }) => bytes <= 8 * PAYLOAD_BYTES),
        'none had more',
      );
      assert.ok(full.length >= leg.connections.reopened, `${full.length} had all`);
      assert.ok(full.filter(({ endedBy }) => endedBy === 'fin').length >= leg.connections.reopened);
      assert.match(run.stdout, /^ +opened +[0-9,]+$/m);
      const page = pageText(run.report);
      assert.match(page, /<dd>8 transfers, then closed and reopened<\/dd>/);
      assert.match(page, /opened [0-9,.]+[a-z]*\/s, [0-9,]+ in all/);
    });
  }

  it.slow('as a duration', async () => {
    const { leg } = await measure({ lifetime: { time: '200ms' } });
    const { opened } = leg.connections;
    // each connection except the last lives for at least 200 ms
    assert.ok(opened > 20 && opened <= 20 * Math.ceil(leg.phases.endNs / 200e6), `${opened} opened`);
  });

  it('is rejected if a connection ends by itself, or never', async () => {
    /** @type {[Record<string, unknown>, string][]} */
    const wrong = [
      [{ workload: 'reconnect', pause: '0s', lifetime: { transfers: 2 } }, 'lifetime key-not-for-workload'],
      [{ workload: 'hold', pause: '0s', lifetime: { time: '1s' } }, 'lifetime hold-without-heartbeat'],
      [{ lifetime: { reopen: false } }, 'lifetime.reopen lifetime-without-end'],
      [{ lifetime: { time: '0s' } }, 'lifetime.time out-of-range'],
    ];
    for (const [scenario, mistake] of wrong) {
      assert.deepEqual(mistakesOf(await box.refused(scenario, ['--target', '127.0.0.1:1'])), [mistake]);
    }
  });
});
