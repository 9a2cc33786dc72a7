// A sweep over any axes: its points, what each of them changes, what is refused, and how axes become words and numbers.

import assert from 'node:assert/strict';
import { plan } from '../../client/plan/plan.js';
import { arrangeAxes, axesText, lineName, numericAxis } from '../../client/words/axes.js';
import { settingsOf } from '../../client/measure/leg-settings.js';
import { flagsOf, scenarioOptions } from '../../client/scenario/flags.js';
import { axisKeys } from '../../client/scenario/keys/sweep.js';
import { resolveScenario } from '../../client/scenario/scenario.js';
import { host, known } from '../fixtures/hosts.js';

const common = { servers: ['epoll', 'select'], connections: 10, ramp: { every: '1s' }, duration: '10s', starts: 1 };

/** @param {Record<string, unknown>} content @param {Record<string, unknown>} [argv] */
const resolved = (content, argv = {}) =>
  resolveScenario({ name: 'swept', content: { ...common, ...content } }, flagsOf(argv));

/** @param {import('../../client/scenario/scenario.js').Scenario} scenario */
const legsOf = (scenario) => {
  const planned = plan(scenario, host, known);
  return planned.legs.map((leg) => ({ ...leg, scenario: settingsOf(scenario, leg) }));
};

describe('the axes of a sweep', () => {
  it('are crossed, the last one varies fastest, and each point has its own settings', () => {
    const scenario = resolved({ sweep: { payload: ['1B', '1KiB'], pipeline: [1, 16] } });
    const legs = legsOf(scenario);
    assert.deepEqual(
      legs.map(({ label, series, axes, scenario: own }) => [label, series, axes, own.payloadBytes, own.pipeline]),
      /** @type {const} */ ([
        ['1B', 1, 1],
        ['1B', 16, 1],
        ['1KiB', 1, 1024],
        ['1KiB', 16, 1024],
      ]).flatMap(([payload, pipeline, bytes]) =>
        ['epoll', 'select'].map((name) => [
          `${name}, payload ${payload}, pipeline ${pipeline}`,
          name,
          { payload, pipeline },
          bytes,
          pipeline,
        ]),
      ),
    );
    assert.equal(new Set(legs.map((leg) => leg.case)).size, 8);
    assert.deepEqual(
      legs.map(({ connections }) => connections),
      legs.map(() => 10),
    );
  });

  it('size each leg for itself: workers, ramp and times', () => {
    const legs = legsOf(
      resolved({
        servers: ['epoll'],
        connections: undefined,
        ramp: undefined,
        sweep: { connections: [1, 5000], 'ramp.every': ['1s', '2s'] },
      }),
    );
    assert.deepEqual(
      legs.map(({ connections, workers, rampToNs, endNs }) => [connections, workers, rampToNs, endNs]),
      [
        [1, 1, 1e9, 21e9],
        [1, 1, 2e9, 22e9],
        [5000, 2, 5e9, 25e9],
        [5000, 2, 10e9, 30e9],
      ],
    );
  });

  it('reach the server and the client: instances, CPUs, workers, sockets, rates', () => {
    const pinned = legsOf(resolved({ sweep: { 'pin.server': ['0', '0-1'], instances: [1, 2] } }));
    assert.deepEqual(
      pinned.map(({ instances = 1, pin }) => [instances, pin.server]),
      [
        [1, '0'],
        [1, '0'],
        [2, '0'],
        [2, '0'],
        [1, '0-1'],
        [1, '0-1'],
        [2, '0-1'],
        [2, '0-1'],
      ],
    );
    const single = { servers: ['epoll'] };
    assert.deepEqual(
      legsOf(resolved({ ...single, sweep: { workers: [1, 2] } })).map(({ workers }) => workers),
      [1, 2],
    );
    assert.deepEqual(
      legsOf(resolved({ ...single, sweep: { 'socket.nodelay': [true, false] } })).map(
        ({ scenario }) => scenario.socket.nodelay,
      ),
      [true, false],
    );
    const open = resolved({ ...single, sweep: { rate: ['10/s', '1000/s'] } });
    assert.deepEqual(
      legsOf(open).map(({ rates, scenario }) => [rates?.[0].rate, scenario.rate]),
      [
        [10, 10],
        [1000, 1000],
      ],
    );
    const commands = { protocol: 'redis', sweep: { 'redis.command': ['GET', 'SET'] } };
    assert.deepEqual(
      resolved(commands).points?.map((point) => settingsOf(resolved(commands), point).protocolOptions.command),
      ['GET', 'SET'],
    );
    const own = resolved({ servers: undefined, command: './mine --port {port}', sweep: { instances: [2, 1] } });
    assert.deepEqual(
      plan(own, host).legs.map(({ instances = 1 }) => instances),
      [2, 1],
    );
  });

  it('include the servers, which are no axis of a leg', () => {
    const scenario = resolved({
      servers: undefined,
      sweep: { servers: ['epoll', 'select'], connections: [1, 2] },
      connections: undefined,
    });
    assert.deepEqual(
      legsOf(scenario).map(({ label, axes }) => [label, axes]),
      [1, 2].flatMap((connections) =>
        ['epoll', 'select'].map((name) => [
          `${name}, ${connections} connection${connections === 1 ? '' : 's'}`,
          { connections },
        ]),
      ),
    );
    const alone = resolved({ servers: undefined, sweep: { servers: ['epoll'] } });
    assert.deepEqual([alone.sweep, alone.points, alone.servers?.length], [null, null, 1]);
  });

  it('are crossed with tests', () => {
    const tests = [
      { as: 'small', payload: '1B' },
      { as: 'large', payload: '64KiB', duration: '2s' },
    ];
    const scenario = resolved({ servers: ['epoll'], tests, sweep: { pipeline: [1, 2] } });
    assert.deepEqual(
      legsOf(scenario).map(({ label, axes, scenario: own }) => [label, axes, own.payloadBytes, own.durationNs]),
      [
        ['epoll, small, pipeline 1', { test: 'small', pipeline: 1 }, 1, 10e9],
        ['epoll, small, pipeline 2', { test: 'small', pipeline: 2 }, 1, 10e9],
        ['epoll, large, pipeline 1', { test: 'large', pipeline: 1 }, 65_536, 2e9],
        ['epoll, large, pipeline 2', { test: 'large', pipeline: 2 }, 65_536, 2e9],
      ],
    );
    assert.deepEqual(
      scenario.tests?.map(({ as, given }) => [as, given]),
      [
        ['small', { payload: '1B' }],
        ['large', { payload: '64KiB', duration: '2s' }],
      ],
    );
  });

  it('are flags too, which replace the key, and which the key as a flag replaces', () => {
    const swept = resolved({ payload: '3B' }, { 'sweep.payload': '1B, 1KiB', 'sweep.socket.nodelay': 'true,false' });
    assert.deepEqual(swept.sweep, { payload: ['1B', '1KiB'], 'socket.nodelay': [true, false] });
    const plain = resolved({ sweep: { payload: ['1B', '1KiB'], pipeline: [1, 2] } }, { payload: '5B' });
    assert.deepEqual([plain.sweep, plain.payloadBytes], [{ pipeline: [1, 2] }, 5]);
    assert.equal(resolved({ sweep: { payload: ['1B', '2B'] } }, { payload: '5B' }).sweep, null);
    const target = resolved(
      { servers: undefined, sweep: { servers: ['epoll'], pipeline: [1, 2] } },
      { target: '127.0.0.1:7000' },
    );
    assert.deepEqual([target.servers, target.target?.port], [undefined, 7000]);
    const servers = resolved({ servers: undefined, target: '127.0.0.1:1' }, { 'sweep.servers': 'epoll,go/*' });
    assert.deepEqual([servers.servers?.length, servers.target], [2, undefined]);
    const options = scenarioOptions();
    for (const key of axisKeys) assert.ok(options[`sweep.${key}`], key);
  });

  it('that the client cannot do are refused with their values', () => {
    const scenario = resolved({ connections: undefined, sweep: { pipeline: [1, 2], connections: [10, 900_000] } });
    assert.throws(
      () => plan(scenario, { ...host, descriptors: 1000 }, known),
      (/** @type {any} */ error) =>
        error.code === 'ELIMIT' && error.data.axes.connections === 900_000 && error.data.axes.pipeline === 1,
    );
  });
});

