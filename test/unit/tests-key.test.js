// Key `tests`: legs of one scenario that differ in payload, ramp and the like: resolved, planned, grouped on the page.

import assert from 'node:assert/strict';
import { UsageError } from '../../client/errors.js';
import { plan } from '../../client/plan/plan.js';
import { settingsOf } from '../../client/measure/leg-settings.js';
import { loadTexts } from '../../client/words/load.js';
import { resolveScenario } from '../../client/scenario/scenario.js';
import { grouped } from '../../report/model/leg-order.js';
import { host } from '../fixtures/hosts.js';
import { madeUpLeg } from '../fixtures/page-legs.js';

const common = { servers: ['select', 'epoll'], connections: 100, ramp: { add: 50, every: '1s' }, duration: '5s' };
const tests = [
  { as: 'small', payload: '1B' },
  { as: 'long', connections: 400, ramp: { every: '2s' } },
];

/** @param {Record<string, unknown>} content @param {Record<string, unknown>} [flags] */
const resolved = (content, flags) =>
  resolveScenario({ name: 'test', content: { ...common, ...content } }, /** @type {any} */ (flags));

/** @param {Record<string, unknown>} content @param {Record<string, unknown>} [flags] @returns {[string, string][]} */
function refusedBecause(content, flags) {
  /** @type {[string, string][]} */
  let found = [];
  assert.throws(
    () => resolved(content, flags),
    (error) => {
      assert.ok(error instanceof UsageError, String(error));
      const { mistakes } = /** @type {any} */ (error.data);
      found = mistakes.map((/** @type {any} */ one) => [one.code, one.text.split(': ')[0]]);
      return true;
    },
  );
  return found;
}

