// SCTP and UDP in a scenario, a plan and the words for them: what is refused, which stack is chosen, and that a stack
// in user space is always named.

import assert from 'node:assert/strict';
import { transportCheck } from '../../client/commands/doctor-checks.js';
import { chooseStack, unavailableStacks } from '../../client/transports/sctp/index.js';
import { plan } from '../../client/plan/plan.js';
import { transportLabel, transportSettings, transportText } from '../../client/transports/index.js';
import { protocolMismatches } from '../../client/scenario/place-rules.js';
import { resolveScenario } from '../../client/scenario/scenario.js';
import { host } from '../fixtures/hosts.js';

/** @import { Stacks } from '../../client/transports/sctp/index.js' */

/** @type {Stacks} */
const there = { kernel: null, usrsctp: null };
const inUserSpace = { kernel: 'no', usrsctp: null };
const nowhere = { kernel: 'no', usrsctp: 'not built' };

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
    assert.deepEqual([leg.transport, leg.stack], ['udp', undefined]);
  });

  it('uses the stack of the kernel where it has one, else usrsctp, or the one that is named', () => {
    for (const [
      sctpStack,
      stacks,
      chosen,
      ...unavailable
    ] of /** @type {[any, typeof there, string | null, ...string[]][]} */ ([
      ['auto', there, 'kernel'],
      ['auto', inUserSpace, 'usrsctp'],
      ['usrsctp', there, 'usrsctp'],
      ['kernel', inUserSpace, null, 'kernel'],
      ['auto', nowhere, null, 'kernel', 'usrsctp'],
    ])) {
      const wish = { transport: 'sctp', sctpStack };
      const missing = unavailableStacks(wish, stacks).map(({ stack }) => stack);
      assert.deepEqual(missing, unavailable);
      if (missing.length === 0) assert.equal(chooseStack(wish, stacks), chosen);
    }
    assert.equal(chooseStack({ transport: 'tcp', sctpStack: 'auto' }, nowhere), null);
    const row = (/** @type {Stacks} */ sctp) => transportCheck(scenario({}), { sctp: { ...sctp, version: '' } });
    assert.deepEqual(
      [there, inUserSpace, nowhere].map((stacks) => row(stacks)[0]?.data.stack),
      ['kernel', 'usrsctp', undefined],
    );
  });

  it('names a stack in user space in the label of the leg', () => {
    const [leg] = plan(scenario({ transport: 'sctp-seqpacket' }), host).legs;
    assert.deepEqual([leg.transport, leg.stack], ['sctp-seqpacket', 'usrsctp']);
    assert.equal(leg.label, `epoll, ${transportLabel(leg)}`);
    const kernel = plan(scenario({}), { ...host, sctp: { ...there, version: '' } }).legs[0];
    assert.deepEqual([kernel.transport, kernel.stack, kernel.label], ['sctp', 'kernel', 'epoll']);
    const tcp = plan(scenario({ transport: 'tcp' }), host).legs[0];
    assert.deepEqual(['transport' in tcp, 'stack' in tcp], [false, false]);
    assert.equal(transportText(tcp), null);
    assert.notEqual(transportText(kernel), transportText({ ...kernel, stack: 'usrsctp' }));
  });

  it('is compared with what a server declares', () => {
    const manifest = { protocols: ['echo'], scales: 'threads' };
    const known = [
      { name: 'epoll', manifest: { ...manifest, transports: ['tcp', 'sctp'] } },
      { name: 'poll', manifest },
    ];
    const servers = scenario({ servers: ['epoll', 'poll'] });
    const codes = (/** @type {any} */ one) =>
      protocolMismatches(one, /** @type {any} */ (known)).map(({ code, data }) => [code, data.server, data.supported]);
    assert.deepEqual(codes(servers), [['transport-unsupported', 'poll', ['tcp']]]);
    assert.deepEqual(codes({ ...servers, transport: 'tcp' }), []);
  });

  it('has settings that are no sysctls, in words and units', () => {
    const settings = { 'net.sctp.rto_min': 1000, 'net.sctp.sendspace': 262_144, 'net.sctp.path_max_retrans': 5 };
    const [{ rows }] = transportSettings({ usrsctp: { version: '0.9.5', ...settings } });
    assert.equal(rows.map(([, text]) => text).join(), '0.9.5,1 s,262 kB,5');
  });
});
