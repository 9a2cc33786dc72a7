// Whether connections are closed and reopened as planned, as requested or as the server announced.
import assert from 'node:assert/strict';
import { churnsConnections, serverRecycles } from '../../client/measure/churn.js';

describe('planned reconnects', () => {
  it('result from workload, lifetime or http.keepAlive', () => {
    assert.ok(churnsConnections({ workload: 'reconnect' }));
    assert.ok(churnsConnections({ workload: 'continuous', protocol: 'http', protocolOptions: { keepAlive: false } }));
    assert.ok(!churnsConnections({ workload: 'once', protocol: 'http', protocolOptions: { keepAlive: false } }));
    assert.ok(!churnsConnections({ workload: 'continuous', protocol: 'http', protocolOptions: { keepAlive: true } }));
  });

  it('also result from announced closes by the server: each connection was reopened without a loss', () => {
    assert.ok(serverRecycles({ requested: 20, reopened: 3827, lost: 0 }));
    assert.ok(!serverRecycles({ requested: 20, reopened: 3827, lost: 3827 }));
    assert.ok(!serverRecycles({ requested: 20, reopened: 30, lost: 5, lostWithWorker: 6 }));
    assert.ok(!serverRecycles({ requested: 0, reopened: 0, lost: 0 }));
  });
});
