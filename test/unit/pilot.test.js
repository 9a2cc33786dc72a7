// What the pilot shows of servers that take turns: their cycles, connections / throughput.

import assert from 'node:assert/strict';
import { Histogram } from '../../client/measure/histogram.js';
import { PilotMeter } from '../../client/measure/pilot.js';

/**
 * @param {number} measuredNs
 * @param {number} transfers in that time
 * @param {number[]} timesNs of replies
 * @returns {any}
 */
function sampleOf(measuredNs, transfers, timesNs) {
  const times = new Histogram();
  for (const ns of timesNs) times.record(ns);
  return {
    slices: { turnNs: measuredNs, measuredNs, transfers, late: 0, closed: 0 },
    histograms: { responseTime: times.toLine() },
  };
}

const load = { pipeline: 1, pauseNs: 0 };
const legOf = (/** @type {number} */ index, of = 2, starts = 1) => ({ connections: 50, slices: { index, of, starts } });

describe('the pilot of legs that take turns', () => {
  it('has the cycle of the fastest second of each server, over all its starts', () => {
    const meter = new PilotMeter();
    meter.add(legOf(0, 4, 2), load, sampleOf(1e8, 100, [1e6]));
    meter.add(legOf(1, 4, 2), load, sampleOf(1e8, 50, [1e6]));
    meter.add(legOf(2, 4, 2), load, sampleOf(1e8, 500, [1e6]));
    meter.add(legOf(3, 4, 2), load, sampleOf(4e7, 5000, [1e6])); // in too short a time
    const of = (/** @type {number} */ ns) => ({ cycleNs: ns, responseNs: ns });
    assert.deepEqual(meter.cycles(), [of(10e6), of(100e6)]);
  });

  it('knows a latency longer than a slice by the replies that come later', () => {
    const meter = new PilotMeter();
    meter.add(legOf(0), load, sampleOf(15e7, 0, []));
    assert.equal(meter.cycles(), null, 'before they come');
    meter.add(legOf(0), load, sampleOf(0, 0, [300e6, 300e6]));
    const measured = { cycleNs: 300e6, responseNs: 300e6 };
    assert.deepEqual(meter.cycles(), [measured, measured], 'a server that did not start has the shortest slices');
  });

  it('adds the requests in flight on each connection, and the pause', () => {
    const piped = new PilotMeter();
    piped.add(legOf(0), { pipeline: 4, pauseNs: 0 }, sampleOf(1e8, 1000, [1e6]));
    assert.equal(piped.cycles()?.[0].cycleNs, 20e6);
    const paced = new PilotMeter();
    paced.add(legOf(0), { pipeline: 1, pauseNs: 5e8 }, sampleOf(1e8, 0, [2e6]));
    assert.deepEqual(paced.cycles()?.[0], { cycleNs: 502e6, responseNs: 2e6 });
  });
});
