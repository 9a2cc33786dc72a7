// A leg as tables and charts have it: its summary, and what is not in it.
import assert from 'node:assert/strict';
import { coverageOf } from '../../client/measure/leg-figures.js';
import { warning } from '../../client/words/warnings.js';
import { chartModel } from '../../report/model/charts/all.js';
import { allFigures } from '../../report/html/sections/all-figures.js';
import { connections } from '../../report/model/charts/connections.js';
import {
  failedShareOf,
  figureText,
  maxBelow,
  openOf,
  pageLeg,
  requestedOf,
  unansweredOf,
} from '../../report/model/page-leg.js';
import { readRun } from '../../report/read/read-run.js';
import { saturationOf } from '../../report/model/saturation.js';
import { stallMarks, stallSpans, united } from '../../report/model/charts/stalls.js';
import { codesOf, factsOf } from '../fixtures/codes.js';
import { cellOf, codesIn, elementOf, isBad } from '../fixtures/page-elements.js';
import { chartOf, madeUpLeg, withFigures, withSummary } from '../fixtures/page-legs.js';
import { RECORDED } from '../fixtures/recorded-run.js';
import { summarised } from '../fixtures/summarised.js';

/** @import { PageLeg } from '../../report/types.js' */

/** @type {LooseRun} */
const run = await readRun(RECORDED);
const sum = (/** @type {any[]} */ list, /** @type {(one: any) => number} */ of) =>
  list.reduce((total, one) => total + of(one), 0);

