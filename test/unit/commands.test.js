// Key command: several commands with labels, alone or with servers, each a leg.

import assert from 'node:assert/strict';
import { flagsOf } from '../../client/scenario/flags.js';
import { plan } from '../../client/plan/plan.js';
import { host, known } from '../fixtures/hosts.js';
import { fileOf, programOf } from '../../client/scenario/keys/commands.js';
import { resolveScenario } from '../../client/scenario/scenario.js';

/** @import { Scenario } from '../../client/scenario/scenario.js' */

const A = './a --port {port}';
const B = './b --port {port}';

/**
 * @param {Scenario} scenario
 * @param {(leg: any) => unknown} [what]
 * @returns {unknown[]} of each leg, its label and its command or name
 */
const plannedLegs = (scenario, what = ({ label, server }) => [label, server.command ?? server.name]) =>
  plan({ ...scenario, starts: 1 }, host, known).legs.map(what);

/** @param {string | string[]} command @param {object} [more] flags */
const flags = (command, more = {}) => flagsOf({ command, connections: '5', ...more });

describe('command', () => {
  it('is a leg each, by its label or its program, before those of servers', () => {
    const scenario = resolveScenario({}, flags(A));
    assert.deepEqual([scenario.command, scenario.commands, scenario.servers], [A, undefined, undefined]);
    const c = 'HOME=/x exec bin/c {port}';
    for (const [command, servers, expected] of /** @type {[string | string[], string | undefined, object][]} */ ([
      [A, undefined, { a: A }],
      [[`old=${A}`, B, c], undefined, { old: A, b: B, c }],
      [`mine=${A}`, 'epoll,select', { mine: A, epoll: 'epoll', select: 'select' }],
      [A, 'epoll', { a: A, epoll: 'epoll' }],
    ]))
      assert.deepEqual(plannedLegs(resolveScenario({}, flags(command, { servers }))), Object.entries(expected));
  });

  it('without a label has the name of what is run, also by a shell or an interpreter', () => {
    const rows = {
      './a --port {port}': 'a',
      "sh -c 'ulimit -n 600; exec ./servers/c/build/epoll --port {port}'": 'epoll',
      'exec /bin/bash -c "cd x && A=1 bin/b {port}"': 'b',
      'python3.12 x/mine.py {port}': 'mine.py',
      '/usr/bin/node server.mjs {port}': 'server.mjs',
      'node --inspect server.js {port}': 'node',
      'python3 -m http.server {port}': 'python3',
      "sh -c ''": 'sh',
      'node {port}': 'node',
      [`"/usr/bin/node" '/home/a b/my server.js' {port}`]: 'my-server.js',
      '"/opt/my programs/mine" {port}': 'mine',
    };
    for (const [command, name] of Object.entries(rows)) assert.equal(programOf(command), name, command);
  });

  it('runs a file, where its words say so', () => {
    const rows = {
      './mine --port {port}': './mine',
      'A=1 exec build/mine {port}': 'build/mine',
      '/opt/mine {port}': '/opt/mine',
      'node server.js {port}': 'server.js',
      'mine {port}': null,
      'node --flag server.js {port}': null,
      '$HOME/mine {port}': null,
      "'./a b' {port}": null,
      './a; ./mine {port}': null,
      "sh -c './mine {port}'": null,
    };
    for (const [command, file] of Object.entries(rows)) assert.equal(fileOf(command), file, command);
  });

  it('may be run in a folder', () => {
    const content = { command: { a: { command: A, folder: '/a' }, b: B }, connections: 5 };
    const planned = plannedLegs(resolveScenario({ content }), ({ label, server }) => [label, server]);
    assert.deepEqual(planned, [
      ['a', { kind: 'command', command: A, folder: '/a' }],
      ['b', { kind: 'command', command: B }],
    ]);
  });

  it('of a scenario is an object of labels and commands, which a flag replaces with its servers', () => {
    const content = { servers: ['epoll'], command: { old: A, new: B }, connections: 5, instances: 2 };
    const scenario = resolveScenario({ content });
    assert.deepEqual(
      plannedLegs(scenario, ({ label, instances }) => [label, instances]),
      [
        ['old', 2],
        ['new', 2],
        ['epoll', 2],
      ],
    );
    assert.deepEqual(plannedLegs(resolveScenario({ content }, flags(`x=${A}`))), [['x', A]]);
  });
});
