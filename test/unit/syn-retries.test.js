// The times at which kernels with and without linear timeouts retransmit a SYN, and which connects waited for one.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Histogram } from '../../client/measure/histogram.js';
import { connectSteps, synRetryTimes, tcpSettings } from '../../client/measure/syn-retries.js';

describe('retransmissions of a SYN', () => {
  it('are sent at the times observed on Linux, never further apart than the longest timeout', () => {
    for (const [settings, times] of /** @type {[Parameters<typeof synRetryTimes>[0], number[]][]} */ ([
      [{ retries: 6, linear: 4 }, [1, 2, 3, 4, 5, 7, 11, 19, 35, 67]],
      [{ retries: 6 }, [1, 3, 7, 15, 31, 63]],
      [{ retries: 2, linear: 1 }, [1, 2, 4]],
      [{ retries: 8 }, [1, 3, 7, 15, 31, 63, 127, 247]],
      [{ retries: 5, rtoMaxNs: 4e9 }, [1, 3, 7, 11, 15]],
      [{ retries: 0 }, []],
    ])) {
      assert.deepEqual(
        synRetryTimes(settings).map((ns) => ns / 1e9),
        times,
      );
    }
  });

  it('are read from the settings of the kernel', () => {
    const sysctl = {
      'net.ipv4.tcp_syn_retries': '3',
      'net.ipv4.tcp_syn_linear_timeouts': '1',
      'net.ipv4.tcp_rto_max_ms': '2000',
      'net.ipv4.tcp_mem': '10 20 30',
    };
    assert.deepEqual(tcpSettings(sysctl, 4096), {
      initialRtoNs: 1e9,
      synRetries: 3,
      synLinearTimeouts: 1,
      synRetryNs: [1e9, 2e9, 4e9, 6e9],
      memPages: { low: 10, pressure: 20, high: 30, pageBytes: 4096 },
    });
    assert.deepEqual(
      tcpSettings({ 'net.ipv4.tcp_syn_retries': '2' }, 4096),
      { initialRtoNs: 1e9, synRetries: 2, synLinearTimeouts: 0, synRetryNs: [1e9, 3e9] },
      'an older kernel',
    );
    assert.equal(tcpSettings({ 'net.ipv4.tcp_mem': '10 20 30' }, 4096), undefined);
  });
});

describe('connect steps', () => {
  it('contain the connects from one retransmission to the next, the last without an end; none if none was needed', () => {
    for (const [connects, steps, retries] of /** @type {[number[], string?, number[]?][]} */ ([
      [[0.001, 0.9, 1.012, 1.5, 2.03], '1: 2, 2: 1'],
      [[0.5, 4.1, 90], '1: 0, 2: 0, 4: 2'],
      [[1], '1: 1'],
      [[]],
      [[0.001, 0.9]],
      [[3], undefined, []],
    ])) {
      const histogram = new Histogram();
      for (const at of connects) histogram.record(at * 1e9);
      const actual = connectSteps(histogram, retries ?? [1e9, 2e9, 4e9]);
      assert.equal(actual?.map(({ atNs, connections }) => `${atNs / 1e9}: ${connections}`).join(', '), steps);
      assert.equal(connectSteps(histogram), undefined, 'a kernel that does not tell');
    }
  });

  it('contain every connect beyond the first retransmission once', () => {
    const anyTimes = fc.array(fc.integer({ min: 1, max: 2e10 }));
    fc.assert(
      fc.property(anyTimes, fc.nat(6), fc.nat(4), (times, retries, linear) => {
        const synRetryNs = synRetryTimes({ retries, linear });
        const histogram = new Histogram();
        for (const ns of times) histogram.record(ns);
        const steps = connectSteps(histogram, synRetryNs) ?? [];
        const counted = steps.reduce((sum, { connections }) => sum + connections, 0);
        assert.equal(counted, synRetryNs.length > 0 ? histogram.countBetween(synRetryNs[0], Infinity) : 0);
        const clear = times.filter((ns) => ns > synRetryNs[0] * 0.999 && ns < synRetryNs[0]).length;
        assert.ok(Math.abs(counted - times.filter((ns) => ns >= synRetryNs[0]).length) <= clear, 'to a bucket');
      }),
    );
  });
});