describe('report: legs of a page', () => {
  it('of a leg that never began are absent', () => {
    const never = pageLeg({ ...run.legs[0], summary: null, samples: [] }, run);
    assert.deepEqual(
      [never.ran, never.summary.complete, openOf(never), never.figures],
      [false, false, undefined, undefined],
    );
    assert.deepEqual(codesOf(never.missing), ['leg']);
  });

  it('have among all figures what was late and the service times of an open loop, and leave out what tells nothing', () => {
    const f = pageLeg(run.legs[0], run);
    const { steady } = run.legs[0].summary;
    const open = withFigures(f, { due: 100, late: 7, unsent: 2, serviceTimeNs: steady.responseTimeNs });
    const page = String(allFigures([{ ...open, closed: false }]));
    const marked = (/** @type {string} */ code) => {
      const line = elementOf(page, 'data-code', code);
      return [cellOf(line, f.label), isBad(line, f.label)];
    };
    assert.deepEqual(
      [marked('late'), marked('unsent')],
      [
        ['7', true],
        ['2', true],
      ],
    );
    const own = ['late', 'unsent', 'service p99', 'recovery p99'];
    const codes = (/** @type {PageLeg} */ one) => codesIn(allFigures([one])).filter((code) => own.includes(code));
    assert.deepEqual(codes(open), ['late', 'unsent', 'service p99']);
    assert.deepEqual(codes(f), []);
    const recovered = withSummary(f, { recoveryTimeNs: { count: 9, min: 1e6, p50: 2e6, p99: 3e6, max: 3e6 } });
    assert.deepEqual(codes(recovered), ['recovery p99']);
    assert.equal(allFigures([withSummary(f, { connections: undefined })]), null, 'it did not run');
  });

  it('mark where a server stalled, in figures over time', () => {
    const [leg, other] = run.legs;
    const steady = leg.samples.findIndex(({ phase }) => phase === 'steady');
    const { fromNs } = leg.samples[steady];
    const quiet = [fromNs + 2e8, fromNs + 9e8];
    const stalled = (/** @type {any} */ use) => ({
      ...leg,
      samples: leg.samples.map((one, i) => (i === steady ? { ...one, server: null, ...use, quiet } : one)),
    });
    const idle = stalled({ client: { ...leg.samples[steady].client, engines: [] } });
    const spans = quiet.map((ns) => ns / 1e9);
    assert.deepEqual(stallSpans(idle), [spans]);
    assert.deepEqual(stallMarks(idle), [{ axis: 'x', at: spans[0], isFailure: true, label: 'no reply for 700 ms' }]);
    assert.deepEqual(stallMarks(other), []);
    assert.deepEqual(stallSpans(stalled({ server: { waitSeconds: 0.9 } })), [], 'it waited for a core');
    const legs = [idle, ...run.legs.slice(1)];
    const [response, transfers] = ['response', 'transfers'].map((id) => chartOf({ ...run, legs }, id));
    assert.ok(
      response?.panels[0].gaps?.some((/** @type {number[]} */ [from, to]) => from <= spans[0] && to >= spans[1]),
    );
    for (const chart of [response, transfers]) assert.equal(chart?.panels[0].marks?.length, 1, chart?.id);
    assert.deepEqual(united([[1, 2], [5, 6]], [[1.5, 3], [3, 4]]), [[1, 4], [5, 6]]); // prettier-ignore
  });

  it('mark failed kinds of replies, where the protocol has kinds', () => {
    const [leg] = run.legs;
    for (const [statuses, text, bad] of /** @type {[Record<string, number> | undefined, string, boolean][]} */ ([
      [{ total: 1000, '2xx': 900, '5xx': 99, '4xx': 1 }, '10 %', true],
      [{ total: 5, '2xx': 5 }, '0 %', false],
      [undefined, '', false],
    ])) {
      const f = withFigures(pageLeg(leg, run), { statuses });
      const line = elementOf(allFigures([f]), 'data-code', 'failed replies');
      assert.deepEqual([cellOf(line, leg.label), isBad(line, leg.label)], [text, bad]);
    }
    const told = withSummary(pageLeg(leg, run), { statuses: { total: 10, '2xx': 7, '4xx': 3 } });
    const lines = ['replies.2xx', 'replies.4xx'].map((code) => elementOf(allFigures([told]), 'data-code', code));
    assert.deepEqual(
      lines.map((line) => cellOf(line, leg.label)),
      ['7', '3'],
    );
  });

  it('put a percentile beyond the maximum where failures leave no room for it', () => {
    const responseTimeNs = { p50: 1e6, p99: 2e6, p99_9: 3e6, max: 4e6 };
    const failed = (/** @type {number} */ n) =>
      madeUpLeg({ figures: { transfers: 1000 - n, failed: n, responseTimeNs } });
    assert.deepEqual(
      ['p50', 'p99', 'p99.9'].map((name) => figureText(failed(5), name)),
      ['1 ms', '2 ms', '> 4 ms'],
    );
    assert.deepEqual([maxBelow(failed(5), 'p99.9'), maxBelow(failed(0), 'p99.9')], [4e6, undefined]);
    assert.equal(failedShareOf(failed(5)), 0.005);
  });

  it('of a leg interrupted in its ramp are as they were before the drain', () => {
    const [leg] = run.legs;
    const ramp = leg.samples.filter((sample) => sample.phase === 'ramp').slice(0, 4);
    const drain = { ...leg.samples[39], second: 5, phase: /** @type {const} */ ('drain'), fromNs: 4e9, toNs: 4.2e9 };
    drain.gauges = { ...drain.gauges, requested: 4000, open: 0, unanswered: 0 };
    const facts = pageLeg(summarised(leg, run, { samples: [...ramp, drain], endedBy: 'interrupted' }), run);
    assert.deepEqual([openOf(facts), unansweredOf(facts)], [ramp[3].gauges.open, ramp[3].gauges.unanswered]);
    assert.deepEqual(facts.phases, { steadyFromNs: 4e9, steadyToNs: 4e9, endNs: 4.2e9 });
    const done = sum(ramp, (sample) => sample.counters.transfers);
    assert.deepEqual([coverageOf(facts.summary), facts.figures?.responseTimeNs?.count], ['ramp', done]);
    assert.deepEqual(factsOf(facts.missing), [['steady-state', { covers: 'ramp' }]]);
  });

  it('of once and hold say what they were to do', () => {
    const [, , leg] = run.legs;
    const of = (/** @type {string} */ workload, /** @type {any[]} */ samples) => {
      const scenario = { ...run.scenario, workload, heartbeatNs: 0 };
      const summary = { ...run.summary, config: { ...run.summary.config, workload } };
      return pageLeg(summarised(leg, run, { samples, scenario }), { ...run, scenario, summary });
    };
    const ramp = leg.samples.filter((sample) => sample.phase === 'ramp');
    const once = of('once', ramp);
    const transfers = sum(ramp, ({ counters }) => counters.transfers);
    assert.deepEqual([coverageOf(once.summary), once.missing], ['whole leg', []]);
    const chart = connections(/** @type {any} */ ({ legs: [leg], results: [once], intervals: [[]], xMax: 1 }));
    const { code, data } = /** @type {any} */ (chart.panels[0].note);
    assert.deepEqual([code, data.transfers, data.requested], ['answered', transfers, requestedOf(once)]);
    assert.equal(openOf(once), ramp.at(-1)?.gauges.open, 'not those that were opened');
    const idle = leg.samples.map((sample) => ({
      ...sample,
      counters: { ...sample.counters, transfers: 0, failed: 0, unfinished: 0 },
      histograms: { ...sample.histograms, responseTime: null, perConnection: undefined },
    }));
    const held = of('hold', idle);
    const { charts } = chartModel({ ...run, legs: [{ ...leg, samples: idle }] }, [held]);
    const empty = charts.filter((one) => one.empty?.code === 'only-held').map(({ id }) => id);
    assert.deepEqual(empty, ['bytes', 'percentiles']);
  });

  it('say saturated only where quotient and p50 agree and a side was at its limit', () => {
    const samples = /** @type {any} */ ([{ gauges: { open: 10_000, unanswered: 0 } }]);
    const of = (/** @type {any} */ { p50 = 98e6, cpu = [0.5, 0.4], summary = {}, ...other }, on = samples) =>
      saturationOf(
        madeUpLeg({
          summary: { limitedBy: 'machine', ...summary },
          figures: { perSecond: 100_000, responseTimeNs: { p50 }, server: { processCpu: cpu } },
          other,
        }),
        on,
      );
    assert.equal(of({})?.code, 'saturated');
    assert.deepEqual(of({})?.data, { quotientNs: 100e6, of: 'open', connections: 10_000, p50Ns: 98e6 });
    const shared = [warning('background-load', { cores: 1, of: 2 })];
    for (const [change, code] of /** @type {[object, string][]} */ ([
      [{ p50: 30e6 }, 'differs'],
      [{ summary: { limitedBy: 'none' } }, 'no-limit'],
      [{ planned: { server: { kind: 'named', options: { work: '5ms-10ms' } } } }, 'server-work'],
      [{ summary: { limitedBy: 'client' } }, 'client-limit'],
      [{ cpu: [0.1] }, 'server-idle'],
      [{ cpu: null }, 'server-unknown'],
      [{ summary: { warnings: shared } }, 'background-load'],
      [{ summary: { limitedBy: 'server', warnings: shared } }, 'saturated'],
    ])) {
      assert.equal(of(change)?.code, code);
    }
    const four = of({ settings: { pipeline: 4 }, p50: 410e6 });
    assert.deepEqual([four?.code, four?.data.quotientNs], ['saturated', 400e6]);
    for (const other of [{ settings: { pauseNs: 1 } }, { workload: 'hold' }, { closed: false }])
      assert.equal(of(other), null);
    const starved = [{ gauges: { open: 10_000, unanswered: 8000 } }];
    const served = of({ p50: 20e6 }, starved)?.data;
    assert.deepEqual(served, { quotientNs: 20e6, of: 'answered', connections: 2000, p50Ns: 20e6 });
    assert.equal(of({ p50: 1e6 }, starved)?.data.of, 'answered', 'the others do not share the throughput');
  });
});
