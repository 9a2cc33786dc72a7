// Gates between servers of a run and between two runs: figures that differ by more than the tolerance, figures that do
// not, and undecided ones; for made-up rounds, and in simulations with a known difference.

import assert from 'node:assert/strict';
import { verdictLines } from '../../client/console/result-lines.js';
import { junitOf } from '../../client/exports/junit.js';
import { comparedFigure } from '../../client/judge/comparisons.js';
import { comparedWithFirst } from '../../client/judge/conditions/against-first.js';
import { countedBounds, differsBy, pairedBounds } from '../../client/judge/gates.js';
import { casesOf } from '../../client/judge/cases.js';
import { judgeRun, verdictOutcome } from '../../client/judge/verdict.js';
import { RunResults } from '../../client/run/run-results.js';
import { verdict as section } from '../../report/html/sections/verdict.js';
import { legOf, rounds } from '../fixtures/made-up-answers.js';
import { normal, uniform } from '../fixtures/random-numbers.js';
import { ajv, schemas } from '../fixtures/schemas.js';

const perSecond = comparedFigure('perSecond');
const p99 = comparedFigure('p99Ns');
const served = comparedFigure('served');

/** @param {number} low @param {number} high */
const ratio = (low, high) => ({ median: (low + high) / 2, low, high });

describe('whether a figure differs by more than a share', () => {
  it('follows from the interval of the ratio, and from the direction of the figure', () => {
    /** @type {[typeof p99, 'worse' | 'better', number, number, boolean | null][]} */
    const rows = [
      [p99, 'worse', 1.04, 1.06, true],
      [p99, 'worse', 1.02, 1.06, null],
      [p99, 'worse', 0.98, 1.02, false],
      [p99, 'worse', 0.5, 0.6, false],
      [p99, 'better', 0.5, 0.6, true],
      [p99, 'better', 0.96, 0.98, null],
      [p99, 'better', 1.5, 2, false],
      [perSecond, 'worse', 0.9, 0.96, true],
      [perSecond, 'worse', 0.96, 0.98, null],
      [perSecond, 'worse', 0.98, 1.2, false],
      [perSecond, 'better', 1.04, 1.2, true],
      [perSecond, 'better', 0.9, 1.2, null],
      [perSecond, 'better', 0.9, 1, false],
    ];
    for (const [figure, way, low, high, expected] of rows)
      assert.equal(differsBy(figure, way, 0.03, ratio(low, high)), expected, `${figure.name} ${way} ${low} ${high}`);
    assert.equal(differsBy(p99, 'worse', 0, ratio(1, 1)), false, 'the same is not worse');
    assert.equal(differsBy(p99, 'worse', 0.03, undefined), null);
    assert.equal(differsBy(p99, 'worse', 0.03, { median: 1, low: null, high: null }), null);
  });

  it('is known of connections that were counted once, also where none was served', () => {
    assert.equal(countedBounds([0], [100])?.high, 0);
    const median = Math.sqrt(0.6 * (50 / 120));
    assert.deepEqual(countedBounds([50, 60], [100, 120]), { median, low: 50 / 120, high: 0.6 });
    assert.equal(countedBounds([5], [0]), undefined);
    assert.equal(pairedBounds(served, { values: [50] }, { values: [100] }).low, 0.5);
    assert.equal(pairedBounds(perSecond, { values: [50] }, { values: [100] }).low, null);
  });

  it('is known where there is no ratio, if no value is worse than one of the other', () => {
    const memory = comparedFigure('serverMemoryPerConnectionBytes');
    /** @type {[typeof p99, number[], number[], boolean | null][]} */
    const rows = [
      [memory, [0, 0, 0], [0, 0, 0], false],
      [memory, [0, 0, 0], [0, 82, 82], false],
      [memory, [0, 82, 0], [82, 82, 82], false],
      [memory, [0, 0, 82], [0, 0, 0], null],
      [memory, [0, 0], [0, 0], null],
      [perSecond, [1, 1, 1], [0, 0, 1], false],
      [perSecond, [1, 1, 0], [0, 0, 1], null],
    ];
    for (const [figure, values, others, expected] of rows)
      assert.equal(
        differsBy(figure, 'worse', 0.05, pairedBounds(figure, { values }, { values: others })),
        expected,
        `${figure.name} ${values} ${others}`,
      );
  });

  it('is claimed of a figure that is worse by as much as the gate allows in at most 5 % of runs, and never undecided twice as far', () => {
    const random = normal(uniform(24));
    const repeats = 1000;
    const claims = (/** @type {number} */ truth, /** @type {boolean | null} */ wanted) => {
      let count = 0;
      for (let i = 0; i < repeats; i += 1) {
        const others = Array.from({ length: 20 }, () => 100 * Math.exp(0.02 * random()));
        const values = others.map((value) => value * truth * Math.exp(0.01 * random()));
        if (differsBy(p99, 'worse', 0.03, pairedBounds(p99, { values }, { values: others })) === wanted) count += 1;
      }
      return count / repeats;
    };
    assert.ok(claims(1.03, true) <= 0.05 && claims(1.03, false) <= 0.05, 'at the limit both claims are errors');
    assert.ok(claims(1.06, true) >= 0.95);
    assert.ok(claims(1, false) >= 0.95);
    assert.equal(claims(1, true), 0);
  });
});

