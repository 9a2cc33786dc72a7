// Samples of a leg whose server is on another machine: which readings they are made of, and that they keep their order.
import assert from 'node:assert/strict';
import { LegMeter } from '../../client/run/leg-meter.js';
import { ReadingQueue } from '../../client/run/reading-queue.js';
import { SampleMerge } from '../../client/measure/sample-merge.js';
import { restTimes } from '../../client/measure/slices.js';
import { serverUseOf } from '../../client/measure/server-use.js';
import { spanFigures } from '../../client/measure/span-figures.js';
import { interval, usage } from '../fixtures/intervals.js';

/** @typedef {import('../../client/run/agents/server-messages.js').HostReading} HostReading */

const START_NS = 10_000_000_000n;

/** @param {number} second @returns {any} what its workers have reported */
function mergedOf(second) {
  const merge = new SampleMerge(1);
  merge.add(0, interval({ second, phase: 'steady' }), usage);
  return merge.take()[0];
}

/**
 * @param {{ atNs: bigint, cpuSeconds: number, rssBytes?: number, rsts?: number, drops?: number, hasEnded?: boolean }} reading
 * @returns {HostReading}
 */
const readingOf = ({ atNs, cpuSeconds, rssBytes = 4096, rsts = 0, drops = 0, hasEnded = false }) => ({
  atNs,
  instances: [
    {
      reading: {
        cpuSeconds,
        rssBytes,
        threads: 1,
        processes: 1,
        threadSeconds: { 7: cpuSeconds },
        processSeconds: { 7: 0 },
      },
      hasEnded,
    },
  ],
  busy: [0.25, 0.75],
  kernel: { TcpOutRsts: rsts },
  listen: { sockets: 1, backlog: 64, queue: 2, drops },
  descriptors: { used: 30, limit: 1000, full: 0 },
  earlier: [],
});

/** @param {import('../../client/plan/plan.js').Leg} [leg] @param {{ startRssBytes?: number }} [read] of the server before the load */
function meterOf(
  leg = /** @type {any} */ ({
    workers: 1,
    pin: { client: null, server: null },
    server: { kind: 'named', options: {} },
  }),
  read = {},
) {
  const machine = { agent: 's1', read: async () => null, keepUntil: () => {} };
  const server = {
    instances: [{ address: '127.0.0.1', port: 7 }],
    pids: [],
    read: () => assert.fail(),
    stop: async () => {},
    machine,
    ...read,
  };
  return new LegMeter(leg, server, { isHere: true, warn: () => {} });
}

