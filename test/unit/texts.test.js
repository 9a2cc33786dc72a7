// What the console shows as a whole, of made-up runs and machines: each text in test/golden/, and no table wider than
// the terminal.

import assert from 'node:assert/strict';
import { stripVTControlCharacters } from 'node:util';
import { header, line } from '../../client/console/live-lines.js';
import { histogramLine } from '../../client/console/histogram-line.js';
import { intervalText } from '../../client/console/interval-text.js';
import { limitsTable } from '../../client/console/limits-table.js';
import { loadText } from '../../client/console/load.js';
import { describePlan } from '../../client/console/plan-text.js';
import { allFigures, runComparisonLines, serversLines } from '../../client/console/results-table.js';
import { bendLines, verdictLines } from '../../client/console/result-lines.js';
import { serversTable } from '../../client/console/servers-table.js';
import { plain, styleFor } from '../../client/console/terminal-text.js';
import { compareRuns } from '../../client/judge/compare-runs/index.js';
import { answerText } from '../../client/judge/headline.js';
import { shownCase } from '../../client/judge/value-of.js';
import { tableOf } from '../../client/judge/table.js';
import { judgeRun } from '../../client/judge/verdict.js';
import { Histogram } from '../../client/measure/histogram.js';
import { planRun } from '../../client/plan/plan.js';
import { leftBehind } from '../../client/protocols/index.js';
import { loadScenario, resolveScenario } from '../../client/scenario/scenario.js';
import { kneeCell, kneeLine, kneeText } from '../../client/words/knee.js';
import { assertGolden } from '../fixtures/golden.js';
import { host, known } from '../fixtures/hosts.js';
import { announcements, refusals } from '../fixtures/limit-cases.js';
import { FAST, SLOW, legOf, rounds, runOf, varying } from '../fixtures/made-up-answers.js';
import { decideOn } from '../fixtures/planned-limits.js';

/** @import { Limit } from '../../config/types.js' */

/** @param {[string, string][]} parts a title and a text each @returns {string} */
const joined = (parts) => parts.map(([title, text]) => `=== ${title}\n${text}\n`).join('\n');

/** @param {Record<string, unknown>} content */
const scenarioOf = (content) =>
  resolveScenario({
    name: 'test',
    content: {
      connections: 100,
      ...('target' in content || 'command' in content ? {} : { servers: ['epoll'] }),
      ...content,
    },
  });

describe('the text of the plan', () => {
  it('is that of test/golden/plan.txt', async () => {
    const pair = { servers: ['epoll', 'select'], duration: '10s' };
    const target = { target: '127.0.0.1:80' };
    const wrapped = { server: 'onload', client: 'onload -p' };
    const forced = { sources: ['127.0.0.1'], force: true };
    const contents = [
      { connections: 80_000 },
      { sources: ['127.0.0.7', '10.0.0.5'] },
      { ...target, connections: 10, workload: 'hold', heartbeat: '1s' },
      { ramp: { every: '2s' }, duration: '10s', warmup: '5s' },
      { ramp: { every: '2s' }, duration: '10s', warmup: 10_000, warmupTimeout: '30s' },
      { ...target, connections: 300, ramp: { add: 100, every: '1s' }, duration: '2s' },
      { ...target, connections: 300, ramp: { add: 150, every: '5s' } },
      { servers: ['preforked', 'prethreaded'], connections: 200 },
      { rate: [{ rate: '100/s', to: '500/s', for: '4s' }], ramp: { add: 100, every: '2s' }, duration: '3s' },
      { connections: [{ connections: 400, to: 50, for: '4s' }], ramp: { add: 100, every: '2s' } },
      { target: 'localhost:4433', connections: 1000, tls: true },
      { instances: 2, workers: 4, pin: { server: 'each' } },
      { servers: ['epoll', { name: 'epoll', as: 'onload', wrap: wrapped }] },
      { ...pair, rounds: 3, rate: '100/s', failIf: ['p99 worse by 3%', 'rejects > 0'] },
      { ...pair, connections: undefined, sweep: { connections: [1, 40, 3000] }, transfers: 1000 },
      { servers: ['epoll'], sweep: { payload: ['1B', '1KiB'], pipeline: [1, 16] }, duration: '10s' },
      { ...pair, compareAt: '25%' },
      { ...pair, compareAt: '20000/s' },
      { ...pair, connections: undefined, sweep: { connections: [10, 70_000, 90_000] }, ...forced },
      { connections: 5000, find: { maximise: 'connections', while: 'p99 < 50ms' } },
      { connections: 50, rate: '900/s', duration: '5s', find: { maximise: 'rate', while: 'p99 < 50ms' } },
    ];
    const shipped = await loadScenario({ config: '10k-1mb' });
    const text = async (/** @type {any} */ scenario) =>
      describePlan(scenario, (await planRun(scenario, host, known)).plan, host);
    /** @type {[string, string][]} */
    const parts = [];
    for (const content of contents) parts.push([JSON.stringify(content), await text(scenarioOf(content))]);
    assertGolden('plan.txt', joined([['10k-1mb', await text(shipped)], ...parts]));
  });
});

