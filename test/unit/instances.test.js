// Several instances of a server: valid and invalid scenarios, and their plans.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { partTables } from '../../client/console/part-tables.js';
import { styleFor } from '../../client/console/terminal-text.js';
import { mergeReadings } from '../../client/machine/usage.js';
import { plan } from '../../client/plan/plan.js';
import { Histogram } from '../../client/measure/histogram.js';
import { summariseLeg } from '../../client/judge/summary.js';
import { endpointsOf } from '../../client/run/cluster/assignment.js';
import { flagsOf } from '../../client/scenario/flags.js';
import { loadScenario, resolveScenario } from '../../client/scenario/scenario.js';
import { dataOf, refusalOf } from '../fixtures/codes.js';
import { assertGolden } from '../fixtures/golden.js';
import { host, known } from '../fixtures/hosts.js';
import { interval, play, recorded, samplesOf, workerIntervals } from '../fixtures/intervals.js';

/** @import { Flags } from '../../client/scenario/flags.js' */

/** @param {Record<string, unknown>} content @param {Flags} [flags] */
const scenarioOf = (content, flags) =>
  resolveScenario({ name: 'test', content: { servers: ['epoll'], connections: 100, ...content } }, flags);

/** @param {Record<string, unknown>} content @param {Partial<typeof host>} [over] */
const planned = (content, over) => plan(scenarioOf(content), { ...host, ...over }, known);

describe('instances of a server', () => {
  it('are those of its entry, or of all servers', () => {
    const entries = [{ name: 'epoll', instances: 3 }, { name: 'select', instances: 1 }, 'libuv'];
    const { legs } = planned({ servers: entries, instances: 2, starts: 1 });
    assert.deepEqual(
      legs.map(({ label, instances, workers }) => [label, instances, workers]),
      [
        ['epoll', 3, 3],
        ['select', undefined, 2],
        ['libuv', 2, 2],
      ],
    );
  });

  it('have as many workers each, auto or given, and at least one each', () => {
    for (const [content, workers, over] of /** @type {[Record<string, unknown>, number, object?][]} */ ([
      [{ instances: 4 }, 4],
      [{ instances: 4, workers: 8 }, 8],
      [{ instances: 4, workers: 8, connections: 7 }, 4],
      [{ instances: 2, connections: 9_000 }, 4, { descriptors: 3_500 }],
      [{ instances: 1 }, 2],
      [{ servers: undefined, command: './mine {port}', instances: 3 }, 3],
    ]))
      assert.equal(planned(content, over).legs[0].workers, workers, JSON.stringify(content));
  });

  it('share the connections, so that limits are those of one', () => {
    const limit = (/** @type {number} */ instances) =>
      dataOf(planned({ servers: ['prethreaded'], connections: 60, instances }).limits, 'server-concurrency');
    assert.deepEqual([limit(1)?.connections, limit(1)?.instances], [60, undefined]);
    assert.deepEqual([limit(3)?.connections, limit(3)?.instances], [20, 3]);
    assert.equal(planned({ servers: ['prethreaded'], instances: 3 }).legs[0].serverModel, undefined);
    const ports = (/** @type {number} */ instances) =>
      dataOf(planned({ connections: 20_000, instances }).limits, 'local-ports')?.connections;
    assert.deepEqual([ports(1), ports(4)], [20_000, 5_000]);
  });

  it('have the connections of each in mind where processes is auto', () => {
    const processes = (/** @type {number} */ instances) => {
      const [{ server }] = planned({ connections: 30_000, instances }).legs;
      return server.kind === 'named' ? server.options.processes : undefined;
    };
    assert.deepEqual([processes(1), processes(2)], [2, 1]);
  });

  it('count together where a server serves only some connections at once', () => {
    const listed = known.map((server) => ({ ...server, language: 'c', model: 'threads' }));
    const [leg] = plan(scenarioOf({ servers: ['prethreaded'], instances: 3 }), host, listed).legs;
    assert.deepEqual(leg.serverModel, { language: 'c', model: 'threads', concurrent: 48, by: 'threads' });
  });
});

