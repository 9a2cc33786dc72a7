// Legs that are measured together in slices: which legs these are, and length and start of their slices.

import assert from 'node:assert/strict';
import {
  ownLengths,
  periodNsOf,
  plannedSlices,
  restTimes,
  sliceNs,
  sliceRows,
  slicesUntil,
  steadyStage,
  timesAsLong,
  turnRates,
  turnTimes,
  withSteadyLengths,
} from '../../client/measure/slices.js';
import { plan } from '../../client/plan/plan.js';
import { measuredLengths } from '../../client/plan/slices.js';
import { assign } from '../../client/run/cluster/assignment.js';
import { ExpectedArrivals, requestsUntil } from '../../client/run/cluster/expected-arrivals.js';
import { storedPlan } from '../../client/measure/settings.js';
import { resolveScenario } from '../../client/scenario/scenario.js';
import { closedInPause, slicesApart, slicesShort, unloadedWork } from '../../client/judge/findings/turns.js';
import { combinedHost } from '../../client/agents/combined-host.js';
import { codesOf } from '../fixtures/codes.js';
import { foundIn } from '../fixtures/found.js';
import { host } from '../fixtures/hosts.js';
import { assertConforms } from '../fixtures/schemas.js';

const servers = ['select', 'epoll', 'go'];

/** @param {Record<string, unknown>} content */
const planOf = (content, machine = host) =>
  plan(resolveScenario({ content: { servers, connections: 100, duration: '10s', starts: 1, ...content } }), machine);

/** @param {Record<string, unknown>} content @returns {any[]} of each leg */
const slicesOf = (content, machine = host) => planOf(content, machine).legs.map(({ slices }) => slices);

/** @param {Record<string, unknown>} content @returns {unknown[]} why the legs are measured one after the other */
function reasonsOf(content, machine = host) {
  const { legs, warnings } = planOf(content, machine);
  assert.ok(legs.every(({ slices }) => slices === undefined));
  return warnings.filter(({ code }) => code === 'not-interleaved').map(({ data }) => data.reason);
}

describe('starts of a server', () => {
  /** @param {Record<string, unknown>} content @returns {any} */
  const planOfStarts = (content, machine = host) =>
    planOf({ servers: ['epoll', 'go'], starts: undefined, ...content }, machine);
  const startsIn = (/** @type {any} */ { legs }) => Math.max(...legs.map(({ start = 1 }) => start));

  it('are legs of one case, which take turns in the same slices', () => {
    const plan = planOfStarts({ starts: 3, rounds: 2, interleave: '100ms' });
    const first = plan.legs.slice(0, 6).map((/** @type {any} */ { start, slices }) => [start, slices.of, slices.index]);
    assert.deepEqual(
      first,
      [1, 1, 2, 2, 3, 3].map((start, index) => [start, 6, index]),
    );
    assert.deepEqual(plan.cases, ['epoll', 'go']);
    assert.equal(new Set(plan.legs.map((/** @type {any} */ { id }) => id)).size, 12);
    for (const leg of plan.legs) {
      assert.equal(leg.steadyToNs - leg.steadyFromNs, 2 * 10e9, 'each of two servers is loaded for 10 s in all');
      assert.deepEqual([leg.slices.starts, timesAsLong(leg), plannedSlices(leg)], [3, 2, 120]);
    }
    assertConforms('plan', storedPlan(plan, plan.legs[0].settings));
  });

  it('are as many as fit: by the time, by the machine, by how many legs there are side by side', () => {
    const large = { ...host, openFiles: 4e6, memoryAvailableBytes: 64 * 2 ** 30 };
    const many = ['epoll', 'go', 'select', 'libuv', 'poll'];
    for (const [content, starts, machine = host] of /** @type {[Record<string, unknown>, number, any?][]} */ ([
      [{}, 4],
      [{ duration: '5s' }, 4], // ten slices of 125 ms for each
      [{ duration: '4s' }, 3],
      [{ duration: '1s' }, 1],
      [{ duration: '60s', servers: many }, 3],
      [{ duration: '60s', connections: 250 }, 4, large],
      [{ duration: '60s', connections: 251 }, 3, large], // no more than 2,000 connections in all
      [{ duration: '60s', connections: 10_000 }, 1, large],
      [{ duration: '60s', connections: 1_000, starts: 4 }, 4, large],
      [{ interleave: 'off' }, 1],
      [{ servers: ['epoll'] }, 1],
      [{ start: 'together' }, 1],
    ]))
      assert.equal(startsIn(planOfStarts(content, machine)), starts, JSON.stringify(content));
    const [{ needed }] = planOfStarts({}).limits.filter((/** @type {any} */ { code }) => code === 'client-memory');
    assert.equal(startsIn(planOfStarts({}, { ...host, memoryAvailableBytes: 5 * needed })), 2, 'for two servers');
  });

  it('are fewer than given where the machine has too little for all, which a warning says', () => {
    const plan = planOfStarts({ connections: 100, duration: '1s', starts: 16 });
    assert.equal(startsIn(plan), 16, 'the time is for the user to choose');
    const few = planOfStarts({ starts: 16, start: 'together' });
    assert.deepEqual([startsIn(few), codesOf(few.warnings)], [1, ['not-interleaved', 'fewer-starts']]);
  });
});