/** With every kind of figure. */
const failing = legOf({
  ...{ name: 'failing', limitedBy: 'none', limitShares: { machine: 0.3, server: 0.3, none: 0.4 } },
  ...{ attempts: { total: 10_000, opened: 9988, rejected: 12, abandoned: 0 }, rejects: { total: 12, refused: 12 } },
  ...{ errors: { total: 7, reset: 3, timeout: 4 }, transfers: { count: 9e5, failed: 3, unfinished: 100 } },
  ...{ connectTimeNs: { count: 9988, p99: 53.3e6 }, serverUse: { peakRssBytes: 1.9 * 2 ** 20 } },
  steady: {
    ...{ fromNs: 0, toNs: 1e9, transfers: 1, failed: 99, unfinished: 0, perSecond: 85_200, bytesPerSecond: 87e6 },
    ...{ client: { cpuSeconds: 0.3 }, server: { cpuSeconds: 0.24 }, bytesSentPerSecond: 250e6 },
    statuses: { total: 10, ok: 8, miss: 2 },
    responseTimeNs: { p50: 12e6, p90: 24e6, p99: 36e6, p99_9: 48e6, max: 5e9 },
  },
});
const ofRounds = shownCase(rounds('a', [1000, 1000, 1000]), {
  figures: { p99Ns: { median: 37.2e6, low: 30e6, high: 40e6, method: 'student-t', values: [30e6, 37.2e6, 40e6] } },
});
const dead = {
  ...legOf({ name: 'dead' }),
  ...{ endedBy: 'server-start', complete: false, connections: undefined, steady: undefined },
  failure: { code: 'leg-failed', data: {}, text: 'exit 1: bind: address already in use' },
};
const parts = { served: 592, unanswered: 101, connecting: 769, rejected: 38 };
const short = legOf({ name: 'mine', requested: 1500, account: parts, rejects: { total: 412, timeout: 412 } });
const long = 'a-server-with-a-name-that-goes-on-and-on';
const ranked = [...rounds('slow', SLOW), ...rounds('fast', FAST), ...rounds(long, FAST)];
const swept = [1, 1000].flatMap((connections) =>
  ['a', 'b'].flatMap((name) => rounds(name, name === 'a' ? FAST : SLOW, { axes: { connections } })),
);

/** @param {any} summary @returns {(width: number) => string} */
const serversOf = (summary) => (width) => serversLines(tableOf(summary), width, plain) ?? '';
/** @param {any[]} cases @returns {(width: number) => string} */
const figuresOf = (cases) => (width) => allFigures(cases, width, plain);

/**
 * @type {[string, (width: number) => string, number[], number][]} title, table, the widths that are shown, the least
 *   width
 */
const TABLES = [
  ['servers that are ranked', serversOf(runOf(ranked)), [80, 100, 120], 60],
  ['servers measured once', serversOf(runOf([short, legOf({ name: 'b' }), dead])), [80], 60],
  ['a sweep', serversOf(runOf(swept)), [80], 60],
  ['all figures of a leg', figuresOf([shownCase([failing])]), [80], 60],
  [
    'all figures of several, and of rounds',
    figuresOf([shownCase([short]), ofRounds, shownCase([legOf({ name: 'iterative' })])]),
    [60],
    60,
  ],
];

