// The contract of servers/README.md for the servers in C under AddressSanitizer and UndefinedBehaviorSanitizer, and for
// those with threads under ThreadSanitizer as well.

import { describeSanitized, names } from '../contract/sanitized.js';

describe('the servers in C', () => {
  describeSanitized({ sanitizers: 'address,undefined', folder: 'build/address', names });
  const threaded = names.filter((name) => /thread|-pool$|oneshot|reactor/.test(name));
  describeSanitized({ sanitizers: 'thread', folder: 'build/thread', names: threaded });
  describeSanitized({
    title: 'address,undefined, with rings and buffers that run out',
    sanitizers: 'address,undefined',
    folder: 'build/tiny',
    names: ['io_uring'],
    make: ['CFLAGS=-O1 -g -DRING_PART=64u'],
  });
});
