// The client's protocols against our servers: requests are answered, and a server of another protocol is not mistaken
// for a correct one.

import assert from 'node:assert/strict';
import { assertBooks } from '../fixtures/e2e-books.js';
import { sandbox } from '../fixtures/e2e-run.js';

/** Bytes of a request, beyond the 8 of ace's header once a connection; and of a reply. */
const PROTOCOLS = {
  echo: { scenario: { payload: '1KiB' }, request: 1024, reply: 1024, once: 0 },
  volley: { scenario: { payload: undefined }, request: 4, reply: 4, once: 0 },
  ace: { scenario: { payload: '64B' }, request: 68, reply: 2, once: 8 },
};

describe('a run with protocol', function () {
  this.timeout(120_000);
  const box = sandbox({ workers: 1 });

  for (const [protocol, { scenario, request, reply, once }] of Object.entries(PROTOCOLS)) {
    it(`${protocol} sends requests and reads replies with the bytes of the protocol`, async () => {
      const run = box.stress({ servers: ['epoll'], protocol, ...scenario });
      await run.endsWith(0);
      const {
        legs: [{ leg }],
      } = await assertBooks(run);
      assert.deepEqual([leg.connections.openAtEnd, leg.errors.total, leg.transfers.failed], [100, 0, 0]);
      const { count, unfinished, bytesSent, bytesReceived } = leg.transfers;
      assert.ok(count >= 100, `${count} transfers`);
      const sent = (/** @type {number} */ transfers) => transfers * request + leg.attempts.opened * once;
      assert.ok(bytesSent >= sent(count) && bytesSent <= sent(count + unfinished), `${bytesSent} bytes sent`);
      assert.ok(bytesReceived >= count * reply, `${bytesReceived} bytes received`);
    });

    it.slow(`${protocol} sends 16 requests at once on each connection, and reads the replies in order`, async () => {
      const servers = [{ name: 'epoll', options: { work: '2ms' } }];
      const run = box.stress({ servers, protocol, ...scenario, pause: '0s', pipeline: 16, connections: 10 });
      await run.endsWith(0);
      const {
        legs: [{ leg, samples }],
      } = await assertBooks(run);
      assert.deepEqual([leg.connections.openAtEnd, leg.errors.total, leg.transfers.failed], [10, 0, 0]);
      const inFlight = samples.map(({ gauges }) => gauges.inFlight);
      assert.ok(Math.max(...inFlight) > 10 && Math.max(...inFlight) <= 160, `${inFlight} in flight`);
      const { count, unfinished, bytesSent } = leg.transfers;
      const sent = (/** @type {number} */ transfers) => transfers * request + leg.attempts.opened * once;
      assert.ok(bytesSent >= sent(count) && bytesSent <= sent(count + unfinished), `${bytesSent} bytes sent`);
    });

    it.slow(`${protocol} reconnects after each transfer`, async () => {
      const run = box.stress({
        servers: ['epoll'],
        protocol,
        ...scenario,
        workload: 'reconnect',
        pause: '0s',
        connectRate: '2000/s',
      });
      await run.endsWith(0);
      const [leg] = run.summary().legs;
      assert.ok(leg.connections.reopened >= 10, `${leg.connections.reopened} reopened`);
      assert.deepEqual([leg.errors.total, leg.connections.lost], [0, 0]);
    });
  }

  it.slow('sends payloads of varying length, each of which comes back whole', async () => {
    const [least, most] = [100, 64 * 1024];
    const run = box.stress({ servers: ['epoll'], payload: `${least}B-64KiB`, pause: '0s', connections: 10 });
    await run.endsWith(0);
    const {
      legs: [{ leg }],
    } = await assertBooks(run);
    assert.deepEqual([leg.connections.openAtEnd, leg.errors.total, leg.transfers.failed], [10, 0, 0]);
    const { count, unfinished, bytesSent, bytesReceived } = leg.transfers;
    assert.ok(count >= 100, `${count} transfers`);
    assert.ok(bytesReceived >= count * least && bytesReceived <= (count + unfinished) * most, `${bytesReceived}`);
    assert.ok(bytesSent >= bytesReceived && bytesSent - bytesReceived <= unfinished * most, `${bytesSent}`);
    const mean = bytesReceived / count; // of 100 draws its deviation is 0.03 of the range
    assert.ok(mean > most * 0.3 && mean < most * 0.7, `${mean} bytes on average`);
    const { payloadMinBytes, payloadBytes } = run.summary().config;
    assert.deepEqual([payloadMinBytes, payloadBytes], [least, most]);
  });

  it.slow('volley detects an echo server as corrupt', async () => {
    const run = box.stress({
      command: `${process.execPath} test/fixtures/echo-command.js {port} ready`,
      protocol: 'volley',
      payload: undefined,
      connections: 10,
    });
    await run.endsWith(1);
    const [{ failure }] = run.summary().legs;
    assert.deepEqual(
      [failure.code, failure.data.errorCode, failure.data.errorData.reason, failure.data.errorData.offset],
      ['leg-failed', 'EEXCHANGE', 'mismatch', 3],
    );
  });
});
