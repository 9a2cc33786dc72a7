// Conditions: their grammar, the figures they name, the three answers, and the keys of a scenario that hold them.

import assert from 'node:assert/strict';
import { figures, figureOf } from '../../client/judge/figures.js';
import { judgeLegs, judgeSample } from '../../client/judge/conditions/judge.js';
import { overRounds, valueText } from '../../client/judge/figure-values.js';
import { conditionOf, parseCondition, splitDuration } from '../../client/judge/conditions/parse.js';
import { StopRules } from '../../client/judge/conditions/stop-rules.js';
import { figuresCalled } from '../../client/scenario/keys/conditions.js';
import { resolveScenario } from '../../client/scenario/scenario.js';
import { summariseLeg } from '../../client/judge/summary.js';
import { Histogram } from '../../client/measure/histogram.js';
import { EarlyEnd } from '../../client/run/early-end.js';
import { interval, play, recorded, samplesOf } from '../fixtures/intervals.js';

/** @param {Record<string, any>} [over] @returns {Record<string, any>} a leg of summary.json */
const legOf = (over = {}) => ({
  id: '01-epoll',
  connections: {
    requested: 100,
    openAtEnd: 100,
    unansweredAtEnd: 3,
    lost: 2,
    neverAnswered: 0,
    opened: 100,
    reopened: 0,
  },
  attempts: { total: 110, opened: 100, rejected: 10, abandoned: 0 },
  rejects: { total: 10, refused: 10 },
  errors: { total: 0 },
  limitedBy: 'server',
  serverUse: { peakRssBytes: 2 ** 20 },
  connectTimeNs: { count: 100, p50: 1e5, p99: 3e6, max: 9e6 },
  ramp: { steps: [{ requested: 50 }, { requested: 80 }, { requested: 100 }], knee: { requested: 80 } },
  ...over,
  steady: {
    ...{ fromNs: 0, toNs: 10e9, transfers: 1000, failed: 0, unfinished: 0, perSecond: 100, bytesPerSecond: 2 ** 20 },
    responseTimeNs: { p50: 1e6, p90: 2e6, p95: 3e6, p99: 5e6, p99_9: 8e6, p99_99: 9e6, max: 20e6, mean: 1.5e6 },
    client: { cpuSeconds: 5 },
    server: { cpuSeconds: 9 },
    ...over.steady,
  },
});
const holds = (/** @type {string} */ text, leg = legOf()) => judgeLegs(conditionOf(text), [leg]).holds;