describe('several targets', () => {
  /** @param {unknown} target @param {Record<string, unknown>} [content] */
  const targetsOf = (target, content = {}) => scenarioOf({ servers: undefined, target, ...content });
  const resolve = async (/** @type {string} */ name) => [name === 'six' ? '::1' : '127.0.0.1'];
  /** @param {string} target @param {Flags} [flags] */
  const load = (target, flags) =>
    loadScenario({ flags: { ...flagsOf({ target }), connections: 100, ...flags }, resolve });

  it('are a list, or a range of ports, and the instances of one leg', () => {
    const { target, targets } = targetsOf(['127.0.0.1:7000-7002', '127.0.0.2:80']);
    assert.deepEqual(target, { host: '127.0.0.1', port: 7000 });
    assert.deepEqual(
      targets?.map(({ port }) => port),
      [7000, 7001, 7002, 80],
    );
    const [leg] = plan(targetsOf('127.0.0.1:7000-7003'), host).legs;
    assert.deepEqual([leg.label, leg.instances, leg.workers], ['127.0.0.1:7000-7003', 4, 4]);
    assert.equal(plan(targetsOf(['127.0.0.1:1', '127.0.0.1:9']), host).legs[0].label, '127.0.0.1:1 and 1 more');
    assert.deepEqual([targetsOf('127.0.0.1:80').targets, targetsOf(['127.0.0.1:80']).targets], [undefined, undefined]);
  });

  it('come from the flag with commas, each name resolved', async () => {
    const { targets } = await load('one:80,127.0.0.1:81');
    assert.deepEqual(targets, [
      { host: '127.0.0.1', port: 80 },
      { host: '127.0.0.1', port: 81 },
    ]);
  });

  it('are refused twice or of two kinds, by the addresses of their names', async () => {
    assert.deepEqual(await refusalOf(() => load('one:80,two:80')), ['ETARGET twice']);
    assert.deepEqual(await refusalOf(() => load('one:80,six:80')), ['ETARGET mixed']);
    assert.deepEqual(await refusalOf(() => load('one:80,10.0.0.1:80')), ['ETARGET mixed']);
  });
});

describe('the endpoints of an instance', () => {
  it('take each source in turn, counted in the slots of the instance', () => {
    const place = { address: '127.0.0.1', port: 7001 };
    assert.deepEqual(endpointsOf(place, [], 4), [place]);
    const sources = ['127.0.0.1', '127.0.0.2'];
    const endpoints = endpointsOf(place, sources, 2);
    const used = [1, 3, 5, 7].map((slot) => endpoints[slot % endpoints.length].source);
    assert.deepEqual(used, [...sources, ...sources]);
  });
});

