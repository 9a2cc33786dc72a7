// Source addresses: how many ports connections need, which addresses provide them, and which cannot be used.

import assert from 'node:assert/strict';
import { isIPv4 } from 'node:net';
import fc from 'fast-check';
import { chooseSources, isLocal, portDemand, USED_SHARE } from '../../client/plan/sources.js';
import { decide } from '../../client/plan/preflight.js';
import { brokenRules } from '../../client/scenario/rules/rule.js';
import { sourceRules } from '../../client/scenario/rules/servers.js';
import { resolveScenario } from '../../client/scenario/scenario.js';
import { host } from '../fixtures/hosts.js';

/** @param {Record<string, unknown>} content */
const here = (content = {}) => resolveScenario({ content: { servers: ['epoll'], connections: 100, ...content } });
/** @param {Record<string, unknown>} content */
const away = (content = {}) => resolveScenario({ content: { target: '10.0.0.1:80', connections: 100, ...content } });
const wide = {
  ...host,
  towards: '10.0.0.5',
  addresses: [
    { interface: 'lo', address: '127.0.0.1', prefix: 8 },
    { interface: 'eth0', address: '10.0.0.4', prefix: 24 },
    { interface: 'eth0', address: '10.0.0.5', prefix: 24 },
    { interface: 'eth0', address: '10.0.0.6', prefix: 32 },
    { interface: 'eth0', address: '192.168.1.5', prefix: 24 },
    { interface: 'eth1', address: '10.0.0.7', prefix: 24 },
  ],
};

/**
 * @param {any} scenario @param {typeof host} machine
 * @returns {[string, boolean] | null} the first address that it lacks, and whether all of 127/8 would do
 */
function lacking(scenario, machine) {
  const row = decide(scenario, machine, []).limits.find(({ code }) => code === 'source-unavailable');
  return row === undefined ? null : [row.data.source, row.data.loopback];
}

/** @param {any} scenario @returns {string[]} the addresses from which its target cannot be reached */
const mistaken = (scenario) => brokenRules(sourceRules, scenario, (path) => path).map(({ data }) => data.source);

describe('local ports used by a run', () => {
  it('with workload reconnect are those that the kernel keeps, for a second or a minute', () => {
    const far = { servers: undefined, target: '10.0.0.1:80' };
    for (const [content, reuse, seconds, ports] of /** @type {[Record<string, unknown>, number, number, number][]} */ ([
      [{}, 2, 60, 100 + 1000], // on loopback a second of connects
      [{}, 0, 90, 100 + 60_000], // a minute where the kernel does not reuse
      [far, 2, 90, 100 + 60_000],
      [far, 1, 90, 100 + 1000],
      [far, 2, 7, 100 + 7000], // no more than a short leg makes
      [{ connectRate: '9000000/s' }, 2, 60, 100 + 131_072], // no more than the kernel keeps
      [{ socket: { linger: '0s' } }, 0, 60, 100], // closed by RST
    ])) {
      const scenario = here({ workload: 'reconnect', connectRate: '1000/s', ...content });
      assert.equal(portDemand(scenario, { ...host, timeWait: { reuse, most: 131_072 } }, seconds).ports, ports);
    }
    assert.equal(portDemand(here({ workload: 'reconnect' }), host, 60).ports, 50_100, 'an estimate');
  });

  it('with a lifetime include the connections it closes', () => {
    for (const [content, ports, assumed] of /** @type {[Record<string, unknown>, number, boolean][]} */ ([
      [{ workload: 'hold' }, 100, false],
      [{ lifetime: { time: '10s' } }, 100 + 60 * 10, false],
      [{ lifetime: { transfers: 20 }, rate: '1000/s' }, 100 + 60 * 50, false],
      [{ lifetime: { transfers: 20 }, pause: '1s' }, 100 + 60 * 5, false],
      [{ target: 'unix:/run/s' }, 0, false],
    ])) {
      const demand = portDemand(away(content), host, 90);
      assert.deepEqual([demand.ports, demand.assumed ?? false], [ports, assumed], JSON.stringify(content));
    }
    assert.equal(portDemand(away({ lifetime: { transfers: 100 } }), host, 90).assumed, true);
  });
});

