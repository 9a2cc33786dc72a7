// A sweep: its legs, each worker's share of a leg's transfers, and the tables at the end of the run.

import assert from 'node:assert/strict';
import { styleFor } from '../../client/console/terminal-text.js';
import { incompleteText } from '../../client/words/endings.js';
import { servedOnlySome } from '../../client/words/figures.js';
import { legTable } from '../../client/console/leg-table.js';
import { describePlan } from '../../client/console/plan-text.js';
import { plan } from '../../client/plan/plan.js';
import { slotsOf, transfersOf } from '../../client/measure/schedule.js';
import { assign } from '../../client/run/cluster/assignment.js';
import { flagsOf } from '../../client/scenario/flags.js';
import { resolveScenario } from '../../client/scenario/scenario.js';
import { host, known } from '../fixtures/hosts.js';

const swept = {
  servers: ['epoll', { name: 'select', as: 'old' }],
  sweep: { connections: [1, 40, 3000] },
  ramp: { add: 1000, every: '1s' },
  duration: '10s',
  transfers: 1000,
};
/** @param {Record<string, unknown>} [more] @param {Record<string, unknown>} [flags] */
const scenarioOf = (more, flags = {}) =>
  resolveScenario({ name: 'swept', content: { ...swept, ...more } }, flagsOf(flags));

describe('a sweep', () => {
  it('has a leg for each server and number, all servers before the next number', () => {
    const { legs, connections, expected } = plan(scenarioOf(), host, known);
    assert.deepEqual(
      legs.map(({ id, label, series, axes, connections: own }) => [id, label, series, axes, own]),
      [
        ['01-epoll-1-connection', 'epoll, 1 connection', 'epoll', { connections: 1 }, 1],
        ['02-old-1-connection', 'old, 1 connection', 'old', { connections: 1 }, 1],
        ['03-epoll-40-connections', 'epoll, 40 connections', 'epoll', { connections: 40 }, 40],
        ['04-old-40-connections', 'old, 40 connections', 'old', { connections: 40 }, 40],
        ['05-epoll-3-000-connections', 'epoll, 3,000 connections', 'epoll', { connections: 3000 }, 3000],
        ['06-old-3-000-connections', 'old, 3,000 connections', 'old', { connections: 3000 }, 3000],
      ],
    );
    assert.deepEqual(
      legs.map(({ workers }) => workers),
      [1, 1, 2, 2, 2, 2],
    );
    assert.deepEqual(
      legs.map(({ steadyFromNs }) => steadyFromNs),
      [1e9, 1e9, 1e9, 1e9, 3e9, 3e9],
    );
    assert.deepEqual(legs.at(-1)?.schedule.at(-1), { atNs: 2e9, slots: 3000, line: false });
    assert.deepEqual([connections, expected.seconds], [3000, 4 * 21 + 2 * 23]);
  });

  it('is replaced by --connections, and accepts its numbers as a flag', () => {
    const { sweep, connections } = scenarioOf({}, { connections: '7' });
    assert.deepEqual([sweep, connections], [null, 7]);
    const own = scenarioOf({ sweep: undefined, connections: 5 }, { 'sweep.connections': '2, 9' });
    assert.deepEqual([own.sweep, own.connections], [{ connections: [2, 9] }, 9]);
  });

  it('is reduced by --force, without repeating a number', () => {
    const small = { ...host, descriptors: 1100 };
    const { legs } = plan(
      scenarioOf({ force: true, workers: 1, servers: ['epoll'], sweep: { connections: [10, 2000, 3000] } }),
      small,
      known,
    );
    assert.equal(legs.length, 2);
    assert.ok(legs[1].connections > 10 && legs[1].connections < 1100, `${legs[1].connections}`);
  });

  it('is described before it runs', () => {
    const scenario = scenarioOf();
    const text = describePlan(scenario, plan(scenario, host, known), host);
    assert.match(text, /^connections +1, 40, 3,000 in turn; 1,000 more every 1 s$/m);
    assert.match(text, /^each leg +at most 1,000 transfers; /m);
    assert.match(text, /^ {2}old +3 legs: server select/m);
    assert.match(text, /^client +2 workers/m);
  });

  it('gives each worker its slots of the leg and its share of the transfers', () => {
    const scenario = scenarioOf();
    const legs = plan(scenario, host, known).legs;
    const own = (/** @type {number} */ leg, /** @type {number} */ share) =>
      assign({ settings: scenario, leg: legs[leg], share, generation: 0, t0Ns: 0n, endpoints: [], log: null });
    assert.deepEqual([own(0, 0).slots, own(0, 0).transfers], [{ first: 0, stride: 1, count: 1 }, 1000]);
    assert.deepEqual(
      [own(2, 1).slots, own(2, 0).transfers, own(2, 1).transfers],
      [{ first: 1, stride: 2, count: 20 }, 500, 500],
    );
    assert.equal(plan(scenarioOf({ transfers: 1 }), host, known).legs.at(-1)?.workers, 1);
    assert.equal(
      assign({
        settings: { ...scenario, transfers: null },
        leg: legs[2],
        share: 0,
        generation: 0,
        t0Ns: 0n,
        endpoints: [],
        log: null,
      }).transfers,
      0,
    );
  });

  it('loses no transfer in the division over workers, and gives each worker at least one', () => {
    for (let slots = 1; slots <= 24; slots += 1) {
      for (let workers = 1; workers <= slots; workers += 1) {
        for (let transfers = workers; transfers < workers + 40; transfers += 3) {
          const shares = Array.from({ length: workers }, (_, i) => transfersOf(transfers, slots, i, workers));
          assert.equal(
            shares.reduce((a, b) => a + b, 0),
            transfers,
          );
          assert.ok(Math.min(...shares) >= 1, `${transfers} transfers, ${slots} slots: ${shares}`);
        }
      }
    }
    assert.deepEqual(
      [0, 1].map((i) => [slotsOf(3, i, 2), transfersOf(302, 3, i, 2)]),
      [
        [2, 201],
        [1, 101],
      ],
    );
  });
});

