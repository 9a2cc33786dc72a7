// What a controller rejects from an agent, such as servers elsewhere, readings without a request, huge histograms and
// too many reports; and what an agent refuses to do.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Agent } from '../../client/agents/agent.js';
import { AgentGroup } from '../../client/agents/agent-group.js';
import { AgentSession } from '../../client/agents/agent-session.js';
import { AllowList, LOOPBACK } from '../../client/agents/allow-list.js';
import { Allowance } from '../../client/agents/allowance.js';
import { decode, decodeReport, encode, unpackBuckets } from '../../client/agents/codec.js';
import { checkedEntry } from '../../client/agents/entry-shape.js';
import { checkedOrder, isServerOrder } from '../../client/agents/order-shape.js';
import { PROTOCOL_VERSION } from '../../client/agents/protocol-version.js';
import { RemoteLauncher } from '../../client/agents/remote-launcher.js';
import { WorkerAccount } from '../../client/agents/worker-account.js';
import { subjects } from '../../client/agents/subjects.js';
import { MOST_WORKERS } from '../../client/plan/host-shares.js';
import { evenSlices } from '../fixtures/even-slices.js';
import { interval, recorded, usage } from '../fixtures/intervals.js';

/**
 * @import { StartOptions } from '../../client/agents/remote-launcher.js'
 * @import { Leg } from '../../client/agents/worker-account.js'
 */

/** @type {Leg} */
const LEG = {
  ...{ connections: 10, workers: 1, rampToNs: 1e9, warmupTransfers: null },
  ...{ steadyFromNs: 1e9, steadyToNs: 3e9, endNs: 4e9 },
};

describe('the bytes of reports', () => {
  it('are decoded, or refused: whatever they are, in time and in memory that their length bounds', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          const { values, counts } = unpackBuckets(bytes);
          assert.equal(values.length, counts.length);
          assert.ok(values.every(Number.isFinite) && counts.every(Number.isSafeInteger));
        } catch (error) {
          assert.ok(error instanceof TypeError);
        }
      }),
      { numRuns: 2000 },
    );
    const wrong = ['{"$int":"x"}', `{"$int":"${'9'.repeat(100)}"}`, '{"$hdr":"gA=="}', '{"$hdr":"AQ=="}'];
    for (const text of wrong) assert.throws(() => decode(Buffer.from(text)), text);
    const endless = Buffer.alloc(200_000, 0).toString('base64');
    assert.throws(() => decode(Buffer.from(JSON.stringify({ $hdr: endless }))), TypeError);
  });

  it('hold no control characters for a terminal', () => {
    const said = { how: 'a\u001b[2J\u0007b\u009bc\r\n\td', list: ['\u0000'] };
    assert.deepEqual(decodeReport(encode(said)), { how: 'a[2Jbc\r\n\td', list: [''] });
    const numbers = { ns: 5n, values: Float64Array.of(1) };
    assert.deepEqual(decodeReport(encode(numbers)), numbers);
  });

  it('are entries of an agent, or nothing', () => {
    const which = { leg: '01-x', worker: 0, generation: 0 };
    const right = [
      { type: 'beat', ns: 5n },
      { ...which, type: 'forked', pid: 7 },
      { ...which, type: 'lost', how: 'SIGKILL', started: true, stderr: '' },
      { ...which, type: 'started', lateNs: 0 },
      { ...which, type: 'message', message: { type: 'ready' } },
      { type: 'stopped', forMs: 10, agent: 'a', legs: ['01-x'] },
    ];
    for (const entry of right) {
      assert.equal(checkedEntry(entry), entry);
      for (const key of Object.keys(entry).filter((name) => name !== 'type'))
        for (const value of [undefined, -1, NaN, [7]])
          assert.throws(() => checkedEntry({ ...entry, [key]: value }), TypeError, `${entry.type} ${key}`);
    }
    fc.assert(fc.property(fc.json(), (text) => assert.throws(() => checkedEntry(JSON.parse(text)), TypeError)));
  });
});

