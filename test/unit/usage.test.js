// CPU, memory and counters used between two readings of /proc.
import assert from 'node:assert/strict';
import { processCpuNs } from '../../client/engine/index.js';
import { hasUnseenThreads, watchTree } from '../../servers/launcher/process/usage.js';
import { parseStatus, parseSwitches } from '../../servers/launcher/process/process-tree.js';
import {
  KernelMeter,
  KEPT_COUNTERS,
  kernelDelta,
  namespaceOf,
  parseKernel,
  readKernel,
} from '../../client/machine/kernel-counters.js';
import { kernelSum } from '../../client/measure/kernel-totals.js';
import { busyShares, parseStat, serverUse } from '../../client/machine/usage.js';
import { usageOf } from '../fixtures/known-usage.js';

describe('usage', () => {
  it('reads busy shares of each core from /proc/stat', () => {
    const before = parseStat('cpu  9 9 9 9\ncpu0 10 0 10 80 0 0 0 0 0 0\ncpu1 0 0 0 100 0 0 0 0 0 0\nintr 5\n');
    const after = parseStat('cpu  9 9 9 9\ncpu0 60 0 30 100 0 0 0 10 0 0\ncpu1 0 0 0 150 50 0 0 0 0 0\n');
    assert.deepEqual(busyShares(before, after), [0.8, 0]);
    const stat = 'cpu  9 9 9 9\ncpu0 60 0 30 100 0 0 0 10 0 0\ncpu10 0 0 0 150 50 0 0 0 0 0\ncpu1 7 0 0 3 0 0 0 0\n';
    assert.deepEqual(parseStat(stat, [1]), [{ busy: 7, total: 10 }], 'of the CPUs that a process may run on');
  });

  it("computes a server's use between two readings, and its busiest thread among those in both", () => {
    const before = {
      ...{ cpuSeconds: 1, waitSeconds: 1, rssBytes: 5, threads: 2, processes: 1, threadSeconds: { 7: 1, 8: 5 } },
      contextSwitches: { voluntary: 100, involuntary: 7 },
    };
    const after = {
      ...{ cpuSeconds: 2.6, waitSeconds: 1.5, rssBytes: 9, threads: 3, processes: 1, threadSeconds: { 7: 1.5, 9: 1 } },
      contextSwitches: { voluntary: 350, involuntary: 9 },
    };
    assert.deepEqual(serverUse(before, after, 2), {
      ...{ cpuSeconds: 1.6, waitSeconds: 0.5, rssBytes: 9, threads: 3, processes: 1, busiestThread: 0.5 },
      contextSwitches: { voluntary: 250, involuntary: 2 },
    });
    const { busiestThread, waitSeconds, cpuSeconds } = serverUse(before, { ...after, cpuSeconds: 3 }, 2);
    assert.deepEqual(
      [busiestThread, waitSeconds, cpuSeconds],
      [undefined, undefined, 2],
      'threads that came and went used the rest, and one of them may have been the busiest',
    );
    assert.ok(!('contextSwitches' in serverUse({ ...before, contextSwitches: null }, after, 2)), 'not known then');
  });

  it("computes each process's share of a core, the busiest first, for a new one since its start", () => {
    const reading = { cpuSeconds: 9, rssBytes: 1, threads: 4, processes: 3 };
    const use = (/** @type {Record<string, number> | null | undefined} */ before, /** @type {any} */ after) =>
      serverUse({ ...reading, processSeconds: before }, { ...reading, processSeconds: after }, 2).processCpu;
    assert.deepEqual(use({ 7: 1, 8: 1, 9: 5 }, { 7: 1.5, 8: 3.5, 10: 0.2 }), [1.25, 0.25, 0.1]);
    assert.deepEqual(
      use({}, Object.fromEntries(Array.from({ length: 50 }, (_, pid) => [pid, pid]))),
      Array.from({ length: 32 }, (_, i) => (49 - i) / 2),
    );
    assert.equal(use(null, { 7: 1 }), undefined);
    assert.equal(use({ 7: 1 }, undefined), undefined);
  });

  it('leaves out what one of the two readings did not contain', () => {
    const reading = { cpuSeconds: 3, waitSeconds: null, rssBytes: 9, threads: 3, processes: 1, threadSeconds: null };
    const told = { ...reading, waitSeconds: 50, threadSeconds: { 1: 50 } };
    assert.deepEqual(serverUse(reading, told, 1), { cpuSeconds: 0, rssBytes: 9, threads: 3, processes: 1 });
    assert.deepEqual(serverUse(told, reading, 1), { cpuSeconds: 0, rssBytes: 9, threads: 3, processes: 1 });
    const unknown = { ...told, cpuSeconds: null };
    assert.deepEqual(serverUse(told, unknown, 1), { rssBytes: 9, threads: 3, processes: 1 });
    assert.deepEqual(serverUse(unknown, told, 1), { rssBytes: 9, threads: 3, processes: 1 });
  });

  it("reads a thread's context switches", () => {
    const status = 'Name:\tepoll\nvoluntary_ctxt_switches:\t150\nnonvoluntary_ctxt_switches:\t545\n';
    assert.deepEqual(parseSwitches(status), { voluntary: 150, involuntary: 545 });
    assert.equal(parseSwitches('Name:\tepoll\n'), null);
  });

  it('knows when threads began and ended between two readings', () => {
    const before = { cpuSeconds: 1, childrenFaults: 50, threadNs: 0.9e9 };
    const of = (/** @type {object} */ changed) => hasUnseenThreads(before, { ...before, ...changed });
    assert.equal(of({ cpuSeconds: 1.5, threadNs: 1.395e9 }), false, 'its living threads used that');
    assert.equal(of({ cpuSeconds: 1.5, threadNs: 1.3e9 }), true, 'others used 0.1 s of it');
    assert.equal(of({ childrenFaults: 51 }), true, 'a child has ended');
  });
});