/**
 * @param {string} series
 * @param {number} connections
 * @param {{ failed?: number, complete?: boolean, perSecond?: number }} [what]
 * @returns {any} the summary of a leg
 */
function leg(series, connections, { failed = 0, complete = true, perSecond = 1000 } = {}) {
  return {
    label: `${series}, ${connections} connections`,
    series,
    axes: { connections },
    complete,
    endedBy: 'done',
    connections: {
      requested: connections,
      openAtEnd: connections,
      opened: connections,
      reopened: 0,
      neverAnswered: 0,
      unansweredAtEnd: 0,
    },
    rejects: { total: 0 },
    errors: { total: failed, timeout: failed },
    transfers: { count: 1000 - failed, failed, unfinished: 0 },
    steady: {
      transfers: 1000 - failed,
      failed,
      unfinished: 0,
      perSecond,
      client: { cpuSeconds: 1 },
      responseTimeNs: { p50: 4e6, p99: 9e6, max: 5e9 },
    },
  };
}

describe('the tables of a sweep', () => {
  const points = [1, 10, 20, 40, 60, 80, 100, 200, 400, 600, 800, 1000];
  const legs = points.flatMap((connections) =>
    ['epoll', 'iterative'].map((series) =>
      leg(series, connections, { failed: series === 'iterative' && connections >= 800 ? 900 : 0 }),
    ),
  );

  it('have a row per server and a column per number; timeouts are shown and are not response times', () => {
    const text = legTable(legs, Infinity);
    const [errors, rates, failures, p50, p99, ...more] = text.split('\n\n').map((block) => block.split('\n'));
    assert.deepEqual(more, []);
    assert.deepEqual(
      [errors, rates, failures, p50, p99].map(([title]) => title),
      ['errors', 'transfers/s', 'failed, unfinished or unsent', 'response p50', 'response p99'].map(
        (title) => `${title}, against connections`,
      ),
    );
    assert.deepEqual(rates[1].trim().split(/ +/), [...points.slice(0, -1).map(String), '1,000']);
    assert.match(p50[3], /^ iterative( +4 ms){10}( +> 5 s){2}$/);
    for (const table of [errors, failures]) {
      assert.match(table[3], /^ iterative( +0){10}( +900){2}$/);
      assert.match(table[2], /^ epoll( +0){12}$/);
    }
  });

  it('are no wider than the terminal, and leave out what did not happen', () => {
    for (let width = 40; width <= 160; width += 7) {
      for (const line of legTable(legs, width).split('\n')) assert.ok(line.length <= width, `${width}: ${line}`);
    }
    assert.doesNotMatch(legTable(legs.slice(0, 8), 120), /errors|failed|rejected|never/);
    const incomplete = leg('epoll', 2000, { complete: false });
    assert.ok(legTable([...legs, incomplete], 120).endsWith(incompleteText([incomplete])));
  });

  it('begin with what was served where some was not, and mark the figures of those that served only some', () => {
    const none = { idle: 0, connecting: 0, rejected: 0, lost: 0, queued: 0, closed: 0 };
    const accounted = (/** @type {any} */ one, /** @type {number} */ unanswered) => ({
      ...one,
      connections: { ...one.connections, unansweredAtEnd: unanswered },
      account: { requested: one.axes.connections, served: one.axes.connections - unanswered, unanswered, ...none },
    });
    const fine = legs.slice(0, 8).map((one) => accounted(one, 0));
    assert.doesNotMatch(legTable(fine, 120), /served|unanswered|\*/);
    const some = fine.map((one) => (one.label === 'iterative, 40 connections' ? accounted(one, 39) : one));
    const blocks = legTable(some, 120).split('\n\n');
    const [served, unanswered, rates, p50, p99] = blocks.map((block) => block.split('\n'));
    assert.match(served[3], /^ iterative +1 +10 +20 +1$/);
    assert.match(unanswered[3], /^ iterative +0 +0 +0 +39$/);
    for (const [, , epoll, iterative] of [rates, p50, p99]) {
      assert.doesNotMatch(epoll, /\*/);
      assert.match(iterative, /^[^*]+\*$/);
    }
    assert.ok(blocks.at(-1)?.includes(servedOnlySome(some[7]) ?? '?'));
  });

  it('do not widen cells by styling', () => {
    const plain = legTable(legs, 120).split('\n');
    const styled = legTable(legs, 120, styleFor({ isTTY: true }, {})).split('\n');
    assert.equal(styled.length, plain.length);
    assert.ok(styled.some((line) => line.includes('\u001b[31m')));
  });
});
