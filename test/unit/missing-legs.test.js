// What an unfinished run says of its missing legs: how many, and the command that measures them.

import assert from 'node:assert/strict';
import { missingLegs } from '../../client/run/missing-legs.js';
import { resolveScenario } from '../../client/scenario/scenario.js';

/**
 * @param {string[]} words of the command line
 * @param {object} written scenario
 * @param {[server: string, complete: boolean | null, comparedAt?: number][]} legs complete: null: it was not begun
 * @param {{ endedBy?: string, plan?: object }} [run]
 */
function missingOf(words, written, legs, { endedBy = 'interrupted', plan = {} } = {}) {
  const scenario = resolveScenario({ name: 'x', content: { connections: 10, ...written } });
  const planned = legs.map(([name, , comparedAt], i) => ({
    id: `${i}`,
    server: { kind: 'named', name },
    ...(comparedAt === undefined ? {} : { comparedAt }),
  }));
  const summaries = legs.flatMap(([, complete], i) => (complete === null ? [] : [{ id: `${i}`, complete }]));
  return missingLegs(
    ['node', 'client/cli.js', ...words],
    scenario,
    /** @type {any} */ ({ legs: planned, ...plan }),
    /** @type {any} */ ({ complete: false, endedBy, legs: summaries }),
  );
}

describe('the command for missing legs', () => {
  const servers = ['epoll', 'select', 'poll'];

  it('is that of the run, with the servers that are missing in place of its servers', () => {
    /** @type {[string, boolean | null][]} */
    const legs = [
      ['epoll', true],
      ['select', false],
      ['poll', null],
    ];
    for (const [words, command] of /** @type {[string[], string][]} */ ([
      [['stress', '--config', 'x'], '--config x --servers select,poll'],
      [['stress', '--servers', 'epoll', '--servers=select,poll', '-c', '10'], '-c 10 --servers select,poll'],
      [['--quiet', 'stress', '--sweep.servers', 'c/*'], '--quiet --servers select,poll'],
      [
        ['stress', '--config', 'my run', '--nats', 'nats://me:secret@a:1'],
        "--config 'my run' --nats nats://...@a:1 --servers select,poll",
      ],
    ])) {
      const found = missingOf(words, { servers }, legs);
      assert.deepEqual(found, {
        missing: 2,
        planned: 3,
        servers: ['select', 'poll'],
        command: `npm run stress -- ${command}`,
      });
    }
  });

  it('is that of the run where it has one server, where all are missing, and where some legs of a server are not', () => {
    for (const [written, legs, missing] of /** @type {[object, [string, boolean | null][], number][]} */ ([
      [{ servers: ['epoll'] }, [['epoll', null]], 1],
      [
        { servers: ['epoll', 'poll'] },
        [
          ['epoll', false],
          ['poll', null],
        ],
        2,
      ],
      [
        { servers: ['epoll', 'poll'], rounds: 2 },
        [
          ['epoll', true],
          ['poll', true],
          ['poll', true],
          ['epoll', null],
        ],
        1,
      ],
    ])) {
      assert.deepEqual(missingOf(['stress', '--config', 'x y'], written, legs), {
        missing,
        planned: legs.length,
        servers: null,
        command: "npm run stress -- --config 'x y'",
      });
    }
  });

  it('is that of the run where --servers would measure something else', () => {
    for (const written of [
      { servers: ['epoll', { name: 'poll', options: { backlog: 5 } }] },
      { servers: ['epoll', { name: 'poll', as: 'mine' }] },
      { servers: ['epoll', { name: 'poll', instances: 2 }] },
      { servers: ['epoll', 'poll'], command: './mine {port}' },
      { servers: ['epoll', 'poll'], failIf: ['cost worse by 3%'] },
      { servers: ['epoll', 'poll'], compareAt: '1000/s' },
      { servers: ['epoll', 'poll'], budget: '60s' },
      { servers: ['epoll', 'poll'], legGap: '1s' },
    ]) {
      const found = missingOf(['stress'], written, [
        ['epoll', true],
        ['poll', false],
      ]);
      assert.equal(found?.servers, null, JSON.stringify(written));
    }
  });

  it('is there when the run had not planned all its legs, and not when those at a rate are complete', () => {
    const written = { servers: ['epoll', 'poll'], compareAt: '1000/s' };
    /** @type {[string, boolean][]} */
    const legs = [
      ['epoll', true],
      ['poll', true],
    ];
    const plan = { compareAt: {} };
    assert.equal(missingOf(['stress'], written, legs, { plan })?.missing, null);
    const atRate = legs.map(([name, complete]) => /** @type {[string, boolean, number]} */ ([name, complete, 1000]));
    assert.equal(missingOf(['stress'], written, [...legs, ...atRate], { plan }), null);
    assert.equal(
      missingOf(['stress'], { servers: ['epoll'] }, [['epoll', true]], { plan: { search: {} } })?.missing,
      null,
    );
  });

  it('is there without an interrupt only if something was measured, and not of a search', () => {
    const endedBy = 'server-start';
    const legsOf = (/** @type {boolean} */ first) =>
      /** @type {[string, boolean][]} */ ([
        ['epoll', first],
        ['poll', false],
      ]);
    const written = { servers: ['epoll', 'poll'] };
    assert.deepEqual(missingOf(['stress'], written, legsOf(true), { endedBy })?.servers, ['poll']);
    assert.equal(missingOf(['stress'], written, legsOf(false), { endedBy }), null);
    assert.equal(missingOf(['stress'], written, legsOf(true), { endedBy, plan: { search: {} } }), null);
  });
});