describe('conditions', () => {
  it('are read with any spacing, and in any spelling of a figure', () => {
    const { clauses } = conditionOf(
      'p99<10ms  AND  Connect-P99 >= 1.5 s && limitedBy != client and failed share < 0.1 %',
    );
    assert.deepEqual(
      clauses.map(({ figure, operator, value }) => [figure.name, operator, value]),
      [
        ['p99', '<', 10e6],
        ['connect p99', '>=', 1.5e9],
        ['limited by', '!=', 'client'],
        ['failed share', '<', 0.001],
      ],
    );
    assert.deepEqual(
      [
        'rate > 8000',
        'rate > 8000/s',
        'throughput > 1MiB/s',
        'server memory < 1GiB',
        'server CPU < 90%',
        'knee >= 8000',
      ].map((text) => conditionOf(text).clauses[0].value),
      [8000, 8000, 2 ** 20, 2 ** 30, 0.9, 8000],
    );
  });

  it('compare servers by the figures that are compared, under their names or short ones', () => {
    const { clauses } = conditionOf('cost worse by 3% and Throughput  better  by 2.5 % AND p99 worse by 200%');
    assert.deepEqual(
      clauses.map(({ figure, operator, value }) => [figure.name, operator, value]),
      [
        ['server CPU per transfer', 'worse', 0.03],
        ['rate', 'better', 0.025],
        ['p99', 'worse', 2],
      ],
    );
    assert.deepEqual(
      ['memory', 'server memory per connection', 'served', 'rate', 'server-CPU-per-transfer'].map(
        (name) => conditionOf(`${name} worse by 0%`).clauses[0].figure.compared?.key,
      ),
      [
        ...['serverMemoryPerConnectionBytes', 'serverMemoryPerConnectionBytes', 'served', 'perSecond'],
        'serverCpuPerTransferNs',
      ],
    );
  });

  for (const [text, ...expected] of /** @type {[string, ...[string, number, string][]][]} */ ([
    ['', ['empty', 1, '']],
    ['cost worse by', ['no-share', 14, '']],
    ['cost worse 3%', ['no-share', 14, '']],
    ['cost worse by 3', ['no-share', 15, '3']],
    ['cost worse by -3%', ['no-share', 15, '-3%']],
    ['throughput worse by 100%', ['no-share', 21, '100%']],
    ['cost better by 100%', ['no-share', 16, '100%']],
    ['rejects worse by 3%', ['not-compared', 1, 'rejects']],
    ['p99 < 1s and nothing worse by 3%', ['unknown-figure', 14, 'nothing']],
    ['p99 < 5ms and', ['empty', 14, '']],
    ['p9 < 5ms', ['unknown-figure', 1, 'p9']],
    ['< 5ms', ['unknown-figure', 1, '']],
    ['p99', ['no-operator', 4, 'p99']],
    ['p99 = 5ms', ['unknown-operator', 5, '=']],
    ['p99 <> 5ms', ['unknown-operator', 5, '<>']],
    ['p99 <', ['no-value', 6, '']],
    ['p99 < 5', ['wrong-value', 7, '5']],
    ['rejects == 0/s', ['wrong-value', 12, '0/s']],
    ['rate > 1e9', ['wrong-value', 8, '1e9']],
    ['limited by < none', ['no-order', 12, '<']],
    ['limited by == nobody', ['wrong-value', 15, 'nobody']],
    ['rejects > 0 or errors > 0', ['or', 11, '0 or errors > 0']],
    ['p9 < 1ms and  rejcts == x', ['unknown-figure', 1, 'p9'], ['unknown-figure', 15, 'rejcts']],
  ])) {
    it(`name the mistake and its place: ${text === '' ? 'nothing' : text}`, () => {
      const { condition, mistakes } = parseCondition(text);
      assert.equal(condition, null);
      assert.deepEqual(
        mistakes.map(({ code, at, found }) => [code, at, found]),
        expected,
      );
    });
  }

  it('may say for how long', () => {
    assert.deepEqual(splitDuration('p99 > 1s  for 3s '), { condition: 'p99 > 1s', forNs: 3e9 });
    assert.deepEqual(splitDuration('p99 > 1s'), { condition: 'p99 > 1s', forNs: NaN });
  });

  it('read their figures from the summary of a leg', () => {
    /** @type {Record<string, unknown>} */
    const expected = {
      ...{ p50: 1e6, p90: 2e6, p95: 3e6, p99: 5e6, 'p99.9': 8e6, 'p99.99': 9e6, max: 20e6, mean: 1.5e6, rate: 100 },
      ...{ throughput: 2 ** 20, transfers: 1000, rejects: 10, 'rejects.refused': 10, 'rejects.reset': 0, errors: 0 },
      ...{ 'errors.timeout': 0, failed: 0, 'failed share': 0, served: 97, unanswered: 3, open: 100, lost: 2, knee: 80 },
      ...{ 'server CPU': 0.9, 'client CPU': 0.5, 'server memory': 2 ** 20, 'limited by': 'server', 'connect p50': 1e5 },
    };
    for (const [name, value] of Object.entries(expected)) {
      assert.deepEqual(figureOf(name)?.of?.(legOf()), value, name);
    }
    assert.deepEqual(
      ['late', 'service p99', 'replies.5xx', 'handshake p99'].map((name) => figureOf(name)?.of?.(legOf())),
      [undefined, undefined, undefined, undefined],
    );
  });

  it('have no figure of a leg that never began', () => {
    const never = { id: '01-epoll', label: 'epoll', complete: false, endedBy: /** @type {const} */ ('server-start') };
    for (const { name, of } of figures) assert.equal(of?.(never), undefined, name);
  });

  it('read the same from the samples of a leg as from its summary, where both count the same', () => {
    const { merged } = play([
      {
        diesAfter: null,
        intervals: [1, 2, 3].map((second) =>
          interval({
            second,
            phase: second === 3 ? 'drain' : 'steady',
            last: second === 3,
            counters: { transfers: second === 3 ? 0 : 4, logRows: second === 3 ? 0 : 4 },
            gauges: { requested: 1, open: 1 },
            histograms: { responseTime: recorded(second === 3 ? [] : [1e6, 2e6, 3e6, 4e6]) },
          }),
        ),
      },
    ]);
    const samples = JSON.parse(JSON.stringify(samplesOf(merged)));
    const leg = summariseLeg({ id: '01-x', label: 'x' }, samples, {
      endedBy: 'plan',
      targets: [],
      server: 'x',
      warnings: [],
    });
    const steady = samples.filter((/** @type {any} */ { phase }) => phase === 'steady');
    assert.ok(steady.length > 0);
    for (const name of ['p50', 'p95', 'p99', 'max']) {
      const own = /** @type {number} */ (figureOf(name)?.of?.(/** @type {any} */ (leg)));
      assert.ok(own > 0, name);
      for (const sample of steady) assert.equal(figureOf(name)?.ofSample?.(sample), own, name);
    }
  });

  it('hold, do not hold, or cannot be known', () => {
    assert.deepEqual(
      [
        'p99 < 6ms',
        'p99 < 5ms',
        'p99 <= 5ms',
        'late == 0',
        'rejects == 10 and p99 != 1ms',
        'p99 < 6ms and late == 0',
      ].map((text) => holds(text)),
      [true, false, true, null, true, null],
    );
    assert.equal(holds('p99 < 5ms and late == 0'), false, 'one that does not hold decides');
  });

  it('take a percentile that is above the longest time for longer than any', () => {
    const failing = legOf({ steady: { transfers: 980, failed: 20 } });
    assert.deepEqual(
      ['p50 < 2ms', 'p99 < 1h', 'p99 > 1h', 'max < 1h', 'failed share == 2%', 'failed == 20'].map((text) =>
        holds(text, failing),
      ),
      [true, false, true, false, true, true],
    );
    const p99 = /** @type {any} */ (figureOf('p99'));
    assert.equal(valueText(p99, p99.of(failing)), '> 20 ms');
    assert.equal(
      holds('p50 < 1h', legOf({ steady: { transfers: 0, unfinished: 7, responseTimeNs: undefined } })),
      false,
    );
    assert.equal(
      holds('p50 < 1h', legOf({ steady: { transfers: 0, responseTimeNs: undefined } })),
      null,
      'nothing was sent',
    );
  });

  it('take a ramp without a knee for a knee beyond its last step, and one that is not determined for unknown', () => {
    const none = legOf({ ramp: { steps: [{ requested: 50 }, { requested: 100 }], knee: null } });
    assert.deepEqual(
      ['knee >= 100', 'knee > 99', 'knee >= 101', 'knee < 100', 'knee != 80'].map((text) => holds(text, none)),
      [true, true, null, false, true],
    );
    assert.equal(holds('knee >= 1', legOf({ ramp: { steps: [] } })), null);
  });

  it('take the median of the rounds, but the worst round of what counts failures', () => {
    const over = (/** @type {string} */ name, /** @type {any[]} */ values) =>
      overRounds(/** @type {any} */ (figureOf(name)), values);
    const beyond = { above: 5, infinite: true };
    assert.deepEqual(
      [over('p99', [3, 1, 2]), over('p99', [4, 1, 2, 3]), over('rejects', [0, 7, 0]), over('served', [9, 7, 8])],
      [2, 2.5, 7, 7],
    );
    assert.deepEqual(
      [over('p99', [beyond, 1, 2]), over('p99', [beyond, beyond, 2]), over('p99', [1, undefined, 2])],
      [2, beyond, undefined],
    );
    const rounds = ['server', 'none'].map((limitedBy) => legOf({ limitedBy }));
    assert.equal(judgeLegs(conditionOf('limited by == none'), rounds).holds, null);
  });

  it('take the knee that the rounds agree on, and one that they do not agree on for unknown', () => {
    const steps = [50, 80, 90, 100].map((requested) => ({ requested }));
    const at = (/** @type {number | null} */ requested) =>
      legOf({ ramp: { steps, knee: requested === null ? null : { requested } } });
    const judged = (/** @type {string} */ text, /** @type {(number | null)[]} */ ...knees) =>
      judgeLegs(conditionOf(text), knees.map(at)).holds;
    assert.deepEqual([judged('knee >= 80', 80, 90, 80), judged('knee > 80', 80, 90, 80)], [true, false]);
    assert.equal(judged('knee >= 50', 50, 90), null, 'they are two steps apart');
    assert.equal(judged('knee >= 50', 90, null), null);
    assert.deepEqual([judged('knee >= 100', null, null), judged('knee >= 101', null, null)], [true, null]);
  });
});

