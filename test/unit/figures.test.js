// The list of figures: names are unique, parts belong to a figure, and each cost follows from its parts.

import assert from 'node:assert/strict';
import { casesOf } from '../../client/judge/cases.js';
import { cellText, valueText } from '../../client/judge/figure-values.js';
import { figureOf, figures } from '../../client/judge/figures.js';

/**
 * @param {Record<string, unknown>} [more]
 * @returns {any} of summary.json: 1,000 transfers on 100 connections in 10 s
 */
const legOf = (more = {}) => ({
  connections: { requested: 100, peakOpen: 100, openAtEnd: 100, opened: 100, reopened: 0, unansweredAtEnd: 0 },
  serverUse: { peakRssBytes: 9_000_000, startRssBytes: 4_000_000, threads: 1, processes: 1 },
  steady: {
    ...{ fromNs: 0, toNs: 10e9, transfers: 1000, failed: 0, unfinished: 0 },
    client: { cpuSeconds: 2 },
    server: { cpuSeconds: 4 },
  },
  ...more,
});

const TIMES = { p50: 8, p90: 8, p95: 8, p99: 8, p99_9: 8, p99_99: 8 };

/** @param {string} name @param {any} leg */
const valueOf = (name, leg) => figureOf(name)?.of?.(leg);

