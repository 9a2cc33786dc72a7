// The readings in samples of a leg, in particular with a server on another machine, and the order of the samples.
import assert from 'node:assert/strict';
import { HostMeter } from '../../client/machine/host-meter.js';
import { LegMeter } from '../../client/run/leg-meter.js';
import { ReadingQueue } from '../../client/run/reading-queue.js';
import { ServerMeter } from '../../client/run/server-meter.js';
import { SampleMerge } from '../../client/measure/sample-merge.js';
import { restTimes } from '../../client/measure/slices.js';
import { serverUseOf } from '../../client/measure/server-use.js';
import { spanFigures } from '../../client/measure/span-figures.js';
import { interval, usage } from '../fixtures/intervals.js';
import { evenSlices } from '../fixtures/even-slices.js';

/**
 * @import { HostReading } from '../../client/agents/server-messages.js'
 * @import { ServerReading } from '../../client/run/server-meter.js'
 */

const START_NS = 10_000_000_000n;

/** @param {number} second @returns {any} what its workers have reported */
function mergedOf(second) {
  const merge = new SampleMerge(1);
  merge.add(0, interval({ second, phase: 'steady' }), usage);
  return merge.take()[0];
}

/**
 * @param {number} ns since the leg's start
 * @param {number} cpuSeconds
 * @param {{ rssBytes?: number, rsts?: number, drops?: number, hasEnded?: boolean, processes?: number, earlier?:
 *   HostReading[] }} [more]
 * @returns {HostReading}
 */
function readingAt(ns, cpuSeconds, more = {}) {
  const { rssBytes = 4096, rsts = 0, drops = 0, hasEnded = false, processes = 1, earlier = [] } = more;
  const times = { cpuSeconds, threadSeconds: { 7: cpuSeconds }, processSeconds: { 7: 0 } };
  return {
    atNs: START_NS + BigInt(Math.round(ns)),
    instances: [{ reading: { ...times, rssBytes, threads: 1, processes }, hasEnded }],
    busy: [0.25, 0.75],
    kernel: { TcpOutRsts: rsts },
    listen: { sockets: 1, backlog: 64, queue: 2, drops },
    descriptors: { used: 30, limit: 1000, full: 0 },
    earlier,
  };
}

/** @param {object} [planned] of the leg @param {{ startRssBytes?: number }} [read] of the server before the load */
function meterOf(planned = {}, read = {}) {
  const pin = { client: null, server: null };
  const leg = /** @type {any} */ ({ workers: 1, pin, server: { kind: 'named', options: {} }, ...planned });
  const instances = [{ address: '127.0.0.1', port: 7 }];
  const of = { begin: async () => null, read: () => null, close: () => {} };
  const server = { instances, pids: [], stop: async () => {}, meter: of, ...read };
  return new LegMeter(leg, server, { client: new HostMeter(), warn: () => {} });
}

/** @param {HostReading} first @param {Parameters<typeof meterOf>} how @returns {LegMeter} that has begun */
function begun(first, ...how) {
  const meter = meterOf(...how);
  meter.startNs = START_NS;
  meter.beginClient();
  meter.addReading(first);
  return meter;
}

/** @param {LegMeter} meter @param {any} merged @param {ServerReading | null} reading of the server */
const sampleOf = (meter, merged, reading) => meter.sampleOf(merged, meter.readClient(merged), reading);

/** @param {number | undefined} actual @param {number} expected */
const assertNear = (actual, expected) => assert.ok(Math.abs(Number(actual) - expected) < 1e-6, `${actual}`);