describe('tests of a scenario', () => {
  it('differ in the keys they give; nested keys keep the rest of their object', () => {
    const scenario = resolved({ tests });
    assert.deepEqual(scenario.tests, [
      { as: 'small', given: { payload: '1B' }, settings: { connections: 100, payloadBytes: 1 } },
      {
        as: 'long',
        given: { connections: 400, 'ramp.every': '2s' },
        settings: { ramp: { add: 50, everyNs: 2e9, spread: false } },
      },
    ]);
    assert.equal(scenario.connections, 400, 'the most of any leg');
    const long = settingsOf(scenario, scenario.tests?.[1] ?? null);
    assert.deepEqual([long.payloadBytes, long.connections, long.durationNs], [1024, 400, 5e9]);
  });

  it('that carry no payload leave out the one of the scenario, unless none carries any', () => {
    const content = {
      protocol: 'redis',
      payload: '3B',
      tests: ['PING', 'SET', 'LPOP'].map((command) => ({ as: command, redis: { command } })),
    };
    const scenario = resolved(content);
    assert.deepEqual(
      scenario.tests?.map((test) => [settingsOf(scenario, test).payloadBytes, test.settings.protocolOptions?.command]),
      [
        [0, 'PING'],
        [3, 'SET'],
        [3, 'LPOP'],
      ],
    );
    const none = { ...content, tests: content.tests.slice(0, 1) };
    assert.deepEqual(refusedBecause(none), [['payload-not-sent', '--payload']]);
    const own = { ...content, tests: [{ as: 'p', payload: '3B', redis: { command: 'PING' } }, ...content.tests] };
    assert.deepEqual(refusedBecause(own), [['payload-not-sent', '--tests[0].payload']]);
  });

  it('leave out what the scenario gives for all and their command does not use', () => {
    const list = ['PING', 'GET', 'LPOP'].map((command) => ({ as: command, redis: { command } }));
    const content = { protocol: 'redis', tests: list, redis: { keys: 7, elements: 8 } };
    const scenario = resolved(content);
    const given = scenario.tests?.map((test) => {
      const { keys, elements } = settingsOf(scenario, test).protocolOptions;
      return [keys, elements];
    });
    assert.deepEqual(given, [
      [10_000, 100_000],
      [7, 100_000],
      [10_000, 8],
    ]);
    const unused = { ...content, tests: list.slice(0, 2) };
    assert.deepEqual(
      refusedBecause(unused).map(([code]) => code),
      ['key-not-for-command'],
    );
  });

  it('give the connections where the scenario has none', () => {
    const { connections: _, ...rest } = common;
    const content = {
      ...rest,
      tests: [
        { as: 'a', connections: 5 },
        { as: 'b', connections: [{ connections: 9, for: '1s' }] },
      ],
    };
    assert.equal(resolveScenario({ content }).connections, 9);
    const lacking = (/** @type {number} */ connections) =>
      resolveScenario({
        content: {
          ...rest,
          tests: [
            { as: 'a', connections },
            { as: 'b', payload: '1B' },
          ],
        },
      });
    assert.deepEqual(
      [5, 400].map((connections) => lacking(connections).connections),
      [100, 400],
      '100 by default',
    );
  });

  it('are all subject to a flag, and are chosen by --tests', () => {
    const scenario = resolved({ tests }, { connections: 10, tests: 'long' });
    assert.deepEqual(
      scenario.tests?.map(({ as, given }) => [as, given]),
      [['long', { 'ramp.every': '2s' }]],
    );
    assert.equal(scenario.connections, 10);
    assert.deepEqual(
      resolved({}, { tests }).tests?.map(({ as }) => as),
      ['small', 'long'],
    );
  });

  it('make a leg with each server, test after test, with its own settings and times', () => {
    const planned = plan(resolved({ tests, interleave: 'off' }), host);
    assert.deepEqual(
      planned.legs.map(({ id, label, series, axes, connections, rampToNs }) => [
        id,
        label,
        series,
        axes,
        connections,
        rampToNs,
      ]),
      [
        ['01-select-small', 'select, small', 'select', { test: 'small' }, 100, 2e9],
        ['02-epoll-small', 'epoll, small', 'epoll', { test: 'small' }, 100, 2e9],
        ['03-select-long', 'select, long', 'select', { test: 'long' }, 400, 16e9],
        ['04-epoll-long', 'epoll, long', 'epoll', { test: 'long' }, 400, 16e9],
      ],
    );
    assert.deepEqual(planned.legs[1].settings, { connections: 100, payloadBytes: 1 });
    assert.equal(planned.payloadBytes, undefined, 'not the same of all');
    assert.equal(planned.connections, 400);
    assert.equal(planned.expected.seconds, 2 * (2 + 5 + 10) + 2 * (16 + 5 + 10));
    assert.deepEqual(loadTexts(resolved({ tests })), ['2 tests', 'up to 400 connections', 'continuous', 'echo']);
  });

  it('are refused where this machine cannot do one of them, with its name', () => {
    const scenario = resolved({ tests: [...tests, { as: 'huge', connections: 900_000 }] });
    assert.throws(
      () => plan(scenario, { ...host, ports: 28_000, portsTaken: 0, descriptors: 1000 }),
      (/** @type {any} */ error) => error.data.test === 'huge',
    );
    const forced = plan(resolved({ tests: [...tests, { as: 'huge', connections: 900_000 }], force: true }), host);
    const [huge] = forced.legs.filter(({ axes }) => axes.test === 'huge');
    assert.ok(huge.connections < 900_000 && huge.settings?.connections === huge.connections);
    assert.equal(forced.legs[0].connections, 100);
  });

  it('are the groups of the page, in the order of the run', () => {
    const legs = ['small', 'long'].flatMap((test) =>
      ['select', 'epoll'].map((series, i) =>
        madeUpLeg({
          summary: { series, axes: { test } },
          figures: { perSecond: i },
          other: { label: `${series}, ${test}` },
        }),
      ),
    );
    assert.deepEqual(
      grouped(legs).map(({ name, results }) => [name, results.map(({ label }) => label)]),
      [
        ['small', ['epoll, small', 'select, small']],
        ['long', ['epoll, long', 'select, long']],
      ],
    );
  });
});
