/**
 * What the report says of a run along profiles: its conditions, its title, and what was due next to what was
 * transferred.
 */
import assert from 'node:assert/strict';
import { heldText } from '../../client/judge/table.js';
import { followsProfile } from '../../client/measure/leg-figures.js';
import { servedOnlySome } from '../../client/words/figures.js';
import { chartOf, withSummary } from '../fixtures/page-legs.js';
import { RECORDED } from '../fixtures/recorded-run.js';
import { summarised } from '../fixtures/summarised.js';
import { pageLeg, requestedOf } from '../../report/model/page-leg.js';
import { loadText } from '../../report/html/page.js';
import { readRun } from '../../report/read/read-run.js';
import { conditions } from '../../report/html/sections/conditions.js';

/** @import { Chart } from '../../report/types.js' */

const textOf = (/** @type {LooseRun} */ run) => conditions(run).text.replaceAll('<wbr>', '');
const rateProfile = [
  { from: 50, to: 50, forNs: 10e9 },
  { from: 50, to: 1500, forNs: 1e9 },
];

describe('report: profiles', () => {
  /** @type {LooseRun} */
  let run;
  before(async () => {
    run = await readRun(RECORDED);
  });

  it('stand among the conditions, with the peak in the title', () => {
    const scenario = { ...run.scenario, rate: 1500, rateProfile, arrivals: 'poisson' };
    const text = textOf({ ...run, scenario });
    assert.match(text, /<dt>rate<\/dt><dd>50\/s for 10 s, 50\/s to 1,500\/s in 1 s<\/dd>/);
    assert.match(text, /<dt>arrivals<\/dt><dd>poisson<\/dd>/);
    assert.match(loadText({ ...run, scenario }), /^10,000 connections · up to 1,500\/s · /);
    const constant = { ...scenario, rate: 50, rateProfile: null };
    assert.match(textOf({ ...run, scenario: constant }), /<dt>rate<\/dt><dd>50\/s<\/dd>/);
    assert.doesNotMatch(textOf(run), /<dt>rate</, 'not in closed loop');
  });

  it('of the connections are told by the number requested at the end', () => {
    const connectionsProfile = [
      { from: 0, to: 10_000, forNs: 30e9 },
      { from: 700, to: 700, forNs: 5e9 },
    ];
    const scenario = { ...run.scenario, connectionsProfile };
    assert.match(textOf({ ...run, scenario }), /<dt>connections<\/dt><dd>0 to 10,000 in 30 s, 700 for 5 s<\/dd>/);
    assert.match(loadText({ ...run, scenario }), /^up to 10,000 connections · /);
    const legs = run.legs.map((leg) => ({
      ...leg,
      summary: {
        ...leg.summary,
        connections: { ...leg.summary?.connections, requestedAtEnd: 700 },
        steady: { ...leg.summary?.steady, perConnection: undefined },
      },
    }));
    const along = { ...run, scenario, legs };
    const facts = along.legs.map((leg) => pageLeg(leg, along));
    assert.deepEqual(
      facts.map((f) => [requestedOf(f), followsProfile(f.summary)]),
      Array(3).fill([700, true]),
    );
    const [first] = facts;
    const falling = { requested: 10_000, requestedAtEnd: 0, openAtEnd: 0, unansweredAtEnd: 0, peakOpen: 9990 };
    const ended = withSummary(first, { connections: { ...first.summary.connections, ...falling } });
    assert.equal(heldText(ended.summary, ended.workload), 'up to 9,990 of 10,000 open');
    // Connections without a reply are not closed when fewer are requested.
    const waiting = { ...first.summary.connections, requestedAtEnd: 20, openAtEnd: 143, unansweredAtEnd: 127 };
    const text = servedOnlySome({ ...run.legs[0].summary, serverModel: undefined, connections: waiting });
    assert.equal(text, '127 of 143 not served');
  });

  it('of the rate draw what was due and what was transferred, in open loop', () => {
    /** @param {LooseRun} one @returns {Chart} */
    const transfers = (one) => chartOf(one, 'transfers');
    assert.ok(
      transfers(run).panels.every(({ datasets: [{ role }, ...others] }) => role === 'line' && others.length === 0),
    );
    const scenario = { ...run.scenario, rate: 300_000 };
    const legs = run.legs.map((leg, i) => {
      const samples = leg.samples.map((one) => {
        const due = i === 0 && one.phase === 'steady' ? 300_000 : 0;
        return { ...one, counters: { ...one.counters, due } };
      });
      return summarised(leg, run, { samples, scenario });
    });
    const chart = transfers({ ...run, legs });
    const due = chart.panels.flatMap(({ datasets }) => datasets.filter(({ role }) => role === 'due'));
    assert.deepEqual([due.length, chart.panels[0].datasets[0], chart.data?.due], [1, due[0], true]);
    const counted = due[0].points.reduce((sum, [, , n = 0]) => sum + n, 0);
    const steady = legs[0].samples.filter((/** @type {any} */ { phase }) => phase === 'steady');
    assert.equal(counted, 300_000 * steady.length);
    assert.ok((chart.y.max ?? 0) > 300_000, 'it has room');
  });
});
