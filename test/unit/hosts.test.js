// Which host of a ready line is believed: the one that was told, or what comes to the same; never another machine.

import assert from 'node:assert/strict';
import { hostSaid, hostTaken } from '../../servers/launcher/start/hosts.js';

describe('the host of a ready line', () => {
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
  ]) {
    it(`${JSON.stringify(said)} of one that was told ${told}: ${taken ?? 'refused'}`, () =>
      assert.equal(hostSaid(said, String(told)), taken));
  }

  it('is compared with all addresses of a name that was told', async () => {
    assert.deepEqual(await Promise.all(['127.0.0.1', '192.0.2.1'].map((said) => hostTaken(said, 'localhost'))), [
      '127.0.0.1',
      null,
    ]);
    assert.equal(await hostTaken('127.0.0.1', 'nobody.invalid'), null);
  });
});