const failing = new Histogram();
failing.record(2e9);
/** @param {number} second @param {boolean} slow @param {string} [phase] @returns {any} */
const sampleOf = (second, slow, phase = 'steady') => ({
  ...{ phase, fromNs: second * 1e9 + (second === 0 ? 2e5 : 0), toNs: (second + 1) * 1e9 },
  counters: { transfers: slow ? 1 : 0, failed: 0, unfinished: 0 },
  histograms: { responseTime: slow ? failing.toLine() : null },
});

describe('stopOn', () => {
  /** @param {any[]} samples */
  const observed = (samples) => {
    const rules = new StopRules(['p50 > 1s for 3s', 'rate > 1000 for 1s']);
    return samples.map((sample) => rules.observe(sample)?.atNs ?? null);
  };

  it('ends a leg when a condition has held for its time without a break', () => {
    assert.deepEqual(observed([0, 1, 2].map((second) => sampleOf(second, true, 'ramp'))), [null, null, 3e9]);
    const broken = [true, true, false, true, true, true].map((slow, second) => sampleOf(second, slow));
    assert.deepEqual(observed(broken), [null, null, null, null, null, 6e9]);
  });

  it('does not look at the drain, nor at samples without a span', () => {
    assert.deepEqual(observed([0, 1, 2, 3].map((second) => sampleOf(second, true, 'drain'))), [null, null, null, null]);
    const late = { ...sampleOf(2, true), fromNs: 3e9 };
    assert.deepEqual(observed([sampleOf(0, true), sampleOf(1, true), late]), [null, null, null]);
  });

  it('is not met by a figure that was not measured', () => {
    assert.equal(judgeSample(conditionOf('p99 < 1h'), sampleOf(1, false)).holds, null);
  });
});

