// The connection to a NATS server. A made-up server answers as much as a test needs.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { connect } from '@nats-io/transport-node';
import { NatsBroker } from '../../client/agents/broker.js';

/** @import { AddressInfo } from 'node:net' */

const INFO = JSON.stringify({ server_id: 'made-up', version: '2.10.0', proto: 1, headers: true, max_payload: 1024 });

describe('the connection to the NATS server', () => {
  it('is left at once, also while it is being opened again and the server does not answer', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = /** @type {AddressInfo} */ (server.address());
    const connecting = connect({ servers: `127.0.0.1:${port}`, maxReconnectAttempts: -1, reconnectTimeWait: 1 });
    const [first] = await once(server, 'connection');
    first.write(`INFO ${INFO}\r\n`);
    first.on('data', (/** @type {Buffer} */ data) => String(data).includes('PING') && first.write('PONG\r\n'));
    const nc = await connecting;
    const broker = new NatsBroker(nc, /** @type {any} */ ({ jetstream: () => null }));
    first.destroy();
    const [second] = await once(server, 'connection');
    second.on('error', () => {}).resume();
    const left = once(second, 'close');
    await broker.close();
    await left;
    assert.equal(broker.isClosed, true);
    server.close();
  });
});
