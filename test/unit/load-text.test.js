// The line that describes the load of a leg.

import assert from 'node:assert/strict';
import { loadText } from '../../client/console/load.js';
import { resolveScenario } from '../../client/scenario/scenario.js';

/** @param {object} content @param {number[]} [workers] of each leg @param {Record<string, unknown>} [sharedOptions] */
function told(content, workers = [2], sharedOptions = {}) {
  const scenario = resolveScenario({ content: { connections: 50, servers: ['epoll'], ...content } });
  return loadText(scenario, { sharedOptions, legs: workers.map((own) => ({ workers: own })) });
}

describe("the line about a leg's load", () => {
  for (const [content, said] of /** @type {[object, string][]} */ ([
    [{}, '50 connections · continuous · echo · 1 KiB · 2 workers'],
    [
      { protocol: 'redis', pipeline: 16 },
      '50 connections · continuous · redis GET · 1 KiB · 16 in flight on each · 2 workers',
    ],
    [{ protocol: 'redis', redis: { command: 'PING' } }, '50 connections · continuous · redis PING · 2 workers'],
    [
      { lifetime: { transfers: 10 } },
      '50 connections · continuous · echo · 1 KiB · each for 10 transfers, then closed and reopened · 2 workers',
    ],
    [{ transfers: 1000 }, '50 connections · 1,000 transfers a leg at most · continuous · echo · 1 KiB · 2 workers'],
    [
      { pause: '10ms', payload: '1B' },
      '50 connections · continuous · echo · 1 B · a pause of 10 ms between transfers · 2 workers',
    ],
    [
      { workload: 'hold', heartbeat: '5s' },
      '50 connections · hold · echo · 1 KiB · one transfer every 5 s · 2 workers',
    ],
    [
      { workload: 'reconnect', connectRate: '100/s' },
      '50 connections · reconnect · echo · 1 KiB · at most 100/s connects · 2 workers',
    ],
    [{ protocol: 'http', rate: '500/s' }, '50 connections · 500/s · continuous · http GET / · 2 workers'],
    [{ protocol: 'http', http: { path: '/a?b=1' } }, '50 connections · continuous · http GET /a?b=1 · 2 workers'],
  ]))
    it(said, () => assert.equal(told(content), said));

  it('counts one worker, and lists options that all legs share', () => {
    assert.match(told({}, [1], { work: '5ms' }), / · 1 worker · work 5ms$/);
    assert.match(told({}, [2, 8, 1]), / · 1 to 8 workers$/, 'legs of a sweep may differ');
  });
});
