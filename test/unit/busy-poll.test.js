// The warning when busy polling took CPU time that the server waited for.
import assert from 'node:assert/strict';
import { busyPollWarning } from '../../client/judge/disturbances.js';

/** @param {Record<string, any>} what @returns {any} a second in which one engine spun and the server waited */
const second = ({
  phase = 'steady',
  idlePollSeconds = 0.9,
  waitSeconds = 0.4,
  busy = [1, 0.98],
  server = true,
} = {}) => ({
  phase,
  fromNs: 1e9,
  toNs: 2e9,
  client: { idlePollSeconds },
  machine: { busy },
  server: server ? { waitSeconds } : null,
});

describe('the warning about busy polling while the server waits for CPU', () => {
  it('states the shares of both', () => {
    const found = busyPollWarning([second({}), second({}), second({ waitSeconds: 0.1 })]);
    const { cores, spinning, waiting } = found?.data ?? {};
    assert.deepEqual(
      [found?.code, cores, spinning.toFixed(3), waiting.toFixed(3)],
      ['busy-poll-starves-server', 2, '0.900', '0.300'],
    );
  });

  /** @type {[string, any][]} */
  const calm = [
    ['a server that hardly waits', second({ waitSeconds: 0.1 })],
    ['a core that is free', second({ busy: [1, 0.5] })],
    ['another phase', second({ phase: 'ramp' })],
    ['engines that sleep', second({})],
    ['a server that is not known', second({ server: false })],
  ];
  for (const [what, sample] of calm) {
    it(`is not given: ${what}`, () => {
      if (what === 'engines that sleep') delete sample.client.idlePollSeconds;
      assert.equal(busyPollWarning([sample]), null);
    });
  }
});