/** @param {string} name @param {number[]} costs of its rounds, in ns a transfer @param {Record<string, any>} [over] */
const costing = (name, costs, over) =>
  costs.map((cost, i) => {
    const leg = legOf({ name, round: i + 1, ...over });
    const server = { cpuSeconds: (cost * leg.steady.transfers) / 1e9 };
    return { ...leg, steady: { ...leg.steady, server, client: { cpuSeconds: 1 } } };
  });

const OLD = [10_000, 10_010, 9990, 10_005, 9995];
const times = (/** @type {number} */ factor, spread = 0) =>
  OLD.map((cost, i) => cost * factor * (1 + spread * ((i % 2) * 2 - 1)));

/** @param {any[]} legs @param {Record<string, any>} given */
const verdictOf = (legs, given) => {
  const verdict = judgeRun(given, legs, legs.length, {
    comparedWithFirst: comparedWithFirst(casesOf(legs), legs, LOAD),
  });
  return verdict ?? assert.fail();
};
const LOAD = { workload: 'continuous', loop: /** @type {const} */ ('closed') };

/** @param {any} verdict @returns {string[][]} */
const facts = (verdict) =>
  verdict.thresholds.map((/** @type {any} */ row) => [row.label, row.condition, verdictOutcome(row)]);

/** @param {any[]} legs @param {string} condition of failIf @returns {string[]} */
const outcomesOf = (legs, condition) => facts(verdictOf(legs, { failIf: [condition] })).map((row) => row[2]);

/** Two servers whose difference of 3 % is within its interval. */
const WIDE = [...costing('old', OLD), ...costing('new', times(1.03, 0.03))];

