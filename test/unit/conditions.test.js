// Conditions: their grammar, the figures they name, the three answers, and the keys of a scenario that hold them.

import assert from 'node:assert/strict';
import { figures, figureOf } from '../../client/judge/figures.js';
import { judge, judgeSample } from '../../client/judge/conditions/judge.js';
import { overRounds, valueText } from '../../client/judge/figure-values.js';
import { shownCase, valueOf } from '../../client/judge/value-of.js';
import { conditionOf, parseCondition, splitDuration } from '../../client/judge/conditions/parse.js';
import { StopRules } from '../../client/judge/conditions/stop-rules.js';
import { figuresCalled } from '../../client/scenario/keys/conditions.js';
import { summariseLeg } from '../../client/judge/summary.js';
import { Histogram } from '../../client/measure/histogram.js';
import { EarlyEnd } from '../../client/run/early-end.js';
import { interval, play, recorded, samplesOf } from '../fixtures/intervals.js';

/** @import { EndedBy } from '../../config/types.js' */

/** @param {Record<string, any>} [over] @returns {Record<string, any>} a leg of summary.json */
const legOf = (over = {}) => ({
  id: '01-epoll',
  connections: { requested: 100, openAtEnd: 100, unansweredAtEnd: 3, opened: 100, reopened: 0 },
  rejects: { total: 10, refused: 10 },
  errors: { total: 0 },
  limitedBy: 'server',
  ramp: { steps: [{ requested: 50 }, { requested: 80 }, { requested: 100 }], knee: { requested: 80 } },
  ...over,
  steady: {
    ...{ transfers: 1000, failed: 0, unfinished: 0, responseTimeNs: { p50: 1e6, p99: 5e6, max: 20e6 } },
    ...over.steady,
  },
});
const holds = (/** @type {string} */ text, leg = legOf()) =>
  judge(conditionOf(text), (figure) => figure.of?.(/** @type {any} */ (leg))).holds;