describe('the meter of a leg whose server is on another machine', () => {
  it('takes everything of the server from the readings of that machine, as if its use were even between two of them', () => {
    const meter = begun(readingAt(-1, 1, { rsts: 9, drops: 9 }));
    const first = sampleOf(meter, mergedOf(1), readingAt(2e9, 2, { rsts: 3, drops: 1 }));
    assertNear(first.server?.cpuSeconds, 0.5); // one of the two seconds between the readings
    assertNear(first.server?.busiestThread, 0.5);
    assert.deepEqual(first.server?.descriptors, { used: 30, limit: 1000, full: 0 });
    assert.deepEqual([first.serverKernel, first.listen?.drops], [{ TcpOutRsts: 3 }, 1]);
    assert.deepEqual(first.serverMachine, { busy: [0.25, 0.75] });
    assert.notDeepEqual(first.machine, first.serverMachine);
    meter.close();
  });

  it('does not know the CPU time of the leg where that of its last reading is not known', () => {
    const meter = begun(readingAt(0, 1));
    const [first, second] = [readingAt(1e9, 2), readingAt(2e9, 3)];
    Object.assign(second.instances[0].reading ?? {}, { cpuSeconds: null });
    const samples = [first, second].map((reading, i) => sampleOf(meter, mergedOf(i + 1), reading));
    assert.deepEqual(
      samples.map(({ server }) => [server?.cpuSeconds, server?.rssBytes, server?.busiestThread]),
      [
        [1, 4096, 1],
        [undefined, 4096, undefined],
      ],
    );
    assert.deepEqual([spanFigures(samples, samples, {})?.server, samples[1].limitedBy], [undefined, 'unknown']);
    meter.close();
  });

  it('takes its use up to a moment at which it was read, where it is loaded in slices', () => {
    const slices = evenSlices();
    const meter = meterOf({ slices, steadyToNs: 5e9 });
    meter.startNs = START_NS;
    const seconds = [0, 1e9, 4e9].map((ns) => meter.momentsAfter(ns).map((at) => Number(at - START_NS) / 1e9));
    assert.deepEqual(seconds, [[0, 1, 2], [3], [4, 5]]); // up to the end of the steady state
    assert.deepEqual(meterOf().momentsAfter(0), [], 'it takes no turns');
    meter.addReading(readingAt(0, 1));
    const sample = sampleOf(meter, mergedOf(1), readingAt(1.1e9, 1.3, { earlier: [readingAt(1e9, 1.2)] }));
    assertNear(sample.server?.cpuSeconds, 0.2);
    meter.close();
  });

  it('counts what the server uses while other servers are loaded, between two readings in one of its rests', () => {
    const slices = evenSlices({ measuredNs: 4.9e8, fromNs: 1e9 });
    const planned = { slices, steadyFromNs: 1e9, steadyToNs: 3e9 };
    const meter = meterOf(planned);
    meter.startNs = START_NS;
    const moments = meter.momentsAfter(1e9).map((ns) => Number(ns - START_NS));
    const rests = [1e9, 2e9].map((fromNs) => restTimes(slices, 3e9)(fromNs, fromNs + 1e9));
    const around = rests.flatMap(({ fromNs, toNs }) => [fromNs, toNs - 5e6]);
    const expected = [0, 1e9, 2e9, 3e9, ...around];
    assert.deepEqual(
      moments,
      expected.sort((a, b) => a - b),
    );
    meter.addReading(readingAt(0, 0));
    const [fromNs, toNs] = around;
    const earlier = [readingAt(1e9, 1), readingAt(fromNs, 1.25), readingAt(toNs, 1.375)];
    earlier.sort((a, b) => Number(a.atNs - b.atNs));
    const { unloaded } = sampleOf(meter, mergedOf(2), readingAt(2.6e9, 2, { earlier }));
    assert.deepEqual(unloaded, { ns: toNs - fromNs, cpuSeconds: 0.125 });
    meter.close();
    const many = begun(readingAt(0, 0, { processes: 65 }), planned);
    assert.deepEqual(many.momentsAfter(1e9), [], 'of many processes not all are read');
    many.close();
  });

  it("has in the leg's first sample alone the memory of the server before the load", () => {
    const meter = begun(readingAt(1, 1, { rssBytes: 1000 }), {}, { startRssBytes: 500 });
    const samples = [1, 2].map((second) =>
      sampleOf(meter, mergedOf(second), readingAt(second * 1e9, 1, { rssBytes: 1000 * (second + 1) })),
    );
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

  it('says nothing of the server in a second without a reading or after its end, and makes up for it in the next', () => {
    const meter = begun(readingAt(0, 1));
    const [missing, next] = [null, readingAt(2e9, 2)].map((reading, i) => sampleOf(meter, mergedOf(i + 1), reading));
    const { server, serverKernel, serverMachine, listen } = missing;
    assert.deepEqual([server, serverKernel, serverMachine, listen], [null, undefined, undefined, undefined]);
    assert.equal(next.server?.cpuSeconds, 1);
    assertNear(next.server?.busiestThread, 0.5);
    const ofSpan = (/** @type {any[]} */ span) => spanFigures(span, span, {})?.server?.cpuSeconds;
    assert.deepEqual([ofSpan([missing, next]), ofSpan([missing])], [1, undefined]);
    const ended = sampleOf(meter, mergedOf(3), readingAt(3e9, 2, { rsts: 7, hasEnded: true }));
    assert.deepEqual([ended.server, ended.serverKernel], [null, { TcpOutRsts: 7 }]);
    meter.close();
  });

  it('gives samples that come late each the CPU time of their own second, and no thread more than a core', () => {
    const meter = begun(readingAt(0, 0));
    const onTime = sampleOf(meter, mergedOf(1), readingAt(1e9, 0.5));
    // the five that follow are merged at once
    const late = [2, 3, 4, 5, 6].map((second, i) =>
      sampleOf(meter, { ...mergedOf(second), last: second === 6 }, readingAt(6e9 + i, 4.5)),
    );
    meter.close();
    assertNear(onTime.server?.cpuSeconds, 0.5);
    for (const { server } of late) {
      assertNear(server?.cpuSeconds, 0.8);
      assertNear(server?.busiestThread, 0.8);
    }
  });
});

describe('the meter of a server on this host', () => {
  /** @param {number} cpuSeconds */
  const usageOf = (cpuSeconds) => ({ cpuSeconds, rssBytes: 1, threads: 1, processes: 1 });

  it('keeps the last reading of an instance that has ended, and has none of one that cannot be read', async () => {
    let [cpuSeconds, end] = [1, () => {}];
    const exited = new Promise((resolve) => void (end = () => resolve(undefined)));
    const unreadable = { usage: () => assert.fail('its files are gone') };
    const meter = new ServerMeter([{ usage: () => usageOf(cpuSeconds), exited }, unreadable], { clock: () => 7n });
    const resultOf = () => {
      const { atNs, instances } = meter.read([]);
      return [atNs, ...instances.map(({ reading, hasEnded }) => [reading?.cpuSeconds, hasEnded])];
    };
    assert.deepEqual(resultOf(), [7n, [1, false], [undefined, false]]);
    end();
    await exited;
    cpuSeconds = 2;
    assert.deepEqual(resultOf(), [7n, [1, true], [undefined, false]]);
    meter.close();
  });

  it('reads a leg first at its start, and knows of no machine but the one of the client', async () => {
    let reads = 0;
    const clock = () => 5_000_000_000n;
    const meter = new ServerMeter([{ usage: () => usageOf((reads += 1)) }], { clock });
    const beginning = meter.begin({ startNs: clock() + 1_000_000n, endNs: clock() }, []);
    assert.equal(reads, 0);
    const first = await beginning;
    assert.deepEqual([first?.instances[0].reading?.cpuSeconds, first?.busy, first?.kernel], [1, undefined, undefined]);
    meter.close();
  });
});

describe('a queue of samples that wait for readings', () => {
  /** @param {number[]} items @param {(item: number) => void} [also] */
  function queueOf(items, also = () => {}) {
    /** @type {[number, string | null][]} */
    const taken = [];
    /** @type {((reading: string | null) => void)[]} */
    const answers = [];
    let errors = 0;
    const queue = new ReadingQueue(
      (/** @type {number} */ item, /** @type {string | null} */ reading) => {
        also(item);
        taken.push([item, reading]);
      },
      () => void (errors += 1),
    );
    for (const item of items)
      queue.add(item, new Promise((/** @type {(reading: string | null) => void} */ resolve) => answers.push(resolve)));
    return { queue, taken, answers, errors: () => errors };
  }

  it('takes them in their order, each with its own', async () => {
    const { queue, taken, answers } = queueOf([1, 2]);
    answers[1]('b');
    await null;
    await null;
    assert.deepEqual(taken, []);
    const settled = queue.settled();
    answers[0]('a');
    await settled;
    assert.equal(taken.join(' '), '1,a 2,b');
  });

  it('takes one at once whose reading is there, after those before it', async () => {
    const { queue, taken } = queueOf([]);
    queue.add(1, 'a');
    assert.equal(taken.join(' '), '1,a');
    const later = queueOf([1]);
    later.queue.add(2, 'b');
    assert.deepEqual(later.taken, []);
    later.answers[0]('a');
    await later.queue.settled();
    assert.equal(later.taken.join(' '), '1,a 2,b');
  });

  it('takes all at once when the process exits', () => {
    const { queue, taken } = queueOf([1]);
    queue.add(2, 'b');
    queue.flush();
    assert.equal(taken.join(' '), '1, 2,b');
  });

  it('reports what went wrong with one, at once and at the end, and takes the others', async () => {
    const { queue, taken, answers, errors } = queueOf([1, 2], (item) => {
      if (item === 1) throw new RangeError('no room');
    });
    for (const answer of answers) answer('x');
    await assert.rejects(queue.settled(), RangeError);
    assert.deepEqual([taken, errors()], [[[2, 'x']], 1]);
  });
});