describe('the meter of a leg whose server is on another machine', () => {
  it('takes everything of the server from the readings of that machine, as if its use were even between two of them', () => {
    const meter = meterOf();
    meter.begin();
    meter.beginThere(readingOf({ atNs: START_NS - 1n, cpuSeconds: 1, rsts: 9, drops: 9 }), START_NS);
    const first = meter.sampleOf(
      mergedOf(1),
      readingOf({ atNs: START_NS + 2_000_000_000n, cpuSeconds: 2, rsts: 3, drops: 1 }),
    );
    assert.ok(Math.abs((first.server?.cpuSeconds ?? 0) - 0.5) < 1e-6, 'one of the two seconds between the readings');
    assert.ok(Math.abs((first.server?.busiestThread ?? 0) - 0.5) < 1e-6);
    assert.deepEqual(first.server?.descriptors, { used: 30, limit: 1000, full: 0 });
    assert.deepEqual([first.serverKernel, first.listen?.drops], [{ TcpOutRsts: 3 }, 1]);
    assert.deepEqual(first.serverMachine, { busy: [0.25, 0.75] });
    assert.notDeepEqual(first.machine, first.serverMachine);
    meter.close();
  });

  it('takes its use up to a moment at which it was read, where it is loaded in slices', () => {
    const slices = { group: 1, index: 0, of: 2, lengthNs: 1e8, settleNs: 1e7, fromNs: 0, seed: 1 };
    const meter = meterOf(
      /** @type {any} */ ({
        ...{ workers: 1, pin: { client: null, server: null }, server: { kind: 'named', options: {} } },
        ...{ slices, steadyToNs: 5e9 },
      }),
    );
    meter.startNs = START_NS;
    const seconds = (/** @type {bigint[]} */ moments) => moments.map((ns) => Number(ns - START_NS) / 1e9);
    assert.deepEqual(seconds(meter.momentsAfter(0)), [0, 1, 2]);
    assert.deepEqual(seconds(meter.momentsAfter(1e9)), [3]);
    assert.deepEqual(seconds(meter.momentsAfter(4e9)), [4, 5], 'up to the end of the steady state');
    assert.deepEqual(meterOf().momentsAfter(0), [], 'it takes no turns');
    meter.beginThere(readingOf({ atNs: START_NS, cpuSeconds: 1 }), START_NS);
    const earlier = [readingOf({ atNs: START_NS + 1_000_000_000n, cpuSeconds: 1.2 })];
    const sample = meter.sampleOf(mergedOf(1), {
      ...readingOf({ atNs: START_NS + 1_100_000_000n, cpuSeconds: 1.3 }),
      earlier,
    });
    assert.ok(Math.abs((sample.server?.cpuSeconds ?? 0) - 0.2) < 1e-6, `${sample.server?.cpuSeconds}`);
    meter.close();
  });

  it('counts what the server uses while other servers are loaded, between two readings in one of its rests', () => {
    const slices = { group: 1, index: 0, of: 2, starts: 1, lengthNs: 5e8, settleNs: 1e7, fromNs: 1e9, seed: 1 };
    const leg = /** @type {any} */ ({
      ...{ workers: 1, pin: { client: null, server: null }, server: { kind: 'named', options: {} } },
      ...{ slices, steadyFromNs: 1e9, steadyToNs: 3e9 },
    });
    const meter = meterOf(leg);
    meter.startNs = START_NS;
    const moments = meter.momentsAfter(1e9).map((ns) => Number(ns - START_NS));
    const rests = [1e9, 2e9].map((fromNs) => restTimes(slices, 3e9)(fromNs, fromNs + 1e9));
    const around = rests.map(({ fromNs, toNs }) => [fromNs, toNs - 5e6]);
    assert.deepEqual(
      moments,
      [0, 1e9, 2e9, 3e9, ...around.flat()].sort((a, b) => a - b),
    );
    const at = (/** @type {number} */ ns, /** @type {number} */ cpuSeconds) =>
      readingOf({ atNs: START_NS + BigInt(ns), cpuSeconds });
    meter.beginThere(at(0, 0), START_NS);
    const [[fromNs, toNs]] = around;
    const earlier = [at(1e9, 1), at(fromNs, 1.25), at(toNs, 1.375)].sort((a, b) => Number(a.atNs - b.atNs));
    const { unloaded } = meter.sampleOf(mergedOf(2), { ...at(2.6e9, 2), earlier });
    assert.deepEqual(unloaded, { ns: toNs - fromNs, cpuSeconds: 0.125 });
    meter.close();
    const many = meterOf(leg);
    const [large] = at(0, 0).instances;
    Object.assign(large.reading ?? {}, { processes: 65 });
    many.beginThere({ ...at(0, 0), instances: [large] }, START_NS);
    assert.deepEqual(many.momentsAfter(1e9), [], 'of many processes not all are read');
    many.close();
  });

  it("says in the leg's first sample only how much memory the server had before the load, whatever it had when the leg was first read", () => {
    const meter = meterOf(undefined, { startRssBytes: 500 });
    meter.begin();
    meter.beginThere(readingOf({ atNs: START_NS + 1n, cpuSeconds: 1, rssBytes: 1000 }), START_NS);
    const samples = [1, 2].map((second) => {
      const atNs = START_NS + BigInt(second) * 1_000_000_000n;
      return meter.sampleOf(mergedOf(second), readingOf({ atNs, cpuSeconds: 1, rssBytes: 1000 * (second + 1) }));
    });
    assert.deepEqual(
      samples.map(({ server }) => [server?.rssBytes, server?.startRssBytes]),
      [
        [2000, 500],
        [3000, undefined],
      ],
    );
    const { peakRssBytes, startRssBytes } = serverUseOf(samples) ?? {};
    assert.deepEqual([peakRssBytes, startRssBytes], [3000, 500]);
    meter.close();
  });

  it('counts for the leg what a first reading that came after its start has counted', () => {
    const meter = meterOf();
    meter.begin();
    meter.beginThere(readingOf({ atNs: START_NS + 1n, cpuSeconds: 1, rsts: 4, drops: 2 }), START_NS);
    const samples = [1, 2].map((second) =>
      meter.sampleOf(
        mergedOf(second),
        readingOf({ atNs: START_NS + BigInt(second) * 1_000_000_000n, cpuSeconds: 1, rsts: 1, drops: 1 }),
      ),
    );
    assert.deepEqual(
      samples.map(({ serverKernel, listen }) => [serverKernel?.TcpOutRsts, listen?.drops]),
      [
        [5, 3],
        [1, 1],
      ],
    );
    meter.close();
  });

  it('says nothing of the server in a second without a reading, and makes up for it in the next', () => {
    const meter = meterOf();
    meter.begin();
    meter.beginThere(readingOf({ atNs: START_NS, cpuSeconds: 1 }), START_NS);
    const missing = meter.sampleOf(mergedOf(1), null);
    assert.deepEqual(
      [missing.server, missing.serverKernel, missing.serverMachine, missing.listen],
      [null, undefined, undefined, undefined],
    );
    const next = meter.sampleOf(mergedOf(2), readingOf({ atNs: START_NS + 2_000_000_000n, cpuSeconds: 2 }));
    assert.equal(next.server?.cpuSeconds, 1);
    assert.ok(Math.abs((next.server?.busiestThread ?? 0) - 0.5) < 1e-6);
    const ended = meter.sampleOf(
      mergedOf(3),
      readingOf({ atNs: START_NS + 3_000_000_000n, cpuSeconds: 2, rsts: 7, hasEnded: true }),
    );
    assert.deepEqual([ended.server, ended.serverKernel], [null, { TcpOutRsts: 7 }]);
    meter.close();
  });
});

