// epoll with echo under AddressSanitizer and UndefinedBehaviorSanitizer. ../release/servers-sanitized.test.js has the
// other servers in C.

import { describeSanitized } from './sanitized.js';

describe.sanitized('the servers in C', () => {
  describeSanitized({
    sanitizers: 'address,undefined',
    folder: 'build/address',
    names: ['epoll'],
    protocols: ['echo'],
  });
});