describe('conditions between the servers of a run', () => {
  const legs = [...costing('old', OLD), ...costing('same', times(1.01)), ...costing('new', times(1.19))];

  it('compare each server with the first one, which has no row', () => {
    const verdict = verdictOf(legs, { failIf: ['cost worse by 3%'], thresholds: ['cost better by 3%'] });
    assert.deepEqual(facts(verdict), [
      ['same', 'cost better by 3%', 'failed'],
      ['same', 'cost worse by 3%', 'passed'],
      ['new', 'cost better by 3%', 'failed'],
      ['new', 'cost worse by 3%', 'failed'],
    ]);
    assert.equal(verdictOutcome(verdict), 'failed');
    const [{ figure, baseline, ratio: measured }] = verdict.thresholds[3].figures;
    assert.deepEqual([figure, baseline, measured?.median.toFixed(2)], ['server CPU per transfer', 'old', '1.19']);
    assert.equal(verdictOutcome(verdictOf(legs.slice(0, 10), { failIf: ['cost worse by 3%'] })), 'passed');
  });

  it('take the first server of the plan for the first, in whatever order a round measured them', () => {
    const mixed = [...legs].reverse();
    const compared = comparedWithFirst(casesOf(mixed, ['old', 'same', 'new']), mixed, LOAD);
    const verdict = judgeRun({ failIf: ['cost worse by 3%'] }, mixed, mixed.length, { comparedWithFirst: compared });
    assert.deepEqual(facts(verdict), [
      ['new', 'cost worse by 3%', 'failed'],
      ['same', 'cost worse by 3%', 'passed'],
    ]);
  });

  it('are undecided where the interval contains the limit, and then so is the run, unless something failed', () => {
    const verdict = verdictOf(WIDE, { failIf: ['cost worse by 3%', 'p99 > 1h'] });
    assert.deepEqual(facts(verdict), [
      ['old', 'p99 > 1h', 'passed'],
      ['new', 'cost worse by 3%', 'undecided'],
      ['new', 'p99 > 1h', 'passed'],
    ]);
    assert.deepEqual([verdict.passed, verdict.undecided, verdict.allowUndecided], [false, true, undefined]);
    const failed = verdictOf(WIDE, { failIf: ['cost worse by 3%', 'p99 > 1us'] });
    assert.deepEqual([failed.passed, failed.undecided], [false, undefined]);
    const short = judgeRun({ failIf: ['cost worse by 3%'] }, WIDE, 11, {
      comparedWithFirst: comparedWithFirst(casesOf(WIDE), WIDE, LOAD),
    });
    assert.equal(short?.undecided, undefined, 'a leg that was not begun fails');
  });

  it('join with others by "and": one that does not hold decides, and what was not measured fails', () => {
    for (const [text, expected] of [
      ['p99 > 1h', 'passed'],
      ['p99 < 1h', 'undecided'],
      ['late > 0', 'failed'],
      ['throughput worse by 3%', 'passed'],
    ])
      assert.deepEqual(outcomesOf(WIDE, `cost worse by 3% and ${text}`), [expected], text);
  });

  it('are undecided of what was not measured often enough, is not compared, or nobody has', () => {
    const [few, unmeasured] = [
      legs.filter(({ round }) => round < 3),
      [...rounds('a', [1, 1, 1]), ...rounds('b', [1, 1])],
    ];
    assert.deepEqual(outcomesOf(few, 'cost worse by 3%'), ['undecided', 'undecided']);
    assert.deepEqual(outcomesOf(unmeasured, 'cost worse by 3%'), ['undecided']);
    const some = [...costing('old', OLD), ...costing('new', times(0.5), { account: { served: 50, unanswered: 50 } })];
    assert.deepEqual(outcomesOf(some, 'p99 worse by 3%'), ['undecided'], 'it served only some');
    assert.deepEqual(outcomesOf(some, 'cost worse by 3%'), ['undecided'], 'it served only some');
    assert.deepEqual(outcomesOf(some, 'served worse by 3%'), ['failed']);
  });

  it('are judged at each point of a sweep against the first server there', () => {
    const at = (/** @type {number} */ connections, /** @type {number} */ factor) => [
      ...costing('old', OLD, { axes: { connections } }),
      ...costing('new', times(factor), { axes: { connections } }),
    ];
    assert.deepEqual(facts(verdictOf([...at(10, 1), ...at(20, 1.1)], { failIf: ['cost worse by 3%'] })), [
      ['new, 10', 'cost worse by 3%', 'passed'],
      ['new, 20', 'cost worse by 3%', 'failed'],
    ]);
  });

  it('fail where no server was there to compare with the first', () => {
    assert.equal(verdictOf(costing('old', OLD), { failIf: ['cost worse by 3%'] }).passed, false);
  });

  describe('that are undecided', () => {
    const given = { failIf: ['cost worse by 3%'] };

    it('are a failure of their own type in junit.xml, and none where that is allowed', () => {
      for (const [allowUndecided, types] of /** @type {const} */ ([
        [false, ['undecided']],
        [true, []],
      ])) {
        const verdict = verdictOf(WIDE, { ...given, allowUndecided });
        const text = junitOf(/** @type {any} */ ({ scenario: 's', legs: WIDE, verdict }), WIDE);
        assert.deepEqual(
          [...text.matchAll(/<failure type="([^"]*)"/g)].map(([, type]) => type),
          types,
        );
        const { $id } = schemas.get('summary.json');
        const validate = ajv.compile({ $ref: `${$id}#/$defs/verdict` });
        assert.ok(validate(verdict), JSON.stringify(validate.errors));
      }
    });

    it('say so on the console and on the page, after those that failed', () => {
      const verdict = verdictOf(WIDE, { failIf: ['rejects == 0', ...given.failIf], thresholds: ['rejects == 0'] });
      const plain = (/** @type {any} */ _tone, /** @type {string} */ text) => text;
      const words = verdictLines(verdict, 120, plain)
        .split('\n')
        .map((line) => line.trim().split(/[ :]/)[0]);
      assert.deepEqual(words, ['✗', 'failed', 'failed', 'undecided', 'passed', 'passed']);
      const page = section(/** @type {any} */ ({ summary: { verdict } }))?.text ?? '';
      assert.deepEqual(
        [...page.matchAll(/data-outcome="(\w+)"/g)].map(([, outcome]) => outcome),
        ['failed', 'failed', 'undecided', 'passed', 'passed'],
      );
    });

    it('end a run with 99, unless that is allowed; what failed does so in any event', () => {
      const code = (/** @type {boolean} */ allowUndecided, /** @type {any} */ over) => {
        const order = { folder: {}, plan: { warnings: [] }, scenario: { allowUndecided }, t0: {} };
        return new RunResults(/** @type {any} */ (order)).exitCodeOf(/** @type {any} */ ({ complete: true, ...over }));
      };
      const verdict = verdictOf(WIDE, given);
      assert.deepEqual([code(false, { verdict }), code(true, { verdict })], [99, 0]);
      const failed = { verdict: { passed: false, thresholds: [] } };
      assert.deepEqual([code(true, failed), code(false, { verdict: { passed: true } })], [99, 0]);
      for (const [outcome, exitCode, ifAllowed] of /** @type {const} */ ([
        ['worse', 99, 99],
        ['undecided', 99, 0],
        ['not-worse', 0, 0],
        ['not-known', 0, 0],
        ['compared', 0, 0],
      ])) {
        const run = { baseline: { outcome } };
        assert.deepEqual([code(false, run), code(true, run)], [exitCode, ifAllowed], outcome);
      }
      assert.equal(code(true, { verdict, baseline: { outcome: 'worse' } }), 99);
    });
  });
});
