// Patterns of servers in a scenario: what they match, in which order, with which labels, and what is left out for which
// reason.

import assert from 'node:assert/strict';
import { settingsText, sharedOptions } from '../../client/scenario/keys/server-labels.js';
import {
  isPattern,
  unavailableServers,
  matching,
  matchServers,
  dropUnavailable,
} from '../../client/scenario/keys/server-patterns.js';
import { resolveScenario } from '../../client/scenario/scenario.js';
import { factsOf } from '../fixtures/codes.js';

/** @typedef {import('../../client/plan/processes.js').KnownServer} KnownServer */

/** @typedef {import('../../client/words/endpoint.js').Family} Family */

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
  it('leave out servers that do not support the requested address family', () => {
    const { labels, left } = expand(['c/*'], { listen: 'unix' });
    assert.deepEqual(labels, ['epoll']);
    const [{ code, data }] = left;
    assert.deepEqual(
      [left.length, code, data.pattern, data.servers, data.missing],
      [1, 'server-left-out', 'c/*', ['epoll-pool', 'libuv', 'select-pool'], false],
    );
  });

  it('match <language>/<name>, or the name alone if they have no slash', () => {
    const names = (/** @type {string} */ text) =>
      matching(text, listed)
        .map(({ name }) => name)
        .join(' ');
    assert.equal(names('c/*'), 'epoll epoll-pool libuv select-pool');
    assert.equal(names('*/*-pool'), 'epoll-pool select-pool');
    assert.equal(names('*-pool'), 'epoll-pool select-pool');
    assert.equal(names('{go,rust}/*'), 'go rust-threads');
    assert.equal(names('c/!(*-pool|libuv)'), 'epoll');
    assert.equal(names('!c/*'), 'go rust-threads mine');
    assert.equal(names('*'), names('*/*'));
    assert.equal(names('epoll'), 'epoll');
    assert.equal(names('c/epoll'), 'epoll');
    assert.equal(names('c'), '');
    assert.deepEqual(
      ['epoll', 'c/epoll', 'io_uring', 'c/*', '*', 'epol?', 'c/[a-f]*', '{a,b}', '!c/*'].map(isPattern),
      [false, false, false, true, true, true, true, true, true],
    );
  });

  it('expand to all matching servers once, in the order of the list', () => {
    assert.deepEqual(expand(['*-pool', 'c/*', 'go']).labels, ['epoll-pool', 'select-pool', 'epoll', 'go']);
    assert.deepEqual(expand(['c/*', '*/*-pool', 'epoll', 'c/*']).labels, ['epoll', 'epoll-pool', 'select-pool']);
    assert.deepEqual(expand(['c/epoll', 'go/go']).labels, ['epoll', 'go']);
  });

  it('pass their options on to all matches, and label such legs by them', () => {
    const { servers, labels } = expand([
      'c/*-pool',
      { name: 'c/*-pool', options: { threads: 4 } },
      { name: 'c/*-pool', as: 'of 8', options: { threads: 8, backlog: 16 } },
    ]);
    assert.deepEqual(labels, [
      'epoll-pool: epoll-pool (threads default)',
      'select-pool: select-pool (threads default)',
      'epoll-pool: epoll-pool (threads 4)',
      'select-pool: select-pool (threads 4)',
      'epoll-pool: epoll-pool of 8',
      'select-pool: select-pool of 8',
    ]);
    assert.deepEqual(
      servers.map(({ options }) => options.threads),
      [undefined, undefined, 4, 4, 8, 8],
    );
    assert.equal(servers[4].options.backlog, 16);
  });

  it('label each entry of a server with exactly the options that differ, defaults included', () => {
    const work = '5ms-10ms';
    const entries = [{ work }, { work, workKind: 'block' }, { work, workKind: 'spin' }];
    const options = ['backlog', 'work', 'workKind', 'threads'];
    const known = [server('go/go', { options }), server('c/pool', { options })];
    Object.assign(known[1].manifest, { concurrent: { option: 'threads', default: 16 } });
    const labelsOf = (/** @type {unknown[]} */ servers) => {
      const scenario = resolveScenario({ content: { connections: 1, servers } });
      return dropUnavailable(matchServers(scenario, known).met, scenario, known).servers;
    };
    const kinds = labelsOf(entries.map((one) => ({ name: 'go/*', options: one })));
    assert.deepEqual(
      kinds.map(({ as }) => as),
      ['go (workKind wait)', 'go (workKind block)', 'go (workKind spin)'],
    );
    const legs = kinds.map(({ name, options: { processes: _processes, ...set }, env }) => ({
      server: { kind: /** @type {const} */ ('named'), name, options: set, env },
    }));
    assert.equal(settingsText(sharedOptions(legs)), 'work 5ms-10ms');
    assert.deepEqual(
      labelsOf([{ name: '{go,pool}' }, { name: '{go,pool}', options: { work, threads: 4 } }]).map(({ as }) => as),
      [
        'go (threads default, work none)',
        'pool (threads 16, work none)',
        'go (threads 4, work 5ms-10ms)',
        'pool (threads 4, work 5ms-10ms)',
      ],
    );
    assert.deepEqual(
      labelsOf(['go', { name: '*', options: { work }, env: { A: 'b' } }]).map(({ as }) => as),
      ['go (work none, A unset)', 'go (work 5ms-10ms, A b)', 'pool'],
    );
    assert.deepEqual(
      labelsOf([
        { name: 'go', as: 'mine' },
        { name: 'g*', options: { work } },
      ]).map(({ as }) => as),
      ['mine', 'go'],
    );
  });

  it('yield to labels that the scenario gives', () => {
    assert.deepEqual(expand(['c/epoll*', { name: 'go', as: 'epoll' }]).labels, [
      'epoll: epoll 2',
      'epoll-pool',
      'go: epoll',
    ]);
    assert.deepEqual(expand(['c/epoll', { name: 'c/epoll*', as: 'x' }, { name: 'epoll', as: 'mine' }]).labels, [
      'epoll',
      'epoll-pool: epoll-pool x',
      'epoll: mine',
    ]);
    assert.deepEqual(expand(['epoll-*', { name: 'epoll-pool', as: 'mine' }]).labels, ['epoll-pool: mine']);
    assert.deepEqual(factsOf(expand(['epoll', 'c/epoll']).mistakes), [['label-taken', { label: 'epoll' }]]);
  });

  it('treat two servers of one name as one leg, which then reports it, and match nothing for an empty name', () => {
    const { met, mistakes } = matchServers(resolveScenario({ content: { connections: 1, servers: ['go'] } }), [
      ...listed,
      server('zz/go'),
    ]);
    assert.deepEqual([met.map(({ entry }) => entry.name), mistakes], [['go'], []]);
    assert.deepEqual([isPattern(''), matching('', listed)], [false, []]);
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
    const threads = expand([{ name: 'c/*', options: { threads: 2 } }]);
    assert.deepEqual(threads.labels, ['epoll-pool', 'select-pool']);
    assert.equal(threads.left.length, 1);
    const [one] = expand([{ name: 'c/epoll*', options: { threads: 2 } }]).left;
    assert.deepEqual([one.data.servers, one.data.pattern, one.data.missing], [['epoll'], 'c/epoll*', false]);
  });

  it('state a reason once for all servers that it excludes', () => {
    assert.deepEqual(
      expand([{ name: '*', options: { threads: 2 } }]).left.map(({ data }) => data.servers),
      [['epoll', 'libuv', 'go', 'rust-threads'], ['mine']],
    );
  });

  it('keep named servers that are unavailable, with one message per reason', () => {
    const { servers } = expand(['libuv', 'epoll', { name: 'libuv', as: 'again' }]);
    const { labels, reasons } = unavailableServers(servers, listed);
    assert.deepEqual(labels, ['libuv', 'again']);
    assert.deepEqual(
      reasons.map(({ names, problem, remedy }) => [names, problem?.data, remedy]),
      [[['libuv'], { header: 'uv.h' }, 'apt-get install libuv1-dev']],
    );
    const two = ['a', 'b'].map((name) => ({ ...servers[0], name, as: name }));
    const known = two.map(({ name }) => ({ ...listed[0], name, available: false, why: 'no x', remedy: 'get x' }));
    assert.deepEqual(
      unavailableServers(two, known).reasons.map(({ names, cause }) => [names, cause]),
      [[['a', 'b'], 'no x']],
    );
  });

  it('are a mistake if they match nothing, as are unknown names', () => {
    const paths = listed.map(({ language, name }) => `${language}/${name}`);
    assert.deepEqual(factsOf(expand(['d/*', 'c/*']).mistakes), [
      ['pattern-matches-nothing', { pattern: 'd/*', known: paths }],
    ]);
    const [unknown] = expand(['libvu', 'go']).mistakes;
    assert.deepEqual(factsOf([unknown]), [
      ['unknown-server', { server: 'libvu', known: listed.map(({ name }) => name), near: 'libuv' }],
    ]);
    assert.equal(expand(['c/epol']).mistakes[0].data.near, 'c/epoll');
  });
});
