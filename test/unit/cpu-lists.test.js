// Lists of CPUs, as taskset writes them.

import assert from 'node:assert/strict';
import { missingCpus, parseCpus } from '../../client/measure/cpu-list.js';

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
