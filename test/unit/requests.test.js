// The figures of each request of a list: merged over workers and seconds, in the summary, over starts, in the table and
// in conditions.
import assert from 'node:assert/strict';
import { figureOf } from '../../client/judge/figures.js';
import { conditionOf, parseCondition } from '../../client/judge/conditions/parse.js';
import { judge, judgedText } from '../../client/judge/conditions/judge.js';
import { requestTable, requestText } from '../../client/judge/request-table.js';
import { summariseLeg } from '../../client/judge/summary.js';
import { caseOfRequest, shownCase, valueOf } from '../../client/judge/value-of.js';
import { legOfRequest } from '../../client/judge/requests.js';
import { requestSummaries } from '../../client/measure/requests.js';
import { SampleSum } from '../../client/measure/sample-sum.js';
import { resolveScenario } from '../../client/scenario/scenario.js';
import { refusalOf } from '../fixtures/codes.js';
import { interval, play, recorded, samplesOf } from '../fixtures/intervals.js';

/**
 * @import { LegEnd } from '../../client/measure/leg-summary.js'
 * @import { Interval } from '../../client/run/cluster/messages.js'
 */

/** @param {number[]} times @param {Record<string, number>} [more] @returns {any} a request as an engine reports it */
const reported = (times, { failed = 0, unfinished = 0, wrong = 0 } = {}) => ({
  ...{ failed, unfinished, responseTime: recorded(times) },
  statuses: { none: 0, '2xx': times.length - wrong, 'wrong-body': wrong },
});

/** @param {number} second @param {any[]} requests @param {Partial<Interval>} [more] */
function secondOf(second, requests, more) {
  const times = requests.flatMap(({ responseTime }) => [...(responseTime?.values ?? [])]);
  const sum = (/** @type {string} */ name) => requests.reduce((all, request) => all + request[name], 0);
  const counters = { transfers: times.length, failed: sum('failed'), unfinished: sum('unfinished') };
  return interval({ second, counters, histograms: { responseTime: recorded(times) }, requests, ...more });
}

const MS = 1e6;
const LOAD = { protocol: 'http', protocolOptions: { requests: [{ name: 'list' }, { name: 'cart' }] } };
/** @type {LegEnd} */
const END = { endedBy: 'plan', targets: [], server: 'a', warnings: [] };

/** Two workers; in the drain what was in flight is answered, or not. */
const WORKERS = [
  [
    secondOf(1, [reported([MS, 2 * MS]), reported([9 * MS])]),
    secondOf(2, [reported([MS]), reported([9 * MS, 8 * MS], { wrong: 1, failed: 1 })]),
    secondOf(3, [reported([]), reported([50 * MS], { unfinished: 1 })], { phase: 'drain', last: true }),
  ],
  [
    secondOf(1, [reported([3 * MS]), reported([])]),
    secondOf(2, [reported([MS, MS]), reported([7 * MS])]),
    secondOf(3, [reported([]), reported([])], { phase: 'drain', last: true }),
  ],
].map((intervals) => ({ intervals, diesAfter: null }));

const samples = samplesOf(play(WORKERS).merged);

/** @param {object} [leg] @param {any[]} [given] @returns {any} */
const summaryOf = (leg = {}, given = samples) =>
  summariseLeg({ id: '01-a', label: 'a', ...leg }, given, END, /** @type {any} */ (LOAD));