describe('conditions', () => {
  it('are read with any spacing, and in any spelling of a figure', () => {
    const { clauses } = conditionOf(
      'p99<10ms  AND  Connect-P99 >= 1.5 s && limitedBy != client and failed share < 0.1 %',
    );
    assert.deepEqual(
      clauses.map(({ figure, operator, value }) => `${figure.name} ${operator} ${value}`),
      ['p99 < 10000000', 'connect p99 >= 1500000000', 'limited by != client', 'failed share < 0.001'],
    );
    for (const [text, value] of Object.entries({
      ...{ 'rate > 8000': 8000, 'rate > 8000/s': 8000, 'throughput > 1MiB/s': 2 ** 20 },
      ...{ 'server memory < 1GiB': 2 ** 30, 'server CPU < 90%': 0.9, 'knee >= 8000': 8000 },
    }))
      assert.equal(conditionOf(text).clauses[0].value, value, text);
  });

  it('compare servers by the figures that are compared, under their names or short ones', () => {
    const { clauses } = conditionOf('cost worse by 3% and Throughput  better  by 2.5 % AND p99 worse by 200%');
    assert.deepEqual(
      clauses.map(({ figure, operator, value }) => `${figure.name} ${operator} ${value}`),
      ['server CPU per transfer worse 0.03', 'rate better 0.025', 'p99 worse 2'],
    );
    for (const [name, key] of Object.entries({
      ...{ memory: 'serverMemoryPerConnectionBytes', served: 'served', rate: 'perSecond' },
      'server-CPU-per-transfer': 'serverCpuPerTransferNs',
    }))
      assert.equal(conditionOf(`${name} worse by 0%`).clauses[0].figure.compared?.key, key);
  });

  it('name each mistake and its place', () => {
    /** @type {[string, ...[string, number, string][]][]} */
    const rows = [
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
    ];
    for (const [text, ...expected] of rows) {
      const { condition, mistakes } = parseCondition(text);
      const facts = mistakes.map(({ code, at, found }) => [code, at, found]);
      assert.deepEqual([condition, facts], [null, expected], text);
    }
  });

  it('may say for how long', () => {
    assert.deepEqual(splitDuration('p99 > 1s  for 3s '), { condition: 'p99 > 1s', forNs: 3e9 });
    assert.deepEqual(splitDuration('p99 > 1s'), { condition: 'p99 > 1s', forNs: NaN });
  });

  it('have no figure of a leg that never began', () => {
    const never = { id: '01-epoll', label: 'epoll', complete: false, endedBy: /** @type {const} */ ('server-start') };
    for (const { name, of } of figures) assert.equal(of?.(never), undefined, name);
  });

  it('read the same from the samples of a leg as from its summary, where both count the same', () => {
    const seconds = [[1e6, 2e6, 3e6, 4e6], [1e6, 2e6, 3e6, 4e6], []].map((times, i) =>
      interval({
        ...{ second: i + 1, phase: i === 2 ? 'drain' : 'steady', last: i === 2 },
        ...{ counters: { transfers: times.length, logRows: times.length }, gauges: { requested: 1, open: 1 } },
        histograms: { responseTime: recorded(times) },
      }),
    );
    const samples = JSON.parse(JSON.stringify(samplesOf(play([{ diesAfter: null, intervals: seconds }]).merged)));
    const end = { endedBy: /** @type {const} */ ('plan'), targets: [], server: 'x', warnings: [] };
    const leg = summariseLeg({ id: '01-x', label: 'x' }, samples, end);
    const steady = samples.filter((/** @type {any} */ { phase }) => phase === 'steady');
    assert.ok(steady.length > 0);
    for (const name of ['p50', 'p95', 'p99', 'max']) {
      const value = /** @type {number} */ (figureOf(name)?.of?.(/** @type {any} */ (leg)));
      assert.ok(value > 0, name);
      for (const sample of steady) assert.equal(figureOf(name)?.ofSample?.(sample), value, name);
    }
  });

  it('hold, do not hold, or cannot be known', () => {
    for (const [text, expected] of Object.entries({
      ...{ 'p99 < 6ms': true, 'p99 < 5ms': false, 'p99 <= 5ms': true, 'late == 0': null },
      ...{ 'rejects == 10 and p99 != 1ms': true, 'p99 < 6ms and late == 0': null, 'p99 < 5ms and late == 0': false },
    }))
      assert.equal(holds(text), expected, text);
  });

  it('take a percentile that is above the longest time for longer than any', () => {
    const failing = legOf({ steady: { transfers: 980, failed: 20 } });
    for (const [text, expected] of Object.entries({
      ...{ 'p50 < 2ms': true, 'p99 < 1h': false, 'p99 > 1h': true, 'max < 1h': false },
      ...{ 'failed share == 2%': true, 'failed == 20': true },
    }))
      assert.equal(holds(text, failing), expected, text);
    const p99 = /** @type {any} */ (figureOf('p99'));
    assert.equal(valueText(p99, p99.of(failing)), '> 20 ms');
    const none = { transfers: 0, responseTimeNs: undefined };
    assert.equal(holds('p50 < 1h', legOf({ steady: { ...none, unfinished: 7 } })), false);
    assert.equal(holds('p50 < 1h', legOf({ steady: none })), null, 'nothing was sent');
  });

  it('take a ramp without a knee for a knee beyond its last step, and one that is not determined for unknown', () => {
    const none = legOf({ ramp: { steps: [{ requested: 50 }, { requested: 100 }], knee: null } });
    for (const [text, expected] of Object.entries({
      ...{ 'knee >= 100': true, 'knee > 99': true, 'knee >= 101': null, 'knee < 100': false, 'knee != 80': true },
    }))
      assert.equal(holds(text, none), expected, text);
    assert.equal(holds('knee >= 1', legOf({ ramp: { steps: [] } })), null);
  });

  it('take the median of the rounds, but the worst round of what counts failures, and a side that all have', () => {
    const beyond = { above: 5, infinite: true };
    for (const [name, values, expected] of /** @type {[string, any[], unknown][]} */ ([
      ['p99', [3, 1, 2], 2],
      ['p99', [4, 1, 2, 3], 2.5],
      ['p99', [beyond, 1, 2], beyond],
      ['p99', [1, undefined, 2], 1.5],
      ['limited by', ['none', 'none'], 'none'],
      ['limited by', ['server', 'none'], undefined],
      ['rejects', [0, 7, 0], 7],
      ['served', [9, 7, 8], 7],
    ]))
      assert.deepEqual(overRounds(/** @type {any} */ (figureOf(name)), values), expected, `${name} ${values}`);
  });

  it('take the least knee of the rounds, and for unknown where one could not determine its own', () => {
    const steps = [50, 80, 90, 100].map((requested) => ({ requested }));
    const at = (/** @type {number | null | undefined} */ requested) =>
      legOf({ ramp: { steps, ...(requested !== undefined && { knee: requested && { requested } }) } });
    const judged = (/** @type {string} */ condition, /** @type {(number | null | undefined)[]} */ ...knees) => {
      const shown = shownCase(/** @type {any} */ (knees.map((knee, i) => ({ ...at(knee), round: i + 1 }))));
      return judge(conditionOf(condition), (figure) => {
        const { value, isWhole } = valueOf(figure, shown);
        return isWhole ? value : undefined;
      }).holds;
    };
    assert.deepEqual([judged('knee >= 80', 80, 90, 80), judged('knee > 80', 80, 90, 80)], [true, false]);
    assert.deepEqual([judged('knee >= 90', 90, null), judged('knee > 90', 90, null)], [true, false]);
    assert.deepEqual([judged('knee >= 100', null, null), judged('knee >= 50', 90, undefined)], [true, null]);
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
  /** @param {{ isOver: boolean, stopping: boolean }} state of its workers @param {EndedBy} endedBy of them */
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
    const drained = follow({ isOver: false, stopping: false }, 'stop-on');
    assert.deepEqual(drained, { drains: ['stop-on'], warned, endedBy: 'stop-on' });
    const over = { isOver: true, stopping: false };
    assert.deepEqual(follow(over, 'plan'), { drains: [], warned, endedBy: 'stop-on' });
    assert.deepEqual(follow(over, 'workers'), { drains: [], warned, endedBy: 'workers' });
    const stopping = { isOver: true, stopping: true };
    assert.deepEqual(follow(stopping, 'interrupted'), { drains: [], warned: [], endedBy: 'interrupted' });
  });
});

describe('figures', () => {
  it("have other tools' names, too", () => {
    for (const name of ['latency', 'P98', 'error  rate', '5xx', 'memory']) {
      const figures = figuresCalled(name);
      assert.ok(figures.length > 0 && figures.every((figure) => figureOf(figure)?.name === figure), name);
    }
    assert.deepEqual(figuresCalled('toString'), []);
  });
});
