// Key `legGap`: where it has an effect, and what it adds to a run.

import assert from 'node:assert/strict';
import { resolveScenario } from '../../client/scenario/scenario.js';

/** @param {Record<string, unknown>} content @returns {any[]} codes of what is wrong */
function mistakesOf(content) {
  try {
    resolveScenario({ content: { legGap: '5s', ...content } });
    return [];
  } catch (error) {
    return /** @type {any} */ (error).data.mistakes.map((/** @type {any} */ { code }) => code);
  }
}

describe('the wait between two legs', () => {
  it('is accepted where there are several', () => {
    for (const content of [
      { servers: ['epoll', 'go'] },
      { servers: ['c/*'] },
      { servers: ['epoll'], rounds: 2 },
      { servers: ['epoll'], sweep: { connections: [10, 100] } },
      {
        target: '127.0.0.1:7000',
        tests: [
          { as: 'a', payload: '1B' },
          { as: 'b', payload: '2B' },
        ],
      },
    ]) {
      assert.deepEqual(
        mistakesOf({ connections: content.sweep ? undefined : 10, ...content }),
        [],
        JSON.stringify(content),
      );
    }
    assert.equal(
      resolveScenario({ content: { servers: ['epoll', 'go'], connections: 1, legGap: '5s' } }).legGapNs,
      5e9,
    );
  });

  it('is refused where there is one leg', () => {
    for (const content of [
      { servers: ['epoll'] },
      { target: '127.0.0.1:7000' },
      { command: 'mine {port}' },
      { servers: ['epoll'], tests: [{ as: 'a', payload: '1B' }] },
    ]) {
      assert.deepEqual(mistakesOf({ connections: 10, ...content }), ['gap-of-one-leg']);
    }
  });
});
