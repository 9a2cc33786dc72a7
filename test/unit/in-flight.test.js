// Little's law: how many connections of a closed loop have a request in flight.

import assert from 'node:assert/strict';
import { fewInFlightOf } from '../../client/judge/findings/in-flight.js';
import { inFlight, inFlightShare } from '../../client/measure/leg-figures.js';

/**
 * @param {number} perSecond @param {number} meanNs of the response time
 * @param {{ open?: number, unanswered?: number, slices?: object }} [more] @returns {any} a leg
 */
const legOf = (perSecond, meanNs, { open = 100, unanswered = 0, slices } = {}) => ({
  steady: { perSecond, mostInFlight: open, responseTimeNs: { mean: meanNs } },
  connections: { openAtEnd: open, unansweredAtEnd: unanswered },
  ...(slices && { slices }),
});

describe('requests in flight', () => {
  it('are throughput × mean response time, and their share is of the connections', () => {
    const { steady } = legOf(10_000, 8e6);
    assert.deepEqual([inFlight(steady), inFlightShare(steady)], [80, 0.8]);
    assert.deepEqual(
      [inFlight({ perSecond: 1 }), inFlightShare({ ...steady, mostInFlight: undefined })],
      [undefined, undefined],
    );
  });

  it('says what holds the connections back where fewer than half have one', () => {
    const short = { lengthNs: 50e6, settleInNs: 5e6, settleOutNs: 5e6 };
    const long = { ...short, lengthNs: 500e6 };
    for (const [leg, expected] of /** @type {[any, object | undefined][]} */ ([
      [legOf(10_000, 8e6), undefined],
      [legOf(10_000, 5e6), undefined],
      [legOf(10_000, 4e6), { inFlight: 40, connections: 100, why: 'client', gapNs: 6e6 }],
      [legOf(10_000, 4e6, { slices: long }), { inFlight: 40, connections: 100, why: 'client', gapNs: 6e6 }],
      [legOf(10_000, 4e6, { slices: short }), { inFlight: 40, connections: 100, why: 'slices', lengthNs: 50e6 }],
      [legOf(10_000, 1e6, { unanswered: 84 }), { inFlight: 10, connections: 100, why: 'unanswered', waiting: 84 }],
      [
        { ...legOf(10_000, 1e6), connections: { openAtEnd: 60, unansweredAtEnd: 0, lost: 1553 } },
        { inFlight: 10, connections: 100, why: 'lost', lost: 1553 },
      ],
      [legOf(100, 1e6, { unanswered: 50 }), { inFlight: 0.1, connections: 100, why: 'client', gapNs: 499e6 }],
    ]))
      assert.deepEqual(fewInFlightOf(leg), expected);
  });
});
