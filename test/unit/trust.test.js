// Whether the figures of a run can be trusted: the verdict, its reasons, the worst first, and that they are told once.

import assert from 'node:assert/strict';
import { answerLines, findingLines } from '../../client/console/result-lines.js';
import { runMarkdown } from '../../client/exports/markdown.js';
import { trustOf, trustText } from '../../client/judge/trust.js';
import { cautions } from '../../report/html/sections/cautions.js';
import { attributesOf, textOf } from '../fixtures/page-elements.js';
import { FAST, SLOW, legOf, runOf, varying } from '../fixtures/made-up-answers.js';

const { steady } = legOf({ name: 'a' });
const OPEN = { config: { loop: 'open' } };

/**
 * @param {number} cores that other programs use, of two @param {object} [of]  of the steady state of one server
 * @param {object} [over]
 */
const busyLeg = (cores, of = {}, over = {}) =>
  legOf({
    name: 'a',
    machine: { busyCores: 0.5 + cores, cores: 2 },
    steady: {
      ...{ ...steady, fromNs: 0, toNs: 10e9, client: { cpuSeconds: 3 }, server: { cpuSeconds: 2 } },
      ...of,
    },
    ...over,
  });

/** @param {number} share of the p99 @param {number} [ofP50] */
const clientPart = (share, ofP50 = 0) => ({
  timestamps: { clientPart: { p50: { share: ofP50 }, p99: { share } } },
});

/** @param {string} code @param {object} data */
const findingOf = (code, data) => ({ code, severity: 'caution', data, text: `<${code}>` });
const p99Found = findingOf('client-delay', { parts: [{ percentile: 'p99' }] });

/** @param {any[]} legs @param {object} [over] */
const trusted = (legs, over) => trustOf(runOf(legs, over)) ?? assert.fail('nothing is known');

/** @param {any[]} legs @param {object} [over] */
const reasonsOf = (legs, over) =>
  trusted(legs, over).reasons.map(({ code, level, text }) => `${level} ${code}: ${text}`);