describe('the figures of instances', () => {
  const end = { targets: ['127.0.0.1:7000', '127.0.0.1:7001'], server: 'epoll', warnings: [] };
  const leg = { id: '01-epoll', label: 'epoll', instances: 2, serverCpus: ['1', '2'] };
  /** @param {any[]} samples @param {object} over @returns {any} */
  const summaryOf = (samples, over = {}) => summariseLeg({ ...leg, ...over }, samples, { ...end, endedBy: 'plan' });

  it('add up to those of the leg, whatever the workers did and lost', () => {
    fc.assert(
      fc.property(fc.array(workerIntervals, { minLength: 4, maxLength: 4 }), (workers) => {
        const samples = samplesOf(play(workers, 2).merged);
        for (const { counters, rejects, errors, gauges, histograms, instances = [] } of samples) {
          const sum = (/** @type {string} */ key) =>
            instances.reduce((all, instance) => all + /** @type {any} */ (instance)[key], 0);
          const total = (/** @type {Record<string, number>} */ causes) =>
            Object.values(causes).reduce((all, n) => all + n, 0);
          const { transfers, failed, unfinished, opened, lost, bytesSent, bytesReceived } = counters;
          for (const [key, whole] of Object.entries({
            ...{ transfers, failed, unfinished, opened, lost, bytesSent, bytesReceived },
            ...{ rejects: total(rejects), errors: total(errors), open: gauges.open },
          }))
            assert.equal(sum(key), whole, key);
          const merged = Histogram.ofLines(instances.map(({ responseTime }) => responseTime));
          assert.equal(merged.toLine()?.hdr, histograms.responseTime?.hdr);
          assert.equal(merged.toLine()?.count, histograms.responseTime?.count);
        }
        const { instances, transfers } = summaryOf(samples, { workers: 4 });
        assert.deepEqual(
          instances.map((/** @type {any} */ instance) => [instance.port, instance.cpus, instance.workers]),
          [
            [7000, '1', [0, 2]],
            [7001, '2', [1, 3]],
          ],
        );
        assert.equal(instances[0].transfers.count + instances[1].transfers.count, transfers.count);
      }),
      { numRuns: 50 },
    );
  });

  const both = (/** @type {object[]} */ ...seconds) =>
    samplesOf(
      play(
        seconds.map((counters, worker) => ({
          diesAfter: null,
          intervals: [
            interval({
              counters: { attempts: 5, opened: 5, transfers: 2, ...counters },
              gauges: { requested: 5, open: 5, peakOpen: 5 },
              histograms: { responseTime: recorded(worker === 0 ? [1e6, 1e6] : [9e6, 9e6]) },
            }),
            interval({ second: 2, phase: 'drain', last: true, gauges: { requested: 5 } }),
          ],
        })),
        2,
      ).merged,
    );

  it('are of the span that the figures of the leg are of, with the times of each', () => {
    const { instances, steady } = summaryOf(both({}, {}));
    const [slow, quick] = [instances[1].figures, instances[0].figures];
    assert.deepEqual([slow.transfers, slow.perSecond, quick.perSecond, steady.perSecond], [2, 2, 2, 4]);
    assert.deepEqual([quick.responseTimeNs.max, slow.responseTimeNs.min], [1e6, 9e6]);
    assert.equal(summaryOf(both({}, {}), { instances: undefined }).instances, undefined);
    /** @type {any} */
    const cut = summariseLeg(leg, both({}, {}), { ...end, targets: [], endedBy: 'cut' });
    assert.deepEqual([cut.instances.length, 'port' in cut.instances[0]], [2, false]);
  });

  it('are a table at the end, in which a percentile without replies is not a time', () => {
    const plainStyle = styleFor({ isTTY: false }, {});
    const [table, other] = partTables([summaryOf(both({}, { failed: 3, 'errors.timeout': 3, lost: 3 }))], plainStyle);
    assertGolden('instances.txt', `${table}\n`);
    assert.deepEqual(partTables([summaryOf(both({}, {}), { instances: undefined })], plainStyle), [null, null]);
    assert.equal(other, null);
  });
});

describe('the reading of several instances', () => {
  const reading = (/** @type {number} */ cpuSeconds, /** @type {string} */ pid) => ({
    ...{ cpuSeconds, waitSeconds: 0.5, rssBytes: 100, threads: 2, processes: 1 },
    ...{ threadSeconds: { [pid]: cpuSeconds }, processSeconds: { [pid]: cpuSeconds } },
  });

  it('is their sum, and keeps the CPU time of one that has ended', () => {
    const running = { reading: reading(1, '7'), hasEnded: false };
    const ended = { reading: reading(3, '8'), hasEnded: true };
    assert.deepEqual(mergeReadings([running, ended]), {
      ...{ cpuSeconds: 4, waitSeconds: 1, rssBytes: 100, threads: 2, processes: 1, living: 1 },
      ...{ threadSeconds: { 7: 1 }, processSeconds: { 7: 1 }, instanceSeconds: [1, 3] },
    });
    assert.equal(mergeReadings([ended, ended]), null);
    assert.deepEqual(mergeReadings([running]), running.reading);
    const unread = { reading: null, hasEnded: false };
    assert.equal(mergeReadings([running, unread]), null, 'of one nothing is known');
    const { cpuSeconds, instanceSeconds, rssBytes } = mergeReadings([running, { ...unread, hasEnded: true }]) ?? {};
    assert.deepEqual([cpuSeconds, instanceSeconds, rssBytes], [null, [1, null], 100]);
  });
});
