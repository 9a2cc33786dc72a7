// Patterns of servers in a scenario: the servers that they match, their order and labels, and the servers left out with
// the reasons.

import assert from 'node:assert/strict';
import {
  isPattern,
  unavailableServers,
  matching,
  matchServers,
  dropUnavailable,
} from '../../client/scenario/keys/server-patterns.js';
import { resolveScenario } from '../../client/scenario/scenario.js';
import { factsOf } from '../fixtures/codes.js';

/**
 * @import { KnownServer } from '../../client/plan/processes.js'
 * @import { Family } from '../../client/words/endpoint.js'
 */

/**
 * @param {string} path
 * @param {Partial<KnownServer> & {protocols?: string[], options?: string[], listens?: Family[]}} [more]
 */
function server(path, { protocols = ['echo'], options = ['backlog'], listens = ['ipv4'], ...more } = {}) {
  const [language, name] = path.split('/');
  const taken = Object.fromEntries(options.map((key) => [key, [`--${key}`, '{value}']]));
  return { language, name, manifest: { protocols, listens, options: taken, scales: 'none' }, ...more };
}
const listed = [
  server('c/epoll', { options: ['backlog', 'processes'], listens: ['ipv4', 'unix'] }),
  server('c/epoll-pool', { options: ['backlog', 'threads'] }),
  server('c/libuv', {
    available: false,
    why: 'the C header uv.h is not there',
    remedy: 'apt-get install libuv1-dev',
    problem: { code: 'no-header', data: { header: 'uv.h' } },
  }),
  server('c/select-pool', { options: ['backlog', 'threads'] }),
  server('go/go'),
  server('rust/rust-threads'),
  server('contributed/mine', { protocols: ['volley'], options: [] }),
];

/** @param {unknown[]} servers @param {Record<string, unknown>} [more] of the scenario */
function expand(servers, more = {}) {
  const scenario = resolveScenario({ content: { connections: 1, servers, ...more } });
  const { met, mistakes } = matchServers(scenario, listed);
  const settled = dropUnavailable(met, scenario, listed);
  return {
    mistakes,
    left: settled.left,
    servers: settled.servers,
    labels: settled.servers.map(({ name, as }) => (name === as ? name : `${name}: ${as}`)),
  };
}

