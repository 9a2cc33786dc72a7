// Which io backend and which CPUs a leg gets.

import assert from 'node:assert/strict';
import { chooseBackend, unavailableBackend } from '../../client/plan/backend.js';
import { missingCpus, parseCpus } from '../../client/measure/cpu-list.js';

const both = [
  { name: 'epoll', available: true, why: null },
  { name: 'io_uring', available: true, why: null },
];
const one = [both[0], { name: 'io_uring', available: false, why: 'this kernel answers ENOSYS' }];

describe('io backend', () => {
  it('resolves auto to epoll, and a name to itself', () => {
    assert.equal(chooseBackend({ io: 'auto' }), 'epoll');
    assert.equal(chooseBackend({ io: 'io_uring' }), 'io_uring');
    assert.equal(chooseBackend({ io: 'epoll' }), 'epoll');
  });

  it('gives the reason when a backend is not available', () => {
    assert.equal(unavailableBackend({ io: 'io_uring' }, one), 'this kernel answers ENOSYS');
    for (const io of /** @type {const} */ (['auto', 'epoll'])) assert.equal(unavailableBackend({ io }, one), null);
    assert.equal(unavailableBackend({ io: 'io_uring' }, both), null);
  });
});

describe('CPU lists', () => {
  it('parse the syntax of taskset', () => {
    assert.deepEqual(parseCpus('0'), [0]);
    assert.deepEqual(parseCpus('0-2'), [0, 1, 2]);
    assert.deepEqual(parseCpus('3,1,1-2'), [1, 2, 3]);
    for (const text of ['', 'a', '2-1', '1,', '-1', '9999', '1024']) assert.equal(parseCpus(text), null, text);
  });

  it('contain only CPUs that this process may use', () => {
    assert.deepEqual(missingCpus('0', [0, 1]), []);
    assert.deepEqual(missingCpus('1-3', [0, 1]), [2, 3]);
  });
});