describe('the trust in a run', () => {
  it('is good where nobody disturbed it, and says so', () => {
    const trust = trusted([busyLeg(0.1, clientPart(0.03))]);
    assert.equal(trust.verdict, 'good');
    assert.equal(trustText(trust), 'Trust: good. Other programs used 0.1 of the 2 cores; Broadside caused 3 % of p99.');
  });

  it('is not of the speed of a closed loop, where other programs used half of the cores', () => {
    const verdictOf = (/** @type {any[]} */ legs, over = {}) => {
      const { verdict, title } = trusted(legs, over);
      return `${verdict} ${title}`;
    };
    assert.equal(verdictOf([busyLeg(1.5)]), 'none Trust: none for speed.');
    assert.equal(verdictOf([busyLeg(0.5)]), 'care Trust: with care.');
    assert.equal(verdictOf([busyLeg(1.5)], OPEN), 'care Trust: with care.');
    assert.equal(
      verdictOf([busyLeg(1.5, {}, { heldOnly: true })], { config: { workload: 'hold' } }),
      'care Trust: with care.',
    );
  });

  it('is of the CPU alone, where that ranks the servers of a busy machine', () => {
    const busy = { machine: { busyCores: 2, cores: 2 } };
    const taking = (/** @type {string} */ name, /** @type {number[]} */ rates, /** @type {number} */ cost) =>
      varying(name, rates, [cost, cost, cost, cost]).map((leg) => ({
        ...{ ...leg, ...busy },
        steady: { ...leg.steady, fromNs: 0, toNs: 10e9, client: { cpuSeconds: 1 } },
      }));
    const legs = [...taking('a', FAST, 9000), ...taking('b', SLOW, 16_000)];
    assert.equal(trusted(legs).title, 'Trust: rank by CPU only.');
    const [reason] = reasonsOf(legs);
    assert.match(reason, /^none other-programs: other programs used 1\.\d+ of the 2 cores$/);
  });

  it('counts all servers that took turns as users of the machine', () => {
    const turns = (/** @type {string} */ name, of = 2) =>
      busyLeg(
        1.1,
        {},
        { name, id: name, slices: { group: 1, of, lengthNs: 1e9, turnNs: 20e9, blocks: { perSecond: [1] } } },
      );
    assert.equal(reasonsOf([turns('a'), turns('b')])[0], 'care other-programs: other programs used 0.6 of the 2 cores');
    assert.equal(trustOf(runOf([turns('a', 3), turns('b', 3)]))?.reasons.length ?? 0, 0, 'the third is not known');
  });

  it('has server and other programs together, where the CPU time of a server is not known', () => {
    const target = (/** @type {number} */ cores) => reasonsOf([busyLeg(cores, { server: undefined })]);
    assert.deepEqual(target(1.4), [
      'care other-programs: server and other programs used 1.6 of the 2 cores',
      "note server-cpu: the server's CPU was not measured (--serverPid)",
    ]);
    assert.match(target(0.5).join(), /^note server-cpu: .*good other-programs: server and other programs used 0\.7/);
    assert.equal(trusted([busyLeg(0.5, { server: undefined })]).verdict, 'good');
  });

  it("has the client's share of the response time, over all legs, which an open loop is measured for", () => {
    const legs = [
      busyLeg(0, clientPart(0.18)),
      busyLeg(0, clientPart(0.91), { name: 'b', id: '1-b', findings: [p99Found] }),
    ];
    assert.equal(reasonsOf(legs)[0], 'care client-share: Broadside caused 18 to 91 % of p99');
    assert.equal(trusted(legs, OPEN).title, 'Trust: none for response times.');
    const median = findingOf('client-delay', { parts: [{ percentile: 'p50' }] });
    const ofMedian = [busyLeg(0, clientPart(0.001, 0.66), { findings: [median] })];
    assert.equal(reasonsOf(ofMedian, OPEN)[0], 'care client-share: Broadside caused 66 % of p50');
  });

  it('has whether requests were sent when they were due, unless they waited for a connection', () => {
    const sent = { arrivals: { distribution: 'constant', gaps: 1000, distance: 0, delayNs: 0 } };
    const late = (/** @type {number} */ lateShare) => ({
      findings: [findingOf('arrivals-distorted', { delayNs: 1.4e6, lateShare })],
    });
    assert.ok(reasonsOf([busyLeg(0, sent)], OPEN).includes('good schedule: requests were sent on schedule'));
    assert.equal(
      reasonsOf([busyLeg(0, sent, late(0.004))], OPEN)[0],
      'care schedule: requests were sent 1.4 ms late on average',
    );
    assert.ok(
      !reasonsOf([busyLeg(0, sent, late(0.17))], OPEN)
        .join()
        .includes('schedule'),
    );
  });

  it('has slices that are too few or too short, a client that was the limit, a loop that did not loop', () => {
    const turns = (/** @type {number} */ slices) =>
      [...varying('a', FAST), ...varying('b', SLOW)].map((leg) => ({
        ...leg,
        slices: { lengthNs: 3e9, turnNs: 3e9 * slices, blocks: { perSecond: [1] } },
      }));
    const few = trusted(turns(1));
    assert.deepEqual([few.verdict, few.title], ['none', 'Trust: none for a ranking.']);
    assert.match(few.reasons[0].text, /^a comparison needs 10 slices of each server, and one had 4$/);
    const codeOf = (/** @type {string} */ code, /** @type {object} */ data) =>
      trusted([busyLeg(0, {}, { findings: [findingOf(code, data)] })]).reasons[0].code;
    assert.equal(codeOf('slices-short', { share: 0.02 }), 'slices-short');
    assert.equal(codeOf('slices-apart', { errorNs: 1e6 }), 'slices-apart');
    assert.equal(codeOf('few-in-flight', { why: 'client', inFlight: 10, connections: 100 }), 'few-in-flight');
    assert.equal(codeOf('few-in-flight', { why: 'lost', inFlight: 10, connections: 100 }), 'other-programs');
    assert.equal(trusted([busyLeg(0, {}, { limitedBy: 'client' })]).reasons[0].code, 'client-limit');
  });

  it('has at most four reasons; is of no run without figures, and none where the server ended', () => {
    const all = busyLeg(
      1.5,
      { ...clientPart(0.9), server: undefined },
      {
        limitedBy: 'client',
        findings: [
          ...[p99Found, findingOf('slices-short', { share: 0.02 })],
          findingOf('few-in-flight', { why: 'client', inFlight: 10, connections: 100 }),
        ],
      },
    );
    assert.equal(trusted([all]).reasons.length, 4);
    assert.equal(trustOf(runOf([])), undefined);
    const ended = { code: 'server-ended', data: { signal: null, exitCode: 1 }, text: '' };
    assert.deepEqual(reasonsOf([busyLeg(0, {}, { warnings: [ended] })]), [
      'none server-ended: the figures include the time after the server had ended',
    ]);
  });

  it('is a line of console, page and Markdown, and what it says is not listed below', () => {
    const busy = { code: 'background-load', severity: 'caution', data: { cores: 1.5, of: 2 }, text: '<busy>' };
    const leg = busyLeg(1.5, clientPart(0.9), {
      findings: [p99Found, findingOf('drift', { change: 0.2 })],
      warnings: [busy],
    });
    const summary = runOf([leg]);
    const line = 'Trust: none for speed. Other programs used 1.5 of the 2 cores; Broadside caused 90 % of p99.';
    const marked = (/** @type {any} */ tone, /** @type {string} */ text) => `[${tone}] ${text}`;
    assert.equal(answerLines(summary, Infinity, marked)?.split('\n').at(-1), `[red] ${line}`);
    const listed = (/** @type {boolean} */ isOfAll) =>
      findingLines(summary, Infinity, (_tone, text) => text, isOfAll).filter((text) => text.startsWith('!'));
    assert.deepEqual(listed(false), ['! a: <drift>.']);
    assert.equal(listed(true).length, 3);
    assert.ok(runMarkdown(summary).includes(`🔴 ${line}`));
    const run = /** @type {any} */ ({ summary, plan: null, unreadable: [] });
    const page = String(cautions(run, [], /** @type {any} */ ({ charts: [] })));
    const shown = page.slice(page.indexOf('<summary>'), page.indexOf('<span class="more"'));
    assert.match(textOf(shown), /^Trust: none for speed\. Other programs used 1\.5 .* Broadside caused 90 % of p99\.$/);
    assert.deepEqual(attributesOf(shown, 'data-level'), ['none', 'none', 'care'], 'the verdict first');
  });
});
