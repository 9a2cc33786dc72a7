// Runs with kernel timestamps: summary, transfer log, console and page say the same of the parts of the response times.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { backends, tlsVersion } from '../../client/engine/index.js';
import { makeAuthority } from '../fixtures/certificates.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { sandbox } from '../fixtures/e2e-run.js';
import { requireTool, skip } from '../hooks.js';

/** @param {Record<string, any>[]} rows @param {string} column */
const medianOf = (rows, column) =>
  Number(rows.map((row) => row[column]).sort((a, b) => Number(a - b))[rows.length >> 1]);

describe('a run with kernel timestamps', function () {
  this.timeout(120_000);
  const box = sandbox({ workers: 1 });
  const few = { connections: 8, pause: '5ms', transfers: 3000, duration: '60s' };

  /** @param {import('../fixtures/e2e-run.js').Run} run ended @param {string} leg @returns {Promise<Record<string, any>[]>} */
  const rowsOf = async (run, leg) =>
    parquetReadObjects({ file: await asyncBufferFromFile(join(run.folder ?? '', leg, 'transfers.parquet')) });

  /** @param {import('../fixtures/e2e-run.js').Run} run ended */
  async function assertSplit(run) {
    const {
      summary,
      legs: [{ leg, samples }],
    } = await assertBooks(run);
    const { timestamps, responseTimeNs } = leg.steady;
    assert.ok(
      timestamps.sampled + (timestamps.leftOut?.total ?? 0) <= responseTimeNs.count,
      JSON.stringify(timestamps),
    );
    const rows = await rowsOf(run, leg.id);
    const split = rows.filter(({ sendDelay }) => sendDelay !== null && sendDelay !== undefined);
    const counted = samples.reduce((sum, { histograms }) => sum + (histograms.splitResponse?.count ?? 0), 0);
    assert.equal(split.length, counted, 'those in the log are those in the samples');
    for (const { response, sendDelay, networkAndServer, receiveDelay, status } of split) {
      assert.equal(sendDelay + networkAndServer + receiveDelay, response, 'the parts add up');
      assert.equal(status, 0);
    }
    const sampled = split.filter(({ start, response }) => Number(start + response) >= leg.startNs + leg.steady.fromNs);
    const [responseNs, serverNs] = ['response', 'networkAndServer'].map((part) => medianOf(sampled, part));
    const { share } = timestamps.clientPart.p50;
    assert.ok(Math.abs(share - (1 - serverNs / responseNs)) < 0.02, `${share}, of ${serverNs} in ${responseNs} ns`);
    assert.match(run.stdout, /network \+ server p50/);
    assert.match(run.stdout, /client part p50/);
    const page = readFileSync(join(run.report, `${summary.run}.html`), 'utf8');
    assert.match(page, /data-name="client part p50"/);
    assert.match(page, /of a sample of the transfers, by software/);
    return leg;
  }

  it('splits a sample, in samples, summary, log, console and page', async () => {
    const run = box.stress({ ...few, servers: ['epoll'] });
    await run.endsWith(0);
    await assertSplit(run);
  });

  it.slow('splits one over TLS and io_uring as well', async function () {
    const backend = backends().find(({ name }) => name === 'io_uring');
    if (!backend?.available) skip(this, `io_uring is not there: ${backend?.why}`);
    if (tlsVersion === null) skip(this, 'the engine was built without OpenSSL');
    requireTool(this, 'openssl');
    const authority = makeAuthority();
    const { cert, key } = authority.sign('IP:127.0.0.1');
    const server = createServer({ cert, key, noDelay: true }, (socket) => {
      socket.on('error', () => {}).pipe(socket);
    });
    try {
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
      const run = box.stress({
        ...few,
        target: `127.0.0.1:${port}`,
        tls: { ca: authority.authority.certFile },
        io: 'io_uring',
      });
      await run.endsWith(0);
      await assertSplit(run);
    } finally {
      server.close();
      authority.remove();
    }
  });

  it.slow('has none of it when they are off', async () => {
    const run = box.stress({ ...few, servers: ['epoll'], timestamps: 'off', transferLog: 'arrow' });
    await run.endsWith(0);
    const {
      legs: [{ leg }],
    } = await assertBooks(run);
    assert.equal('timestamps' in leg.steady, false);
    assert.ok(existsSync(join(run.folder ?? '', leg.id, 'transfers-0.arrows')));
    assert.ok(!existsSync(join(run.folder ?? '', leg.id, 'timestamps-0.arrows')));
    assert.doesNotMatch(run.stdout, /client part p50/);
  });

  it.slow('keeps the second stream of a log that stays in Arrow format', async () => {
    const run = box.stress({ ...few, servers: ['epoll'], transferLog: 'arrow' });
    await run.endsWith(0);
    const [{ id }] = run.summary().legs;
    assert.ok(existsSync(join(run.folder ?? '', id, 'timestamps-0.arrows')));
  });
});
