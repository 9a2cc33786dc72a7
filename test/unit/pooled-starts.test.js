// Several starts of a server as one leg: what is added, and what is of one of them.
import assert from 'node:assert/strict';
import { shownLegs } from '../../client/judge/case-legs.js';
import { casesOf } from '../../client/judge/cases.js';
import { pooledStarts } from '../../client/judge/pooled-starts.js';
import { Histogram } from '../../client/measure/histogram.js';
import { codesOf } from '../fixtures/codes.js';
import { legOf } from '../fixtures/made-up-answers.js';

/** @param {number[]} values @returns {any} */
function lineOf(values) {
  const histogram = new Histogram();
  for (const value of values) histogram.record(value);
  return histogram.toLine();
}

const client = { cpuSeconds: 1, engineCpuSeconds: 1, waitSeconds: 0, engines: [] };

/**
 * @param {number} start
 * @param {{ times: number[], measuredNs: number, perSecond: number, served?: number, complete?: boolean }} own
 * @returns {any}
 */
function startOf(start, { times, measuredNs, perSecond, served = 100, complete = true }) {
  const leg = /** @type {any} */ (legOf({ name: 'a', requested: 100 }));
  const finding = { code: 'stalls', severity: 'note', data: { start }, text: '' };
  return {
    ...leg,
    ...{ id: `0${start}-a`, case: 'a', start, complete, endedBy: complete ? 'plan' : 'error' },
    account: { ...leg.account, served },
    connections: { ...leg.connections, openAtEnd: served },
    steady: { ...leg.steady, transfers: 10 * start, perSecond, responseTimeNs: { p50: 1, p99: 2 }, client },
    rejects: { ...leg.rejects, total: start, refused: start },
    findings: [finding],
    slices: {
      ...{ group: 1, of: 4, lengthNs: 1e8, settleInNs: 0, settleOutNs: 1e7, blockNs: 1e9 },
      ...{ turnNs: measuredNs, measuredNs, transfers: 10 * start, late: 0, closed: 0 },
      blocks: { perSecond: [perSecond, perSecond] },
      histograms: { responseTime: lineOf(times) },
    },
  };
}

describe('starts of a server, shown as one leg,', () => {
  const fast = Array.from({ length: 99 }, () => 1e6);
  const one = startOf(1, { times: [...fast, 5e6], measuredNs: 1e9, perSecond: 100 });
  const two = startOf(2, {
    times: Array.from({ length: 900 }, () => 9e6),
    measuredNs: 3e9,
    perSecond: 300,
    served: 90,
  });

  it('have added counts and histograms, and rates over all the time in which they were loaded', () => {
    const [pooled, ...others] = pooledStarts([one, two]);
    assert.deepEqual([pooled.starts, pooled.complete, others.length], [2, true, 0]);
    const { transfers, perSecond, responseTimeNs } = pooled.steady ?? assert.fail();
    assert.deepEqual([transfers, perSecond], [30, 250]);
    // of 1,000 times 99 are of 1 ms: the median of all is that of the second start, and no mean of the two
    assert.deepEqual([responseTimeNs?.count, Math.round(Number(responseTimeNs?.p50) / 1e5)], [1000, 90]);
    assert.deepEqual([pooled.rejects?.total, pooled.slices?.measuredNs], [3, 4e9]);
    const { connections, account } = pooled; // of the start that served the fewest
    assert.deepEqual([connections?.openAtEnd, account?.served], [90, 90]);
    assert.deepEqual(codesOf(pooled.findings ?? []), ['stalls']);
  });

  it('are a row of a table, and incomplete where one is', () => {
    const legs = [one, two];
    assert.deepEqual(
      shownLegs({ legs, cases: casesOf(legs) }).map(({ id, starts, rounds }) => [id, starts, rounds]),
      [['a', 2, 1]],
    );
    const [cut] = pooledStarts([one, { ...two, complete: false, endedBy: 'server-start', steady: undefined }]);
    assert.deepEqual([cut.complete, cut.endedBy, cut.steady?.transfers], [false, 'server-start', 10]);
  });

  it('leave legs of one start as they are', () => {
    const { start: _start, ...alone } = one;
    assert.deepEqual(pooledStarts([alone, two]), [alone, two]);
  });
});
