// What an unfinished run says of its missing legs: how many, and the command that measures them.

import assert from 'node:assert/strict';
import { missingLegs } from '../../client/run/missing-legs.js';
import { resolveScenario } from '../../client/scenario/scenario.js';

/**
 * @param {string} legs of the plan, by server: `epoll+` was complete, `epoll-` was not, `epoll` was not begun
 * @param {object} [written] scenario
 * @param {{ words?: string[], endedBy?: string, plan?: object, comparedAt?: number }} [run] words: of the command line;
 *   comparedAt: of a second measurement of each leg
 */
function missingOf(legs, written = {}, { words = ['stress'], endedBy = 'interrupted', plan = {}, comparedAt } = {}) {
  const parts = legs.split(' ').map((text) => ({ name: text.replace(/[+-]$/, ''), state: text.at(-1) }));
  const scenario = resolveScenario({
    name: 'x',
    content: { connections: 10, servers: [...new Set(parts.map(({ name }) => name))], ...written },
  });
  const all = parts.map(({ name, state }) => ({ server: { kind: 'named', name }, complete: state }));
  if (comparedAt !== undefined) all.push(...all.map((leg) => ({ ...leg, comparedAt })));
  const planned = all.map(({ complete: _, ...leg }, i) => ({ id: `${i}`, ...leg }));
  const begun = all.flatMap(({ complete }, i) => (/[+-]/.test(`${complete}`) ? [[i, complete === '+']] : []));
  return missingLegs(
    ['node', 'client/cli.js', ...words],
    scenario,
    /** @type {any} */ ({ legs: planned, ...plan }),
    /** @type {any} */ ({ complete: false, endedBy, legs: begun.map(([i, complete]) => ({ id: `${i}`, complete })) }),
  );
}

describe('the command for missing legs', () => {
  it('is that of the run, with the servers that are missing in place of its servers', () => {
    for (const [words, command] of /** @type {[string[], string][]} */ ([
      [['stress', '--config', 'x'], '--config x --servers select,poll'],
      [['stress', '--servers', 'epoll', '--servers=select,poll', '-c', '10'], '-c 10 --servers select,poll'],
      [['--quiet', 'stress', '--sweep.servers', 'c/*'], '--quiet --servers select,poll'],
      [
        ['stress', '--config', 'my run', '--nats', 'nats://me:secret@a:1'],
        "--config 'my run' --nats nats://...@a:1 --servers select,poll",
      ],
    ])) {
      assert.deepEqual(missingOf('epoll+ select- poll', {}, { words }), {
        ...{ missing: 2, planned: 3, servers: ['select', 'poll'] },
        command: `npm run stress -- ${command}`,
      });
    }
  });

  it('is that of the run where it has one server, where all are missing, and where some legs of a server are not', () => {
    const words = ['stress', '--config', 'x y'];
    for (const [legs, missing, planned] of /** @type {[string, number, number][]} */ ([
      ['epoll', 1, 1],
      ['epoll- poll', 2, 2],
      ['epoll+ poll+ poll+ epoll', 1, 4],
    ])) {
      assert.deepEqual(missingOf(legs, {}, { words }), {
        ...{ missing, planned, servers: null },
        command: "npm run stress -- --config 'x y'",
      });
    }
  });

  it('is that of the run where --servers would measure something else', () => {
    for (const written of [
      { servers: ['epoll', { name: 'poll', options: { backlog: 5 } }] },
      { servers: ['epoll', { name: 'poll', as: 'mine' }] },
      { servers: ['epoll', { name: 'poll', instances: 2 }] },
      { command: './mine {port}' },
      { failIf: ['cost worse by 3%'] },
      { compareAt: '1000/s' },
      { budget: '60s' },
      { legGap: '1s' },
    ]) {
      assert.equal(missingOf('epoll+ poll-', written)?.servers, null, JSON.stringify(written));
    }
  });

  it('is there when the run had not planned all its legs, and not when those at a rate are complete', () => {
    const compared = { compareAt: '1000/s' };
    assert.equal(missingOf('epoll+ poll+', compared, { plan: { compareAt: {} } })?.missing, null);
    assert.equal(missingOf('epoll+ poll+', compared, { plan: { compareAt: {} }, comparedAt: 1000 }), null);
    assert.equal(missingOf('epoll+', {}, { plan: { search: {} } })?.missing, null);
  });

  it('is there without an interrupt only if something was measured, and not of a search', () => {
    const endedBy = 'server-start';
    assert.deepEqual(missingOf('epoll+ poll-', {}, { endedBy })?.servers, ['poll']);
    assert.equal(missingOf('epoll- poll-', {}, { endedBy }), null);
    assert.equal(missingOf('epoll+ poll-', {}, { endedBy, plan: { search: {} } }), null);
  });
});
