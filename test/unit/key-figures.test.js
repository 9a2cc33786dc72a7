// The five figures of a run of one server.
import assert from 'node:assert/strict';
import { keyFiguresOf } from '../../client/judge/key-figures.js';
import { legOf } from '../fixtures/made-up-answers.js';

/** @param {Record<string, any>} over of the leg @param {string} [workload] @returns {Record<string, any>} by title */
const figuresOf = (over, workload = 'continuous') => {
  const figures = keyFiguresOf(legOf({ name: 'a', ...over }), workload) ?? assert.fail();
  assert.equal(figures.length, 5);
  return Object.fromEntries(figures.map(({ title, ...figure }) => [title, figure]));
};

const { steady } = legOf({ name: 'a' });

describe('key figures', () => {
  it('are what was answered, how long that took, and what failed of how many', () => {
    const figures = figuresOf({});
    assert.deepEqual(Object.keys(figures), ['answered', 'p50', 'p99', 'slowest', 'failed']);
    assert.deepEqual(
      ['answered', 'p99', 'slowest', 'failed'].map((title) => figures[title].value),
      ['1,000/s', '5 ms', '9 s', '0 of 10,000'],
    );
    assert.equal(figures.failed.below, 'connections: 100 of 100 served');
    assert.ok(Object.values(figures).every(({ isBad }) => !isBad));
  });

  it('of an open loop have both rates, and are bad where it was not achieved', () => {
    const due = (/** @type {number} */ perSecond) => ({
      ...steady,
      ...{ fromNs: 0, toNs: 1e9, duePerSecond: 2000, perSecond },
    });
    const reached = figuresOf({ steady: due(2000) })['asked → answered'];
    assert.deepEqual([reached.value, reached.isBad], ['2,000 → 2,000/s', false]);
    const late = figuresOf({ steady: { ...due(700), late: 12, unsent: 3 } })['asked → answered'];
    assert.deepEqual([late.value, late.below, late.isBad], ['2,000 → 700/s', '12 late, 3 unsent', true]);
  });

  it('have the share that failed, in red, and which percentile is not known for that', () => {
    const { failed, p99, slowest } = figuresOf({
      errors: { total: 7, reset: 0, closed: 5, timeout: 2 },
      steady: { ...steady, transfers: 900, failed: 60, unfinished: 40 },
    });
    assert.deepEqual([failed.value, failed.below, failed.isBad], ['10 %', '100 of 1,000: closed, timeout', true]);
    assert.deepEqual([p99.value, p99.below, p99.isBad], ['no reply', 'more than 1 % had no reply', true]);
    assert.equal(slowest.value, '9 s');
    const rejected = figuresOf({ rejects: { total: 1 } }).failed;
    assert.deepEqual([rejected.value, rejected.below, rejected.isBad], ['0 of 10,000', '1 reject', true]);
  });

  it('have the connections served in place of the slowest reply where some were not', () => {
    const { connections } = legOf({ name: 'a' });
    const figures = figuresOf({
      account: { served: 16, unanswered: 84 },
      connections: { ...connections, unansweredAtEnd: 84 },
    });
    assert.deepEqual(Object.keys(figures), ['answered', 'p50', 'p99', 'connections served', 'failed']);
    const { value, below, isBad } = figures['connections served'];
    assert.deepEqual([value, below, isBad], ['16 of 100', '84 unanswered', true]);
    assert.equal(figures.p50.below, 'of the 16 served');
  });

  it('suit what the connections do: opened a second, answered once, or held', () => {
    const opened = figuresOf({ churns: true, steady: { ...steady, fromNs: 0, toNs: 2e9, opened: 500 } }, 'reconnect');
    assert.equal(opened.opened.value, '250/s');
    const once = figuresOf({ transfers: { count: 99, failed: 0, unfinished: 0 } }, 'once').answered;
    assert.deepEqual([once.value, once.isBad], ['99 of 100', true]);
    const times = { count: 100, p50: 1e6, p99: 7e6, max: 9e6 };
    const held = figuresOf({ heldOnly: true, attempts: { total: 100, abandoned: 0 }, connectTimeNs: times }, 'hold');
    assert.deepEqual(Object.keys(held), ['held', 'connect p50', 'connect p99', 'slowest connect', 'lost']);
    assert.deepEqual([held.held.value, held['connect p99'].value], ['100 of 100', '7 ms']);
  });

  it('say which part of an interrupted run they are of', () => {
    const { steady: span, ...leg } = legOf({ name: 'a' });
    const figures = keyFiguresOf({ ...leg, beforeSteady: { ...span, phase: 'ramp' } }, 'continuous') ?? assert.fail();
    assert.equal(figures.find(({ name }) => name === 'p50')?.below, 'of the ramp');
  });
});