describe('what a worker of an agent may say', () => {
  /** @param {any[]} messages @returns {WorkerAccount} that has taken them */
  function after(...messages) {
    const account = new WorkerAccount(LEG, 0);
    for (const message of messages) account.take(message);
    return account;
  }
  const hello = { type: 'hello', pid: 1 };
  const ready = { type: 'ready' };
  const done = { type: 'done', engine: 0, log: null };

  it('is hello, ready, intervals, and the end of each engine, in this order, and nothing else, whatever it is', () => {
    after(hello, ready, done);
    for (const wrong of [[ready], [done], [hello, done], [hello, ready, done, done]])
      assert.throws(() => after(...wrong), TypeError, JSON.stringify(wrong));
    fc.assert(
      fc.property(fc.json(), (text) => {
        const account = after(hello, ready);
        assert.throws(() => account.take(JSON.parse(text)), TypeError);
        assert.throws(() => account.take({ type: 'interval', engine: 0, interval: JSON.parse(text) }), TypeError);
      }),
    );
  });

  it('has a response time for each transfer, in slices for those that began in a measured part', () => {
    const heard = (/** @type {number} */ transfers, /** @type {number} */ measured, leg = {}) => {
      const account = new WorkerAccount({ ...LEG, ...leg }, 0);
      const counters = { attempts: 1, opened: 1, transfers, ...(measured > 0 ? { measured } : {}) };
      const histograms = { responseTime: recorded([1000, 2000]) };
      const cut = interval({ phase: 'ramp', counters, gauges: { open: 1, peakOpen: 1 }, histograms });
      for (const message of [hello, ready]) account.take(message);
      return () => account.take({ type: 'interval', engine: 0, interval: cut, usage });
    };
    const slices = evenSlices({ fromNs: 1e9 });
    heard(2, 0)();
    assert.throws(heard(3, 0), TypeError);
    heard(3, 2, { slices })();
    assert.throws(heard(1, 1, { slices }), TypeError);
    assert.throws(heard(3, 4, { slices }), TypeError);
  });
});

describe('the allowance of an agent', () => {
  it('is for the whole run: what waited for a minute may come at once, ten times as much may not', () => {
    const patient = new Allowance(0);
    for (let i = 0; i < 60 * 200; i += 1) assert.ok(patient.take(50_000, 60_000));
    const hasty = new Allowance(0);
    let taken = 0;
    while (hasty.take(50_000, 1000)) taken += 1;
    assert.ok(taken < 2000, `${taken}`);
    const large = new Allowance(0);
    assert.equal(large.take(2 ** 30, 1000), false);
  });
});

describe('an agent that starts servers', () => {
  const ADDRESS = '10.0.0.9';
  const server = { host: ADDRESS, port: 7000, authority: null };
  const reading = {
    ...{ atNs: 5n, busy: [0.5], kernel: { TcpRetransSegs: 1 }, listen: null, descriptors: null },
    earlier: [],
    instances: [{ reading: { cpuSeconds: 1, rssBytes: 1, threads: 1, processes: 1 }, hasEnded: false }],
  };

  /** @type {StartOptions} */
  const ORDER = { name: 'epoll', protocol: 'echo', transport: 'tcp', readyTimeoutMs: 1 };

  /** A launcher that has ordered a server, and the answers to what it asked last. */
  function orderServer() {
    /** @type {any[]} */
    const sent = [];
    const send = (/** @type {any} */ message) => void sent.push(message);
    const remote = new RemoteLauncher({ name: 's', address: ADDRESS, offsetNs: () => 0n, send });
    const starting = remote.startServer(ORDER);
    const answer = (/** @type {unknown} */ value) =>
      remote.receive(/** @type {any} */ ({ type: 'answer', request: sent.at(-1).request, value }));
    return { starting, answer };
  }

  it('has them where it said that they listen, and as many as it was asked for', async () => {
    const wrong = [
      ...['192.0.2.1', 'example.org', 'unix:/run/x', undefined].map((host) => [{ ...server, host }]),
      ...[0, 65_536, 1.5, '7000', null].map((port) => [{ ...server, port }]),
      [{ ...server, authority: 'x'.repeat(1e6) }],
      ...[[], [server, server], null, server],
    ];
    for (const value of wrong) {
      const { starting, answer } = orderServer();
      starting.catch(() => {});
      assert.throws(() => answer(value), TypeError, JSON.stringify(value)?.slice(0, 100));
    }
    const { starting, answer } = orderServer();
    answer([server]);
    const { host, port } = await starting;
    assert.deepEqual([host, port], [ADDRESS, 7000]);
  });

  it('reads its machine and each of its servers', async () => {
    const { starting, answer } = orderServer();
    answer([server]);
    const { meter } = /** @type {any} */ (await starting);
    const wrong = [
      ...[{ atNs: 5 }, { busy: [NaN] }, { kernel: { a: -1 } }, { instances: [] }, { listen: { queue: Infinity } }],
      { kernel: Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`x${i}`, 1])) },
      { instances: [{ reading: { cpuSeconds: '1' }, hasEnded: false }] },
      ...[{ earlier: [{ ...reading, atNs: 5 }] }, { earlier: Array.from({ length: 1000 }, () => reading) }],
    ];
    for (const value of [null, ...wrong.map((over) => ({ ...reading, ...over }))]) {
      void meter.read([]);
      assert.throws(() => answer(value), TypeError);
    }
    const reply = meter.read([]);
    answer(reading);
    assert.deepEqual((await reply).kernel, reading.kernel);
  });
});