describe('a leg with stopOn', () => {
  /** @param {{ isOver: boolean, stopping: boolean }} state of its workers @param {import('../../client/measure/leg-summary.js').EndedBy} endedBy of them */
  const follow = (state, endedBy) => {
    /** @type {unknown[]} */
    const drains = [];
    /** @type {string[]} */
    const warned = [];
    const workers = /** @type {any} */ ({ ...state, drain: (/** @type {unknown} */ why) => drains.push(why) });
    const end = new EarlyEnd(['p50 > 1s for 1s'], ({ code }) => warned.push(code));
    end.follow(sampleOf(0, true), workers);
    return { drains, warned, endedBy: end.outcomeOf({ endedBy, startNs: 0, files: [], warnings: [] }).endedBy };
  };

  it('is ended by it, also where the sample of the last second comes when the drain has begun; not when it was interrupted', () => {
    const warned = ['stopped-on-condition'];
    assert.deepEqual(follow({ isOver: false, stopping: false }, 'stop-on'), {
      drains: ['stop-on'],
      warned,
      endedBy: 'stop-on',
    });
    const over = { isOver: true, stopping: false };
    assert.deepEqual(follow(over, 'plan'), { drains: [], warned, endedBy: 'stop-on' });
    assert.deepEqual(follow(over, 'workers'), { drains: [], warned, endedBy: 'workers' });
    const stopping = { isOver: true, stopping: true };
    assert.deepEqual(follow(stopping, 'interrupted'), { drains: [], warned: [], endedBy: 'interrupted' });
  });
});

describe('keys thresholds, failIf and stopOn', () => {
  it('are kept as written; a flag replaces its own key only', () => {
    const content = { servers: ['epoll'], connections: 1, thresholds: ['p99 < 5ms'], failIf: ['errors > 0'] };
    const { thresholds, failIf, stopOn } = resolveScenario(
      { content },
      { failIf: ['p50 > 1s'], stopOn: ['rate < 1/s for 2s'] },
    );
    assert.deepEqual([thresholds, failIf, stopOn], [['p99 < 5ms'], ['p50 > 1s'], ['rate < 1/s for 2s']]);
  });

  it("have other tools' names for figures that there are", () => {
    for (const name of ['latency', 'P98', 'error  rate', '5xx', 'memory']) {
      const figures = figuresCalled(name);
      assert.ok(figures.length > 0 && figures.every((one) => figureOf(one)?.name === one), name);
    }
    assert.deepEqual(figuresCalled('toString'), []);
  });
});