describe('kernel counters', () => {
  const texts = {
    snmp: 'Ip: A B\nIp: 1 2\nTcp: RetransSegs OutRsts MaxConn\nTcp: 5 6 -1\n',
    netstat: 'TcpExt: ListenOverflows ListenDrops\nTcpExt: 7 8\n',
    sockstat: 'sockets: used 3\nTCP: inuse 1 orphan 5 tw 9 alloc 1 mem 42\nUDP: inuse 0 mem 7\n',
  };

  it('are parsed by group and name', () => {
    const { TcpRetransSegs, TcpMaxConn, TcpExtListenDrops, TcpMemPages, TcpTimeWait, TcpOrphans } = parseKernel(texts);
    assert.deepEqual([TcpRetransSegs, TcpMaxConn, TcpExtListenDrops], [5, -1, 8]);
    assert.deepEqual([TcpMemPages, TcpTimeWait, TcpOrphans], [42, 9, 5]);
  });

  it('are reported as deltas, absolute ones unchanged, and added up accordingly', () => {
    const before = parseKernel(texts);
    const after = parseKernel({
      ...texts,
      snmp: texts.snmp.replace('5 6', '15 6'),
      sockstat: texts.sockstat.replace('mem 42', 'mem 40'),
    });
    const delta = kernelDelta(before, after);
    assert.deepEqual([delta.TcpRetransSegs, delta.TcpMemPages], [10, 40]);
    const [first, second] = [3, 4].map((TcpRetransSegs) => ({ TcpRetransSegs, TcpMemPages: 10 - TcpRetransSegs }));
    assert.deepEqual(kernelSum([first, second]), { TcpRetransSegs: 7, TcpMemPages: 7 });
  });

  it('exist on this kernel, with every reason to abort a connection that it counts', () => {
    const counters = readKernel();
    assert.equal(typeof counters.TcpRetransSegs, 'number');
    const aborts = Object.keys(counters).filter((name) => name.startsWith('TcpExtTCPAbort'));
    assert.ok(aborts.length >= 6);
    assert.deepEqual(
      aborts.filter((name) => !KEPT_COUNTERS.includes(name)),
      [],
    );
  });

  it('are empty for a process that does not exist, and not read twice for one in this network namespace', () => {
    assert.deepEqual([readKernel(2 ** 30), namespaceOf(2 ** 30)], [{}, null]);
    const meter = new KernelMeter([2 ** 30, process.pid]);
    assert.deepEqual([meter.away, meter.read().serverKernel], [[], undefined]);
  });
});

describe('the CPU time of a server', () => {
  it('is that of its clock, to the nanosecond', () => {
    // children that have ended, of other tests, add steps of 10 ms
    const cpuClock = (/** @type {number} */ pid) => (pid === process.pid ? 123_456_789 : 0);
    const { cpuSeconds } = usageOf(watchTree(process.pid, { cpuClock }));
    assert.equal(Math.round(cpuSeconds * 1e9) % 1e7, 3_456_789);
  });

  it('is counted in steps of 10 ms where it has no clock, and without one', () => {
    for (const cpuClock of [undefined, () => null]) {
      const { processSeconds } = usageOf(watchTree(process.pid, { cpuClock }));
      assert.equal(Math.round(processSeconds[process.pid] * 1e9) % 1e7, 0);
    }
  });

  it('is not known once a process ignores SIGCHLD, as nobody counts what its children used', () => {
    const status = (/** @type {string} */ ignored) => parseStatus(`Name:\ta\nVmRSS:\t    2 kB\nSigIgn:\t${ignored}\n`);
    assert.deepEqual(status('0000000000001000'), { residentBytes: 2048, ignoresChildren: false }); // SIGPIPE
    assert.deepEqual(status('0000000000011000'), { residentBytes: 2048, ignoresChildren: true });
    assert.deepEqual(parseStatus(''), { residentBytes: 0, ignoresChildren: false });
    let ignoresChildren = false;
    const watched = watchTree(process.pid, { statusOf: () => ({ residentBytes: 1, ignoresChildren }) });
    assert.ok(Number(watched.usage()?.cpuSeconds) > 0);
    for (const now of [true, false]) {
      ignoresChildren = now;
      const { cpuSeconds, waitSeconds, contextSwitches, threads } = watched.usage() ?? assert.fail();
      assert.deepEqual([cpuSeconds, waitSeconds, contextSwitches, threads > 0], [null, null, null, true]);
    }
  });

  it('is not known where /proc is that of another PID namespace, or the process cannot be read', () => {
    assert.equal(watchTree(process.pid, { ownPid: process.pid + 1 }).usage(), null);
    assert.equal(watchTree(2 ** 30).usage(), null);
  });

  it('is read by the engine from that clock, and grows with what the process does', () => {
    const before = Number(processCpuNs(process.pid));
    while (Number(processCpuNs(process.pid)) < before + 1e6);
    assert.equal(processCpuNs(2 ** 22), null);
    for (const none of [-1, 0, 2 ** 30]) assert.throws(() => processCpuNs(none), { code: 'EINVAL' });
  });
});
