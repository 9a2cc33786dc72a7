// SCTP and UDP in a scenario, a plan and the words for them.

import assert from 'node:assert/strict';
import { plan } from '../../client/plan/plan.js';
import { combinedTransports, transportText } from '../../client/transports/index.js';
import { protocolMismatches } from '../../client/scenario/place-rules.js';
import { resolveScenario } from '../../client/scenario/scenario.js';
import { host } from '../fixtures/hosts.js';

const scenario = (/** @type {Record<string, unknown>} */ content) =>
  resolveScenario({ content: { servers: ['epoll'], connections: 4, transport: 'sctp', ...content } });

describe('transport', () => {
  const overUdp = (/** @type {Record<string, unknown>} */ content) =>
    scenario({ transport: 'udp', protocol: 'memcached', servers: ['memcached'], ...content });

  it('carries memcached over UDP, sets of at most a datagram and gets of any size', () => {
    assert.equal(overUdp({ memcached: { ratio: '1:1' }, payload: '1357B' }).transport, 'udp');
    const binary = { ratio: '0:1', format: 'binary', sizes: ['1B', '1342B'] };
    assert.equal(overUdp({ memcached: binary }).transport, 'udp');
    const [leg] = plan(overUdp({ payload: '64KiB' }), host).legs;
    assert.equal(leg.transport, 'udp');
  });

  it('is in the leg, except for TCP, and in words', () => {
    const over = (/** @type {string} */ transport) => plan(scenario({ transport }), host).legs[0];
    const legs = ['sctp', 'sctp-seqpacket'].map(over);
    assert.deepEqual(
      legs.map(({ transport }) => transport),
      ['sctp', 'sctp-seqpacket'],
    );
    const [single, many] = legs.map(({ transport }) => transportText(transport));
    assert.notEqual(single, many);
    const tcp = over('tcp');
    assert.equal('transport' in tcp, false);
    assert.equal(transportText(tcp.transport), null);
  });

  it('of several hosts is there only where all of them have it', () => {
    const errno = 'EPROTONOSUPPORT';
    assert.deepEqual(combinedTransports([{ sctp: null }, { sctp: null }]), { sctp: null });
    assert.deepEqual(combinedTransports([{ sctp: null }, { sctp: errno }]), { sctp: errno });
  });

  it('is compared with what a server declares', () => {
    const manifest = { protocols: ['echo'], scales: 'threads' };
    const known = [
      { name: 'epoll', manifest: { ...manifest, transports: ['tcp', 'sctp'] } },
      { name: 'poll', manifest },
    ];
    const servers = scenario({ servers: ['epoll', 'poll'] });
    const codes = (/** @type {any} */ scenario) =>
      protocolMismatches(scenario, /** @type {any} */ (known)).map(({ code, data }) => [
        code,
        data.server,
        data.supported,
      ]);
    assert.deepEqual(codes(servers), [['transport-unsupported', 'poll', ['tcp']]]);
    assert.deepEqual(codes({ ...servers, transport: 'tcp' }), []);
  });
});