/** @param {Partial<Limit>} over @returns {any} */
const limit = (over) => ({
  ...{ name: 'a limit', servers: [], code: 'a-limit', text: 'it is so.', data: {}, unit: 'count', available: 20_000 },
  ...{ needed: 5000, side: 'client', exceeded: false, remedy: null, holds: null },
  ...over,
});
const limits = [
  limit({ name: 'descriptors of a worker' }),
  limit({
    ...{
      name: 'descriptors of a process',
      servers: ['multi-threaded', 'select', 'epoll'],
      needed: 80_020,
      side: 'server',
    },
    ...{ exceeded: true, remedy: 'Raise the limit (ulimit -Hn 80020).' },
  }),
  limit({ name: 'memory', unit: 'bytes', available: 2 ** 30, needed: 1024 }),
  limit({ name: 'mappings', available: null }),
  limit({
    name: 'local ports',
    exceeded: true,
    needed: 40_000,
    remedy: 'Take more addresses, or a wider range of ports.',
  }),
];
const servers = Array.from({ length: 8 }, (_, i) => ({
  name: ['epoll-et-pool', 'python-selectors', 'io_uring'][i % 3] + i,
  language: ['c', 'go', 'contributed'][Math.floor(i / 3)],
  model: 'N processes in accept on one socket, blocking calls',
  protocols: i % 2 ? ['echo', 'volley', 'ace', 'http'] : ['echo'],
  concurrent: /** @type {const} */ ([1, 'unbounded', { option: 'processes', default: 16 }, null])[i % 4],
  available: i !== 3,
  why: i === 3 ? 'go 1.18 is there, 1.19 is needed, and this text is longer than a narrow line' : null,
  remedy: i === 3 ? 'apt-get install golang-go' : null,
}));
TABLES.push(
  ['limits that are short', (width) => limitsTable(limits, width, plain), [80], 60],
  ['all limits', (width) => limitsTable(limits, width, plain, true), [80, 140], 60],
  ['limits of which none is short', () => limitsTable(limits.slice(0, 1), 80, plain), [80], 80],
  ['servers', (width) => serversTable(servers, width, plain), [80, 120], 75],
);

const times = new Histogram();
for (let i = 1; i <= 1000; i += 1) times.record(Math.round(1e6 / Math.sqrt(i / 1000)), i % 7 === 0 ? 30 : 1);
const marks = [50, 99].map((percent) => ({ name: `p${percent}`, value: times.percentiles([percent])[0] }));
TABLES.push([
  'the histogram of response times',
  (width) => histogramLine(times, marks, width, plain) ?? 'no room',
  [50, 80, 120],
  30,
]);

/** @type {any} */
const sample = {
  ...{ second: 65, phase: 'steady', fromNs: 64e9, toNs: 65e9, limitedBy: 'client' },
  counters: {
    transfers: 123_456,
    failed: 0,
    unfinished: 0,
    unsent: 0,
    bytesSent: 0,
    bytesReceived: 126_418_944,
    due: 5e4,
    late: 1234,
  },
  ...{ rejects: { refused: 12, timeout: 3 }, errors: { reset: 0 }, statuses: { '2xx': 80, '5xx': 15, '4xx': 5 } },
  gauges: { connecting: 9, queued: 3, open: 9988, unanswered: 7, requested: 10_000, backingOff: 5, waiting: 77 },
  histograms: { responseTime: { p50: 68_000_000, p99: 1_234_000_000, max: 2e9, count: 1 } },
  ...{ client: { cpuSeconds: 1.5 }, server: { cpuSeconds: 0.98 } },
};
const remnant = { ...sample, fromNs: 64.9e9, server: null, limitedBy: 'none', histograms: { responseTime: null } };
const slow = { ...sample, counters: { ...sample.counters, failed: 200_000 } };
/** A URL whose server is not measured, and that replies with few bytes. @param {number} bytesReceived */
const little = (bytesReceived) => ({
  ...{ ...sample, server: null, limitedBy: 'unknown' },
  counters: { ...sample.counters, bytesReceived },
});
/** @param {boolean} areMany @param {any[]} needs @returns {(width: number) => string} */
const live =
  (areMany, ...needs) =>
  (width) => {
    const shape = { areMany, features: new Set(needs) };
    return [
      ...header(width, plain, shape),
      ...[sample, remnant, slow, little(7121), little(12)].map((item) =>
        line({ seconds: 65, leg: 'multi-threaded', sample: item }, width, plain, shape),
      ),
    ].join('\n');
  };
