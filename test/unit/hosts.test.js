// Which host of a ready line is accepted: the requested one or an equivalent, never another machine.

import assert from 'node:assert/strict';
import { acceptedHost, resolveAnnouncedHost } from '../../servers/launcher/start/hosts.js';

describe('the host of a ready line', () => {
  it('is the one that was requested, or an equivalent', () => {
    for (const [said, told, taken] of [
      ['127.0.0.1', '127.0.0.1', '127.0.0.1'],
      ['0.0.0.0', '127.0.0.1', '127.0.0.1'],
      ['::', '127.0.0.1', '127.0.0.1'],
      ['0:0:0:0:0:0:0:0', '10.0.0.1', '10.0.0.1'],
      ['::ffff:127.0.0.1', '127.0.0.1', '127.0.0.1'],
      ['localhost', '127.0.0.1', '127.0.0.1'],
      ['127.0.0.2', '127.0.0.1', '127.0.0.2'],
      ['127.0.0.1', '0.0.0.0', '127.0.0.1'],
      ['0:0:0:0:0:0:0:1', '::1', '::1'],
      ['10.0.0.1', '10.0.0.1', '10.0.0.1'],
      ['mine', 'mine', 'mine'],
      ['127.0.0.1', '10.0.0.1', null],
      ['10.0.0.1', '127.0.0.1', null],
      ['192.0.2.1', '127.0.0.1', null],
      ['192.0.2.1', '0.0.0.0', null],
      ['::ffff:192.0.2.1', '127.0.0.1', null],
      ['2001:db8::1', '::1', null],
      ['theirs', '127.0.0.1', null],
      ['127.1', '127.0.0.1', null],
      ['', '127.0.0.1', null],
      [null, '127.0.0.1', null],
      [2130706433, '127.0.0.1', null],
    ])
      assert.equal(acceptedHost(said, String(told)), taken, `${JSON.stringify(said)} when ${told} was requested`);
  });

  it('is compared with all addresses of a requested name', async () => {
    assert.deepEqual(
      await Promise.all(['127.0.0.1', '192.0.2.1'].map((said) => resolveAnnouncedHost(said, 'localhost'))),
      ['127.0.0.1', null],
    );
    assert.equal(await resolveAnnouncedHost('127.0.0.1', 'nobody.invalid'), null);
  });
});
