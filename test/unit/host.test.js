// The facts about the host, and about a process, that are read from /proc and /sys.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cpuQuota, groupFolders } from '../../client/machine/control-group.js';
import { countPorts, pageBytes, parsePageBytes, raiserOf, readHost } from '../../client/machine/host.js';
import { limitsOf } from '../../client/machine/kernel-files.js';
import { parseProcessStat, processStartTime, processStat } from '../../client/machine/process-stat.js';
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
      ...['cores', 'memoryBytes', 'memoryAvailableBytes', 'descriptors', 'openFilesUsed', 'ports', 'threads'],
      ...['threadsFree', 'tasks', 'mappings', 'diskFreeBytes'],
    ])) {
      assert.ok(Number(facts[key]) > 0, key);
    }
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

  it('reads the CPU quota: of version 2 the least of a group and those above it, of version 1, or of no group', async () => {
    /** @type {[string, Record<string, string>, number | null][]} */
    const quotas = [
      ['0::/a/b\n', { 'a/b/cpu.max': '150000 100000', 'a/cpu.max': '50000 100000', 'cpu.max': 'max 100000' }, 0.5],
      [
        '4:cpu,cpuacct:/x\n',
        {
          ...{ 'cpu/x/cpu.cfs_quota_us': '150000', 'cpu/x/cpu.cfs_period_us': '100000' },
          ...{ 'cpu/cpu.cfs_quota_us': '-1', 'cpu/cpu.cfs_period_us': '100000' },
        },
        1.5,
      ],
      ['0::/a\n', { 'a/cpu.max': 'max 100000' }, null],
    ];
    for (const [groups, files, quota] of quotas) {
      const root = mkdtempSync(join(tmpdir(), 'broadside-quota-'));
      for (const [name, content] of Object.entries({ ...files, list: groups })) {
        mkdirSync(dirname(join(root, name)), { recursive: true });
        writeFileSync(join(root, name), `${content}\n`);
      }
      assert.equal(await cpuQuota({ root, groups: join(root, 'list') }), quota);
      rmSync(root, { recursive: true });
    }
  });

  it('names who can raise a hard limit', () => {
    const mayRaise = 'CapEff:\t000001ffffffffff\n';
    const mayNot = 'CapEff:\t0000000000000000\n';
    const service = '0::/system.slice/load.service\n';
    const login = '0::/user.slice/user-1000.slice/session-2.scope\n';
    assert.equal(raiserOf(mayRaise, service, []), 'root');
    assert.equal(raiserOf(mayNot, login, ['/']), 'container');
    assert.equal(raiserOf(mayNot, service, []), 'service');
    assert.equal(raiserOf(mayNot, login, []), 'login');
  });
});

describe('the stat of a process', () => {
  it('is parsed when the process name contains spaces and parentheses', () => {
    const text = `42 (a) S (b c) Z 7 ${Array.from({ length: 17 }, (_, i) => i + 5).join(' ')} 98765 0\n`;
    assert.deepEqual(parseProcessStat(text), { name: 'a) S (b c', state: 'Z', parent: 7, startTime: '98765' });
  });

  it('describes this process, its parent and its start time', () => {
    assert.equal(processStat(process.pid)?.parent, process.ppid);
    assert.match(processStartTime(process.pid) ?? '', /^[0-9]+$/);
    assert.equal(processStat(2 ** 30), null);
  });
});

describe('the page size', () => {
  it('is found among the other words of the auxiliary vector', () => {
    const words = [3n, 64n, 6n, 65_536n, 0n, 0n];
    const vector = Buffer.alloc(words.length * 8);
    words.forEach((word, i) => vector.writeBigUInt64LE(word, i * 8));
    assert.equal(parsePageBytes(vector, 'LE'), 65_536);
    assert.equal(parsePageBytes(Buffer.alloc(0), 'LE'), 4096);
  });

  it('is a power of two on this machine', () => assert.equal(Math.log2(pageBytes()) % 1, 0));
});
