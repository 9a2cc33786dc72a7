// Wrappers of server and workers: their words, whose they are, and what is refused.

import assert from 'node:assert/strict';
import { plan } from '../../client/plan/plan.js';
import { wrapperWords } from '../../client/run/wrapper.js';
import { wordsOf } from '../../client/scenario/keys/wrap.js';
import { matchServers, dropUnavailable } from '../../client/scenario/keys/server-patterns.js';
import { resolveScenario } from '../../client/scenario/scenario.js';
import { host, known } from '../fixtures/hosts.js';

/** @param {Record<string, unknown>} content */
const scenarioOf = (content) => resolveScenario({ content: { servers: ['epoll'], connections: 10, ...content } });

describe('wrap', () => {
  it('is split into words at blanks outside quotes', () => {
    assert.deepEqual(wordsOf('onload --profile=latency'), ['onload', '--profile=latency']);
    assert.deepEqual(wordsOf(`sh -c 'a "b" c' x"y z"'!'`), ['sh', '-c', 'a "b" c', 'xy z!']);
    for (const odd of ['', '  ', 'sh "a', "it's"]) assert.equal(wordsOf(odd), null);
    assert.deepEqual(wrapperWords('./a ./b'), [`${process.cwd()}/a`, './b']);
    assert.deepEqual(wrapperWords('taskset ./b'), ['taskset', './b']);
  });

  it('is that of the entry, side by side with other entries, or of all', () => {
    const servers = [
      { name: 'epoll', as: 'kernel' },
      { name: 'epoll', as: 'onload', wrap: { server: 'onload', client: 'onload -p' } },
      { name: 'epoll', as: 'numa', wrap: 'numactl -N 0' },
    ];
    const wraps = (/** @type {Record<string, unknown>} */ content) =>
      plan(scenarioOf({ servers, starts: 1, ...content }), host, known).legs.map(({ wrap }) => wrap);
    assert.deepEqual(wraps({}), [undefined, { server: 'onload', client: 'onload -p' }, { server: 'numactl -N 0' }]);
    assert.deepEqual(wraps({ wrap: { client: 'nice' } }), [
      { client: 'nice' },
      { server: 'onload', client: 'onload -p' },
      { server: 'numactl -N 0', client: 'nice' },
    ]);
    const target = { servers: undefined, target: '127.0.0.1:80', wrap: { client: 'nice' } };
    assert.deepEqual(plan(scenarioOf(target), host).legs[0].wrap, { client: 'nice' });
  });

  it('and instances tell entries of a pattern apart', () => {
    const listed = known.map((server) => ({ ...server, language: 'c' }));
    const entries = ['c/epoll', { name: 'c/{epoll,x}', wrap: 'nice' }, { name: 'c/{epoll,y}', instances: 2 }];
    const scenario = scenarioOf({ servers: entries.map((entry) => (entry === 'c/epoll' ? 'c/{epoll,z}' : entry)) });
    const { servers } = dropUnavailable(matchServers(scenario, listed).met, scenario, listed);
    assert.deepEqual(
      servers.map(({ as }) => as),
      ['epoll (wrap none, instances 1)', 'epoll (wrap nice, instances 1)', 'epoll (wrap none, instances 2)'],
    );
  });
});
