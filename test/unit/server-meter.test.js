// What the machine of a server says of it besides its processes.
import assert from 'node:assert/strict';
import { ServerMeter } from '../../client/machine/server-meter.js';

describe('the meter of the machine that a server is on', () => {
  it('has the counters of the network namespace of the server, and of no other when the server has ended', () => {
    const meter = new ServerMeter({ instances: [], pids: [] });
    const kernelOf = (/** @type {number[]} */ away, /** @type {object} */ read) => {
      meter.kernel = /** @type {any} */ ({ away, read: () => read });
      return meter.read([]).kernel;
    };
    const [kernel, serverKernel] = [{ TcpOutRsts: 5 }, { TcpOutRsts: 2 }];
    assert.deepEqual(kernelOf([], { kernel }), kernel);
    assert.deepEqual(kernelOf([7], { kernel, serverKernel }), serverKernel);
    assert.deepEqual(kernelOf([7], { kernel }), {});
  });
});
