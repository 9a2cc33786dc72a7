// Which servers an agent starts for whom, as its command line permits.
import assert from 'node:assert/strict';
import { AgentServers } from '../../client/run/agents/agent-servers.js';
import { ServerPermission } from '../../client/run/agents/server-permission.js';

const LISTED = [
  { name: 'epoll', language: 'c' },
  { name: 'select', language: 'c' },
  { name: 'go', language: 'go' },
];

describe('what an agent may start', () => {
  it('is nothing, unless its command line says more', () => {
    const objections = (/** @type {ServerPermission} */ permission) =>
      [
        { name: 'epoll' },
        { name: 'go' },
        { name: 'nope' },
        { command: 'true' },
        { name: 'epoll', env: { A: '1' } },
        { name: 'epoll', options: { backlog: 64, processes: '1; include /x;' } },
      ].map((order) => permission.objectionTo(order, LISTED)?.code ?? null);
    const nothing = new ServerPermission([], false);
    assert.equal(nothing.isAny, false);
    const [server, unknown, command, env] = ['ESERVERREFUSED', 'ESERVERUNKNOWN', 'ECOMMANDREFUSED', 'EENVREFUSED'];
    const option = 'EOPTIONREFUSED';
    assert.deepEqual(objections(nothing), [server, server, unknown, command, env, option]);
    assert.deepEqual(objections(new ServerPermission(['c/*'], false)), [null, server, unknown, command, env, option]);
    assert.deepEqual(objections(new ServerPermission(['go'], false)), [server, null, unknown, command, env, option]);
    assert.deepEqual(objections(new ServerPermission([], true)), [server, server, unknown, null, server, server]);
    assert.deepEqual(objections(new ServerPermission(['*'], true)), [null, null, unknown, null, null, null]);
  });

  it('takes options that are numbers, truths and plain words', () => {
    const permission = new ServerPermission(['*'], false);
    const objectionTo = (/** @type {Record<string, unknown>} */ options) =>
      permission.objectionTo({ name: 'epoll', options }, LISTED);
    assert.equal(objectionTo({ backlog: 64, nodelay: true, work: '30ms-50ms', processes: 'auto' }), null);
    const unclear = ['a b', 'a\n', 'a;', '$(a)', '/a', '--a', '', null, ['a'], { a: 1 }];
    for (const value of unclear) {
      assert.deepEqual(objectionTo({ backlog: 64, work: value })?.data, { options: ['work'] }, JSON.stringify(value));
    }
  });

  it('is said to whoever asks before a run, with what is missing there', async () => {
    const launcher = /** @type {any} */ ({
      listServers: () => LISTED,
      checkAvailability: async (/** @type {any[]} */ servers) =>
        servers.map(({ name }) =>
          name === 'select'
            ? { available: false, why: 'no cc', remedy: 'install gcc', problem: { code: 'missing', data: {} } }
            : { available: true, why: null, remedy: null, problem: null },
        ),
    });
    const own = new AgentServers('s1', {
      launcher,
      permission: new ServerPermission(['c/*'], false),
      address: '10.0.0.7',
    });
    assert.deepEqual(own.describe(), { address: '10.0.0.7', servers: ['c/*'], commands: false });
    const found = await own.availability(['epoll', 'select', 'go', 'nope']);
    assert.deepEqual(
      found.map(({ available, problem }) => [available, problem?.code ?? null]),
      [
        [true, null],
        [false, 'missing'],
        [false, 'ESERVERREFUSED'],
        [false, 'ESERVERUNKNOWN'],
      ],
    );
  });
});
