// The kernel counters of another network namespace, and when this kernel retransmits a SYN, in a namespace that nothing
// else uses.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { KernelMeter, readKernel } from '../../client/machine/kernel-counters.js';
import { tcpSettings } from '../../client/measure/syn-retries.js';
import { namespace } from '../fixtures/hostile/children.js';
import { until, within } from '../fixtures/hostile/until.js';
import { skip } from '../skip.js';

/** @import { ChildProcess } from 'node:child_process' */

const script = fileURLToPath(new URL('../fixtures/namespace-child.js', import.meta.url));
const watchedNs = 7e9;
/** The kernel's timers are some hundredths late; one that came a whole second late would be another one. */
const lateNs = 0.9e9;

describe('in a network namespace of its own', () => {
  /** @type {string[]} */
  let own = [];
  /** @type {ChildProcess[]} */
  let children = [];
  before(function () {
    own =
      namespace('--net', 'ip link set lo up') ??
      skip(this, 'no network namespace of our own (needs root, unshare and ip)');
  });
  afterEach(async () => {
    for (const child of children) child.stdin?.end();
    await Promise.all(children.map((child) => child.exitCode ?? once(child, 'close')));
    children = [];
  });

  /** @param {string[]} role @param {string} [setting] a shell command before it */
  function start(role, setting = 'true') {
    const [program, ...rest] = own;
    const child = spawn(
      program,
      [...rest, 'sh', '-c', `ip link set lo up; ${setting}; exec "$@"`, 'sh', process.execPath, script, ...role],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    );
    children.push(child);
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const next = async () => JSON.parse((await within('a line of the child', lines.next())).value);
    return { child, pid: /** @type {number} */ (child.pid), next };
  }

  it('a server has its own counters, and those of this process are not mixed with them', async () => {
    const { child, pid, next } = start(['refused', '7']);
    await next();
    const meter = new KernelMeter([pid]);
    assert.deepEqual(meter.away, [pid]);
    assert.equal(meter.read().serverKernel?.TcpActiveOpens, 0);
    child.stdin.write('\n');
    await next();
    const { kernel, serverKernel } = meter.read();
    const { TcpActiveOpens, TcpAttemptFails, TcpOutRsts } = serverKernel ?? assert.fail('no counters');
    assert.deepEqual([TcpActiveOpens, TcpAttemptFails, TcpOutRsts], [7, 7, 7]);
    assert.equal('TcpActiveOpens' in kernel, true);
    child.stdin.end();
    await once(child, 'close');
    assert.equal(meter.read().serverKernel, undefined, 'it is gone');
  });

  /**
   * Watches the counter, and between which two readings it rose.
   * @param {ReturnType<typeof start>} started
   */
  async function retransmissions({ pid, next }) {
    const { atNs, sysctl } = await next();
    const since = () => Number(process.hrtime.bigint() - BigInt(atNs));
    const planned = (tcpSettings(sysctl, 4096)?.synRetryNs ?? []).filter((ns) => ns <= watchedNs);
    /** @type {{ afterNs: number, byNs: number }[]} */
    const seen = [];
    let afterNs = 0;
    await until(
      `${planned.length} retransmissions of a SYN`,
      () => {
        const count = readKernel(pid).TcpExtTCPSynRetrans;
        const byNs = since();
        while (seen.length < count) seen.push({ afterNs, byNs });
        afterNs = byNs;
        return seen.length >= planned.length;
      },
      15_000,
    );
    return { planned, seen };
  }

  it("a SYN that a full accept queue drops is sent again at the times in this kernel's settings", async () => {
    const doubling = '{ echo 0 > /proc/sys/net/ipv4/tcp_syn_linear_timeouts; } 2>/dev/null';
    const [usual, doubled] = await Promise.all([
      retransmissions(start(['dropped'])),
      retransmissions(start(['dropped'], doubling)),
    ]);
    assert.deepEqual(doubled.planned, [1e9, 3e9, 7e9]);
    assert.ok(usual.planned.length >= doubled.planned.length);
    for (const { planned, seen } of [usual, doubled]) {
      assert.equal(seen.length, planned.length);
      planned.forEach((ns, i) => {
        const { afterNs, byNs } = seen[i];
        assert.ok(
          byNs >= ns && afterNs < ns + lateNs,
          `retransmission ${i + 1}, due at ${ns / 1e9} s, came between ${afterNs / 1e9} and ${byNs / 1e9} s`,
        );
      });
    }
  });
});