TABLES.push(
  ['lines of a closed loop', live(false), [80, Infinity], 30],
  ['lines of a closed loop with several servers', live(true), [50, 80, 120], 50],
  ['lines of an open loop with kinds of replies', live(false, 'open loop', 'kinds of replies'), [100, Infinity], 30],
  ['lines of an open loop with several servers', live(true, 'open loop', 'kinds of replies'), [80, 120], 50],
);

describe('the tables of the console', () => {
  it('are those of test/golden/tables.txt', () => {
    const parts = TABLES.flatMap(([title, table, widths]) =>
      widths.map((width) => /** @type {[string, string]} */ ([`${title}: ${width} columns`, table(width)])),
    );
    assertGolden('tables.txt', joined(parts));
  });

  for (const [title, table, , least] of TABLES)
    it(`are no wider than the terminal: ${title}`, () => {
      for (let width = least; width <= 200; width += 7) {
        for (const text of table(width).split('\n'))
          assert.ok(text.length <= width, `${text.length} > ${width}: ${text}`);
      }
    });

  it('have values, drawn intervals, differences, p50 and p99 from 120 columns on, and speak only of what they show', () => {
    const legs = [1, 0.5].flatMap((share, i) =>
      rounds('ab'[i], FAST, {}).map((leg) => {
        const { perSecond, ...steady } = leg.steady;
        return { ...leg, steady: { ...steady, perSecond: perSecond * share, server: { cpuSeconds: 0.1 / share } } };
      }),
    );
    const table = tableOf(runOf(legs));
    const told = { ...table, ranking: { ...table.ranking, unit: /** @type {const} */ ('block') } };
    const at = (/** @type {number} */ width) => serversLines(told, width, plain) ?? '';
    for (const width of [120, 200])
      for (const part of [
        'transfers/s',
        'CPU per transfer',
        ' p50 ',
        ' p99',
        '●',
        '(−',
        'p50 and p99 of all transfers',
      ])
        assert.ok(at(width).includes(part), `${part} at ${width}:\n${at(width)}`);
    const narrow = at(60);
    assert.doesNotMatch(narrow, /p99/, 'neither the column nor a word on it');
    assert.match(narrow, /95 % intervals/);
  });

  it('draw an interval from end to end, and the value hollow where no difference is known', () => {
    for (const [drawn, text] of /** @type {[object, string][]} */ ([
      [{ at: 0.5, interval: [0.2, 0.9], isKnown: true }, '  ───●──── '],
      [{ at: 0.5, interval: [-1, 2], isKnown: false }, '─────○─────'],
      [{ at: 0, isKnown: true }, '●          '],
      [{ at: 1.4, interval: [1.2, 1.5], isKnown: true }, '          ●'],
    ]))
      assert.equal(intervalText(/** @type {any} */ (drawn), 11), text);
  });

  it('have the same text in colour', () => {
    const styled = serversLines(tableOf(runOf(ranked)), 80, styleFor({ isTTY: true }, {})) ?? '';
    const bare = stripVTControlCharacters(styled)
      .split('\n')
      .map((text) => text.trimEnd());
    assert.notEqual(bare.join('\n'), styled);
    assert.equal(bare.join('\n'), serversOf(runOf(ranked))(80));
  });
});

