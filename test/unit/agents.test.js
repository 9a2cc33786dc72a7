// Parts of runs over several hosts that need no other host: the split of the load, clocks, the allow list, the bytes of
// messages, and what the commands refuse.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { bucketOf, layout, lowestOf } from '../../client/measure/histogram.js';
import { loadScenario } from '../../client/scenario/scenario.js';
import { combinedHost } from '../../client/agents/combined-host.js';
import { plan as makePlan } from '../../client/plan/plan.js';
import { pointsOf } from '../../client/measure/settings.js';
import { decidePoints } from '../../client/plan/points.js';
import { checkForAgents } from '../../client/agents/place-rules.js';
import { readHost } from '../../client/machine/host.js';
import { connectionsOf } from '../../client/measure/hosts.js';
import { AllowList, LOOPBACK, parseNetwork } from '../../client/agents/allow-list.js';
import { tooFewText } from '../../client/agents/find-agents.js';
import { clockOffset } from '../../client/agents/clock-offset.js';
import { decode, encode } from '../../client/agents/codec.js';
import { readHello } from '../../client/agents/hello.js';
import { PROTOCOL_VERSION } from '../../client/agents/protocol-version.js';
import { isName, streamOf, subjects } from '../../client/agents/subjects.js';
import { codesOf, dataOf } from '../fixtures/codes.js';
import { host } from '../fixtures/hosts.js';
import { decideOn } from '../fixtures/planned-limits.js';
import { refused } from '../fixtures/refused.js';

/** @param {Record<string, any>} flags */
const scenarioOf = (flags) => loadScenario({ config: undefined, flags: { target: '10.0.0.9:7', ...flags } });

describe('what answers the question for agents', () => {
  const logs = { host: 'a.example', folder: '/logs' };
  const hello = {
    version: PROTOCOL_VERSION,
    name: 'a',
    broadside: '0.1.0',
    run: null,
    allow: ['10.0.0.0/8'],
    host,
    serves: null,
    logs,
  };

  it('is an agent if it says who it is, and what it has', async () => {
    assert.deepEqual(readHello(encode(hello)), hello);
    const serves = { address: '10.0.0.9', servers: ['epoll'], commands: false };
    assert.deepEqual(readHello(encode({ ...hello, run: 'r1', serves }))?.serves, serves);
    const here = { ...hello, host: await readHost({ logs: '.', target: { host: '127.0.0.1', port: 1 } }) };
    assert.deepEqual(readHello(encode(here)), here);
  });

  it('is none without bytes, as the NATS server answers where there is none, or with other ones', () => {
    const lacking = Object.keys(hello).map((key) => ({ ...hello, [key]: undefined }));
    const hosts = [
      { ...host, cores: NaN },
      { ...host, cores: 0 },
      { ...host, memoryBytes: -1 },
      { ...host, descriptors: Infinity },
      { ...host, ports: '28232' },
      { ...host, cpus: Array.from({ length: 20_000 }, () => 0) },
      { ...host, addresses: [{ interface: 'eth0', address: '/etc/passwd', prefix: 8 }] },
    ];
    const wrong = [
      ...[
        { name: '../a' },
        { name: 'a.b' },
        { name: '*' },
        { name: ['a'] },
        { allow: ['10.0.0.0/8', 'everything'] },
        { run: {} },
      ],
      ...hosts.map((hostChange) => ({ host: hostChange })),
    ];
    const messages = [null, 'hello', [], 5, ...lacking, ...wrong.map((change) => ({ ...hello, ...change }))];
    for (const message of messages) assert.equal(readHello(encode(message)), null, JSON.stringify(message));
    for (const bytes of ['', '{', '\u0000']) assert.equal(readHello(Buffer.from(bytes)), null);
  });
});

