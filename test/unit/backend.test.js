// Which io backend and which CPUs a leg gets.

import assert from 'node:assert/strict';
import { chooseBackend, measured, nearestCell } from '../../client/plan/backend.js';
import { checkPins, parseCpus } from '../../client/results/cpu-list.js';

const both = [
  { name: 'epoll', available: true, why: null },
  { name: 'io_uring', available: true, why: null },
];
const one = [both[0], { name: 'io_uring', available: false, why: 'this kernel answers ENOSYS' }];

const table = {
  cells: [
    { connections: 100, payloadBytes: 1, workload: 'continuous', io: 'io_uring' },
    { connections: 10_000, payloadBytes: 1, workload: 'continuous', io: 'epoll' },
    { connections: 100, payloadBytes: 65_536, workload: 'continuous', io: 'epoll' },
    { connections: 10_000, payloadBytes: 1024, workload: 'hold', io: 'io_uring' },
  ],
};
const load = { connections: 100, payloadBytes: 1, workload: 'continuous' };

describe('io backend', () => {
  it('auto is that of the nearest cell that was measured', () => {
    const chosen = (/** @type {Partial<typeof load>} */ over) =>
      chooseBackend({ io: 'auto', ...load, ...over }, both, table);
    assert.equal(chosen({}), 'io_uring');
    assert.equal(chosen({ connections: 900, payloadBytes: 2 }), 'io_uring');
    assert.equal(chosen({ connections: 80_000 }), 'epoll');
    assert.equal(chosen({ payloadBytes: 2 ** 20 }), 'epoll');
    assert.equal(chosen({ workload: 'hold', connections: 1 }), 'io_uring');
  });

  it('auto takes any cell for a workload that was not measured, and epoll without a table', () => {
    assert.equal(nearestCell({ ...load, workload: 'once' }, table), table.cells[0]);
    assert.equal(chooseBackend({ io: 'auto', ...load }, both, { cells: [] }), 'epoll');
  });

  it('auto is epoll where io_uring is not there; asked for by name it is an error with the reason', () => {
    assert.equal(chooseBackend({ io: 'auto', ...load }, one, table), 'epoll');
    assert.throws(() => chooseBackend({ io: 'io_uring', ...load }, one, table), {
      code: 'EIO',
      exitCode: 3,
      message: /io_uring cannot be used here: this kernel answers ENOSYS/,
    });
    assert.equal(chooseBackend({ io: 'io_uring', ...load }, both, table), 'io_uring');
    assert.equal(chooseBackend({ io: 'epoll', ...load }, one, table), 'epoll');
  });

  it('has a table of cells that name backends', () => {
    assert.ok(
      measured.cells.some(({ workload }) => workload === 'continuous'),
      'npm run bench -- io --write',
    );
    for (const cell of measured.cells) {
      assert.ok(['epoll', 'io_uring'].includes(cell.io) && cell.connections > 0 && cell.payloadBytes > 0);
    }
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
