/** What the report says of protocols: their options among the conditions, and what was sent where it was more. */
import assert from 'node:assert/strict';
import { heldText } from '../../client/judge/table.js';
import { chartModel } from '../../report/model/charts/all.js';
import { withSummary } from '../fixtures/page-legs.js';
import { RECORDED } from '../fixtures/recorded-run.js';
import { summarised } from '../fixtures/summarised.js';
import { pageLeg, sendsMoreOf } from '../../report/model/page-leg.js';
import { titleOf } from '../../report/html/page.js';
import { readRun } from '../../report/read/read-run.js';
import { conditions } from '../../report/html/sections/conditions.js';
import { allFigures } from '../../report/html/sections/all-figures.js';
import { cellOf, codesIn, elementOf } from '../fixtures/page-elements.js';

describe('report: protocols', () => {
  /** @type {LooseRun} */
  let run;
  before(async () => {
    run = await readRun(RECORDED);
  });

  /** @param {object} options of the scenario @returns {string} what is shown next to `protocol` */
  function saidOf(options) {
    const text = conditions({ ...run, scenario: { ...run.scenario, ...options } }).text.replaceAll('<wbr>', '');
    return /<dt>protocol<\/dt><dd>(.*?)<\/dd>/.exec(text)?.[1].replaceAll('&quot;', '"') ?? '';
  }

  it('say their options', () => {
    assert.equal(saidOf({ protocol: 'echo' }), 'echo');
    assert.equal(
      saidOf({
        protocol: 'memcached',
        protocolOptions: { ratio: '9:1', keys: 10_000, keysPerGet: 2, sizes: ['1B', '2KiB'], prefill: false },
      }),
      'memcached (ratio 9:1, keys 10,000, keysPerGet 2, sizes 1B 2KiB, no prefill)',
    );
    assert.equal(
      saidOf({
        protocol: 'http',
        protocolOptions: { method: 'GET', path: '/', headers: {}, keepAlive: true },
      }),
      'http (method GET, path /, keepAlive)',
    );
    assert.match(
      saidOf({ protocol: 'http', protocolOptions: { headers: { Accept: 'text/html' } } }),
      /headers Accept: text\/html/,
    );
    const content = Buffer.from('x'.repeat(5000)).toString('base64');
    assert.equal(
      saidOf({ protocol: 'raw', protocolOptions: { send: 'PING\r\n', content, silenceNs: 2e6 } }),
      'raw (send "PING\\r\\n", silence 2 ms)',
    );
    assert.equal(
      saidOf({ protocol: 'raw', protocolOptions: { file: '/tmp/a', content, lengthBytes: 64 } }),
      'raw (file /tmp/a, length 64 B)',
    );
  });

  it('leave a file that is sent out of the page', () => {
    const content = 'QUJD'.repeat(5000);
    const { text } = conditions({ ...run, scenario: { ...run.scenario, protocolOptions: { content } } });
    assert.ok(text.includes('(20,000 characters)') && !text.includes('QUJD'.repeat(100)));
  });

  it('show what was sent, where it is more than what came back', () => {
    const shown = (/** @type {LooseRun} */ one) => {
      const facts = one.legs.map((leg) => pageLeg(leg, one));
      const { charts } = chartModel(one, facts);
      const counts = charts.find(({ id }) => id === 'transfers')?.data?.counts;
      return { ids: charts.map(({ id }) => id), counts, facts };
    };
    assert.ok(!shown(run).ids.includes('sent'), 'an echo comes back');
    assert.equal(shown(run).counts, 'replies');
    const streamed = { ...run, scenario: { ...run.scenario, protocol: 'stream' } };
    assert.equal(shown(streamed).counts, 'payloads');
    const legs = run.legs.map((leg) => {
      const samples = leg.samples.map((one) => ({ ...one, counters: { ...one.counters, bytesReceived: 0 } }));
      return summarised(leg, run, { samples });
    });
    const { ids, facts } = shown({ ...run, legs });
    assert.ok(ids.includes('sent'));
    assert.ok(facts.every(sendsMoreOf));
    assert.ok(facts.some(({ figures }) => (figures?.bytesSentPerSecond ?? 0) > 0));
    const codes = (/** @type {any} */ results) => codesIn(allFigures(results));
    assert.ok(codes(facts).includes('throughput sent'));
    assert.ok(!codes(shown(run).facts).includes('throughput sent'));
  });

  it('that close after a reply have no open connections to count, but opened ones', () => {
    const scenario = { ...run.scenario, protocol: 'http', protocolOptions: { keepAlive: false } };
    const [f] = run.legs.map((leg) => pageLeg(summarised(leg, run, { scenario }), { ...run, scenario }));
    assert.ok(f.summary.churns && !pageLeg(run.legs[0], run).summary.churns);
    const { connections, steady } = f.summary;
    const closing = withSummary(f, {
      connections: { ...connections, neverAnswered: 0, opened: 511 },
      steady: { ...steady, fromNs: 0, toNs: 2e9, opened: 240 },
    });
    assert.equal(heldText(closing.summary, closing.workload), 'opened 120/s, 511 in all');
    assert.equal(cellOf(elementOf(allFigures([closing]), 'data-code', 'opening rate'), f.label), '120');
  });

  it('whose server closes after a reply are the same, without being told to', () => {
    const [leg] = run.legs;
    const of = (/** @type {Record<string, number>} */ first) => {
      const samples = leg.samples.slice(0, 1).map((sample) => ({
        ...sample,
        gauges: { ...sample.gauges, requested: 60 },
        counters: { ...sample.counters, lostWithWorker: 0, ...first },
      }));
      const planned = { ...leg.planned, schedule: [{ atNs: 0, slots: 60, line: false }] };
      return pageLeg(summarised({ ...leg, planned }, run, { samples }), run);
    };
    assert.ok(of({ reopened: 500, lost: 0 }).summary.churns);
    assert.ok(!of({ reopened: 500, lost: 500 }).summary.churns, 'lost ones were to stay');
    assert.ok(!of({ reopened: 500, lost: 0, lostWithWorker: 450 }).summary.churns, 'so were those of a worker');
    assert.ok(!of({ reopened: 20, lost: 0 }).summary.churns, 'most stayed');
  });

  it('named by flags alone are titled by their servers', () => {
    const titled = (/** @type {string[]} */ labels) =>
      titleOf({
        ...run,
        summary: /** @type {any} */ ({ scenario: 'flags' }),
        plan: /** @type {any} */ ({ legs: labels.map((label) => ({ label })) }),
      });
    assert.equal(titled(['epoll']), 'epoll');
    assert.equal(titled(['epoll', 'libuv', 'go']), 'epoll, libuv, go');
    assert.equal(titled(['epoll', 'libuv', 'go', 'fork']), '4 servers');
    assert.equal(titleOf({ ...run, summary: /** @type {any} */ ({ scenario: 'smoke' }) }), 'smoke');
  });
});