describe('what is said of a run', () => {
  it('is that of test/golden/sentences.txt', () => {
    const once = [legOf({ name: 'a', rate: 5000 }), legOf({ name: 'b' })];
    const lost = legOf({ name: 'b', complete: false, endedBy: 'interrupted' });
    const bare = { ...legOf({ name: 'b' }), complete: false, endedBy: 'server-start', connections: undefined };
    const refusedAll = legOf({
      ...{ name: 'b', complete: false, endedBy: 'no-transfers', steady: undefined },
      connections: { requested: 100, openAtEnd: 0, unansweredAtEnd: 0, opened: 0, reopened: 0 },
      ...{ rejects: { refused: 9, total: 9 }, account: { served: 0, rejected: 100 } },
    });
    const full = { code: 'backlog-full', severity: 'problem', data: { backlog: 128 } };
    const unserved = [10, 30, 20].map((n, i) =>
      legOf({ name: `s${i}`, account: { served: n, unanswered: 100 - n }, findings: [full] }),
    );
    const verdict = judgeRun({ thresholds: ['p99 < 4ms', 'rejects == 0'], failIf: ['errors > 0'] }, once, 3);
    const met = Array.from({ length: 13 }, (_, i) => `rejects < ${i + 1}`);
    const many = judgeRun({ thresholds: ['rejects > 0', ...met] }, rounds('a', FAST), 4);
    const [run, base] = [SLOW, FAST].map((rates, i) => runOf(rounds('a', rates), { run: `r${i}`, scenario: `r${i}` }));
    const sides = [run, base].map((summary, i) => ({ summary, scenario: null, environment: { kernel: `${i}` } }));
    const compared = compareRuns(sides[0], sides[1], 0.05) ?? assert.fail();
    const searched = { label: 'a', decided: true, answer: '500 connections', details: '', probes: [] };
    const held = legOf({ name: 'a', heldOnly: true, steady: undefined, account: { served: 0, idle: 90 } });
    /** @type {[string, any][]} */
    const runs = [
      ['a best server', runOf([...rounds('b', SLOW), ...rounds('a', FAST), ...rounds('c', FAST)])],
      ['servers as good', runOf([...rounds('a', FAST), ...rounds('b', FAST)])],
      ['not known', runOf([...varying('a', [900, 1100, 1000]), ...varying('b', [1000, 1000, 1000])])],
      [
        'known by another figure',
        runOf([...varying('a', [900, 1100, 1000], [9, 9, 9]), ...varying('b', [1000, 1000, 1000], [17, 17, 18])]),
      ],
      [
        'a change',
        runOf(
          [...varying('base', [900, 1100, 1000], [9, 9, 9]), ...varying('head', [1000, 1000, 1000], [17, 17, 18])],
          { config: { versions: ['base', 'head'] } },
        ),
      ],
      ['measured once', runOf(once)],
      ['one server', runOf(once.slice(0, 1))],
      ['one server that held', runOf([held], { config: { workload: 'hold' } })],
      ['failed', runOf(once, { verdict })],
      ['worse than a baseline', { ...run, baseline: compared }],
      ['a search', runOf(once.slice(0, 1), { search: { answers: [searched] } })],
      ['interrupted', runOf([once[0], lost], { endedBy: 'interrupted', complete: false })],
      ['a server that did not run', runOf([once[0], bare])],
      ['nothing served', runOf([refusedAll])],
      ['not all served', runOf(unserved)],
      ['errors', runOf([legOf({ name: 'a', errors: { reset: 3, total: 3 }, limitedBy: 'client' })])],
    ];
    /** @type {[string, string][]} */
    const said = runs.map(([title, summary]) => [title, answerText(summary)]);
    said.push(['a verdict', verdictLines(verdict ?? assert.fail(), 100, plain)]);
    said.push(['a verdict on rounds', verdictLines(many ?? assert.fail(), 100, plain)]);
    said.push(['a comparison of runs', runComparisonLines(compared, 80, plain)]);
    assertGolden('sentences.txt', joined(said));
  });

  it('of the knee is that of test/golden/knees.txt', () => {
    const steps = [1, 2, 3].map((n) => ({
      ...{ step: n, fromNs: (n - 1) * 5e9, toNs: n * 5e9, requested: n * 1000, open: n * 1000 },
      ...{ unanswered: 0, rejects: 0, errors: 0, perSecond: 10_000, p50Ns: n * 1e8, p99Ns: n * 1e8 },
    }));
    const at = (/** @type {number} */ n, /** @type {any} */ more = {}) => {
      const best = { step: 1, perSecond: 114_000 };
      return {
        steps,
        tolerance: 0.06,
        knee: { step: n, requested: n * 1000, perSecond: 45_000, why: ['throughput'], best, ...more },
      };
    };
    const none = { steps, tolerance: 0.1, knee: null };
    const codes = /** @type {const} */ (['short-steps', 'scatter', 'background-load']);
    const undetermined = codes.map((code) => ({
      steps,
      undetermined: { code, data: { stages: 2, seconds: 3, tolerance: 0.2, from: 1000, to: 3000 } },
    }));
    /** @type {any[]} */
    const ramps = [
      ...[at(2), at(2, { why: ['failures'], failures: { rejects: 12, connecting: 3 } }), at(1), at(3, { from: 1000 })],
      ...[none, ...undetermined],
    ];
    const lines = ramps.map((ramp) => [kneeText(ramp), kneeLine(ramp), kneeCell(ramp)].join('\n'));
    assertGolden('knees.txt', `${lines.join('\n\n')}\n`);
    assert.equal(kneeLine(undefined), null);
    const named = [at(2), none, at(1), undetermined[0]].map((ramp, i) => shownCase([legOf({ name: `s${i}`, ramp })]));
    assert.equal(bendLines(named, 80), 'bends at: s0 2,000 connections, s1 not seen, s2 1,000, s3 not determined');
    assert.equal(bendLines(named.slice(0, 1), 80), null, 'one server has a line with its reasons');
    assert.equal(bendLines(named.slice(3).concat(named.slice(3)), 80), null);
  });
});

