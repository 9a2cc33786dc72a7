// The facts about the host that are read from /proc and /sys.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cpuQuota, groupFolders } from '../../client/machine/control-group.js';
import { countPorts, raiserOf, readHost } from '../../client/machine/host.js';
import { limitsOf, numbers } from '../../client/machine/kernel-files.js';
import { addressTowards } from '../../client/machine/own-addresses.js';
import { countTaken, hexOf } from '../../client/machine/taken-ports.js';
import { skip } from '../skip.js';

describe('host', () => {
  it('reads limits', () => {
    const limits =
      'Limit                     Soft Limit           Hard Limit           Units\n' +
      'Max processes             100                  unlimited            processes\n' +
      'Max open files            1024                 20000                files\n';
    assert.deepEqual(limitsOf(limits, 'Max open files'), { soft: 1024, hard: 20_000 });
    assert.deepEqual(limitsOf(limits, 'Max processes'), { soft: 100, hard: Infinity });
    assert.deepEqual(limitsOf(null, 'Max open files'), { soft: Infinity, hard: Infinity });
  });

  it('counts ports without the reserved ones', () => {
    const range = { from: 1000, to: 1999 };
    assert.deepEqual(
      [null, '', '\n', '1500', '1500,1990-2010', '10-20'].map((reserved) => countPorts(range, reserved)),
      [1000, 1000, 1000, 999, 989, 1000],
    );
  });

  it('describes this machine', async function () {
    if (process.platform !== 'linux') skip(this, 'reads /proc, which only Linux has');
    const facts = await readHost({ logs: '/nowhere/at/all' });
    for (const key of /** @type {const} */ ([
      'cores',
      'memoryBytes',
      'descriptors',
      'ports',
      'threads',
      'threadsFree',
      'tasks',
      'mappings',
      'openFilesUsed',
      'memoryAvailableBytes',
      'diskFreeBytes',
    ])) {
      assert.ok(Number(facts[key]) > 0, key);
    }
  });

  it('parses numbers, and returns null for "max" and for an empty text', () => {
    assert.deepEqual([' 1\t2 3\n', 'max', '', null].map(numbers), [[1, 2, 3], [], [], []]);
  });

  it('lists its addresses and finds the one used towards a target', async function () {
    if (process.platform !== 'linux') skip(this, 'reads /proc, which only Linux has');
    const { addresses, towards } = await readHost({ logs: '.', target: { host: '127.0.0.1', port: 9 } });
    assert.ok(addresses.some(({ address, prefix }) => address === '127.0.0.1' && prefix === 8));
    assert.equal(towards, '127.0.0.1');
    assert.equal((await readHost({ logs: '.' })).towards, null);
    assert.equal(await addressTowards({ host: '127.0.0.77', port: 9 }), '127.0.0.1');
  });

  it('counts the ports in use towards a target', () => {
    assert.equal(hexOf({ host: '10.0.0.1', port: 80 }, 'LE'), '0100000A:0050');
    assert.equal(hexOf({ host: '10.0.0.1', port: 80 }, 'BE'), '0A000001:0050');
    assert.equal(hexOf({ host: '::1', port: 80 }, 'LE'), '00000000000000000000000001000000:0050');
    assert.equal(hexOf({ host: 'fd00:1:2::a00:1', port: 443 }, 'BE'), 'FD00000100020000000000000A000001:01BB');
    assert.equal(hexOf({ host: '2001:db8:1:2:3:4:5:6', port: 1 }, 'BE'), '20010DB8000100020003000400050006:0001');
    const row = (/** @type {string} */ remote, /** @type {string} */ state) =>
      `   1: 0200000A:A028 ${remote} ${state} 0:0 00`;
    const table = [
      '  sl  local_address rem_address   st tx_queue',
      row('0100000A:0050', '01'),
      row('0100000A:0050', '06'),
      row('0100000A:0051', '01'),
      row('00000000:0000', '0A'),
      '',
    ].join('\n');
    assert.equal(countTaken(table, '0100000A:0050', false), 2);
    assert.equal(countTaken(table, '0100000A:0050', true), 1);
    assert.equal(countTaken(null, '0100000A:0050', false), 0);
  });

  it('finds the parent groups in both versions', () => {
    const groups = '9:name=systemd:/\n8:pids:/a/b\n4:cpu,memory:/\n0::/x\n';
    assert.deepEqual(groupFolders(groups, 'pids'), [
      '/sys/fs/cgroup/pids/a/b',
      '/sys/fs/cgroup/pids/a',
      '/sys/fs/cgroup/pids',
      '/sys/fs/cgroup/x',
      '/sys/fs/cgroup',
    ]);
    assert.deepEqual(groupFolders(groups, 'memory'), ['/sys/fs/cgroup/memory', '/sys/fs/cgroup/x', '/sys/fs/cgroup']);
    assert.deepEqual(groupFolders('0::/../..\n', 'pids'), ['/sys/fs/cgroup']);
    assert.deepEqual(groupFolders(null, 'pids'), []);
  });

  /** @type {[string, string, Record<string, string>, number | null][]} */
  const quotas = [
    [
      'of version 2, the least of a group and those above it',
      '0::/a/b\n',
      { 'a/b/cpu.max': '150000 100000', 'a/cpu.max': '50000 100000', 'cpu.max': 'max 100000' },
      0.5,
    ],
    [
      'of version 1',
      '4:cpu,cpuacct:/x\n',
      {
        'cpu/x/cpu.cfs_quota_us': '150000',
        'cpu/x/cpu.cfs_period_us': '100000',
        'cpu/cpu.cfs_quota_us': '-1',
        'cpu/cpu.cfs_period_us': '100000',
      },
      1.5,
    ],
    ['of no group', '0::/a\n', { 'a/cpu.max': 'max 100000' }, null],
  ];
  for (const [what, groups, files, quota] of quotas) {
    it(`reads the CPU quota ${what}`, async () => {
      const root = mkdtempSync(join(tmpdir(), 'broadside-quota-'));
      for (const [name, content] of Object.entries({ ...files, list: groups })) {
        mkdirSync(dirname(join(root, name)), { recursive: true });
        writeFileSync(join(root, name), `${content}\n`);
      }
      assert.equal(await cpuQuota({ root, groups: join(root, 'list') }), quota);
      rmSync(root, { recursive: true });
    });
  }

  it('names who can raise a hard limit', () => {
    const mayRaise = 'CapEff:\t000001ffffffffff\n';
    const mayNot = 'CapEff:\t0000000000000000\n';
    const service = '0::/system.slice/load.service\n';
    const login = '0::/user.slice/user-1000.slice/session-2.scope\n';
    const cases = [
      raiserOf(mayRaise, service, []),
      raiserOf(mayNot, login, ['/']),
      raiserOf(mayNot, service, []),
      raiserOf(mayNot, login, []),
    ];
    assert.deepEqual(cases, ['root', 'container', 'service', 'login']);
  });
});
