// The descriptors, the accept queue and the kernel counters of a server, read from this kernel, and the findings about
// them.
import assert from 'node:assert/strict';
import { closeSync, openSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { readDescriptors } from '../../client/machine/descriptors.js';
import { ListenMeter } from '../../client/machine/listen-queues.js';
import { HostMeter } from '../../client/machine/host-meter.js';
import {
  backlogFull,
  connectionLimit,
  descriptorLimit,
  idleClosed,
} from '../../client/judge/findings/server-limits.js';
import { errorCauses, rejectCauses } from '../../client/measure/fields.js';
import { serverLimitsOf } from '../../client/measure/server-use.js';
import { codesOf, dataOf } from '../fixtures/codes.js';
import { foundIn } from '../fixtures/found.js';
import { zeros } from '../fixtures/made-up-numbers.js';

/** @import { AddressInfo } from 'node:net' */

const LIMITS = [descriptorLimit, connectionLimit, idleClosed, backlogFull];

const NONE = zeros(['total', ...rejectCauses, ...errorCauses]);

/** @param {any} [descriptors] @param {any} [listen] @returns {any} a sample */
const sample = (descriptors, listen) => ({
  server: { ...(descriptors && { descriptors: { full: 0, ...descriptors } }) },
  ...(listen && { listen: { sockets: 1, backlog: 16, queue: 0, drops: 0, ...listen } }),
});

/** @param {any[]} samples @param {any} [outcome] @returns {any[]} */
const findingsOf = (samples, outcome = {}) =>
  foundIn(LIMITS, [], {}, { serverLimits: serverLimitsOf(samples), rejects: NONE, errors: NONE, ...outcome });

describe('the descriptors of a server', () => {
  it('are read with their limit', () => {
    const before = readDescriptors([process.pid]);
    const opened = Array.from({ length: 5 }, () => openSync('/dev/null', 'r'));
    const after = readDescriptors([process.pid, 2 ** 30]);
    for (const descriptor of opened) closeSync(descriptor);
    assert.ok(before && after);
    assert.deepEqual([after.used - before.used, after.limit, after.full], [5, before.limit, 0]);
    assert.equal(readDescriptors([2 ** 30]), null);
  });

  it('are the cause if they are used up and connections fail', () => {
    const samples = [sample({ used: 300, limit: 600 }), sample({ used: 600, limit: 600, hardLimit: 700, full: 1 })];
    const account = { requested: 1500, served: 592, unanswered: 109, connecting: 799 };
    assert.deepEqual(dataOf(findingsOf(samples, { account }), 'descriptor-limit'), {
      ...{ limit: 600, hardLimit: 700, peakUsed: 600, fullProcesses: 1, reached: true },
      ...{ failed: 908, served: 592, requested: 1500 },
    });
    const fine = { requested: 592, served: 592, unanswered: 0, connecting: 0 };
    assert.deepEqual(findingsOf(samples, { account: fine }), []);
    assert.deepEqual(findingsOf(samples, { account: fine, rejects: { ...NONE, total: 9, local: 9 } }), []);
    assert.deepEqual(findingsOf(samples.slice(0, 1), { account }), []);
  });

  it('are the cause if a server keeps some, and more connections are missing than it keeps', () => {
    const samples = [sample({ used: 95, limit: 100, full: 1 })];
    const account = { requested: 300, served: 75, unanswered: 0, connecting: 0 };
    const errors = { ...NONE, total: 225, reset: 225 };
    assert.equal(dataOf(findingsOf(samples, { account, errors }), 'descriptor-limit')?.reached, false);
    assert.deepEqual(findingsOf(samples, { account: { ...account, requested: 80 }, errors }), []);
  });
});

describe('a limit of connections of the server', () => {
  const served = (/** @type {number[]} */ answered, neverAnswered = 300) =>
    /** @type {any[]} */ ([
      ...answered.map((answeredCount) => ({ phase: 'steady', gauges: { answered: answeredCount, neverAnswered } })),
      { phase: 'drain', gauges: { answered: 0, neverAnswered: 0 } },
    ]);
  const outcome = {
    ...{ rejects: NONE, errors: { ...NONE, total: 1300, closed: 1000, reset: 300 } },
    ...{ account: { requested: 600, served: 300, lost: 177, unanswered: 123 } },
  };
  const findingsOf = (over = {}, samples = served([200, 300, 300]), load = {}) =>
    foundIn(LIMITS, samples, load, { ...outcome, ...over });

  it('is found where the same slots are closed again and again before a reply', () => {
    assert.deepEqual(dataOf(findingsOf(), 'connection-limit'), {
      ...{ served: 300, requested: 600, closed: 1300, neverAnswered: 300 },
    });
  });

  it('is found as well where they are reset, or not greeted, while they are being opened', () => {
    for (const cause of rejectCauses) {
      const data = dataOf(
        findingsOf({ rejects: { ...NONE, total: 700, [cause]: 700 }, errors: NONE }),
        'connection-limit',
      );
      assert.equal(data?.closed, ['reset', 'greeting'].includes(cause) ? 700 : undefined, cause);
    }
  });

  it('is none where each had a reply at some time, was closed for another reason, or ends as planned', () => {
    for (const [what, ...given] of /** @type {[string, object, any[]?, object?][]} */ ([
      ['they take turns', {}, served([300], 0)],
      ['all but one took turns', {}, served([300], 1)],
      ['most were never closed: they wait', { errors: { ...NONE, total: 200, closed: 200 } }],
      ['the server fails', {}, served([500, 450, 300])],
      ['none was ever served', {}, served([0, 0])],
      ['they come and go', { churns: true }],
      ['one request each', {}, undefined, { workload: 'once' }],
      ['along a profile', {}, undefined, { connectionsProfile: [{}] }],
    ])) {
      assert.deepEqual(findingsOf(...given), [], what);
    }
  });

  it('is found where the server names it, whatever became of the connections', () => {
    for (const [text, isNamed] of /** @type {[string, boolean][]} */ ([
      ['-ERR max number of clients reached', true],
      ['ERROR Too many open connections', true],
      ["-ERR 'maximum connections exceeded'", true],
      ['HTTP/1.1 408 Request Timeout', false],
      ['-ERR max request size', false],
    ])) {
      const quotes = [{ kind: 'closed', state: 'idle', atNs: 1, text: `${text}\\r\\n` }];
      const data = dataOf(findingsOf({ quotes }, served([300], 0)), 'connection-limit');
      assert.equal(data?.said, isNamed ? `"${text}"` : undefined);
    }
  });

  it('is none of its own where the descriptors are used up', () => {
    const serverLimits = { descriptors: { limit: 305, peakUsed: 305, fullProcesses: 1 } };
    assert.deepEqual(codesOf(findingsOf({ serverLimits })), ['descriptor-limit']);
  });
});

describe('an idle timeout of the server', () => {
  const findingOf = (/** @type {object} */ over) => {
    const idleTimeNs = { count: 20, min: 299e6, p50: 300e6, max: 310e6, ...over };
    return foundIn(LIMITS, [], {}, { rejects: NONE, errors: NONE, idleTimeNs });
  };

  it('is found where it closes idle connections, whatever the times; not where it closed one, or closes at once', () => {
    assert.deepEqual(dataOf(findingOf({}), 'idle-closed'), { count: 20, minNs: 299e6, p50Ns: 300e6, maxNs: 310e6 });
    assert.deepEqual(codesOf(findingOf({ max: 3e9 })), ['idle-closed']);
    assert.deepEqual([...findingOf({ count: 1 }), ...findingOf({ p50: 1e6 })], []);
  });
});

describe('the accept queue of a server', () => {
  it('is read from the kernel', async () => {
    const server = createServer().listen({ host: '127.0.0.1', port: 0, backlog: 7 });
    await once(server, 'listening');
    const { port } = /** @type {AddressInfo} */ (server.address());
    const [here, elsewhere] = ['127.0.0.1', '192.0.2.1'].map((address) => new ListenMeter([{ address, port }]));
    assert.deepEqual(here.read(), { sockets: 1, backlog: 7, queue: 0, drops: 0 });
    assert.equal(elsewhere.read(), null);
    server.close();
    await once(server, 'close');
    assert.equal(here.read(), null);
  });

  it('is that of the fullest of several sockets, with the drops of all since the reading before', () => {
    const socket = { address: '0.0.0.0', port: 80, inode: 1, queue: 0, backlog: 128, drops: 2 ** 32 - 2 };
    let now = [socket, { ...socket, inode: 2, drops: 5 }, { ...socket, port: 81, inode: 3, queue: 9 }];
    const meter = new ListenMeter([{ address: '127.0.0.1', port: 80 }], () => now);
    assert.deepEqual(meter.read(), { sockets: 2, backlog: 128, queue: 0, drops: 0 });
    now = [
      { ...socket, drops: 1 },
      { ...socket, inode: 2, backlog: 16, queue: 17, drops: 6 },
    ];
    assert.deepEqual(meter.read(), { sockets: 2, backlog: 16, queue: 17, drops: 4 });
    now = [{ ...socket, inode: 4, drops: 2 }];
    assert.equal(meter.read()?.drops, 2, 'a socket that was opened meanwhile counts from 0');
    const refused = new ListenMeter([{ address: '127.0.0.1', port: 80 }], () => assert.fail('ENOENT'));
    assert.equal(refused.read(), null);
  });

  it('is the cause if it dropped connects that had to wait', () => {
    const samples = [sample(null, { queue: 17, drops: 40 }), sample(null, { queue: 3, drops: 2 })];
    const connectSteps = [{ connections: 416 }, { connections: 463 }];
    assert.deepEqual(dataOf(findingsOf(samples, { connectSteps }), 'backlog-full'), {
      ...{ sockets: 1, backlog: 16, peakQueue: 17, drops: 42 },
      ...{ delayed: 879, timedOut: 0, connecting: 0, unanswered: 0 },
    });
    assert.deepEqual(findingsOf(samples), [], 'none had to wait');
    assert.deepEqual(findingsOf([sample(null, { queue: 17 })], { connectSteps }), [], 'nothing was dropped');
  });

  it('is not the cause where it is full only since the descriptors are used up', () => {
    const account = { requested: 99, served: 9, unanswered: 17, connecting: 73 };
    const full = { used: 20, limit: 20, full: 1 };
    const after = [sample({ ...full, used: 9, full: 0 }, { drops: 0 }), sample(full, { queue: 17, drops: 9 })];
    assert.deepEqual(codesOf(findingsOf(after, { account })), ['descriptor-limit']);
    const before = [sample({ ...full, used: 9, full: 0 }, { queue: 17, drops: 1 }), ...after];
    assert.deepEqual(codesOf(findingsOf(before, { account })), ['descriptor-limit', 'backlog-full']);
  });
});

describe('the meter of the host that a server is on', () => {
  it('has the counters of the network namespace of the server, and of no other when the server has ended', () => {
    const meter = new HostMeter();
    const kernelOf = (/** @type {number[]} */ away, /** @type {object} */ read) => {
      meter.kernel = /** @type {any} */ ({ away, read: () => read });
      return meter.readForServer().kernel;
    };
    const [kernel, serverKernel] = [{ TcpOutRsts: 5 }, { TcpOutRsts: 2 }];
    assert.deepEqual(kernelOf([], { kernel }), kernel);
    assert.deepEqual(kernelOf([7], { kernel, serverKernel }), serverKernel);
    assert.deepEqual(kernelOf([7], { kernel }), {});
  });
});
