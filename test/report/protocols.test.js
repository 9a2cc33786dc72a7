/** What the report says of protocols: their options among the conditions, and what was sent where it was more. */
import assert from 'node:assert/strict';
import { modelOf } from '../fixtures/page-legs.js';
import { RECORDED } from '../fixtures/recorded-run.js';
import { summarised } from '../fixtures/summarised.js';
import { pageLeg, sendsMoreOf } from '../../report/model/page-leg.js';
import { titleOf } from '../../report/html/page.js';
import { readRun } from '../../report/read/read-run.js';
import { conditions } from '../../report/html/sections/conditions.js';
import { allFigures } from '../../report/html/sections/all-figures.js';
import { codesIn } from '../fixtures/page-elements.js';

describe('report: protocols', () => {
  /** @type {LooseRun} */
  let run;
  before(async () => {
    run = await readRun(RECORDED);
  });

  it('say their options', () => {
    const content = Buffer.from('x'.repeat(5000)).toString('base64');
    for (const [protocol, protocolOptions, said] of /** @type {[string, object, string][]} */ ([
      ['echo', {}, 'echo'],
      [
        'memcached',
        { keys: 10_000, sizes: ['1B', '2KiB'], prefill: false },
        'memcached (keys 10,000, sizes 1B 2KiB, no prefill)',
      ],
      [
        'http',
        { path: '/', headers: { Accept: 'a/b' }, keepAlive: true },
        'http (path /, headers Accept: a/b, keepAlive)',
      ],
      ['raw', { send: 'PING\r\n', content, silenceNs: 2e6 }, 'raw (send "PING\\r\\n", silence 2 ms)'],
      ['raw', { file: '/tmp/a', content, lengthBytes: 64 }, 'raw (file /tmp/a, length 64 B)'],
    ])) {
      const scenario = { ...run.scenario, protocol, protocolOptions };
      const text = conditions({ ...run, scenario }).text.replaceAll('<wbr>', '');
      assert.equal(/<dt>protocol<\/dt><dd>(.*?)<\/dd>/.exec(text)?.[1].replaceAll('&quot;', '"'), said);
    }
  });

  it('leave a file that is sent out of the page', () => {
    const content = 'QUJD'.repeat(5000);
    const { text } = conditions({ ...run, scenario: { ...run.scenario, protocolOptions: { content } } });
    assert.ok(text.includes('scenario.json') && !text.includes('QUJD'.repeat(100)));
  });

  it('show what was sent, where it is more than what came back', () => {
    const shown = (/** @type {LooseRun} */ one) => {
      const { charts } = modelOf(one);
      const counts = charts.find(({ id }) => id === 'transfers')?.data?.counts;
      return { ids: charts.map(({ id }) => id), counts, facts: one.legs.map((leg) => pageLeg(leg, one)) };
    };
    assert.ok(!shown(run).ids.includes('sent'), 'an echo comes back');
    assert.equal(shown(run).counts, 'replies');
    const inStream = (/** @type {any} */ planned) => ({
      ...planned,
      settings: { ...planned.settings, protocol: 'stream' },
    });
    const streamed = { ...run, legs: run.legs.map((leg) => ({ ...leg, planned: inStream(leg.planned) })) };
    assert.equal(shown(streamed).counts, 'payloads');
    const legs = run.legs.map((leg) => {
      const samples = leg.samples.map((one) => ({ ...one, counters: { ...one.counters, bytesReceived: 0 } }));
      return summarised(leg, run, { samples });
    });
    const { ids, facts } = shown({ ...run, legs });
    assert.ok(ids.includes('sent'));
    assert.ok(facts.every(sendsMoreOf));
    const codes = (/** @type {any} */ results) => codesIn(allFigures(results));
    assert.ok(codes(facts).includes('throughput sent'));
    assert.ok(!codes(shown(run).facts).includes('throughput sent'));
  });

  it('named by flags alone are titled by their servers', () => {
    const titled = (/** @type {string[]} */ labels) =>
      titleOf({
        ...run,
        summary: /** @type {any} */ ({ scenario: 'flags' }),
        plan: /** @type {any} */ ({ legs: labels.map((label) => ({ label })) }),
      });
    assert.equal(titled(['epoll', 'libuv', 'go', 'fork']), '4 servers');
    assert.equal(titleOf({ ...run, summary: /** @type {any} */ ({ scenario: 'smoke' }) }), 'smoke');
  });
});