describe('patterns of servers', () => {
  it('match <language>/<name>, or the name alone if they have no slash', () => {
    for (const [text, names, pattern] of /** @type {[string, string, boolean][]} */ ([
      ['c/*', 'epoll epoll-pool libuv select-pool', true],
      ['*/*-pool', 'epoll-pool select-pool', true],
      ['*-pool', 'epoll-pool select-pool', true],
      ['{go,rust}/*', 'go rust-threads', true],
      ['c/!(*-pool|libuv)', 'epoll', true],
      ['!c/*', 'go rust-threads mine', true],
      ['*', 'epoll epoll-pool libuv select-pool go rust-threads mine', true],
      ['epol?', 'epoll', true],
      ['epoll', 'epoll', false],
      ['c/epoll', 'epoll', false],
      ['c', '', false],
      ['', '', false],
    ])) {
      const matched = matching(text, listed).map(({ name }) => name);
      assert.deepEqual([matched.join(' '), isPattern(text)], [names, pattern], text);
    }
  });

  it('expand to all matching servers once, in the order of the list', () => {
    assert.deepEqual(expand(['*-pool', 'c/*', 'go']).labels, ['epoll-pool', 'select-pool', 'epoll', 'go']);
    assert.deepEqual(expand(['c/*', '*/*-pool', 'epoll', 'c/*']).labels, ['epoll', 'epoll-pool', 'select-pool']);
    assert.deepEqual(expand(['c/epoll', 'go/go']).labels, ['epoll', 'go']);
  });

  it('pass their options on to all matches, and label such legs by them', () => {
    const { servers } = expand([
      'c/*-pool',
      { name: 'c/*-pool', options: { threads: 4 } },
      { name: 'c/*-pool', as: 'of 8', options: { threads: 8, backlog: 16 } },
    ]);
    assert.deepEqual(
      servers.map(({ as, options: { threads, backlog } }) => [as, threads, backlog]),
      [
        ['epoll-pool (threads default)', undefined, 4096],
        ['select-pool (threads default)', undefined, 4096],
        ['epoll-pool (threads 4)', 4, 4096],
        ['select-pool (threads 4)', 4, 4096],
        ['epoll-pool of 8', 8, 16],
        ['select-pool of 8', 8, 16],
      ],
    );
  });

  it('label each entry of a server with exactly the options that differ, defaults included', () => {
    const work = '5ms-10ms';
    const entries = [{ work }, { work, workKind: 'block' }, { work, workKind: 'spin' }];
    const options = ['backlog', 'work', 'workKind', 'threads'];
    const known = [server('go/go', { options }), server('c/pool', { options })];
    Object.assign(known[1].manifest, { concurrent: { option: 'threads', default: 16 } });
    const labelsOf = (/** @type {unknown[]} */ ...servers) => {
      const scenario = resolveScenario({ content: { connections: 1, servers } });
      return dropUnavailable(matchServers(scenario, known).met, scenario, known).servers.map(({ as }) => as);
    };
    const kinds = entries.map((entry) => ({ name: 'go/*', options: entry }));
    assert.deepEqual(labelsOf(...kinds), ['go (workKind wait)', 'go (workKind block)', 'go (workKind spin)']);
    assert.deepEqual(labelsOf({ name: '{go,pool}' }, { name: '{go,pool}', options: { work, threads: 4 } }), [
      'go (threads default, work none)',
      'pool (threads 16, work none)',
      'go (threads 4, work 5ms-10ms)',
      'pool (threads 4, work 5ms-10ms)',
    ]);
    const withEnv = { name: '*', options: { work }, env: { A: 'b' } };
    assert.deepEqual(labelsOf('go', withEnv), ['go (work none, A unset)', 'go (work 5ms-10ms, A b)', 'pool']);
    assert.deepEqual(labelsOf({ name: 'go', as: 'mine' }, { name: 'g*', options: { work } }), ['mine', 'go']);
  });

  it('yield to labels that the scenario gives', () => {
    const taken = expand(['c/epoll*', { name: 'go', as: 'epoll' }]).labels;
    assert.deepEqual(taken, ['epoll: epoll 2', 'epoll-pool', 'go: epoll']);
    const named = expand(['c/epoll', { name: 'c/epoll*', as: 'x' }, { name: 'epoll', as: 'mine' }]).labels;
    assert.deepEqual(named, ['epoll', 'epoll-pool: epoll-pool x', 'epoll: mine']);
    assert.deepEqual(expand(['epoll-*', { name: 'epoll-pool', as: 'mine' }]).labels, ['epoll-pool: mine']);
    assert.deepEqual(factsOf(expand(['epoll', 'c/epoll']).mistakes), [['label-taken', { label: 'epoll' }]]);
  });

  it('leave out unavailable or unsuitable matches once each, with the reason; named servers stay', () => {
    const { labels, left } = expand(['*', 'c/*']);
    assert.deepEqual(labels, ['epoll', 'epoll-pool', 'select-pool', 'go', 'rust-threads']);
    assert.deepEqual(
      left.map(({ code, data }) => [code, data.pattern, data.servers, data.missing]),
      [
        ['server-left-out', '*', ['libuv'], true],
        ['server-left-out', '*', ['mine'], false],
      ],
    );
    const problem = { code: 'no-header', data: { header: 'uv.h' } };
    assert.deepEqual(left[0].data.reason, {
      code: 'unavailable',
      data: { problem, remedy: 'apt-get install libuv1-dev' },
    });
    assert.deepEqual(expand(['libuv']).labels, ['libuv']);
    const unix = expand(['c/*'], { listen: 'unix' });
    assert.deepEqual(unix.labels, ['epoll']);
    assert.deepEqual(unix.left[0].data.servers, ['epoll-pool', 'libuv', 'select-pool']);
    const threads = expand([{ name: '*', options: { threads: 2 } }]);
    assert.deepEqual(threads.labels, ['epoll-pool', 'select-pool']);
    assert.deepEqual(
      threads.left.map(({ data }) => data.servers),
      [['epoll', 'libuv', 'go', 'rust-threads'], ['mine']],
    );
  });

  it('keep named servers that are unavailable, with one message per reason', () => {
    const { servers } = expand(['libuv', 'epoll', { name: 'libuv', as: 'again' }]);
    const { labels, reasons } = unavailableServers(servers, listed);
    const facts = reasons.map(({ names, problem, remedy }) => [names, problem?.data, remedy]);
    assert.deepEqual(labels, ['libuv', 'again']);
    assert.deepEqual(facts, [[['libuv'], { header: 'uv.h' }, 'apt-get install libuv1-dev']]);
  });
});
