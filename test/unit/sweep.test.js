// A sweep over any axes: its points, what each of them changes, each worker's share of a leg, and how axes become words
// and numbers.

import assert from 'node:assert/strict';
import { plan } from '../../client/plan/plan.js';
import { slotsOf, transfersOf } from '../../client/measure/schedule.js';
import { assign } from '../../client/run/cluster/assignment.js';
import { arrangeAxes, axesText, numericAxis } from '../../client/words/axes.js';
import { flagsOf, scenarioOptions } from '../../client/scenario/flags.js';
import { axisKeys } from '../../client/scenario/keys/sweep.js';
import { resolveScenario } from '../../client/scenario/scenario.js';
import { host, known } from '../fixtures/hosts.js';

/** @import { Scenario } from '../../client/scenario/scenario.js' */

const common = { servers: ['epoll', 'select'], connections: 10, ramp: { every: '1s' }, duration: '10s', starts: 1 };

/** @param {Record<string, unknown>} content @param {Record<string, unknown>} [argv] */
const resolved = (content, argv = {}) =>
  resolveScenario({ name: 'swept', content: { ...common, ...content } }, flagsOf(argv));

/** @param {Scenario} scenario */
const legsOf = (scenario) => plan(scenario, host, known).legs;

describe('the axes of a sweep', () => {
  it('are crossed, the last one varies fastest, and each point has its own settings', () => {
    const scenario = resolved({ sweep: { payload: ['1B', '1KiB'], pipeline: [1, 16] } });
    const legs = legsOf(scenario);
    assert.deepEqual(
      legs.map(({ label, series, axes, settings: settingsOfLeg }) => [
        label,
        series,
        axes,
        settingsOfLeg.payloadBytes,
        settingsOfLeg.pipeline,
      ]),
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
  });

  it('size each leg for itself: workers, ramp and times', () => {
    const sweep = { connections: [1, 5000], 'ramp.every': ['1s', '2s'] };
    const legs = legsOf(resolved({ servers: ['epoll'], connections: undefined, ramp: undefined, sweep }));
    assert.deepEqual(
      legs.map((leg) => [leg.connections, leg.workers, leg.rampToNs / 1e9, leg.endNs / 1e9].join()),
      ['1,1,1,21', '1,1,2,22', '5000,2,5,25', '5000,2,10,30'],
    );
  });

  it('reach the server and the client: instances, CPUs, workers, sockets, rates, commands', () => {
    /** @param {Record<string, unknown>} content @param {(leg: any) => unknown} of @returns {unknown[]} of each leg */
    const values = (content, of) => legsOf(resolved({ servers: ['epoll'], ...content })).map(of);
    assert.deepEqual(
      values(
        { sweep: { 'pin.server': ['0', '0-1'], instances: [1, 2] } },
        ({ instances = 1, pin }) => `${instances} ${pin.server}`,
      ),
      ['1 0', '2 0', '1 0-1', '2 0-1'],
    );
    for (const [
      key,
      given,
      of,
      expected = given,
    ] of /** @type {[string, unknown[], (leg: any) => unknown, unknown[]?][]} */ ([
      ['workers', [1, 2], ({ workers }) => workers],
      ['socket.nodelay', [true, false], ({ settings }) => settings.socket.nodelay],
      ['rate', ['10/s', '1000/s'], ({ settings }) => settings.rate, [10, 1000]],
      ['rate', ['10/s', '1000/s'], ({ rates }) => rates[0].rate, [10, 1000]],
    ])) {
      assert.deepEqual(values({ sweep: { [key]: given } }, of), expected, key);
    }
    const redis = resolved({ protocol: 'redis', sweep: { 'redis.command': ['GET', 'SET'] } });
    assert.deepEqual(
      redis.points?.map((point) => point.settings.protocolOptions.command),
      ['GET', 'SET'],
    );
    const scenario = resolved({ servers: undefined, command: './mine --port {port}', sweep: { instances: [2, 1] } });
    assert.deepEqual(
      plan(scenario, host).legs.map(({ instances = 1 }) => instances),
      [2, 1],
    );
  });

  it('include the servers, which are no axis of a leg', () => {
    const sweep = { servers: ['epoll', 'select'], connections: [1, 2] };
    assert.deepEqual(
      legsOf(resolved({ servers: undefined, sweep, connections: undefined })).map(({ label }) => label),
      ['epoll, 1 connection', 'select, 1 connection', 'epoll, 2 connections', 'select, 2 connections'],
    );
    const alone = resolved({ servers: undefined, sweep: { servers: ['epoll'] } });
    assert.deepEqual([alone.sweep, alone.points, alone.servers?.length], [null, null, 1]);
  });

  it('are crossed with tests', () => {
    const tests = [
      { as: 'small', payload: '1B' },
      { as: 'large', payload: '64KiB', duration: '2s' },
    ];
    const legs = legsOf(resolved({ servers: ['epoll'], tests, sweep: { pipeline: [1, 2] } }));
    assert.deepEqual(
      legs.map(({ axes, settings }) => [axes.test, axes.pipeline, settings.payloadBytes, settings.durationNs].join()),
      ['small,1,1,10000000000', 'small,2,1,10000000000', 'large,1,65536,2000000000', 'large,2,65536,2000000000'],
    );
  });

  it('are flags too, which replace the key, and which the key as a flag replaces', () => {
    const swept = resolved({ payload: '3B' }, { 'sweep.payload': '1B, 1KiB', 'sweep.socket.nodelay': 'true,false' });
    assert.deepEqual(swept.sweep, { payload: ['1B', '1KiB'], 'socket.nodelay': [true, false] });
    const plain = resolved({ sweep: { payload: ['1B', '1KiB'], pipeline: [1, 2] } }, { payload: '5B' });
    assert.deepEqual([plain.sweep, plain.payloadBytes], [{ pipeline: [1, 2] }, 5]);
    assert.equal(resolved({ sweep: { payload: ['1B', '2B'] } }, { payload: '5B' }).sweep, null);
    const pair = { servers: ['epoll'], pipeline: [1, 2] };
    const target = resolved({ servers: undefined, sweep: pair }, { target: '127.0.0.1:7000' });
    assert.deepEqual([target.servers, target.target?.port], [undefined, 7000]);
    const servers = resolved({ servers: undefined, target: '127.0.0.1:1' }, { 'sweep.servers': 'epoll,go/*' });
    assert.deepEqual([servers.servers?.length, servers.target], [2, undefined]);
    const { sweep, connections } = resolved({ sweep: { connections: [1, 2] } }, { connections: '7' });
    assert.deepEqual([sweep, connections], [null, 7]);
    const options = scenarioOptions();
    for (const key of axisKeys) assert.ok(options[`sweep.${key}`], key);
  });

  it('that the client cannot do are refused with their values, and reduced by --force', () => {
    const scenario = resolved({ connections: undefined, sweep: { pipeline: [1, 2], connections: [10, 900_000] } });
    assert.throws(
      () => plan(scenario, { ...host, descriptors: 1000 }, known),
      (/** @type {any} */ error) =>
        error.code === 'ELIMIT' && error.data.axes.connections === 900_000 && error.data.axes.pipeline === 1,
    );
    const forced = resolved({
      servers: ['epoll'],
      connections: undefined,
      force: true,
      workers: 1,
      sweep: {
        connections: [10, 2000, 3000],
      },
    });
    const { legs } = plan(forced, { ...host, descriptors: 1100 }, known);
    assert.ok(legs.length === 2 && legs[1].connections > 10 && legs[1].connections < 1100, 'no number twice');
  });

  it('of CPUs give way to a number of cores for each side, and the other way round', () => {
    const content = { sweep: { connections: [1, 2], 'pin.server': ['0', '0-1'] }, pin: { client: '1' } };
    const cores = resolved({ ...content, connections: undefined }, { 'sweep.pin.cores': '1:1' });
    assert.deepEqual(cores.sweep, { connections: [1, 2], 'pin.cores': ['1:1'] });
    assert.deepEqual([cores.pin.client, cores.pin.server], [null, null]);
    const fixed = resolved({ ...content, connections: undefined }, { 'pin.cores': '1:1' });
    assert.deepEqual([fixed.sweep, fixed.pin.cores], [{ connections: [1, 2] }, { server: 1, client: 1 }]);
    const swept = { connections: 10, sweep: { 'pin.cores': ['1:1'] } };
    assert.deepEqual(resolved(swept, { 'sweep.pin.server': '0,1' }).sweep, { 'pin.server': ['0', '1'] });
    const { sweep, pin } = resolved(swept, { 'pin.client': '0' });
    assert.deepEqual([sweep, pin.client], [null, '0']);
  });
});

describe('axes as words and numbers', () => {
  it('name connections and the like, and other keys by their name', () => {
    assert.equal(
      axesText({ test: 'small', connections: 1, instances: 2, payload: '1KiB', 'redis.command': 'GET', pipeline: 16 }),
      'small, 1 connection, 2 instances, payload 1KiB, redis.command GET, pipeline 16',
    );
    assert.equal(axesText({ 'pin.server': '0-1', 'pin.client': '2' }), 'server on CPUs 0-1, client on CPU 2');
  });

  it('are numbers where all values are of one kind', () => {
    for (const [key, values, ...expected] of /** @type {[string, unknown[], ...unknown[]][]} */ ([
      ['payload', ['1B', '1KiB'], 'bytes', 1, 1024],
      ['rate', ['10/s', '1000/s'], 'perSecond', 10, 1000],
      ['pause', ['0s', '1ms'], 'ns', 0, 1e6],
      ['pin.cores', ['1:2', '4:2'], 'cores', 1, 4],
      ['pin.cores', ['1:2', '1:4']],
      ['pin.server', ['0', '0-1', '0-2,5'], 'cores', 1, 2, 4],
      ['pin.server', ['0', '1']],
      ['pin.server', ['0', 'each']],
      ['workers', ['auto', 2]],
      ['redis.command', ['GET', 'SET']],
      ['test', ['1B', '1KiB']],
    ])) {
      const axis = numericAxis(key, values);
      assert.deepEqual(axis ? [axis.unit, ...values.map(axis.of)] : [], expected, `${key} ${values}`);
    }
  });

  it('are arranged: the numeric one with the most values first', () => {
    const legs = (/** @type {Record<string, unknown[]>} */ axes) =>
      Object.entries(axes).reduce(
        (points, [key, values]) => points.flatMap((point) => values.map((value) => ({ ...point, [key]: value }))),
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

describe('the workers of a leg of a sweep', () => {
  it('have their slots and their share of the transfers', () => {
    const scenario = resolved({ connections: undefined, transfers: 1000, sweep: { connections: [1, 40] } });
    const { legs } = plan(scenario, host, known);
    const figuresOf = (/** @type {number} */ leg, /** @type {number} */ share) => {
      const rest = { generation: 0, t0Ns: 0n, endpoints: [], log: null };
      const { slots, transfers } = assign({ settings: scenario, leg: legs[leg], share, ...rest }).settings;
      return [slots.first, slots.stride, slots.count, transfers].join();
    };
    assert.deepEqual([figuresOf(0, 0), figuresOf(2, 0), figuresOf(2, 1)], ['0,1,1,1000', '0,2,20,500', '1,2,20,500']);
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
