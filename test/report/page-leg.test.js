// A leg as tables and charts have it: its summary, and what is not in it.
import assert from 'node:assert/strict';
import { heldText } from '../../client/judge/table.js';
import { coverageOf } from '../../client/measure/leg-figures.js';
import { warning } from '../../client/words/warnings.js';
import { chartModel } from '../../report/model/charts/all.js';
import { unwantedText } from '../../client/words/replies.js';
import { allFigures } from '../../report/html/sections/all-figures.js';
import { connections } from '../../report/model/charts/connections.js';
import {
  failedShareOf,
  figureText,
  legLine,
  maxBelow,
  openOf,
  pageLeg,
  requestedOf,
  unansweredOf,
} from '../../report/model/page-leg.js';
import { readRun } from '../../report/read/read-run.js';
import { saturationOf } from '../../report/model/saturation.js';
import { stallMarks, stallSpans, united } from '../../report/model/charts/stalls.js';
import { cellOf, codesIn, elementOf, isBad } from '../fixtures/page-elements.js';
import { madeUpLeg, withFigures, withSummary } from '../fixtures/page-legs.js';
import { RECORDED } from '../fixtures/recorded-run.js';
import { summarised } from '../fixtures/summarised.js';

/** @typedef {import('../../report/types.js').PageLeg} PageLeg */

const sum = (/** @type {any[]} */ list, /** @type {(one: any) => number} */ of) =>
  list.reduce((total, one) => total + of(one), 0);