describe('a load that is divided over agents', () => {
  it('loses no connection in the remainder, and gives agents with as many workers the same to within one', () => {
    const [many, few] = [fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 8 })];
    fc.assert(
      fc.property(many, few, fc.nat(5000), (agents, each, more) => {
        const whole = agents * each + more;
        const shares = Array.from({ length: agents }, (_, agent) => connectionsOf(whole, agents * each, agent, agents));
        assert.equal(
          shares.reduce((sum, share) => sum + share),
          whole,
        );
        assert.ok(Math.max(...shares) - Math.min(...shares) <= 1);
      }),
    );
  });

  const hostOf = (/** @type {string} */ name, /** @type {Partial<typeof host>} */ over = {}) => ({
    ...{ name, title: `agent ${name}`, host: { ...host, addresses: [], towards: null, ...over } },
  });

  it('is judged by what each agent has, and together by what all have', async () => {
    const scenario = await scenarioOf({ connections: 30_001, rate: '3000/s' });
    const agents = ['a', 'b', 'c'].map((name) => hostOf(name));
    const sharesOf = (/** @type {typeof agents} */ hosts) =>
      decidePoints(pointsOf(scenario), combinedHost(hosts), [])[0].decision.shares ?? assert.fail();
    const [first, second] = sharesOf(agents);
    assert.deepEqual([first.scenario.connections, second.scenario.connections], [10_001, 10_000]);
    assert.deepEqual([Math.round(first.scenario.rate ?? 0), first.decision.refusal], [1000, null]);
    const together = combinedHost(agents);
    const [planned] = makePlan(scenario, together).legs;
    assert.deepEqual([planned.workers, planned.agents, planned.sources], [6, ['a', 'b', 'c'], []]);
    assert.deepEqual([together.cores, together.ports, together.descriptors], [6, 3 * 28_232, 20_000]);
    const [both, old] = [['127.0.0.1', '::1'], ['127.0.0.1']];
    const least = combinedHost([hostOf('a', { loopbacks: both, hasIpv6: true }), hostOf('b', { loopbacks: old })]);
    assert.deepEqual([least.loopbacks, least.hasIpv6], [old, false]);
    assert.equal(decideOn({ target: '127.0.0.1:80' }, least).refusal, null, 'the loopback of each agent');
    const [weak, ...others] = sharesOf([...agents.slice(1), hostOf('weak', { ports: 5000 })]).filter(
      ({ decision }) => decision.scenario === null,
    );
    assert.deepEqual([weak.name, others], ['weak', []]);
    const exceeded = weak.decision.limits.filter((limit) => limit.exceeded && limit.side === 'client');
    assert.deepEqual(codesOf(exceeded), ['local-ports']);
  });

  /** @param {string[]} names @param {Partial<typeof host>} [over] of all but the first */
  const agentsOf = ([first, ...names], over = {}) =>
    combinedHost([hostOf(first), ...names.map((name) => hostOf(name, over))]);

  it('is planned for each point of a sweep: divided, sized and judged by its own numbers', async () => {
    const scenario = await scenarioOf({ 'sweep.connections': [3, 60_000, 120_000], workers: 4 });
    const { legs, connections, warnings } = makePlan(scenario, agentsOf(['a', 'b', 'c', 'd', 'e']));
    assert.deepEqual(
      legs.map((leg) => [leg.axes.connections, leg.connections, leg.workers, leg.agents?.length]),
      [
        [3, 3, 3, 5],
        [60_000, 60_000, 20, 5],
        [120_000, 120_000, 20, 5],
      ],
    );
    assert.equal(connections, 120_000);
    assert.deepEqual(dataOf(warnings, 'fewer-workers'), { given: 4, used: 3 });
  });

  it('is refused for the agent and the point that cannot be carried, and only then', async () => {
    const scenario = await scenarioOf({ 'sweep.connections': [10, 40_000, 80_000] });
    for (const [ports, agent, connections] of /** @type {const} */ ([
      [20_000, 'a', 80_000],
      [5000, 'b', 40_000],
    ]))
      assert.throws(
        () => makePlan(scenario, agentsOf(['a', 'b'], { ports })),
        (/** @type {any} */ { code, data }) => {
          assert.deepEqual([code, data.host, data.axes], ['ELIMIT', agent, { connections }]);
          assert.equal(data.limits[0].needed, connections / 2);
          return true;
        },
      );
  });

  it('connects from the addresses that each agent needs for each point', async () => {
    const agentAddresses = ['10.0.0.5', '10.0.0.6', '10.0.0.7'];
    const addresses = agentAddresses.map((address) => ({ interface: 'eth0', address, prefix: 24 }));
    const scenario = await scenarioOf({ 'sweep.connections': [10, 50_000] });
    const [few, many] = makePlan(scenario, agentsOf(['a', 'b'], { addresses, towards: '10.0.0.5' })).legs;
    assert.equal(few.agentSources, undefined, 'the kernel chooses');
    assert.deepEqual(many.agentSources, [[], agentAddresses]);
  });

  it('refuses what several hosts cannot do, with the key', async () => {
    const target = '10.0.0.9:7';
    /** @type {[Record<string, any>, string][]} */
    const table = [
      [{ target, connections: 3 }, 'connections'],
      [{ target, 'sweep.connections': [3, 40] }, 'connections'],
      [{ target, connections: 30, sources: ['10.0.0.1'] }, 'sources'],
      [{ target, connections: 30, 'pin.client': '0' }, 'pin'],
      [{ target, connections: 30, force: true }, 'force'],
      [{ servers: ['epoll'], connections: 10 }, 'servers'],
      [{ command: './mine --port {port}', connections: 10 }, 'servers'],
    ];
    for (const [flags, key] of table) {
      const scenario = await loadScenario({ flags });
      const expected = { code: 'EAGENTSCENARIO', data: { keys: [key] }, exitCode: 2 };
      assert.throws(() => checkForAgents(scenario, 4), expected);
    }
    checkForAgents(await scenarioOf({ connections: 4 }), 4);
  });
});