describe('samples that come late', () => {
  /** @param {number} second @param {boolean} [last] */
  const lateSample = (second, last = false) => ({ ...mergedOf(second), last });

  it('have each the CPU time of their own second, and no thread that was busy for more than a core', () => {
    const meter = meterOf();
    meter.begin();
    meter.beginThere(readingOf({ atNs: START_NS, cpuSeconds: 0 }), START_NS);
    const at = (/** @type {number} */ ns) => START_NS + BigInt(ns);
    const onTime = meter.sampleOf(lateSample(1), readingOf({ atNs: at(1e9), cpuSeconds: 0.5 }));
    // the five that follow are merged at once
    const late = [2, 3, 4, 5, 6].map((second, i) =>
      meter.sampleOf(lateSample(second, second === 6), readingOf({ atNs: at(6e9 + i), cpuSeconds: 4.5 })),
    );
    meter.close();
    const samples = [onTime, ...late];
    const cpu = samples.map(({ server }) => Number(server?.cpuSeconds));
    for (const [i, seconds] of cpu.entries()) assert.ok(Math.abs(seconds - (i === 0 ? 0.5 : 0.8)) < 1e-6, `${cpu}`);
    assert.ok(Math.abs(cpu.reduce((sum, n) => sum + n, 0) - 4.5) < 1e-9, 'all of it');
    for (const { server } of late) assert.ok(Math.abs((server?.busiestThread ?? 0) - 0.8) < 1e-6);
  });
});

describe('the CPU time of a server on another machine', () => {
  it('is known of a span whose end has a reading, and of no other', () => {
    const meter = meterOf();
    meter.begin();
    meter.beginThere(readingOf({ atNs: START_NS, cpuSeconds: 1 }), START_NS);
    const [first, missing, next] = [1, 2, 3].map((second) =>
      meter.sampleOf(
        mergedOf(second),
        second === 2 ? null : readingOf({ atNs: START_NS + BigInt(second) * 1_000_000_000n, cpuSeconds: 1 + second }),
      ),
    );
    meter.close();
    const cpuOf = (/** @type {import('../../client/measure/sample.js').Sample[]} */ samples) =>
      spanFigures(samples, samples, {})?.server?.cpuSeconds;
    assert.equal(cpuOf([first, missing, next]), 3);
    assert.equal(cpuOf([first, missing]), undefined);
  });
});

describe('a queue of samples that wait for readings', () => {
  /** @param {(taken: [number, string | null]) => void} [also] */
  function queueOf(also = () => {}) {
    /** @type {[number, string | null][]} */
    const taken = [];
    /** @type {((reading: string | null) => void)[]} */
    const answers = [];
    let errors = 0;
    const queue = new ReadingQueue(
      () => new Promise((/** @type {(reading: string | null) => void} */ resolve) => answers.push(resolve)),
      (/** @type {number} */ item, /** @type {string | null} */ reading) => {
        also([item, reading]);
        taken.push([item, reading]);
      },
      () => void (errors += 1),
    );
    return { queue, taken, answers, errors: () => errors };
  }

  it('takes them in their order, each with its own', async () => {
    const { queue, taken, answers } = queueOf();
    [1, 2, 3].forEach((item) => queue.add(item));
    answers[1]('b');
    answers[2]('c');
    await null;
    await null;
    assert.deepEqual(taken, []);
    const settled = queue.settled();
    answers[0](null);
    await settled;
    assert.deepEqual(taken, [
      [1, null],
      [2, 'b'],
      [3, 'c'],
    ]);
    await queue.settled();
  });

  it('takes all at once when the process exits', () => {
    const { queue, taken } = queueOf();
    [1, 2].forEach((item) => queue.add(item));
    queue.flush();
    assert.deepEqual(taken, [
      [1, null],
      [2, null],
    ]);
  });

  it('reports what went wrong with one, at once and at the end, and takes the others', async () => {
    const { queue, taken, answers, errors } = queueOf(([item]) => {
      if (item === 1) throw new RangeError('no room');
    });
    [1, 2].forEach((item) => queue.add(item));
    answers.forEach((answer) => answer('x'));
    await assert.rejects(queue.settled(), RangeError);
    assert.deepEqual([taken, errors()], [[[2, 'x']], 1]);
  });
});
