// Agents that send invalid messages: the controller loses these agents, and nothing else. The agents are simulated; the
// hostile messages are published in their name, as any client with the right to publish could.

import assert from 'node:assert/strict';
import { QUOTE_BYTES } from '../../client/measure/quotes.js';
import { encode } from '../../client/agents/codec.js';
import { streamOf, subjects } from '../../client/agents/subjects.js';
import { simulate } from '../fixtures/simulated-agents.js';
import { assertBooks } from '../fixtures/simulation.js';

/** @import { AgentGroup } from '../../client/agents/agent-group.js' */

const USAGE = { cpuSeconds: 0, engineCpuSeconds: 0, waitSeconds: 0, rssBytes: 1, wallSeconds: 1 };
const LEG = { rampToNs: 1e9, steadyFromNs: 1e9, steadyToNs: 4e9, drainTimeoutNs: 1e9 };
/** More than an agent may send at once. */
const FLOOD = 5000;
const RUN = 'hostile';

/** @param {number} bytes @returns {string} that decodes to so many */
const base64 = (bytes) => Buffer.alloc(bytes, 1).toString('base64');
const NO_ROWS = { $f64: '' };
const HUGE = { $f64: base64(320_000) };

/** An interval after those that its worker reports, over no time. @param {object} over */
const intervalOf = (over) => ({
  ...{ second: 3, phase: 'steady', fromNs: 2.5e9, toNs: 2.5e9, last: false, counters: {}, gauges: {}, histograms: {} },
  ...{ random: NO_ROWS, slowest: NO_ROWS },
  ...over,
});

/** @param {object} over */
const reporting = (over) => ({ type: 'interval', engine: 0, usage: USAGE, interval: intervalOf(over) });

/** @param {object} which @param {object} message */
const messageOf = (which, message) => ({ ...which, type: 'message', message });

/**
 * Messages in the name of an agent, by what is wrong with them; which: its worker.
 * @type {Record<string, (which: { leg: string, worker: number, generation: number }) => unknown>}
 */
const ENTRIES = {
  'no-object': () => null,
  'no-type': () => ({ type: 'constructor' }),
  'no-clock': () => ({ type: 'beat', ns: 1 }),
  'long-integer': () => ({ type: 'beat', ns: { $int: '9'.repeat(100_000) } }),
  'wrong-which': (which) => ({ ...which, type: 'message', worker: 'length', message: { type: 'ready' } }),
  'other-worker': (which) => ({ ...which, worker: 0, type: 'message', message: reporting({}) }),
  'no-server-agent': () => ({ type: 'server', message: { type: 'answer', request: 1, value: [] } }),
  'ready-twice': (which) => messageOf(which, { type: 'ready' }),
  'hello-twice': (which) => messageOf(which, { type: 'hello', pid: 1 }),
  'no-engine': (which) => messageOf(which, { ...reporting({}), engine: 7 }),
  'worker-failed': (which) => messageOf(which, { type: 'failed', message: 'x\u001b[2Jy' }),
  'log-of-no-engine': (which) => messageOf(which, { type: 'done', engine: 0, log: { rows: -1 } }),
  ...Object.fromEntries(
    Object.entries({
      'attempts-unbalanced': { counters: { attempts: 1 } },
      'errors-unbalanced': { counters: { lost: 1 } },
      'times-unbalanced': { counters: { transfers: 1e6 } },
      'more-connections': { counters: { attempts: 1e6, opened: 1e6 } },
      'more-open': { gauges: { open: 1e6 } },
      'gauges-below-zero': { counters: { gaugesBelowZero: 1 } },
      'more-waiting': { gauges: { backingOff: 1e6 } },
      'lost-of-none': { gauges: { lostBackingOff: 1 } },
      'statuses-of-echo': { counters: { 'statuses.2xx': 1 } },
      'codes-of-nothing': { counters: { 'codes.200': 1e6 } },
      'codes-that-are-none': { counters: { 'codes.toString': 0 } },
      unfair: {
        last: true,
        histograms: { perConnection: { values: NO_ROWS, counts: NO_ROWS, min: 0, max: 0, sum: 7 } },
      },
      'negative-count': { counters: { transfers: -1 } },
      'huge-count': { counters: { bytesSent: 1e15 } },
      'count-of-text': { counters: { bytesSent: '1' } },
      'names-with-paths': { counters: { '../../etc/passwd': 1 } },
      'wrong-second': { second: 7 },
      'wrong-phase': { phase: 'ramp' },
      'no-phase': { phase: '__proto__' },
      'next-year': { second: 31_536_000, fromNs: 2.5e9, toNs: 31_536_000e9 },
      'no-buckets': { histograms: { connectTime: { $hdr: base64(3), min: 1, max: 1, sum: 1 } } },
      'endless-bucket': { histograms: { connectTime: { $hdr: '/////////38B' } } },
      'huge-histogram': { histograms: { connectTime: { values: HUGE, counts: HUGE, min: 1, max: 1, sum: 1 } } },
      'rows-of-nothing': { random: { $f64: Buffer.from(new Float64Array(5).fill(NaN).buffer).toString('base64') } },
      'long-quote': { quotes: [{ kind: 'error', state: 'busy', atNs: 1, bytes: 'x'.repeat(QUOTE_BYTES + 1) }] },
      'quote-of-no-kind': { quotes: [{ kind: '__proto__', state: 'busy', atNs: 1, bytes: 'x' }] },
      'no-tls-failure': { tlsFailure: { cause: 'x', step: 'open', reason: '' } },
    }).map(([name, over]) => [name, (/** @type {object} */ which) => messageOf(which, reporting(over))]),
  ),
};

