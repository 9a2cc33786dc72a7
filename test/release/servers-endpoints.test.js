// Where servers listen: each server on every address family that its manifest names.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { discover, startServer } from '../../servers/launcher/index.js';
import { verifyExchange } from '../fixtures/one-exchange.js';
import { requireServer } from '../contract/representatives.js';
import { requireIPv6 } from '../fixtures/loopback.js';

const HOSTS = { ipv4: '127.0.0.1', ipv6: '::1', unix: 'unix:' };
const servers = (await discover()).filter(
  ({ name, fault, available }) => !fault && (available || name !== 'java-virtual'), // which needs Java 21
);

describe('every server', function () {
  this.timeout(120_000);

  for (const server of servers) {
    const {
      name,
      protocols,
      manifest: { listens = ['ipv4'] },
    } = server;
    it(`${name} listens on ${listens.join(', ')}`, async function () {
      requireServer(this, server);
      if (listens.includes('ipv6')) requireIPv6(this);
      const [protocol] = protocols;
      for (const family of listens) {
        const started = await startServer({ name, protocol, host: HOSTS[family] });
        const { host, port, authority } = started;
        try {
          await verifyExchange({ host, port, protocol, authority });
          assert.ok(family === 'unix' ? existsSync(host.slice('unix:'.length)) : host === HOSTS[family], host);
        } finally {
          await started.stop();
        }
        if (family === 'unix') assert.ok(!existsSync(dirname(host.slice('unix:'.length))), 'its folder has gone');
      }
    });
  }
});
