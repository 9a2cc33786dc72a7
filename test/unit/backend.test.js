// Which io backend and which CPUs a leg gets.

import assert from 'node:assert/strict';
import { chooseBackend } from '../../client/plan/backend.js';
import { checkPins, parseCpus } from '../../client/results/cpu-list.js';

const both = [
  { name: 'epoll', available: true, why: null },
  { name: 'io_uring', available: true, why: null },
];
const one = [both[0], { name: 'io_uring', available: false, why: 'this kernel answers ENOSYS' }];

describe('io backend', () => {
  it('auto is epoll', () => {
    assert.equal(chooseBackend({ io: 'auto' }, both), 'epoll');
    assert.equal(chooseBackend({ io: 'auto' }, one), 'epoll');
  });

  it('asked for by name is that one, or an error with the reason why it is not available', () => {
    assert.equal(chooseBackend({ io: 'io_uring' }, both), 'io_uring');
    assert.equal(chooseBackend({ io: 'epoll' }, one), 'epoll');
    assert.throws(() => chooseBackend({ io: 'io_uring' }, one), {
      code: 'EIO',
      exitCode: 3,
      message: /io_uring cannot be used here: this kernel answers ENOSYS/,
    });
  });
});

describe('CPU lists', () => {
  it('are read as taskset writes them', () => {
    assert.deepEqual(parseCpus('0'), [0]);
    assert.deepEqual(parseCpus('0-2'), [0, 1, 2]);
    assert.deepEqual(parseCpus('3,1,1-2'), [1, 2, 3]);
    for (const text of ['', 'a', '2-1', '1,', '-1', '9999', '1024']) assert.equal(parseCpus(text), null, text);
  });

  it('must be of CPUs that this process may use', () => {
    checkPins({ client: '0', server: null }, [0, 1]);
    assert.throws(() => checkPins({ client: '0', server: '1-3' }, [0, 1]), {
      exitCode: 3,
      message:
        'pin.server: 1-3 names CPU 2, 3, and this process may run on ' +
        '0, 1 only; give some of these, or ' +
        'leave it out',
    });
  });
});
