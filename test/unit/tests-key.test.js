// Key `tests`: legs of one scenario that differ in payload, ramp and the like: resolved, and planned.

import assert from 'node:assert/strict';
import { plan } from '../../client/plan/plan.js';
import { damageOf } from '../../client/measure/run-documents.js';
import {
  asPlanned,
  commonOf,
  readPlan,
  readScenario,
  storedPlan,
  storedScenario,
} from '../../client/measure/settings.js';
import { resolveScenario } from '../../client/scenario/scenario.js';
import { loadTexts } from '../../client/scenario/load-text.js';
import { refusalOf } from '../fixtures/codes.js';
import { host } from '../fixtures/hosts.js';

const common = { servers: ['select', 'epoll'], connections: 100, ramp: { add: 50, every: '1s' }, duration: '5s' };
const tests = [
  { as: 'small', payload: '1B' },
  { as: 'long', connections: 400, ramp: { every: '2s' } },
];

/** @param {Record<string, unknown>} content @param {Record<string, unknown>} [flags] */
const resolved = (content, flags) =>
  resolveScenario({ name: 'test', content: { ...common, ...content } }, /** @type {any} */ (flags));

/** @param {Record<string, unknown>} content @param {string[]} codes */
const assertRefused = async (content, codes) => assert.deepEqual(await refusalOf(() => resolved(content)), codes);

describe('tests of a scenario', () => {
  it('differ in the keys they give; nested keys keep the rest of their object', () => {
    const scenario = resolved({ tests });
    assert.deepEqual(scenario.tests, [
      { as: 'small', given: { payload: '1B' } },
      { as: 'long', given: { connections: 400, 'ramp.every': '2s' } },
    ]);
    assert.equal(scenario.connections, 400, 'the most of any leg');
    const [small, long] = (scenario.points ?? []).map(({ settings }) => settings);
    assert.deepEqual([small.payloadBytes, small.connections, small.ramp.everyNs], [1, 100, 1e9]);
    assert.deepEqual([long.payloadBytes, long.connections, long.durationNs], [1024, 400, 5e9]);
    assert.deepEqual(long.ramp, { add: 50, everyNs: 2e9, spread: false });
  });

  it('are stored as what differs, and read as they were', () => {
    const scenario = resolved({ tests, sweep: { instances: [1, 2] } });
    const stored = JSON.parse(JSON.stringify(storedScenario(scenario)));
    assert.deepEqual(
      stored.points.map((/** @type {any} */ { settings }) => Object.keys(settings).sort()),
      [['connections'], ['connections', 'servers'], ['payloadBytes', 'ramp'], ['payloadBytes', 'ramp', 'servers']],
    );
    assert.deepEqual(readScenario(stored), scenario);
    const planned = plan(scenario, host);
    const ofPlan = JSON.parse(JSON.stringify(storedPlan(planned, scenario)));
    assert.equal(ofPlan.settings.length, 4);
    assert.deepEqual(readPlan(ofPlan, stored), JSON.parse(JSON.stringify(planned)));
    assert.equal(damageOf('plan', ofPlan), null);
    ofPlan.settings.pop();
    assert.match(String(damageOf('plan', ofPlan)), /^legs\/\d+\/settings must be < 3$/);
  });

  it('have what they are planned with, in place of what was asked for', () => {
    const asked = { force: true, sources: ['127.0.0.1'], connections: 70_000 };
    const fewer = 26_820;
    for (const over of [
      {
        tests: [
          { as: 'a', pipeline: 2 },
          { as: 'b', pipeline: 4 },
        ],
      },
      { sweep: { pipeline: [2, 4] } },
    ]) {
      const scenario = resolved({ ...asked, ...over });
      const planned = plan(scenario, host);
      assert.equal(planned.connections, fewer);
      assert.equal(commonOf(asPlanned(scenario, planned)).connections, fewer);
    }
    const scenario = resolved({ ...asked, connections: undefined, sweep: { connections: [10, 70_000, 90_000] } });
    const [text] = loadTexts(asPlanned(scenario, plan(scenario, host)));
    assert.equal(text, '10, 26,820 connections in turn');
  });

  it('that carry no payload leave out the one of the scenario, unless none carries any', async () => {
    const list = ['PING', 'SET', 'LPOP'].map((command) => ({ as: command, redis: { command } }));
    const content = { protocol: 'redis', payload: '3B', tests: list };
    const scenario = resolved(content);
    assert.deepEqual(
      scenario.points?.map(({ settings }) => settings.payloadBytes),
      [0, 3, 3],
    );
    await assertRefused({ ...content, tests: list.slice(0, 1) }, ['payload payload-not-sent']);
    const withPayload = [{ as: 'p', payload: '3B', redis: { command: 'PING' } }, ...list];
    await assertRefused({ ...content, tests: withPayload }, ['payload payload-not-sent']);
  });

  it('leave out what the scenario gives for all and their command does not use', async () => {
    const list = ['PING', 'GET', 'LPOP'].map((command) => ({ as: command, redis: { command } }));
    const content = { protocol: 'redis', tests: list, redis: { keys: 7, elements: 8 } };
    const scenario = resolved(content);
    const given = scenario.points?.map(({ settings }) => {
      const { keys, elements } = settings.protocolOptions;
      return `${keys} ${elements}`;
    });
    assert.deepEqual(given, ['10000 100000', '7 100000', '10000 8']);
    await assertRefused({ ...content, tests: list.slice(0, 2) }, ['redis.elements key-not-for-command']);
  });

  it('give the connections where the scenario has none, of which one without has 50', () => {
    const { connections: _, ...rest } = common;
    const profile = [{ connections: 9, for: '1s' }];
    for (const [first, second, connections] of /** @type {[object, object, number][]} */ ([
      [{ connections: 5 }, { connections: profile }, 9],
      [{ connections: 5 }, { payload: '1B' }, 50],
      [{ connections: 400 }, { payload: '1B' }, 400],
    ])) {
      const pair = [first, second].map((test, i) => ({ as: `${i}`, ...test }));
      assert.equal(resolveScenario({ content: { ...rest, tests: pair } }).connections, connections);
    }
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
      planned.legs.map(({ label, axes, connections, rampToNs }) => [label, axes.test, connections, rampToNs / 1e9]),
      [
        ['select, small', 'small', 100, 2],
        ['epoll, small', 'small', 100, 2],
        ['select, long', 'long', 400, 16],
        ['epoll, long', 'long', 400, 16],
      ],
    );
    assert.deepEqual([planned.legs[1].settings.connections, planned.legs[1].settings.payloadBytes], [100, 1]);
    assert.equal(planned.payloadBytes, undefined, 'not the same of all');
    assert.equal(planned.connections, 400);
    assert.equal(planned.expected.seconds, 2 * (2 + 5 + 10) + 2 * (16 + 5 + 10));
  });

  it('are refused where this machine cannot do one of them, with its name', () => {
    const scenario = resolved({ tests: [...tests, { as: 'huge', connections: 900_000 }] });
    const isNamed = (/** @type {any} */ error) => error.data.test === 'huge';
    assert.throws(() => plan(scenario, { ...host, descriptors: 1000 }), isNamed);
  });
});