describe("an agent's allow list", () => {
  it('permits loopback alone unless told otherwise, and never a name or a path', () => {
    const allowList = new AllowList(LOOPBACK);
    const addresses = ['127.0.0.1', '127.9.9.9', '::1', '10.0.0.1', '::2', 'localhost', '/tmp/socket', ''];
    assert.deepEqual(
      addresses.filter((address) => allowList.permits(address)),
      ['127.0.0.1', '127.9.9.9', '::1'],
    );
    const wide = new AllowList(['10.0.0.0/8', 'fd00::/8', '192.0.2.7']);
    assert.deepEqual(
      wide.refused(['10.1.2.3', 'fd00::1', '192.0.2.7', '192.0.2.8', '127.0.0.1', '127.0.0.1', '::ffff:11.0.0.1']),
      ['192.0.2.8', '127.0.0.1', '::ffff:11.0.0.1'],
    );
  });

  it('reads networks, and nothing else', () => {
    assert.deepEqual(parseNetwork('10.0.0.0/8'), { address: '10.0.0.0', prefix: 8, family: 'ipv4' });
    assert.deepEqual(parseNetwork('::1'), { address: '::1', prefix: 128, family: 'ipv6' });
    for (const wrong of ['10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', 'host', '::/129', '10.0.0.0/-1', '']) {
      assert.equal(parseNetwork(wrong), null, wrong);
    }
  });
});