describe('CPUs as an axis', () => {
  const content = { sweep: { connections: [1, 2], 'pin.server': ['0', '0-1'] }, pin: { client: '1' } };

  it('give way to a number of cores for each side, and the other way round', () => {
    const cores = resolved({ ...content, connections: undefined }, { 'sweep.pin.cores': '1:1' });
    assert.deepEqual(cores.sweep, { connections: [1, 2], 'pin.cores': ['1:1'] });
    assert.deepEqual([cores.pin.client, cores.pin.server], [null, null]);
    const fixed = resolved({ ...content, connections: undefined }, { 'pin.cores': '1:1' });
    assert.deepEqual([fixed.sweep, fixed.pin.cores], [{ connections: [1, 2] }, { server: 1, client: 1 }]);
    const swept = { connections: 10, sweep: { 'pin.cores': ['1:1'] } };
    assert.deepEqual(resolved(swept, { 'sweep.pin.server': '0,1' }).sweep, { 'pin.server': ['0', '1'] });
    assert.deepEqual(
      [resolved(swept, { 'pin.client': '0' })].map(({ sweep, pin }) => [sweep, pin.client]),
      [[null, '0']],
    );
  });
});

describe('axes as words and numbers', () => {
  it('name connections and the like, and other keys by their name', () => {
    assert.equal(
      axesText({ test: 'small', connections: 1, instances: 2, payload: '1KiB', 'redis.command': 'GET', pipeline: 16 }),
      'small, 1 connection, 2 instances, payload 1KiB, redis.command GET, pipeline 16',
    );
    const leg = { label: 'epoll, 1 connection, payload 1B', series: 'epoll', axes: { connections: 1, payload: '1B' } };
    assert.equal(lineName(leg, ['payload']), 'epoll, payload 1B');
    assert.equal(
      axesText({ 'pin.server': '0-1', 'pin.client': '2' }),
      'server on CPUs 0-1, client on CPU 2',
      'of CPUs the side that runs there',
    );
  });

  it('are numbers where all values are of one kind', () => {
    /** @param {string} key @param {unknown[]} values */
    const numbers = (key, values) => {
      const axis = numericAxis(key, values);
      return axis && [axis.unit, ...values.map(axis.of)];
    };
    assert.deepEqual(numbers('payload', ['1B', '1KiB']), ['bytes', 1, 1024]);
    assert.deepEqual(numbers('rate', ['10/s', '1000/s']), ['perSecond', 10, 1000]);
    assert.deepEqual(numbers('pause', ['0s', '1ms']), ['ns', 0, 1e6]);
    assert.deepEqual(numbers('pin.cores', ['1:2', '4:2']), ['cores', 1, 4]);
    assert.equal(numbers('pin.cores', ['1:2', '1:4']), null);
    assert.deepEqual(numbers('pin.server', ['0', '0-1', '0-2,5']), ['cores', 1, 2, 4]);
    assert.equal(numbers('pin.server', ['0', '1']), null, 'as many cores each');
    assert.equal(numbers('pin.server', ['0', 'each']), null);
    assert.equal(numbers('workers', ['auto', 2]), null);
    assert.equal(numbers('redis.command', ['GET', 'SET']), null);
    assert.equal(numbers('test', ['1B', '1KiB']), null);
  });

  it('are arranged: the numeric one with the most values first', () => {
    const legs = (/** @type {Record<string, unknown[]>} */ axes) =>
      Object.entries(axes).reduce(
        (all, [key, values]) => all.flatMap((one) => values.map((value) => ({ ...one, [key]: value }))),
        /** @type {Record<string, unknown>[]} */ ([{}]),
      );
    assert.deepEqual(arrangeAxes(legs({ 'redis.command': ['A', 'B', 'C'], connections: [1, 2] })), {
      main: 'connections',
      others: ['redis.command'],
    });
    assert.deepEqual(arrangeAxes(legs({ payload: ['1B', '1KiB'], connections: [1, 2] })).main, 'connections');
    assert.deepEqual(arrangeAxes(legs({ payload: ['1B', '1KiB', '2KiB'], connections: [1, 2] })).main, 'payload');
    assert.deepEqual(arrangeAxes(legs({ test: ['a', 'b'], pipeline: [4] })).main, 'test');
    assert.equal(arrangeAxes([{}]).main, null);
  });
});