/** @type {Record<string, (which: any) => Uint8Array>} */
const MESSAGES = {
  ...Object.fromEntries(
    Object.entries(ENTRIES).map(([name, entry]) => [name, (which) => Buffer.from(encode([entry(which)]))]),
  ),
  'no-json': () => Buffer.from('[{'),
  'no-list': () => Buffer.from('5'),
};

describe('agents that say what no agent says', () => {
  const hostile = [...Object.keys(MESSAGES), 'flood'];
  const names = ['a', ...hostile];

  it('are lost, each for itself: the leg goes on, and counts what the others report', async () => {
    await simulate(1, async (simulation) => {
      const { server } = simulation;
      server.maxBytes = 2 ** 20;
      await simulation.startAgents(Object.fromEntries(names.map((name) => [name, {}])));
      let said = 0;
      const say = (/** @type {string} */ name, /** @type {Uint8Array} */ data) => {
        said += 1;
        server.append(subjects.from(RUN, name), data, `hostile ${said}`);
      };
      let samples = 0;
      /** @type {string[]} */
      let heard = [];
      /** @param {any} _merged @param {AgentGroup} group */
      function attack(_merged, group) {
        heard = server.streamOf(streamOf(RUN)).subjects;
        samples += 1;
        if (samples !== 2) return;
        group.agents.forEach(({ name }, worker) => {
          const make = MESSAGES[name];
          if (make !== undefined) say(name, make({ leg: '01-fake', worker, generation: 0 }));
        });
        for (let i = 0; i < FLOOD; i += 1) say('flood', encode([{ type: 'beat', ns: 1n }]));
      }
      const { played } = simulation.startRun({
        ...{ run: RUN, leg: { ...LEG, connections: 10 * names.length }, tolerated: hostile.length, onMerged: attack },
      });
      const { outcome, merged, delivered, group } = await simulation.settle(played);
      assert.deepEqual([outcome.endedBy, outcome.failure], ['plan', undefined]);
      assertBooks({ merged, delivered, made: simulation.world.made }, '');
      assert.deepEqual(
        group.agents.flatMap(({ name, lost }) => (lost === null ? name : [])),
        ['a'],
        'those that are not lost',
      );
      const ofAgent = delivered.filter(({ agent }) => agent === 'a');
      assert.ok(ofAgent.at(-1)?.interval.last, 'all of it is counted');
      for (const { counters, gauges } of merged) {
        for (const value of [...Object.values(counters), ...Object.values(gauges)]) {
          assert.ok(Number.isSafeInteger(value) && value >= 0);
        }
        assert.ok(gauges.open <= 10 * names.length);
      }
      const texts = outcome.warnings.map(({ text }) => text).join('');
      // eslint-disable-next-line no-control-regex
      assert.doesNotMatch(texts, /[\u0000-\u0008\u001b]/);
      assert.deepEqual(
        ['a', 'flood', 'no-json'].map((name) => heard.includes(subjects.from(RUN, name))),
        [true, false, false],
        'the stream takes nothing of those that were shut out',
      );
    });
  });
});
