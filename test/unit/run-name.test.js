// What runs are called that were not given a name.

import assert from 'node:assert/strict';
import { resolveScenario } from '../../client/scenario/scenario.js';
import { runId } from '../../client/store/run-folder.js';

const SMOKE = { name: 'smoke', content: { servers: ['epoll'], connections: 5 } };

/** @type {[string, { name?: string, content?: object }, Record<string, any>, string][]} */
const NAMES = [
  ['a file, with other servers', SMOKE, { servers: ['go'] }, 'smoke-go'],
  ['a file, with another load', SMOKE, { connections: 9 }, 'smoke'],
  ['one server', {}, { servers: ['epoll'], connections: 500 }, 'epoll-500'],
  ['a label', {}, { servers: [{ name: 'epoll', as: 'old' }], connections: 500 }, 'old-500'],
  ['three servers', {}, { servers: ['epoll', 'go', 'fork'], connections: 500 }, 'epoll-go-fork-500'],
  ['four servers', {}, { servers: ['epoll', 'go', 'fork', 'poll'], connections: 500 }, '4-servers-500'],
  ['a sweep', {}, { servers: ['epoll'], 'sweep.connections': [1, 2] }, 'epoll'],
  ['a target', {}, { target: '127.0.0.1:7000', connections: 500 }, '127.0.0.1:7000'],
  ['several targets', {}, { target: '127.0.0.1:7000-7002', connections: 500 }, '127.0.0.1:7000-3-targets'],
  ['a command', {}, { command: 'python3 mine.py --port {port}', connections: 500 }, 'python3 mine.py'],
  ['a command with a path', {}, { command: '/opt/a/mine -p{port} -v', connections: 500 }, 'mine -v'],
  ['a command of a file', {}, { command: 'node ../srv/web.js {port} --slow', connections: 500 }, 'node web.js --slow'],
  ['labelled commands', {}, { command: { old: './a {port}', new: './b {port}' }, connections: 5 }, 'old-new-5'],
  ['a command and servers', {}, { command: { mine: './m {port}' }, servers: ['go'], connections: 5 }, 'mine-go-5'],
  ['a name', { name: 'smoke', content: { name: 'x' } }, { servers: ['epoll'], connections: 5, name: 'mine' }, 'mine'],
  ['a name in the file', { name: 'smoke', content: { name: 'x', servers: ['epoll'], connections: 5 } }, {}, 'x'],
];

describe('the name of a run', () => {
  it('is made from what is measured', () => {
    for (const [what, source, flags, name] of NAMES) assert.equal(resolveScenario(source, flags).name, name, what);
  });

  it('is part of its id, without signs that a path cannot have', () => {
    const date = new Date(2026, 0, 2, 3, 4, 5);
    for (const [name, id] of [
      ['10k-1kb', '10k-1kb'],
      ['127.0.0.1:7000', '127.0.0.1-7000'],
      ['python3 mine.py', 'python3-mine.py'],
      ['../../a b/ü.', 'a-b'],
      ['..', 'run'],
    ])
      assert.equal(runId(date, name), `20260102-030405-${id}`);
  });
});
