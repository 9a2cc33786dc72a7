// "Did you mean": similar names are suggested, others are not.

import assert from 'node:assert/strict';
import { didYouMean, nearest } from '../../client/scenario/nearest.js';

const names = ['connections', 'connectTimeout', 'ramp.add', 'epoll', 'select', 'multi-threaded'];

describe('nearest', () => {
  it('finds the intended name', () => {
    const rows = {
      conections: 'connections',
      'connect-timeout': 'connectTimeout',
      'ramp.ad': 'ramp.add',
      epol: 'epoll',
      EPOLL: 'epoll',
      slect: 'select',
      multithreaded: 'multi-threaded',
      selcet: 'select',
      eopll: 'epoll',
      multi: 'multi-threaded',
    };
    for (const [given, meant] of Object.entries(rows)) assert.equal(nearest(given, names)[0], meant, given);
  });

  it('suggests nothing for a text that is too different, empty or endless', () => {
    for (const given of ['', '-', 'kqueue', 'x', 'z'.repeat(500)]) assert.deepEqual(nearest(given, names), [], given);
    assert.equal(didYouMean('kqueue', names), '');
  });

  it('phrases the suggestion as a question', () => {
    assert.equal(didYouMean('10k-1k', ['10k-1kb', '10k-1b', 'smoke']), ' Did you mean "10k-1kb" or "10k-1b"?');
  });
});
