// Volley's ping-pong test: its rounds and its options; and the moments of values that they are made of.

import assert from 'node:assert/strict';
import { nextRound, readOptions, resultLine } from '../../client/predecessors/volley/command.js';
import {
  confidence95,
  mergeMoments,
  momentsOf,
  NO_VALUES,
  standardDeviation,
} from '../../client/predecessors/volley/moments.js';

/** @import { Moments } from '../../client/predecessors/volley/moments.js' */

/** @param {number[]} values @returns {Moments} */
function of(values) {
  const mean = values.reduce((sum, value) => sum + value) / values.length;
  return { count: values.length, mean, squares: values.reduce((sum, value) => sum + (value - mean) ** 2, 0) };
}

const near = (/** @type {number} */ a, /** @type {number} */ b) => assert.ok(Math.abs(a - b) < 1e-9 * b, `${a}, ${b}`);

describe('moments', () => {
  it('of two parts are those of the whole', () => {
    const a = [1, 5, 2.5];
    const b = [100, 7];
    assert.deepEqual(mergeMoments(NO_VALUES, of(a)), of(a));
    const merged = mergeMoments(of(a), of(b));
    const whole = of([...a, ...b]);
    assert.equal(merged.count, whole.count);
    near(merged.mean, whole.mean);
    near(merged.squares, whole.squares);
  });

  it('have the standard deviation of a sample and the confidence interval of its mean', () => {
    const moments = of([2, 4, 4, 4, 5, 5, 7, 9]);
    near(standardDeviation(moments), Math.sqrt(32 / 7));
    near(confidence95(moments), (1.96 * Math.sqrt(32 / 7)) / Math.sqrt(8));
  });
});

describe("volley's ping-pong test", () => {
  it('begins with a million round trips, the same number for each connection', () => {
    assert.equal(nextRound(NO_VALUES, 40), 25_000);
    assert.equal(nextRound(NO_VALUES, 3), 333_333);
    assert.equal(nextRound(NO_VALUES, 1_000_000), 1);
  });

  it('adds rounds until the mean is within 5 us, and stops when at most 10 iterations are missing', () => {
    const [count, sigmaNs] = [10_000, 1e6];
    const moments = { count, mean: 1e6, squares: sigmaNs ** 2 * (count - 1) };
    const needed = (1.96 * sigmaNs) / 5000;
    assert.equal(nextRound(moments, 40), Math.ceil((Math.ceil(needed ** 2) - count) / 40));
    assert.equal(nextRound({ ...moments, squares: 1e3 ** 2 * (count - 1) }, 40), 0);
    const nearly = { count: 153_664 - 400, mean: 1e6, squares: sigmaNs ** 2 * (153_664 - 401) };
    assert.equal(nextRound(nearly, 40), 0);
  });

  it('prints mean, standard deviation and samples on one line, of the summary of a histogram', () => {
    assert.equal(resultLine(momentsOf({ count: 3, mean: 103_600, stddev: 100_000 })), '104us 122.47us 3');
  });

  it('needs a port and a number of connections', () => {
    const { clients, serverToStop, flags } = readOptions({ port: '2222', clients: '40', stop: true });
    const place = { host: '127.0.0.1', port: 2222 };
    assert.deepEqual([clients, serverToStop, flags.target, flags.servers], [40, place, '127.0.0.1:2222', undefined]);
    assert.equal(readOptions({ port: '2222', clients: '40', stop: false }).serverToStop, null);
    for (const [argv, option, value] of /** @type {const} */ ([
      [{ clients: '1' }, 'port', null],
      [{ port: '1' }, 'clients', null],
      [{ port: '65536', clients: '1' }, 'port', '65536'],
      [{ port: '1', clients: '0' }, 'clients', '0'],
    ])) {
      assert.throws(() => readOptions(argv), { code: 'EOPTION', data: { option, value }, exitCode: 2 });
    }
  });

  it('takes a server to start and its cores instead of a port, and refuses what has no effect then', () => {
    const given = { clients: '40', server: 'epoll', cores: '1:1' };
    const { clients, serverToStop, flags } = readOptions({ ...given, stop: true });
    assert.deepEqual([clients, serverToStop, flags.servers, flags['pin.cores']], [40, null, 'epoll', '1:1']);
    assert.equal('target' in flags, false);
    for (const [argv, option] of /** @type {const} */ ([
      [{ clients: '1', port: '1', cores: '1:1' }, 'cores'],
      [{ ...given, port: '1' }, 'port'],
      [{ ...given, host: '127.0.0.1' }, 'host'],
      [{ ...given, stop: false }, 'stop'],
      [{ ...given, allowPublicTarget: true }, 'allowPublicTarget'],
      [{ ...given, server: 'c/*' }, 'server'],
    ])) {
      assert.throws(
        () => readOptions(argv),
        (/** @type {any} */ error) => error.code === 'EOPTION' && error.data.option === option,
      );
    }
  });
});