describe('report: legs of a page', () => {
  it('are those of the summary', async () => {
    /** @type {LooseRun} */
    const run = await readRun(RECORDED);
    for (const leg of run.legs) {
      const f = pageLeg(leg, run);
      const { connections, steady } = /** @type {any} */ (leg.summary);
      assert.deepEqual({ ...f.summary }, { ...f.summary, ...leg.summary });
      assert.equal(f.figures, steady);
      assert.deepEqual(
        [requestedOf(f), openOf(f), unansweredOf(f)],
        [connections.requested, connections.openAtEnd, connections.unansweredAtEnd],
      );
      assert.deepEqual([f.ran, f.missing, coverageOf(f.summary)], [true, [], 'steady state']);
    }
  });

  it('of a leg that never began are absent', async () => {
    /** @type {LooseRun} */
    const run = await readRun(RECORDED);
    const never = pageLeg({ ...run.legs[0], summary: null, samples: [] }, run);
    assert.deepEqual(
      [never.ran, never.summary.complete, openOf(never), never.figures],
      [false, false, undefined, undefined],
    );
    assert.deepEqual(
      never.missing.map(({ code }) => code),
      ['leg'],
    );
  });

  it('tell replies by their kind, and none where the protocol has no kinds', async () => {
    /** @type {LooseRun} */
    const run = await readRun(RECORDED);
    const [leg] = run.legs;
    assert.equal(pageLeg(leg, run).summary.statuses, undefined);
    const samples = leg.samples.map((sample, i) => ({
      ...sample,
      statuses: /** @type {Record<string, number>} */ (i === 0 ? { '2xx': 5 } : { '2xx': 1, '5xx': 2 }),
    }));
    const more = samples.length - 1;
    const summed = pageLeg(summarised(leg, run, { samples }), run);
    assert.deepEqual(summed.summary.statuses, { total: 5 + 3 * more, '2xx': 5 + more, '5xx': 2 * more });
    const statuses = { total: 10, '2xx': 7, '4xx': 3 };
    const told = pageLeg({ ...leg, samples, summary: { ...leg.summary, statuses } }, run);
    const lines = ['replies.2xx', 'replies.4xx'].map((code) => elementOf(allFigures([told]), 'data-code', code));
    assert.deepEqual(
      lines.map((line) => cellOf(line, leg.label)),
      ['7', '3'],
    );
  });

  it('have among all figures what was late and the service times of an open loop, and leave out what tells nothing', async () => {
    /** @type {LooseRun} */
    const run = await readRun(RECORDED);
    const f = pageLeg(run.legs[0], run);
    const { steady } = run.legs[0].summary;
    const open = withFigures(f, { due: 100, late: 7, unsent: 2, serviceTimeNs: steady.responseTimeNs });
    const page = String(allFigures([{ ...open, closed: false }]));
    for (const [code, value] of [
      ['late', '7'],
      ['unsent', '2'],
    ]) {
      const line = elementOf(page, 'data-code', code);
      assert.deepEqual([cellOf(line, f.label), isBad(line, f.label)], [value, true]);
    }
    const own = ['late', 'unsent', 'service p99', 'recovery p99'];
    const codes = (/** @type {PageLeg} */ one) => codesIn(allFigures([one])).filter((code) => own.includes(code));
    assert.deepEqual(codes(open), ['late', 'unsent', 'service p99']);
    assert.deepEqual(codes(f), []);
    const recovered = withSummary(f, { recoveryTimeNs: { count: 9, min: 1e6, p50: 2e6, p99: 3e6, max: 3e6 } });
    assert.deepEqual(codes(recovered), ['recovery p99']);
    assert.equal(allFigures([withSummary(f, { connections: undefined })]), null, 'it did not run');
  });

  it('mark where a server stalled, in figures over time', async () => {
    /** @type {LooseRun} */
    const run = await readRun(RECORDED);
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
    assert.deepEqual(stallMarks([other, idle], 3), [
      { axis: 'x', at: spans[0], leg: 4, label: `${leg.label}: no reply for 700 ms` },
    ]);
    assert.deepEqual(stallSpans(stalled({ server: { waitSeconds: 0.9 } })), [], 'it waited for a core');
    const legs = [idle, ...run.legs.slice(1)];
    const { charts } = chartModel(
      { ...run, legs },
      legs.map((one) => pageLeg(one, run)),
    );
    const [response, transfers, main] = ['response', 'transfers', 'main-response'].map((id) =>
      charts.find((chart) => chart.id === id),
    );
    assert.ok(response?.panels[0].gaps?.some(([from, to]) => from <= spans[0] && to >= spans[1]));
    for (const chart of [response, transfers, main]) assert.equal(chart?.panels[0].marks?.length, 1, chart?.id);
    assert.deepEqual(united([[1, 2], [5, 6]], [[1.5, 3], [3, 4]]), [[1, 4], [5, 6]]); // prettier-ignore
  });

  it('show next to the response times what the replies of that span were, and mark unwanted kinds', async () => {
    /** @type {LooseRun} */
    const run = await readRun(RECORDED);
    const [leg] = run.legs;
    const of = (/** @type {Record<string, number> | undefined} */ statuses) =>
      pageLeg({ ...leg, samples: [], summary: { ...leg.summary, steady: { ...leg.summary?.steady, statuses } } }, run);
    const mixed = of({ total: 1000, '2xx': 900, '5xx': 99, '4xx': 1 });
    const [fine, none] = [of({ total: 5, '2xx': 5 }), of(undefined)];
    const { statuses } = mixed.figures ?? assert.fail();
    const line = (/** @type {PageLeg} */ f) => elementOf(allFigures([f]), 'data-code', 'unwanted replies');
    assert.deepEqual([cellOf(line(mixed), leg.label), isBad(line(mixed), leg.label)], ['10 %', true]);
    assert.deepEqual([cellOf(line(fine), leg.label), isBad(line(fine), leg.label)], ['0 %', false]);
    assert.equal(line(none), '');
    assert.ok(legLine(mixed).endsWith(unwantedText(statuses)));
    const steady = leg.samples.map((sample) => ({
      ...sample,
      statuses: /** @type {Record<string, number>} */ (sample.phase === 'steady' ? { '5xx': 1 } : { '2xx': 1 }),
    }));
    const summed = pageLeg(summarised(leg, run, { samples: steady }), run);
    assert.deepEqual(Object.keys(summed.figures?.statuses ?? {}).sort(), ['5xx', 'total']);
  });

  it('count of a rate what was due in the span of response times, or waited when it began', async () => {
    /** @type {LooseRun} */
    const run = await readRun(RECORDED);
    const [leg] = run.legs;
    const first = leg.samples.findIndex(({ phase }) => phase === 'steady');
    const samples = leg.samples.map((sample, i) => ({
      ...sample,
      gauges: { ...sample.gauges, waiting: i === first - 1 ? 7 : 0 },
      counters: { ...sample.counters, due: 10, late: 2, unsent: sample.phase === 'drain' ? 3 : 0 },
    }));
    const { due, late, unsent } =
      pageLeg(summarised(leg, run, { samples, scenario: { ...run.scenario, rate: 10 } }), run).figures ?? {};
    const seconds = samples.filter(({ phase }) => phase === 'steady').length;
    const drained = samples.filter(({ phase }) => phase === 'drain').length;
    assert.deepEqual([due, late, unsent], [10 * (seconds + drained) + 7, 2 * seconds, 3 * drained]);
  });

  it('put a percentile beyond the maximum where failures leave no room for it', () => {
    const times = { p50: 1e6, p99: 2e6, p99_9: 3e6, max: 4e6 };
    const failed = (/** @type {number} */ n) =>
      madeUpLeg({ figures: { transfers: 1000 - n, failed: n, responseTimeNs: times } });
    const names = ['p50', 'p99', 'p99.9'];
    assert.deepEqual(
      names.map((name) => [figureText(failed(5), name), maxBelow(failed(5), name)]),
      [
        ['1 ms', undefined],
        ['2 ms', undefined],
        ['> 4 ms', 4e6],
      ],
    );
    assert.equal(maxBelow(failed(0), 'p99.9'), undefined);
  });

  it('count failures where the percentiles are: steady ones, and those that were in flight at its end', async () => {
    /** @type {LooseRun} */
    const run = await readRun(RECORDED);
    for (const leg of run.legs) {
      const { transfers, failed, unfinished } = /** @type {any} */ (leg.summary).steady;
      const lost = failed + unfinished;
      assert.equal(failedShareOf(pageLeg(leg, run)), lost / (transfers + lost), leg.id);
    }
    const [, select] = run.legs;
    const counting = (/** @type {any} */ numbers) =>
      failedShareOf(
        pageLeg(
          summarised(select, run, {
            samples: select.samples.map((sample) => ({
              ...sample,
              counters: { ...sample.counters, transfers: 10, failed: 0, unfinished: 0, ...numbers[sample.phase] },
            })),
          }),
          run,
        ),
      );
    assert.equal(counting({ ramp: { failed: 5000, unfinished: 7 } }), 0, 'the ramp does not count');
    assert.equal(counting({ drain: { transfers: 99, failed: 100 } }), 0.25, 'it was in flight when the drain began');
    assert.equal(counting({ steady: { failed: 10 } }), 0.5, 'nor does it dilute');
    assert.equal(counting({ drain: { transfers: 99, unfinished: 100 } }), 0.25);
  });

  it('of a leg interrupted in its ramp are as they were before the drain', async () => {
    /** @type {LooseRun} */
    const run = await readRun(RECORDED);
    const [leg] = run.legs;
    const ramp = leg.samples.filter((sample) => sample.phase === 'ramp').slice(0, 4);
    const drain = { ...leg.samples[39], second: 5, phase: /** @type {const} */ ('drain'), fromNs: 4e9, toNs: 4.2e9 };
    drain.gauges = { ...drain.gauges, requested: 4000, open: 0, unanswered: 0 };
    drain.counters = { ...drain.counters, unfinished: 30 };
    {
      const cut = summarised(leg, run, { samples: [...ramp, drain], endedBy: 'interrupted' });
      const facts = pageLeg(cut, run);
      const [open, unanswered] = [openOf(facts) ?? 0, unansweredOf(facts) ?? 0];
      assert.deepEqual([open, unanswered], [ramp[3].gauges.open, ramp[3].gauges.unanswered]);
      assert.ok(open > 3000 && unanswered > 1000, 'the fixture has such');
      assert.deepEqual(facts.phases, { steadyFromNs: 4e9, steadyToNs: 4e9, endNs: 4.2e9 });
      assert.equal(coverageOf(facts.summary), 'ramp');
      const done = sum(ramp, (sample) => sample.counters.transfers);
      assert.equal(failedShareOf(facts), 30 / (done + 30));
      assert.equal(facts.figures?.responseTimeNs?.count, done, 'figures cover the ramp');
      assert.deepEqual(
        facts.missing.map(({ code, data }) => [code, data]),
        [['steady-state', { covers: 'ramp' }]],
      );
    }
  });

  it('of the kernel are added up, except gauges', async () => {
    /** @type {LooseRun} */
    const run = await readRun(RECORDED);
    const samples = run.legs[0].samples.map((sample, i) => ({
      ...sample,
      kernel: { TcpRetransSegs: 2, TcpMemPages: i === 7 ? 900 : 50, TcpTimeWait: i },
    }));
    const { kernel } = pageLeg(summarised(run.legs[0], run, { samples }), run).summary;
    assert.deepEqual(kernel, {
      TcpRetransSegs: 2 * samples.length,
      TcpMemPages: 900,
      TcpTimeWait: samples.length - 1,
    });
  });

  it('of once and hold say what they were to do', async () => {
    /** @type {LooseRun} */
    const run = await readRun(RECORDED);
    const [, , leg] = run.legs;
    const of = (/** @type {string} */ workload, /** @type {any[]} */ samples, heartbeatNs = 0) => {
      const scenario = { ...run.scenario, workload, heartbeatNs };
      const config = { ...run.summary.config, workload };
      return pageLeg(summarised(leg, run, { samples, scenario }), {
        ...run,
        scenario,
        summary: { ...run.summary, config },
      });
    };
    const ramp = leg.samples.filter((sample) => sample.phase === 'ramp');
    const once = of('once', ramp);
    const transfers = once.summary.transfers?.count;
    assert.equal(
      transfers,
      sum(ramp, ({ counters }) => counters.transfers),
    );
    assert.equal(coverageOf(once.summary), 'whole leg');
    const seconds = (ramp[ramp.length - 1].toNs - ramp[0].fromNs) / 1e9;
    assert.equal(once.figures?.perSecond, Number(transfers) / seconds);
    assert.deepEqual([once.missing, once.summary.heldOnly], [[], undefined]);
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
    assert.equal(heldText(held.summary, held.workload), 'held 10,000 of 10,000');
    assert.match(legLine(held), /^held 10,000 of 10,000, lost 0, rejects 0, errors 0, connect p99 \d/);
    assert.equal(of('hold', idle, 1e9).summary.heldOnly, undefined, 'heartbeats were due');
    const { charts } = chartModel({ ...run, legs: [{ ...leg, samples: idle }] }, [held]);
    const empty = charts.filter((chart) => chart.empty?.code === 'only-held').map(({ id }) => id);
    assert.deepEqual(empty, ['response', 'percentiles', 'fairness', 'transfers', 'bytes']);
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
    assert.deepEqual(of({}), {
      code: 'saturated',
      data: { quotientNs: 100e6, of: 'open', connections: 10_000, p50Ns: 98e6 },
      text: '10,000 open ÷ 100,000/s = 100 ms; p50 is 98 ms. The leg was saturated: response time is time in a queue.',
    });
    assert.equal(of({ p50: 30e6 })?.code, 'differs');
    const shared = [warning('background-load', { cores: 1, of: 2 })];
    for (const [change, code] of /** @type {[object, string][]} */ ([
      [{ summary: { limitedBy: 'none' } }, 'no-limit'],
      [{ planned: { server: { kind: 'named', options: { work: '5ms-10ms' } } } }, 'server-work'],
      [{ summary: { limitedBy: 'client' } }, 'client-limit'],
      [{ cpu: [0.1] }, 'server-idle'],
      [{ cpu: null }, 'server-unknown'],
      [{ summary: { warnings: shared } }, 'background-load'],
      [{ summary: { limitedBy: 'server', warnings: shared } }, 'saturated'],
    ])) {
      assert.equal(of(change)?.code, code);
      assert.doesNotMatch(of(change)?.text ?? '', /undefined|NaN|\[object/);
    }
    const four = of({ settings: { pipeline: 4 }, p50: 410e6 });
    assert.deepEqual([four?.code, four?.data.quotientNs], ['saturated', 400e6]);
    assert.equal(of({ settings: { pauseNs: 1 } }), null);
    assert.equal(of({ workload: 'hold' }), null);
    assert.equal(of({ closed: false }), null);
    const starved = [{ gauges: { open: 10_000, unanswered: 8000 } }];
    const served = of({ p50: 20e6 }, starved)?.data;
    assert.deepEqual(served, { quotientNs: 20e6, of: 'answered', connections: 2000, p50Ns: 20e6 });
    assert.equal(of({ p50: 1e6 }, starved)?.data.of, 'answered', 'the others do not share the throughput');
  });
});