describe('the list of figures', () => {
  it('has each name, title and key once', () => {
    const repeated = (/** @type {(string | undefined)[]} */ all) =>
      all.filter((row, i) => row !== undefined && all.indexOf(row) !== i);
    assert.deepEqual(repeated(figures.map(({ name }) => name.toLowerCase().replace(/[\s_-]/g, ''))), []);
    assert.deepEqual(repeated(figures.map(({ compared }) => compared?.key)), []);
    const titles = figures.map(({ name, title = name, partOf, group }) => `${partOf ?? group}: ${title}`);
    assert.deepEqual(repeated(titles), []);
  });

  it('has the whole of each part, and knows each figure of a leg or of a second, and which direction is better', () => {
    for (const { name, partOf, of, ofSample, compared, better } of figures) {
      assert.ok(partOf === undefined || figureOf(partOf), name);
      assert.ok(of ?? ofSample, name);
      assert.ok(compared === undefined || better !== undefined, name);
    }
  });

  it('takes all percentiles of response times of the same blocks, so that none is below a lower one', () => {
    const percentiles = figures.filter(({ name }) => /^p[\d.]+$/.test(name));
    assert.deepEqual(
      percentiles.map(({ name, compared }) => [name, compared?.ofBlocks]),
      ['p50', 'p90', 'p95', 'p99', 'p99.9', 'p99.99'].map((name) => [name, true]),
    );
    const blocks = [
      [1, 2, 3, 4, 5, 6],
      [1, 1, 1, 1, 9, 9],
      [2, 2, 2, 3, 3, 3],
    ];
    const keys = percentiles.map(({ compared }) => compared?.key ?? '');
    const leg = {
      ...{ id: '1-a', label: 'a', round: 1, complete: true, endedBy: 'plan', connections: {} },
      steady: { transfers: 9, failed: 0, unfinished: 0, responseTimeNs: TIMES },
      slices: { blocks: Object.fromEntries(keys.map((key, i) => [key, blocks.map((values) => values[i])])) },
    };
    const [merged] = casesOf([/** @type {any} */ (leg)]);
    assert.deepEqual(
      keys.map((key) => merged.figures[key].median),
      [1, 2, 2, 3, 5, 6],
    );
  });

  it('has no response time where nothing was answered, but a condition on it fails', () => {
    const p99 = figureOf('p99') ?? assert.fail();
    const value = p99.of?.(legOf({ steady: { ...legOf().steady, transfers: 0, failed: 5 } }));
    assert.deepEqual(value, { above: 0, infinite: true });
    assert.deepEqual([cellText(p99, value), valueText(p99, value)], ['–', 'no reply']);
  });

  it('has no percentile that leaves out what failed: it is above any time that was measured, or not known', () => {
    const times = { count: 25, min: 1e6, p50: 2e6, p90: 3e6, p95: 3e6, p99: 4e6, p99_9: 4e6, p99_99: 4e6, max: 5e6 };
    const leg = legOf({
      ...{ connectTimeNs: times, handshakeTimeNs: times, resumptionTimeNs: times, recoveryTimeNs: times },
      ...{ attempts: { total: 400, opened: 25, rejected: 370, abandoned: 5 }, rejects: { total: 370, timeout: 370 } },
      account: { requested: 100, served: 25, lost: 75 },
      steady: {
        ...{ transfers: 25, failed: 75, unfinished: 0, due: 100, unsent: 0 },
        ...{ responseTimeNs: times, serviceTimeNs: times },
        timestamps: { clientPart: { p50: { share: 0.1 }, p99: { share: 0.1 } }, networkAndServerNs: times },
      },
    });
    leg.connectTimeNs = { ...times, count: 100 };
    const percentiles = figures.filter(({ name, of }) => of && / (p[\d.]+|max)$|^(p[\d.]+|max)$/.test(name));
    assert.ok(percentiles.length > 15);
    const known = percentiles.filter(({ of }) => typeof of?.(leg) === 'number').map(({ name }) => name);
    assert.deepEqual(known, ['resumed p50', 'resumed p99'], 'a resumption that fails counts as a full handshake');
    for (const name of ['service p99', 'connect p99', 'handshake p99', 'recovery p99'])
      assert.deepEqual(valueOf(name, leg), { above: 5e6, infinite: true }, name);
  });

  it('has the times of what succeeded where few failed, and of what was begun alone', () => {
    const times = { count: 100, p50: 2e6, p99: 4e6, max: 5e6 };
    const leg = legOf({
      ...{ connectTimeNs: { ...times, count: 101 }, handshakeTimeNs: times, recoveryTimeNs: times },
      ...{ attempts: { total: 101, opened: 100, rejected: 1, abandoned: 0 }, rejects: { total: 1, handshake: 1 } },
      account: { requested: 100, served: 99, lost: 1 },
      steady: { transfers: 100, failed: 1, unfinished: 0, due: 1e6, unsent: 999_899, serviceTimeNs: times },
    });
    for (const name of ['service', 'connect', 'handshake', 'recovery'])
      assert.deepEqual([name, valueOf(`${name} p99`, leg)], [name, 4e6]);
    assert.equal(valueOf('connect max', leg), 5e6, 'it connected before its handshake failed');
    for (const name of ['service', 'handshake', 'recovery'])
      assert.deepEqual(valueOf(`${name} max`, leg), { above: 5e6, infinite: true }, name);
    for (const name of ['service p99', 'handshake p99', 'recovery p99'])
      assert.equal(valueOf(name, legOf()), undefined);
  });

  it('has in a second, too, the time to connect of all attempts', () => {
    const p99 = figureOf('connect p99');
    const second = (/** @type {number} */ timeout) =>
      /** @type {any} */ ({
        ...{ counters: { abandoned: 0 }, rejects: { timeout, handshake: 5 } },
        histograms: { connectTime: timeout === 9 ? null : { count: 99, p50: 1e6, p99: 2e6, max: 3e6 } },
      });
    assert.equal(p99?.ofSample?.(second(1)), 2e6);
    assert.deepEqual(p99?.ofSample?.(second(2)), { above: 3e6, infinite: true });
    assert.deepEqual(p99?.ofSample?.(second(9)), { above: 0, infinite: true });
  });

  it('counts in a second what it counts in a leg: failed requests are also those unfinished or not sent', () => {
    const counters = { transfers: 1, failed: 2, unfinished: 3, unsent: 4 };
    const failed = figureOf('failed');
    assert.equal(failed?.ofSample?.(/** @type {any} */ ({ counters })), 9);
    assert.equal(failed?.of?.(/** @type {any} */ ({ steady: counters })), 9);
  });

  it("has the server's memory for each open connection, above that of the server without any", () => {
    assert.equal(valueOf('server memory per connection', legOf()), 50_000);
    const { serverUse } = legOf();
    const unknown = legOf({ serverUse: { ...serverUse, startRssBytes: undefined } });
    assert.equal(valueOf('server memory per connection', unknown), undefined);
    const shrunk = legOf({ serverUse: { ...serverUse, startRssBytes: 10_000_000 } });
    assert.equal(valueOf('server memory per connection', shrunk), undefined, 'too little to measure');
  });

  it('has the CPU time of each side, in cores and for each transfer of the steady state', () => {
    assert.deepEqual([valueOf('client CPU', legOf()), valueOf('server CPU', legOf())], [0.2, 0.4]);
    assert.equal(valueOf('client CPU per transfer', legOf()), 2e6);
    assert.equal(valueOf('server CPU per transfer', legOf()), 4e6);
    const { steady } = legOf();
    // the last: less than a step of the clock
    for (const over of [{ transfers: 0 }, { server: undefined }, { server: { cpuSeconds: 0 } }])
      assert.equal(valueOf('server CPU per transfer', legOf({ steady: { ...steady, ...over } })), undefined);
  });
});