describe("the offset of an agent's clock", () => {
  it('is that of the shortest round trip, wrong by at most half of it', () => {
    const realOffset = fc.integer({ min: -1e9, max: 1e9 });
    const ways = fc.array(fc.record({ there: fc.nat(5e6), back: fc.nat(5e6) }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(realOffset, ways, (offset, trips) => {
        const made = trips.map(({ there, back }, i) => {
          const sentNs = BigInt(i) * 10_000_000n + 1_000_000_000n;
          const remoteNs = sentNs + BigInt(there) + BigInt(offset);
          return { sentNs, remoteNs, receivedNs: sentNs + BigInt(there + back) };
        });
        const { offsetNs, roundTripNs } = clockOffset(made);
        assert.equal(roundTripNs, Math.min(...trips.map(({ there, back }) => there + back)));
        assert.ok(Math.abs(offsetNs - offset) <= roundTripNs / 2 + 1);
      }),
    );
  });
});

describe('messages between controller and agents', () => {
  it('are the same after the wire: large integers, typed arrays, numbers that JSON has no word for', () => {
    const random = Float64Array.of(1.5, -0, 1e300);
    const interval = { random, none: new Float64Array(0), least: Infinity, list: [1, null] };
    const message = { t0Ns: 9_007_199_254_740_993n, interval };
    assert.deepEqual(decode(encode(message)), message);
    // a view of a part of a buffer, as the engine's are
    const { buffer } = Float64Array.of(1, 2, 3);
    assert.deepEqual(decode(encode(new Float64Array(buffer, 8, 1))), Float64Array.of(2));
  });

  it('carry a histogram in a few bytes for each bucket, and any other arrays as they are', () => {
    const buckets = fc.uniqueArray(fc.integer({ min: 0, max: bucketOf(layout.highest) }), { maxLength: 200 });
    fc.assert(
      fc.property(buckets, fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (indexes, largest) => {
        const values = Float64Array.from(
          indexes.toSorted((a, b) => a - b),
          lowestOf,
        );
        const counts = Float64Array.from(values, (_, i) => (i % 3 === 0 ? largest : i));
        const recorded = { values, counts, min: 1.5, max: Infinity, sum: -0.5 };
        assert.deepEqual(decode(encode(recorded)), recorded);
      }),
    );
    const [values, counts] = [Float64Array.from({ length: 1000 }, (_, i) => 1024 + i), new Float64Array(1000).fill(1)];
    assert.ok(encode({ values, counts }).length < 1000 * 3);
    for (const unlike of [
      [5, 4],
      [2, 2049],
      [-1, 2],
      [NaN, 2],
    ])
      for (const wrongCounts of [[1, 1], [0.5, -1], [1]]) {
        const message = { values: Float64Array.from(unlike), counts: Float64Array.from(wrongCounts) };
        assert.deepEqual(decode(encode(message)), message);
      }
  });

  it('go by subjects in which no name can be more than one word', () => {
    assert.equal(subjects.to('20260101-1.2.3.4:7 *', 'a'), 'broadside.run.20260101-1_2_3_4_7__.to.a');
    assert.equal(streamOf('x.>'), 'BROADSIDE_x__');
    assert.deepEqual(['a-1', 'A_b', '', 'a.b', '*', '>', 'a b', '-a'].filter(isName), ['a-1', 'A_b']);
  });
});

describe('agents that are not enough', () => {
  it('are counted, and each that cannot be used is named with the reason', () => {
    const logs = { host: 'a', folder: '/logs' };
    const has = { broadside: '0.1.0', serves: null, allow: ['10.0.0.0/8'], host, logs };
    const answer = { ...has, run: null, version: PROTOCOL_VERSION };
    const hellos = [
      { ...answer, name: 'a' },
      { ...answer, name: 'b', run: 'r1' },
      { ...answer, name: 'c', version: '5a0b17' },
    ];
    const [head, busy, old] = tooFewText(hellos, 3, 10_000).split('\n');
    assert.match(head, /^--agents 3: 1 free agent .*10 s \(a\)$/);
    assert.match(busy, /\bb\b.*\br1\b/);
    assert.match(old, /\bc\b.*version/);
  });
});

describe('the options of agents', () => {
  it('never repeat the password of a URL', async () => {
    for (const nats of ['http://ann:s3cret@host', 'nats://ann:s3cr/et@s3cret@host'])
      for (const words of [['agent'], ['stress', '--target', '127.0.0.1:9']])
        assert.doesNotMatch(JSON.stringify(await refused([...words, '--nats', nats])), /s3cr/, nats);
  });
});
