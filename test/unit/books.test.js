// The consistency rules for the figures of a leg: each is violated once, on a leg that otherwise keeps all of them.
import assert from 'node:assert/strict';
import { checkBooks } from '../../client/measure/books.js';
import { summariseLeg } from '../../client/judge/summary.js';
import { interval, samplesOf, usage, recorded } from '../fixtures/intervals.js';
import { SampleMerge } from '../../client/measure/sample-merge.js';

/** @import { LegEnd } from '../../client/measure/leg-summary.js' */

const leg = { id: '01-epoll', label: 'epoll' };
/** @type {LegEnd} */
const end = { endedBy: 'plan', targets: [], server: 'epoll', logRows: 6, logKind: 'parquet', warnings: [] };

/** Two seconds of ten connections: one rejected attempt, one error, five transfers and one that failed. */
function balancedSamples() {
  const merge = new SampleMerge(1);
  const counters = { attempts: 12, opened: 10, abandoned: 1, 'rejects.refused': 1, lost: 1, 'errors.closed': 1 };
  merge.add(
    0,
    interval({
      second: 1,
      counters: { ...counters, transfers: 5, failed: 1, 'statuses.2xx': 5, due: 8, unsent: 2, late: 3 },
      gauges: { requested: 10, open: 9, peakOpen: 10, unanswered: 4, answered: 5, backingOff: 1 },
      histograms: { responseTime: recorded([1, 2, 3, 4, 5]) },
    }),
    usage,
  );
  const perConnection = recorded([0, 0, 0, 0, 0, 1, 1, 1, 1, 1]);
  merge.add(
    0,
    interval({ second: 2, phase: 'drain', last: true, gauges: { requested: 10 }, histograms: { perConnection } }),
    usage,
  );
  return samplesOf(merge.take());
}

/**
 * @param {(leg: any, samples: any[]) => void} [spoil] the leg's summary and its samples
 * @returns {string[]} the codes of the rules that are broken then
 */
function brokenBy(spoil = () => {}) {
  const samples = balancedSamples();
  const summary = structuredClone(summariseLeg(leg, samples, end, { rate: 10 }));
  assert.ok('connections' in summary);
  spoil(summary, samples);
  return checkBooks(/** @type {any} */ (summary), samples).map(({ code, text }) => {
    assert.ok(text.length > 0 && !text.includes('undefined'), text);
    return code;
  });
}

const NOTHING = { count: 0, failed: 0, unfinished: 0, bytesSent: 0, bytesReceived: 0 };

describe('the consistency checks of a leg', () => {
  it('pass when all counts agree', () => {
    assert.deepEqual(brokenBy(), []);
  });

  /** @type {[string, (leg: any, samples: any[]) => void][]} */
  const spoilt = [
    ['attempts-unbalanced', ({ attempts }) => (attempts.abandoned += 1)],
    ['errors-unbalanced', ({ connections }) => (connections.lost += 1)],
    ['slots-exceeded', ({ connections }) => (connections.requested = 9)],
    ['peak-impossible', ({ connections }) => (connections.peakOpen = 2 ** 64)],
    ['account-unbalanced', ({ account }) => (account.served += 1)],
    ['account-unbalanced', ({ account }) => (account.leaving = account.served += 1)],
    ['account-unbalanced', ({ account, connections }) => (connections.requested = account.requested + 1)],
    ['account-impossible', ({ account }) => (account.lost = -1)],
    ['account-impossible', ({ connections }) => (connections.openAtEnd = 3)],
    ['log-unbalanced', ({ log }) => (log.missing = -1)],
    ['requests-unbalanced', ({ transfers }) => (transfers.due += 1)],
    ['late-impossible', ({ transfers }) => (transfers.late = 7)],
    ['statuses-unbalanced', ({ statuses }) => (statuses.total = 6)],
    ['fairness-unbalanced', ({ steady }) => (steady.transfers = 6)],
    ['count-impossible', (_, [sample]) => (sample.gauges.inFlight = 2 ** 64 - 1)],
    ['count-impossible', (_, [sample]) => (sample.rejects.refused = -1)],
    ['gauges-below-zero', (_, [sample]) => (sample.gaugesBelowZero = 1)],
    ['unanswered-impossible', (_, [sample]) => (sample.gauges.unanswered = 10)],
    ['times-unbalanced', (_, [sample]) => (sample.counters.transfers = 6)],
  ];
  it('fail with the code of what does not add up', () => {
    for (const [code, spoil] of spoilt) assert.ok(brokenBy(spoil).includes(code), `${code}: ${spoil}`);
  });

  for (const kind of ['instances', 'agents']) {
    it(`fail when the ${kind} do not add up to the leg, also in bytes`, () => {
      const parts = (/** @type {any} */ { connections, attempts, errors, transfers }) => [
        { ...connections, rejects: attempts.rejected, errors: errors.total, transfers: { ...transfers } },
        { opened: 0, lost: 0, rejects: 0, errors: 0, transfers: { ...NOTHING } },
      ];
      assert.deepEqual(
        brokenBy((leg) => (leg[kind] = parts(leg))),
        [],
      );
      for (const name of ['count', 'failed', 'unfinished', 'bytesSent', 'bytesReceived']) {
        const spoil = (/** @type {any} */ leg) => {
          leg[kind] = parts(leg);
          leg[kind][1].transfers[name] += 1;
        };
        assert.deepEqual(brokenBy(spoil), [`${kind}-unbalanced`], name);
      }
    });
  }

  it('report only the first violation of each rule', () => {
    const twice = (/** @type {any} */ _, /** @type {any[]} */ samples) => {
      for (const { gauges } of samples) gauges.waiting = -1;
    };
    assert.deepEqual(brokenBy(twice), ['count-impossible']);
  });

  it('make a leg incomplete when they fail', () => {
    const samples = balancedSamples();
    samples[0].counters.attempts += 1;
    const summary = /** @type {any} */ (summariseLeg(leg, samples, end, { rate: 10 }));
    assert.deepEqual([summary.complete, summary.endedBy], [false, 'inconsistent']);
    assert.deepEqual(
      summary.imbalances.map((/** @type {any} */ { code }) => code),
      ['attempts-unbalanced'],
    );
    assert.ok(summary.failure.text.includes(summary.imbalances[0].text));
    const interrupted = /** @type {any} */ (summariseLeg(leg, samples, { ...end, endedBy: 'interrupted' }, {}));
    assert.equal(interrupted.endedBy, 'interrupted', 'what ended it first is kept');
  });
});