describe('source addresses', () => {
  it('on loopback are as many as keep each within its share of ports', () => {
    const sources = (/** @type {number} */ needed) => chooseSources(here(), host, needed);
    assert.deepEqual(sources(10_000), []);
    assert.deepEqual(sources(20_000), ['127.0.0.1', '127.0.0.2']);
    assert.equal(sources(80_000).length, 8);
    assert.deepEqual(chooseSources(here(), { ...host, ports: 0 }, 80_000), [], 'none has a port');
  });

  it('on loopback are distinct, however small the port range', () => {
    const [many, few] = [300_000, 64_000].map((max) => fc.integer({ min: 1, max }));
    fc.assert(
      fc.property(many, few, (needed, ports) => {
        const sources = chooseSources(here(), { ...host, ports }, needed);
        assert.equal(new Set(sources).size, sources.length);
        const ends = sources.length === 0 ? [] : [sources[0], sources.at(-1) ?? ''];
        assert.ok(ends.every((address) => isIPv4(address) && address.startsWith('127.')));
        assert.ok(Math.max(1, sources.length) * Math.max(1, ports * USED_SHARE) >= needed);
      }),
      { numRuns: 20 },
    );
  });

  it("elsewhere are the kernel's choice while it suffices, then all of that interface in its network, or as given", () => {
    for (const [
      content,
      more,
      needed,
      sources,
    ] of /** @type {[Record<string, unknown>, object, number, string[]][]} */ ([
      [{}, {}, 11_000, []],
      [{}, {}, 20_000, ['10.0.0.5', '10.0.0.4', '10.0.0.6']],
      [{}, { towards: '10.0.0.7' }, 20_000, []], // one address is the kernel's choice
      [{}, { towards: null }, 20_000, []],
      [{ sources: ['10.0.0.6'] }, {}, 20_000, ['10.0.0.6']],
    ])) {
      assert.deepEqual(chooseSources(away(content), { ...wide, ...more }, needed), sources);
    }
    assert.deepEqual(chooseSources(here({ sources: ['127.0.0.9'] }), wide, 20_000), ['127.0.0.9']);
  });

  it('are rejected if this machine cannot use them', () => {
    assert.deepEqual(lacking(away({ sources: ['10.0.0.5', '10.9.9.9'] }), wide), ['10.9.9.9', false]);
    assert.deepEqual(lacking(here({ sources: ['10.9.9.9'] }), wide), ['10.9.9.9', true]);
    assert.deepEqual(mistaken(away({ sources: ['127.0.0.1'] })), ['127.0.0.1']);
    for (const scenario of [
      here({ sources: ['127.1.2.3', '10.0.0.5'] }),
      away({ sources: ['10.0.0.5'] }),
      away(),
      here(),
    ]) {
      assert.deepEqual([mistaken(scenario), lacking(scenario, wide)], [[], null]);
    }
  });

  it("belong to the target's address family", () => {
    const ipv6 = {
      ...wide,
      towards: 'fd00::5',
      addresses: [
        ...wide.addresses,
        { interface: 'lo', address: '::1', prefix: 128 },
        { interface: 'eth0', address: 'fd00::4', prefix: 64 },
        { interface: 'eth0', address: 'fd00::5', prefix: 64 },
        { interface: 'eth0', address: 'fd00:0:0:1::5', prefix: 64 },
      ],
    };
    const far = (/** @type {Record<string, unknown>} */ content = {}) => away({ target: '[fd00::1]:80', ...content });
    const near = (/** @type {Record<string, unknown>} */ content = {}) => away({ target: '[::1]:80', ...content });
    assert.deepEqual(chooseSources(far(), ipv6, 20_000), ['fd00::5', 'fd00::4']);
    assert.deepEqual(chooseSources(near(), { ...ipv6, towards: '::1' }, 20_000), [], 'loopback has one address');
    for (const scenario of [
      far({ sources: ['fd00::4'] }),
      near({ sources: ['::1'] }),
      near({ sources: ['fd00::4'] }),
    ]) {
      assert.deepEqual([mistaken(scenario), lacking(scenario, ipv6)], [[], null]);
    }
    assert.deepEqual(mistaken(far({ sources: ['10.0.0.5'] })), ['10.0.0.5'], 'of the other family');
    assert.deepEqual(mistaken(far({ sources: ['::1'] })), ['::1'], 'loopback reaches no other machine');
    assert.deepEqual(mistaken(here({ listen: 'ipv6', sources: ['127.0.0.2'] })), ['127.0.0.2']);
    assert.deepEqual(lacking(near({ sources: ['fd00::9'] }), ipv6), ['fd00::9', false]);
    assert.deepEqual(lacking(near({ sources: ['::1'] }), wide), ['::1', false]);
  });

  it('are not used for a unix socket, which uses no port', () => {
    const scenario = away({ target: 'unix:/run/s' });
    assert.deepEqual(chooseSources(scenario, { ...wide, portsTaken: 28_000 }, 0), []);
  });
});

describe('a server', () => {
  it('is on this machine if started here, on loopback, on an own address, or monitored', () => {
    const all = ['127.0.0.9:80', '[::1]:80', 'unix:/run/s', '10.0.0.5:80', '10.0.0.1:80'];
    assert.deepEqual(
      all.filter((target) => isLocal(away({ target }), host)),
      all.slice(0, -1),
    );
    assert.ok(isLocal(here(), host) && isLocal(away({ serverPid: 1 }), host));
    const addresses = ['10.0.0.7', '127.0.0.2'].map((address) => ({ name: 's1', title: 'agent s1', address, host }));
    assert.deepEqual(
      addresses.map((server) => isLocal(here(), { ...host, server })),
      [false, true],
    );
  });
});