describe('what an agent carries out', () => {
  const which = { leg: '01-x', worker: 0, generation: 0 };

  /** An agent's work for a run whose workers are no processes. */
  function sessionOf() {
    /** @type {any[]} */
    const said = [];
    let forks = 0;
    /** @type {any[]} */
    const sent = [];
    /** @type {string[]} */
    const lines = [];
    const handle = {
      ...{ fork: () => void (forks += 1), kill: () => {}, ended: Promise.resolve() },
      send: (/** @type {any} */ message) => void sent.push(message),
    };
    /** @type {any} */
    const options = {
      ...{ broker: { subscribe: () => () => {} }, run: 'r', name: 'a', folder: '/dev/null/r' },
      ...{ deadlineMs: 1000, allow: new AllowList(LOOPBACK), workers: { make: () => handle } },
      log: (/** @type {string} */ line) => void lines.push(line),
    };
    const session = new AgentSession(options);
    session.say = (entry) => void said.push(entry);
    return { session, said, sent, lines, forks: () => forks };
  }

  it('makes the legs incomplete, once, where it learned of their slices too late', () => {
    const hellos = /** @type {any} */ ([{ name: 'a' }]);
    const group = new AgentGroup(/** @type {any} */ ({}), { hellos });
    /** @type {any[]} */
    const heard = [];
    for (const event of ['warning', 'cut-short']) group.on(event, ({ code, data }) => heard.push([event, code, data]));
    for (const lateNs of [0, 5e6, 6e6]) group.slicedLate(group.agents[0], lateNs);
    const late = ['agent-slices-late', { agent: 'a', lateNs: 5e6 }];
    assert.deepEqual(heard, [
      ['warning', ...late],
      ['cut-short', ...late],
    ]);
    group.beginLegs();
    group.slicedLate(group.agents[0], 1);
    assert.equal(heard.length, 4, 'of the next legs again');
  });

  it('is an order of a controller, without what no worker takes', () => {
    const start = { ...which, type: 'message', message: { type: 'start', startNs: 5n, cmd: 'NODE_CLUSTER' } };
    const order = /** @type {any} */ (checkedOrder(start));
    assert.deepEqual(order.message, { type: 'start', startNs: 5n });
    const wrong = [
      ...[null, [], {}, { type: 'fork' }, { ...which, type: 'exec' }, { type: 'server', message: {} }],
      ...['..', 'a/b', '', '.hidden', 5].map((leg) => ({ ...which, leg, type: 'fork' })),
      ...[-1, 1.5, 1e9, '0', 'constructor'].map((worker) => ({ ...which, worker, type: 'fork' })),
      ...[
        null,
        {},
        { type: 'start' },
        { type: 'leg', configs: [] },
        { type: 'leg', configs: 'x' },
        { type: 'leg', configs: [{}] },
      ].map((message) => ({
        ...{ ...which, type: 'message', message },
      })),
    ];
    for (const entry of wrong) assert.throws(() => checkedOrder(entry), TypeError, JSON.stringify(entry));
    const slices = evenSlices({ fromNs: 3e9 });
    const stage = slices.stages[1];
    const change = (/** @type {object} */ changes) =>
      checkedOrder({ ...which, type: 'message', message: { type: 'slices', slices: { ...slices, ...changes } } });
    assert.deepEqual(/** @type {any} */ (change({})).message, { type: 'slices', slices });
    const wrongStages = [
      [],
      [stage, { ...stage, fromNs: 2e9 }],
      [{ ...stage, fromNs: NaN }],
      [{ ...stage, lengths: [] }],
      [{ ...stage, lengths: [{ settleInNs: 0, measuredNs: 1, settleOutNs: 0 }] }],
      [{ ...stage, lengths: [{ settleInNs: 0, measuredNs: 0, settleOutNs: 1e8 }] }],
      [{ ...stage, lengths: [{ settleInNs: -1, measuredNs: 1e8, settleOutNs: 0 }] }],
    ];
    for (const changes of [{ index: 2 }, { of: 0 }, ...wrongStages.map((stages) => ({ stages }))])
      assert.throws(() => change(changes), TypeError, JSON.stringify(changes));
    fc.assert(fc.property(fc.json(), (text) => assert.throws(() => checkedOrder(JSON.parse(text)), TypeError)));
  });

  it('is no leg to a target or with a file that it does not allow, but one whose log cannot be written', () => {
    const { session, said, sent, lines } = sessionOf();
    const settings = {
      endpoints: [{ address: '127.0.0.1', port: 7 }],
      slots: { first: 0, stride: 1, count: 1 },
      ...{ protocol: 'nats', steadyToNs: 1e9, drainTimeoutNs: 1e9 },
      log: { path: '/x/transfers-0.arrows', splitsPath: null, reserveBytes: 0 },
    };
    const config = { protocolOptions: {}, payloadBytes: 1, payloadFile: null, slices: null, settings };
    const order = (/** @type {object} */ over) =>
      session.receive({
        ...{ ...which, type: 'message' },
        message: /** @type {any} */ ({ type: 'leg', configs: [{ ...config, ...over }] }),
      });
    const given = (/** @type {object} */ over) => ({ settings: { ...settings, ...over } });
    const wrong = [
      given({ endpoints: [{ address: '10.0.0.1', port: 7 }] }),
      given({ endpoints: [...settings.endpoints, { address: 'unix:/run/x', port: 0 }] }),
      { payloadFile: { path: '/x' } },
      { protocolOptions: { subject: 'x', token: '/run/secrets/token' } },
      { protocolOptions: { subject: 'x', login: '/etc/passwd' } },
      given({ slots: { first: 0, stride: 1, count: 4e9 } }),
      given({ slots: { first: '../x', stride: 1, count: 1 } }),
      { payloadBytes: 2 ** 40 },
      given({ steadyToNs: 365 * 24 * 3600e9 }),
      { slices: evenSlices({ measuredNs: 1, settleOutNs: 0 }) },
    ];
    session.receive({ ...which, type: 'fork' });
    said.length = 0;
    for (const over of wrong) order(over);
    const types = said.map(({ message }) => message?.type);
    assert.deepEqual([types, sent, lines], [wrong.map(() => 'failed'), [], []]);
    order({});
    assert.equal(sent.pop().configs[0].settings.log.splitsPath, null);
    order(given({ log: { path: '/x/../../.bashrc', splitsPath: 'index.html', reserveBytes: 0 } }));
    const [path, splitsPath] = ['transfers', 'timestamps'].map((name) => `/dev/null/r/01-x/${name}-0.arrows`);
    const { log } = sent[0].configs[0].settings;
    assert.deepEqual([log.path, log.splitsPath], [path, splitsPath]);
    assert.match(lines[0], /ENOTDIR/);
  });

  it('is a bounded number of workers', () => {
    const { session, said, forks } = sessionOf();
    for (let worker = 0; worker < 2 * MOST_WORKERS; worker += 1) session.receive({ ...which, worker, type: 'fork' });
    for (let again = 0; again < 10; again += 1) session.receive({ ...which, type: 'fork' });
    assert.equal(forks(), MOST_WORKERS);
    const refused = said.filter(({ type, started }) => type === 'lost' && started === false);
    assert.equal(refused.length >= MOST_WORKERS, true);
  });

  it('is no flood of orders, and no leg of next year', () => {
    const flooded = sessionOf();
    flooded.session.outbox.close();
    for (let i = 0; i < 5000; i += 1) flooded.session.receive({ ...which, type: 'kill' });
    assert.equal(flooded.session.ended, true);
    const { session } = sessionOf();
    session.receive({ ...which, type: 'fork' });
    const startNs = process.hrtime.bigint() + 365n * 24n * 3_600_000_000_000n;
    assert.throws(() => session.receive({ ...which, type: 'message', message: { type: 'start', startNs } }), TypeError);
  });

  it('is a server or a command, of which its permission is asked', () => {
    const right = { name: 'epoll', protocol: 'echo', transport: 'tcp', readyTimeoutMs: 1000, options: { backlog: 5 } };
    assert.equal(isServerOrder(right), true);
    const wrong = [
      ...[{ name: undefined }, { command: 'true' }, { name: ['epoll'] }, { name: undefined, command: ['sh'] }],
      ...[
        { options: ['x'] },
        { env: 'LD_PRELOAD=x' },
        { env: { A: 1 } },
        { protocol: {} },
        { readyTimeoutMs: Infinity },
      ],
    ];
    for (const over of wrong) assert.equal(isServerOrder({ ...right, ...over }), false, JSON.stringify(over));
  });

  it('answers a bounded number of requests at a time, what it can read alone, and reserves itself for a run with an id alone', async () => {
    /** @type {Map<string, (message: any) => void>} */
    const callbacks = new Map();
    let readings = 0;
    let isReadable = true;
    /** @type {string[]} */
    const lines = [];
    const broker = {
      request: () => Promise.reject(new Error('no responders')),
      flush: async () => {},
      subscribe: (/** @type {string} */ subject, /** @type {any} */ take) => void callbacks.set(subject, take),
    };
    const options = {
      ...{ name: 'a', version: '0', logs: '/dev/null', allow: new AllowList(LOOPBACK) },
      log: (/** @type {string} */ line) => lines.push(line),
      readHost() {
        readings += 1;
        return isReadable ? new Promise(() => {}) : Promise.reject(new Error('nothing can be read'));
      },
    };
    const agent = await new Agent(/** @type {any} */ (broker), /** @type {any} */ (options)).open();
    const subjectOfAgent = subjects.agent('a');
    /** @type {any[]} */
    const answers = [];
    const respond = (/** @type {Uint8Array} */ data) => void answers.push(decode(data));
    const send = (/** @type {string} */ subject, /** @type {Uint8Array} */ data, to = respond) =>
      callbacks.get(subject)?.({ data, respond: to });
    for (let port = 1; port <= 1000; port += 1)
      send(subjects.discover, encode({ target: { host: '127.0.0.1', port } }));
    assert.ok(readings < 100, `${readings} at a time`);
    agent.answering = 0;
    isReadable = false;
    send(subjectOfAgent, encode({ type: 'hello' }));
    for (const subject of [subjectOfAgent, subjects.discover])
      for (const text of ['hello', 'null', '{"target":null}']) send(subject, Buffer.from(text));
    for (const run of ['', '..', 'a/b', '.x', 5, null, 'x'.repeat(1000)])
      send(subjectOfAgent, encode({ type: 'reserve', version: PROTOCOL_VERSION, run, targets: [] }));
    for (let i = 0; i < 1000; i += 1) send(subjectOfAgent, Buffer.from('\u001b[2J'));
    send(subjectOfAgent, encode({ type: 'clock' }), () => assert.fail('the connection is closed'));
    assert.equal(answers.length, 0);
    send(subjectOfAgent, encode({ type: 'clock' }));
    assert.equal(typeof answers[0].ns, 'bigint', 'at once, or the offset of the clock would be wrong');
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(agent.session, null);
    assert.ok(lines.length < 100, `${lines.length} lines`);
    clearInterval(agent.flusher);
  });
});