describe('what is said before a run', () => {
  it('of its load, and of what it leaves behind, is that of test/golden/loads.txt', () => {
    const redis = { target: '127.0.0.1:6379', protocol: 'redis' };
    const cached = { target: '127.0.0.1:11211', protocol: 'memcached' };
    const contents = [
      ...[
        {},
        { protocol: 'redis', pipeline: 16, servers: ['x'] },
        { lifetime: { transfers: 10 } },
        { transfers: 1000 },
      ],
      ...[
        { pause: '10ms', payload: '1B' },
        { workload: 'hold', heartbeat: '5s' },
        { workload: 'reconnect', connectRate: '100/s' },
      ],
      ...[
        { protocol: 'http', rate: '500/s' },
        { protocol: 'http', http: { path: '/a?b=1' } },
        { ...redis, redis: { command: 'PING' } },
      ],
      ...[redis, { ...redis, redis: { prefill: false } }, { ...redis, redis: { command: 'SET', keys: 1 } }],
      ...[
        { ...redis, redis: { command: 'INCR' } },
        { ...redis, redis: { mix: { RPUSH: 1, LPOP: 1 } } },
      ],
      { ...redis, tests: ['GET', 'SADD', 'SPOP', 'MSET'].map((command) => ({ as: command, redis: { command } })) },
      ...[
        { ratio: '0:1', keys: 7 },
        { ratio: '1:0', prefill: false },
      ].map((memcached) => ({ ...cached, memcached })),
      { command: 'redis-server --port {port}', protocol: 'redis' },
      {
        tests: [
          { as: 'a', connections: 400 },
          { as: 'b', payload: '1B' },
        ],
      },
      { sweep: { connections: [1, 3000] }, connections: undefined },
    ];
    const lines = contents.map((content) => {
      const scenario = scenarioOf(content);
      const load = loadText(scenario, { sharedOptions: { work: '5ms' }, legs: [{ workers: 2 }, { workers: 8 }] });
      return [load, leftBehind(scenario) ?? 'nothing is left'].join('\n');
    });
    assertGolden('loads.txt', `${lines.join('\n\n')}\n`);
  });

  it('of limits is that of test/golden/limits.txt', () => {
    const lines = [...refusals, ...announcements].map(([what, content, over, code]) => {
      const { name, text, remedy } =
        decideOn(content, over).limits.find((row) => row.code === code) ?? assert.fail(what);
      assert.ok(text.length <= 120, `${text.length}: ${text}`);
      return [`${what}: ${name}`, text, ...(remedy === null ? [] : [remedy])].join('\n');
    });
    assertGolden('limits.txt', `${lines.join('\n\n')}\n`);
  });
});
