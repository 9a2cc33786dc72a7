// The CPU use of other programs: reported if large, and unknown rather than guessed.
import assert from 'node:assert/strict';
import { backgroundCores, backgroundLoadWarning, isBackgroundLoad } from '../../client/judge/disturbances.js';

/**
 * @param {number[]} busy @param {number} client @param {number | null} server @param {string} [phase]
 * @returns {any}
 */
const second = (busy, client, server, phase = 'steady') => ({
  phase,
  fromNs: 0,
  toNs: 1e9,
  machine: { busy },
  client: { cpuSeconds: client },
  server: server === null ? null : { cpuSeconds: server },
});

describe('background load', () => {
  it('is the use of the busy cores minus that of client and server, in the steady state', () => {
    const samples = [second([1, 1], 0, 0, 'ramp'), second([1, 1], 0.5, 0.5), second([0.5, 0.5], 0.5, 0.5)];
    assert.deepEqual(backgroundCores(samples), { cores: 0.5, of: 2 });
    const found = backgroundLoadWarning(samples);
    assert.deepEqual([found?.code, found?.data], ['background-load', { cores: 0.5, of: 2 }]);
    assert.ok(found && isBackgroundLoad(found));
  });

  it('causes no warning when it is small, relative to the machine or in absolute terms', () => {
    assert.equal(backgroundLoadWarning([second([1, 1], 0.9, 0.9)]), null);
    assert.equal(backgroundLoadWarning([second(Array(16).fill(0.5), 3.5, 3.5)]), null);
    assert.equal(backgroundLoadWarning([second([1, 1], 1.2, 1.1)]), null, "the kernel's ticks are coarse");
  });

  it('is unknown if the server is not monitored, or without cores or a steady state', () => {
    for (const samples of [[second([1, 1], 0, null)], [second([], 0, 0)], [second([1], 0, 0, 'ramp')], []]) {
      assert.equal(backgroundCores(samples), null);
    }
  });
});