/**
 * @param {Record<string, unknown>} content
 * @returns of a server with a thread for each connection, and another: what its plan says of slices and starts
 */
function perStart(content, machine = host) {
  const known = [
    { name: 'threads', manifest: { options: { maxChildren: ['-m'] }, scales: 'threads', surplus: 'backlog' } },
    { name: 'epoll', manifest: { options: {}, scales: 'none' } },
  ];
  const scenario = resolveScenario({ content: { servers: ['threads', 'epoll'], duration: '10s', ...content } });
  const { legs, warnings } = plan(scenario, machine, /** @type {any} */ (known));
  const why = warnings.flatMap(({ code, data }) => (code === 'not-interleaved' ? [[data.reason, data.at]] : []));
  const starts = warnings.flatMap(({ code, data }) => (code === 'fewer-starts' ? [data] : []));
  return { why, starts, sliced: legs.map(({ slices }) => slices !== undefined) };
}

describe('interleave', () => {
  it('makes a group of the servers at one point in one round', () => {
    const made = planOf({ rounds: 2, connections: undefined, sweep: { connections: [10, 100] } });
    assertConforms('plan', storedPlan(made, made.legs[0].settings));
    const groups = new Map();
    for (const { slices, round, axes } of made.legs) {
      const key = JSON.stringify([slices?.group, round, axes]);
      groups.set(key, [...(groups.get(key) ?? []), slices?.index]);
    }
    assert.deepEqual([...groups.values()], Array(4).fill([0, 1, 2]));
    assert.equal(new Set(made.legs.map(({ slices }) => slices?.seed)).size, 4, 'an order of their own in each group');
    assert.equal(made.expected.seconds, (4 * made.legs[0].endNs) / 1e9, 'legs that share their time count once');
  });

  it('warns of conditions between servers that the rounds of whole legs cannot decide', () => {
    const warned = (/** @type {Record<string, unknown>} */ content) =>
      planOf({ failIf: ['cost worse by 3%', 'rejects > 0'], ...content }).warnings.flatMap(({ code, data }) =>
        code === 'conditions-undecided' ? [data] : [],
      );
    assert.deepEqual(warned({ transfers: 5 }), [{ conditions: ['cost worse by 3%'], rounds: 1 }]);
    for (const content of [{}, { transfers: 5, rounds: 3 }, { transfers: 5, failIf: ['rejects > 0'] }])
      assert.deepEqual(warned(content), []);
  });

  it('has slices of which whole periods fill whole seconds, long enough for the closed loop', () => {
    for (const connections of [1, 100, 1000, 5000, 10_000]) {
      for (const list of [servers.slice(1), servers]) {
        const [slices] = slicesOf({ connections, servers: list, payload: '1KiB', duration: '60s' });
        const { lengths } = steadyStage(slices);
        const seconds = periodNsOf(lengths, slices.of) / 1e9;
        const whole = seconds < 1 ? 1 / seconds : seconds;
        assert.ok(Math.abs(whole - Math.round(whole)) < 1e-6, `${connections}: a period of ${seconds} s`);
        const cycleNs = connections * 22e3;
        for (const { settleInNs, measuredNs, settleOutNs } of lengths) {
          const cycles = [settleInNs, measuredNs, settleOutNs].map((ns) => ns / cycleNs);
          const leastNs = [2, 8, 1.5].map((n) => n * 0.95 - 1e-6);
          assert.ok(
            cycles.every((n, i) => n >= leastNs[i]),
            `${connections}: ${cycles}`,
          );
          assert.ok(settleInNs + measuredNs + settleOutNs >= 95e6);
        }
      }
    }
    const lengthsOf = (/** @type {Record<string, unknown>} */ content) =>
      ownLengths(slicesOf({ servers: servers.slice(1), ...content })[0]);
    const eighth = { settleInNs: 31.25e6, measuredNs: 187.5e6, settleOutNs: 31.25e6 };
    assert.deepEqual(lengthsOf({ interleave: '250ms' }), eighth);
    const quarter = { settleInNs: 62.5e6, measuredNs: 125e6, settleOutNs: 62.5e6 };
    assert.deepEqual(lengthsOf({ interleave: '250ms', connections: 5000 }), quarter, 'no more than a quarter settles');
    const open = { settleInNs: 12.5e6, measuredNs: 75e6, settleOutNs: 12.5e6 };
    assert.deepEqual(lengthsOf({ rate: '1000/s', connections: 10_000 }), open, 'its connections are not all busy');
    assert.ok(lengthsOf({ pause: '100ms', duration: '60s' }).settleInNs >= 190e6, 'a pause is part of the cycle');
  });

  it('loads each leg once in a period, one at a time, in an order made from the seed', () => {
    const slices = slicesOf({ interleave: '100ms' });
    const starts = slices.map((ofLeg) => slicesUntil(ofLeg, 10e9).map(({ fromNs }) => fromNs));
    const lengthNs = sliceNs(ownLengths(slices[0]));
    const all = starts.flatMap((ofLeg, leg) => ofLeg.map((startNs) => ({ startNs, leg })));
    all.sort((a, b) => a.startNs - b.startNs);
    for (const [i, { startNs }] of all.entries()) assert.ok(Math.abs(startNs - i * lengthNs) < 1, `${startNs}, ${i}`);
    const orders = new Set();
    for (let i = 0; i < all.length; i += 3) {
      const order = all.slice(i, i + 3).map(({ leg }) => leg);
      assert.deepEqual([...order].sort(), [0, 1, 2]);
      orders.add(order.join());
    }
    assert.equal(orders.size, 6);
    for (let second = 0; second < 10; second += 1)
      for (const ofLeg of starts)
        assert.equal(ofLeg.filter((at) => at >= second * 1e9 - 1 && at < (second + 1) * 1e9 - 1).length, 3);
  });

  it('has its part of each second, and is measured where it has settled in', () => {
    const slices = slicesOf({ servers: servers.slice(1), interleave: '100ms' });
    const times = slices.map((ofLeg) => turnTimes(ofLeg, 10e9));
    const { measuredNs } = ownLengths(slices[0]);
    for (let second = 0; second < 10; second += 1)
      for (const time of times)
        assert.deepEqual(time(second * 1e9, (second + 1) * 1e9), { turnNs: 5e8, measuredNs: 5 * measuredNs });
    assert.deepEqual(times[0](0, 20e9), { turnNs: 5e9, measuredNs: 50 * measuredNs }, 'none after the steady state');
    const [{ fromNs, measuredFromNs, loadedToNs, endNs }] = slicesUntil(slices[0], 10e9);
    assert.deepEqual(
      [measuredFromNs - fromNs, loadedToNs - measuredFromNs, endNs - loadedToNs],
      [12.5e6, 75e6, 12.5e6],
    );
    assert.deepEqual(times[0](fromNs + 10e6, fromNs + 30e6), { turnNs: 20e6, measuredNs: 17.5e6 });
    assert.deepEqual(times[0](loadedToNs, endNs), { turnNs: endNs - loadedToNs, measuredNs: 0 });
  });

  it('gives each server slices as long as it needs, and all servers as many', () => {
    const cycles = [10e6, 30e6].map((ns) => ({ cycleNs: ns, responseNs: ns }));
    const lengths = measuredLengths(cycles, 4, 10e9);
    const [first] = slicesOf({ servers: servers.slice(1), starts: 2 });
    const ofLegs = Array.from({ length: 4 }, (_, index) => withSteadyLengths({ ...first, index, of: 4 }, lengths));
    const { fromNs } = steadyStage(first);
    const lists = ofLegs.map((slices) =>
      slicesUntil(slices, fromNs + 10e9).filter((slice) => slice.fromNs >= fromNs - 1),
    );
    assert.deepEqual(
      lists.map(({ length }) => length),
      [10, 10, 10, 10],
      'a period of a second',
    );
    const all = lists.flat().sort((a, b) => a.fromNs - b.fromNs);
    assert.ok(
      all.every(({ endNs }, i) => i === all.length - 1 || endNs <= all[i + 1].fromNs + 1),
      'one at a time',
    );
    const ratio = sliceNs(lengths[1]) / sliceNs(lengths[0]);
    assert.ok(Math.abs(ratio - 3) < 1e-9, `${ratio}`);
    assert.deepEqual(ofLegs.map(ownLengths), [lengths[0], lengths[1], lengths[0], lengths[1]], 'of all starts');
    assert.deepEqual(
      ofLegs.map((slices) => plannedSlices({ slices, steadyFromNs: 0, steadyToNs: 10e9 })),
      [20, 20, 20, 20],
    );
  });

  it('finds the longest part of a span in which it is not its turn', () => {
    const [slices] = slicesOf({ servers: servers.slice(1), interleave: '100ms' });
    const slicesOfLeg = slicesUntil(slices, 9e9);
    const [rest, turns] = [restTimes(slices, 9e9), turnTimes(slices, 9e9)];
    for (let fromNs = 0; fromNs < 9e9; fromNs += 170e6) {
      const { fromNs: beginNs, toNs: endNs } = rest(fromNs, fromNs + 1e9);
      assert.ok(beginNs >= fromNs && endNs <= fromNs + 1e9 && endNs - beginNs >= 100e6, `${beginNs} to ${endNs}`);
      assert.equal(turns(beginNs, endNs).turnNs, 0);
    }
    const { fromNs, endNs } = slicesOfLeg[3];
    assert.deepEqual(rest(fromNs, endNs), { fromNs, toNs: fromNs }, 'none in its slice');
    assert.deepEqual(rest(9.5e9, 9.6e9), { fromNs: 9.5e9, toNs: 9.6e9 }, 'after the last one');
  });

  it('has the rates of an open loop in its slices, whatever their profile', () => {
    const [{ slices }] = planOf({ servers: servers.slice(1) }).legs;
    const rates = [
      { atNs: 0, rate: 1000, line: false },
      { atNs: 2e9, rate: 3000, line: true },
      { atNs: 4e9, rate: 500, line: false },
      { atNs: 5e9, rate: 500, line: false },
    ];
    const leg = { rates, rampToNs: 1.05e9, steadyToNs: 9e9, slices, workers: 1 };
    const turns = turnRates(leg);
    assert.equal(turns[0].atNs, 0);
    assert.ok(turns.every(({ atNs }, i) => i === 0 || atNs >= turns[i - 1].atNs));
    const loadedNsOf = (/** @type {number} */ fromNs, /** @type {number} */ toNs) =>
      slicesUntil(/** @type {any} */ (slices), 9e9).reduce(
        (sum, slice) => sum + Math.max(0, Math.min(slice.loadedToNs, toNs) - Math.max(slice.fromNs, fromNs)),
        0,
      );
    // the integral of the rate over the loaded time, in steps of 1 ms
    let expected = 0;
    for (let ms = 0; ms < 7950; ms += 1) {
      const [fromNs, toNs] = [ms * 1e6, (ms + 1) * 1e6];
      const whole = requestsUntil(rates, toNs) - requestsUntil(rates, fromNs);
      expected += (whole * loadedNsOf(fromNs + leg.rampToNs, toNs + leg.rampToNs)) / 1e6;
    }
    assert.ok(Math.abs(requestsUntil(turns, 7.95e9) - expected) < 1, `${requestsUntil(turns, 7.95e9)}, ${expected}`);
    const arrivals = new ExpectedArrivals(leg, { connections: 10, arrivals: 'constant' });
    assert.ok(Math.abs(arrivals.before(0, 9e9) - expected) < 1.5, 'also of a worker without an engine');
    assert.equal(turnRates({ ...leg, slices: undefined }), rates);
  });

  it('has a pilot before the steady state in a closed loop, which begins at a whole second', () => {
    const ramp = { add: 50, every: '300ms' };
    const of = (/** @type {Record<string, unknown>} */ content) => {
      const { rampToNs, steadyFromNs, steadyToNs, endNs, slices, profile } = planOf({ ramp, ...content }).legs[0];
      const seconds = [rampToNs, steadyFromNs, steadyToNs - steadyFromNs, endNs - steadyToNs].map((ns) => ns / 1e9);
      const stages = slices?.stages.map(({ phase, fromNs }) => [phase, fromNs / 1e9]) ?? [];
      return { seconds, stages, profile };
    };
    const closed = of({});
    assert.deepEqual(closed.seconds, [1, 4, 30, 10], 'two slices of 200 ms for each of three servers, and a second');
    assert.deepEqual(closed.stages, [
      ['ramp', 0],
      ['pilot', 1],
      ['steady', 4],
    ]);
    assert.deepEqual(of({ warmup: '5s' }).seconds, [1, 6, 30, 10], 'a warm-up is long enough');
    const given = of({ interleave: '100ms' });
    assert.deepEqual(
      [given.seconds, given.stages],
      [
        [1, 1, 30, 10],
        [
          ['ramp', 0],
          ['steady', 1],
        ],
      ],
    );
    assert.deepEqual(of({ rate: '1000/s', warmup: '500ms' }).seconds, [1.5, 2, 30, 10]);
    const falling = of({ connections: [100, 10].map((connections) => ({ connections, for: '5s' })) });
    assert.deepEqual(
      [falling.stages.at(-1)?.[1], falling.profile?.at(-1)?.atNs],
      [4, 19e9],
      'each sees 5 s of either part',
    );
  });

  it('loads each server for the duration, in slices as in whole legs', () => {
    for (const count of [2, 3, 16]) {
      const list = Array.from({ length: count }, (_, i) => ({ name: 'epoll', as: `epoll ${i}` }));
      for (const content of [{}, { rate: '1000/s' }, { interleave: '50ms' }]) {
        const { legs, expected } = planOf({ servers: list, ...content });
        for (const { slices, steadyToNs } of legs) {
          const turns = turnTimes(slices ?? assert.fail('no slices'), steadyToNs);
          const { turnNs } = turns(steadyStage(slices ?? assert.fail()).fromNs, steadyToNs);
          assert.ok(Math.abs(turnNs - 10e9) < 1e3, `${count} servers: ${turnNs}`);
        }
        assert.equal(expected.seconds, legs[0].endNs / 1e9, 'the plan says how long all of them take');
      }
    }
  });

  it('has the whole profile of a rate for each server, and as many requests as in a whole leg', () => {
    const rate = [
      { rate: '1000/s', for: '4s' },
      { rate: '1000/s', to: '3000/s', for: '4s' },
      { rate: '500/s', for: '2s' },
    ];
    const [whole] = planOf({ rate, duration: undefined, warmup: '2s', interleave: 'off' }).legs;
    const [leg] = planOf({ rate, duration: undefined, warmup: '2s' }).legs;
    const ofSteady = ({ rates = [], rampToNs, steadyFromNs, steadyToNs } = leg) =>
      requestsUntil(rates, steadyToNs - rampToNs) - requestsUntil(rates, steadyFromNs - rampToNs);
    assert.equal(ofSteady(whole), 13_000);
    assert.equal(ofSteady(leg), 3 * 13_000, 'at the rates of all three');
    const { settleInNs, measuredNs, settleOutNs } = ownLengths(leg.slices ?? assert.fail('no slices'));
    const loaded = (settleInNs + measuredNs) / (settleInNs + measuredNs + settleOutNs);
    const due = ofSteady({ ...leg, rates: turnRates(leg) });
    assert.ok(Math.abs(due / (13_000 * loaded) - 1) < 0.02, `${due} due in its slices`);
    assert.equal(requestsUntil(leg.rates ?? [], 2e9), 2000, 'the warm-up is as it was');
  });

  it('measures one after the other what a machine cannot have at once, at that point alone', () => {
    const large = { ...host, openFiles: 4e6, memoryAvailableBytes: 64 * 2 ** 30, threadsFree: 1e5 };
    const udp = { transport: 'udp', protocol: 'memcached', payload: '100B', sources: ['127.0.0.1'] };
    const server = (/** @type {object} */ less) => ({
      server: { name: 's', address: '10.0.0.9', host: { ...large, ...less } },
    });
    for (const [less, reasons, more = {}] of /** @type {[object, string[], object?][]} */ ([
      [{}, []],
      [{ threadsFree: 6000 }, ['tasks']], // 5,000 threads, those of two clients, and what is left to others
      [{ threadsFree: 6200 }, []],
      [{ openFiles: 20_000 }, ['open-files']],
      [{ openFiles: 22_000 }, []],
      [{ memoryAvailableBytes: 450 * 2 ** 20 }, ['memory']],
      [{ tcpMemoryBytes: 40e6 }, ['tcp-memory']],
      [{ tcpMemoryBytes: 41e6 }, []],
      [{ ports: 9000 }, []], // a port of TCP is free towards another server
      [{ ports: 9000 }, ['local-ports'], udp],
      [{ ...server({}), threadsFree: 500 }, []], // its threads are on the host of the servers
      [server({ threadsFree: 5500 }), ['tasks']],
      [server({ openFiles: 10_500 }), ['open-files']],
    ])) {
      const { why } = perStart({ starts: 1, connections: 5000, ...more }, { ...large, ...less });
      assert.deepEqual(
        why.map(([reason]) => reason),
        reasons,
        JSON.stringify([less, more]),
      );
    }
    const swept = { starts: 1, sweep: { connections: [100, 5000] } };
    const { why, sliced } = perStart(swept, { ...large, threadsFree: 6000 });
    assert.deepEqual([why, sliced], [[['tasks', ['5,000 connections']]], [true, true, false, false]]);
  });

  it('starts servers fewer times where a machine cannot have more of them at once', () => {
    // three times 200 threads, those of the clients, and what is left to others
    const of = (/** @type {number | undefined} */ starts) =>
      perStart({ connections: 200, starts }, { ...host, threadsFree: 1_800 });
    const { why, sliced, starts } = of(undefined);
    assert.deepEqual([why, sliced.length, starts], [[], 6, []]);
    const given = of(4);
    const [{ given: asked, used }] = given.starts;
    assert.deepEqual([given.why, given.sliced.length, asked, used], [[], 6, 4, 3]);
  });

  it('has slices as long as the cycles of the pilot ask for, as long as there is time for one each', () => {
    for (const [cycleMs, legs, eachNs, lengthNs] of [
      [1, 2, 10e9, 100e6],
      [100, 2, 10e9, 1.5e9], // a period of 2.3 s takes 3 s: so do three, in 10 s
      [500, 2, 100e9, 6e9],
      [1000, 4, 5e9, 5e9], // the time there is
    ]) {
      const [measuredLength] = measuredLengths([{ cycleNs: cycleMs * 1e6, responseNs: cycleMs * 1e6 }], legs, eachNs);
      assert.ok(Math.abs(sliceNs(measuredLength) - lengthNs) < 1e-3, `${cycleMs} ms: ${sliceNs(measuredLength)}`);
    }
    const [paced] = measuredLengths([{ cycleNs: 100e6, responseNs: 1e6 }], 2, 100e9);
    assert.ok(paced.settleOutNs < 15e6 && paced.settleInNs > 190e6, 'where connections pause, replies come soon');
  });

  it('measures the steps of a ramp that have room for two periods', () => {
    const ramp = { add: 1000, every: '5s' };
    const { legs } = planOf({ connections: 10_000, duration: '30s', ramp });
    const { stages } = legs[0].slices ?? assert.fail('no slices');
    const steps = stages.filter(({ phase }) => phase === 'ramp');
    assert.deepEqual(
      steps.map(({ fromNs }) => fromNs / 1e9),
      [0, 5, 10, 15, 20, 25, 30, 35, 40, 45],
    );
    const cycles = steps.map(({ lengths: [{ measuredNs }] }, i) => measuredNs / ((i + 1) * 20e6));
    const [told, untold] = [cycles.filter((n) => n > 0), cycles.filter((n) => n === 0)];
    assert.ok(told.length === 5 && untold.length === 5 && told.every((n) => n >= 4 - 1e-9), `${cycles}`);
    const early = slicesUntil(legs[0].slices ?? assert.fail(), 50e9).filter(({ endNs }) => endNs <= 50e9);
    assert.ok(
      early.every(({ fromNs, loadedToNs }) => loadedToNs > fromNs),
      'all of them are loaded',
    );
    const brief = slicesOf({ connections: 100, starts: 16, ramp: { add: 1000, every: '10ms' } })[0].stages[0];
    assert.ok(sliceNs(brief.lengths[0]) >= 50e6 - 1, 'none is as short as its part of a short ramp');
  });

  it('has other lengths from the steady state on', () => {
    const [slices] = slicesOf({ servers: servers.slice(1) });
    const lengths = measuredLengths([{ cycleNs: 20e6, responseNs: 20e6 }], 2, 10e9);
    const changed = withSteadyLengths(slices, lengths);
    const { fromNs: steadyFromNs } = steadyStage(slices);
    const [before, after] = [slices, changed].map((ofLeg) => slicesUntil(ofLeg, steadyFromNs + 4e9));
    const early = (/** @type {typeof before} */ list) => list.filter(({ fromNs }) => fromNs < steadyFromNs);
    assert.deepEqual(early(after), early(before));
    const late = after.slice(early(after).length);
    assert.equal(late.length, Math.round(4e9 / (2 * sliceNs(lengths[0]))));
    for (const { fromNs, endNs } of late) assert.ok(Math.abs(endNs - fromNs - sliceNs(lengths[0])) <= 1);
  });

  it('is the same for every engine of a leg', () => {
    const settings = resolveScenario({ content: { servers, connections: 100, starts: 1, interleave: '100ms' } });
    const [leg] = plan(settings, host).legs;
    const [ofFirst, ofSecond] = [0, 1].map(
      (share) => assign({ settings, leg, share, generation: 0, t0Ns: 0n, endpoints: [], log: null }).slices,
    );
    assert.deepEqual([ofFirst, ofSecond], [leg.slices, leg.slices]);
    const rows = [...sliceRows(ofFirst ?? assert.fail(), leg.steadyToNs)];
    const first = slicesUntil(ofFirst ?? assert.fail(), leg.steadyToNs)[0];
    assert.deepEqual(rows.slice(0, 4), [first.fromNs, first.measuredFromNs, first.loadedToNs, first.endNs]);
  });

  it('says where replies came in slices of other servers, a server works in them, or clocks of agents moved', () => {
    const slices = { late: 0, closed: 0, lengthNs: 1e8, settleOutNs: 12e6, turnNs: 5e9 };
    const steady = { transfers: 1000, fromNs: 0, toNs: 10e9, server: { cpuSeconds: 2.1 } };
    const works = (/** @type {number} */ cpuSeconds, ns = 1e9, late = 0) => ({
      slices: { ...slices, late, unloaded: { ns, cpuSeconds } },
    });
    const moved = (/** @type {number} */ clockDriftNs) => [{ clockUncertaintyNs: 1e6, clockDriftNs }];
    const still = { clockUncertaintyNs: 1e6 };
    /** @type {[object, Record<string, Record<string, number>>][]} */
    const rows = [
      [{ slices: undefined }, {}],
      [{ slices: { ...slices, late: 9 } }, {}],
      [{ slices: { ...slices, late: 10 } }, { 'slices-short': { share: 0.01 } }],
      [works(0.019), {}],
      [works(0.021), { 'unloaded-work': {} }],
      [works(0.1), { 'unloaded-work': { cores: 0.1, unloadedSeconds: 0.5, loadedSeconds: 1.6 } }],
      [works(0.1, 1e8), {}], // too short a time
      [works(0.1, 1e9, 10), { 'slices-short': {} }], // it works for requests of its own
      [{ agents: [...moved(-4.9e6), still] }, {}],
      [{ agents: [...moved(-5e6), still] }, { 'slices-apart': { errorNs: 6e6, settleOutNs: 12e6 } }],
      [{ agents: moved(-5e6) }, {}], // of one agent
      [{ slices: { ...slices, closed: 3 } }, { 'closed-in-pause': { count: 3 } }],
    ];
    const TURNS = [slicesShort, slicesApart, unloadedWork, closedInPause];
    for (const [over, expected] of rows) {
      const findings = foundIn(TURNS, [], {}, { slices, steady, ...over });
      assert.deepEqual(codesOf(findings), Object.keys(expected), JSON.stringify(over));
      for (const { code, data } of findings)
        for (const [key, value] of Object.entries(expected[code]))
          assert.ok(Math.abs(data[key] - value) <= 1e-6 * value, `${code}: ${key} ${data[key]}`);
    }
  });

  it('gives way to whole legs, and says why', () => {
    const large = {
      ...{ ...host, openFiles: 3e6, memoryAvailableBytes: 24 * 2 ** 30, ownDescriptors: true },
      tcpMemoryBytes: 4 * 2 ** 30,
    };
    for (const [content, reasons, machine = host] of /** @type {[Record<string, unknown>, string[], any?][]} */ ([
      [{ workload: 'once' }, ['once']],
      [{ workload: 'hold' }, ['no-load']],
      [{ transfers: 1000 }, ['ends-by-itself']],
      [{ start: 'together' }, ['together']],
      [{ warmup: 1000 }, ['warmup-by-count']],
      [{ connections: 150_000 }, ['slices-too-short'], large],
      [{ protocol: 'http', connections: 10_000 }, ['idle-too-long'], large],
      [{ connections: 10_000 }, ['open-files'], { ...large, openFiles: 50_000 }],
      [{ interleave: 'off', workload: 'once' }, []],
      [{ servers: ['epoll'] }, []],
    ]))
      assert.deepEqual(reasonsOf(content, machine), reasons, JSON.stringify(content));
    const brief = { protocol: 'http', connections: 5_000, servers: ['epoll', 'go'] };
    assert.equal(slicesOf(brief)[0].of, 2, 'no connection idles for 2 s');
  });

  it('is over several agents too, where their clocks are known well enough', () => {
    const agentsOf = (/** @type {number[]} */ errors, /** @type {Partial<typeof host>} */ change = {}) =>
      combinedHost(
        errors.map((clockErrorNs, i) => {
          const agent = { ...host, addresses: [], towards: null, ...change };
          return { name: `agent-${i + 1}`, title: `agent ${i + 1}`, host: agent, clockErrorNs };
        }),
      );
    const of = (/** @type {number[]} */ errors, content = {}) => slicesOf(content, agentsOf(errors))[2];
    const length = { interleave: '100ms' };
    const alone = slicesOf(length)[2];
    assert.deepEqual([alone.index, of([1e3, 2e3], length).index], [2, 2]);
    const settleOutOf = (/** @type {any} */ slices) => ownLengths(slices).settleOutNs;
    assert.deepEqual(sliceNs(ownLengths(of([1e3, 2e3], length))), sliceNs(ownLengths(alone)));
    assert.ok(settleOutOf(of([1e6, 5e6], length)) >= 20e6, 'what is awaited includes the clocks');
    assert.equal(settleOutOf(of([1e9], length)), settleOutOf(alone), 'one agent keeps its own time');
    assert.deepEqual(reasonsOf(length, agentsOf([1e6, 20e6])), ['host-clocks']);
    assert.ok(settleOutOf(of([1e6, 20e6], { rate: '1000/s' })) >= 76e6, 'longer slices where their length is free');
    assert.deepEqual(reasonsOf({}, agentsOf([1e6, 2e9])), ['slices-too-short']);
    const large = agentsOf([1e3, 1e3], { memoryAvailableBytes: 64 * 2 ** 30 });
    assert.deepEqual(reasonsOf({ workers: 60 }, large), ['host-workers']);
    assert.deepEqual(reasonsOf({ connections: 10_000 }, agentsOf([0, 0], { openFiles: 20_000 })), ['open-files']);
    const [measured] = measuredLengths([{ cycleNs: 1e6, responseNs: 1e6 }], 2, 10e9, 20e6);
    assert.ok(
      measured.settleOutNs >= 76e6 && measured.settleInNs >= 76e6 && measured.measuredNs >= 45e6,
      JSON.stringify(measured),
    );
  });
});