describe('the requests of a list', () => {
  it('have the sums of all workers and seconds, and times of the drain that belong to the steady state', () => {
    const [list, cart] = summaryOf().requests;
    assert.deepEqual([list.name, list.transfers], ['list', { count: 6, failed: 0, unfinished: 0 }]);
    assert.deepEqual(cart.transfers, { count: 5, failed: 1, unfinished: 1 });
    assert.deepEqual(cart.statuses, { total: 5, '2xx': 4, 'wrong-body': 1 });
    const { responseTimeNs, statuses, ...figures } = cart.figures;
    assert.deepEqual(figures, { transfers: 4, failed: 1, unfinished: 1, perSecond: 2 });
    assert.deepEqual(statuses, { total: 4, '2xx': 3, 'wrong-body': 1 });
    assert.deepEqual([responseTimeNs.count, responseTimeNs.max], [5, 50 * MS]);
  });

  it('count all replies, also those without a time in slices', () => {
    const timed = { ...reported([MS, 2 * MS]), statuses: { none: 0, '2xx': 5, 'wrong-body': 1 } };
    const [sample] = samplesOf(play([{ intervals: [secondOf(1, [timed, timed])], diesAfter: null }]).merged);
    assert.deepEqual([sample.requests?.[0].transfers, sample.requests?.[0].responseTime?.count], [6, 2]);
  });

  it('are the same of seconds that were added up first', () => {
    const sum = new SampleSum(samples[0]);
    sum.add(samples[1]);
    assert.deepEqual(summaryOf({}, [sum.result(), samples[2]]).requests, summaryOf().requests);
    const alone = new SampleSum({ ...samples[0], requests: undefined });
    alone.add(samples[1]);
    assert.deepEqual(alone.result().requests, samples[1].requests);
  });

  it('of several starts have added counts and histograms', () => {
    const slices = { measuredNs: 1e9, turnNs: 1e9, transfers: 1, late: 0, closed: 0, histograms: {} };
    const requests = requestSummaries({ slices }, samples, LOAD);
    const legs = [1, 2].map((start) => ({ ...summaryOf(), slices, requests, case: 'a', start, complete: true }));
    const cart = caseOfRequest(shownCase(/** @type {any} */ (legs)), 'cart');
    const values = ['transfers', 'failed', 'rate', 'p50', 'replies.wrong-body'].map(
      (name) => valueOf(figureOf(name) ?? assert.fail(), cart).value,
    );
    const [p50] = values.splice(3, 1);
    assert.deepEqual(values, [8, 6, 2, 2]); // failed: the wrong replies, too
    assert.ok(Math.abs(Number(p50) / (9 * MS) - 1) < 0.01, 'of the histogram of all');
  });

  it('are a row each of a table, the longest p99 first, a time in one unit', () => {
    const table = requestTable([shownCase([summaryOf()])]) ?? assert.fail();
    assert.deepEqual(table.columns, ['good replies/s', 'failed', 'p50', 'p99']);
    assert.deepEqual(
      table.rows.map(({ name, cells }) => [name, ...cells.map(requestText)]),
      [
        ['cart', '1.5', '50 % wrong-body 25 %', '9 ms', '> 50 ms'],
        ['list', '3', '0 %', '1 ms', '3 ms'],
      ],
    );
    assert.equal(requestTable([shownCase([{ ...summaryOf(), requests: undefined }])]), null);
  });

  it('of several servers are together', () => {
    const table = requestTable(['a', 'b'].map((label) => shownCase([{ ...summaryOf(), label }]))) ?? assert.fail();
    assert.deepEqual(
      table.rows.map(({ name, leg, place }) => `${name} ${leg} ${place}`),
      ['cart a 0', 'cart b 1', 'list a 0', 'list b 1'],
    );
  });
});

describe('conditions about a request of a list', () => {
  const leg = { ...summaryOf(), label: 'a' };
  const judged = (/** @type {string} */ text) =>
    judge(conditionOf(text), (figure, request) => figure.of?.(legOfRequest(/** @type {any} */ (leg), String(request))));

  it('are judged by its figures, and not known of a leg without it', () => {
    for (const [text, expected] of /** @type {[string, boolean | null][]} */ ([
      ['p50 of list < 1.1ms', true],
      ['p50 of cart < 1.1ms', false],
      ['transfers of cart == 4 and failed replies of cart == 25% and failed of list == 0', true],
      ['replies.wrong-body of cart == 1', true],
      ['p50 of other < 1s', null],
    ]))
      assert.equal(judged(text).holds, expected, text);
    assert.equal(judgedText(judged('p50 of cart < 1ms').clauses[0]), 'p50 of cart 9 ms');
  });

  it('may have its name in quotation marks', () => {
    const { clauses } = conditionOf('p99 of "GET /?a=1 and <b>" < 5ms and p50 of GET /a == 1ms');
    assert.deepEqual(
      clauses.map(({ figure, request, operator, value }) => [figure.name, request, operator, value]),
      [
        ['p99', 'GET /?a=1 and <b>', '<', 5e6],
        ['p50', 'GET /a', '==', 1e6],
      ],
    );
    assert.equal(conditionOf('transfers of leg > 1').clauses[0].request, undefined);
    assert.equal(parseCondition('server memory of cart < 1GiB').mistakes[0].code, 'not-of-request');
    assert.equal(parseCondition('pace of cart < 1').mistakes[0].code, 'unknown-figure');
  });

  it('are refused about what is not in the list, and where seconds are judged', async () => {
    const http = { requests: [{ name: 'list' }, { path: '/a' }] };
    for (const [key, condition, refusal] of [
      ['thresholds', 'p99 of lost < 1ms', 'thresholds[0] condition-unknown-request'],
      ['stopOn', 'p99 of list > 1s for 3s', 'stopOn[0] condition-of-request'],
    ]) {
      const content = { servers: ['epoll'], connections: 1, protocol: 'http', http, [key]: [condition] };
      assert.deepEqual(await refusalOf(() => resolveScenario({ content })), [refusal]);
    }
  });
});
