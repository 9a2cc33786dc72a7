// Busy polling (busyPollNs) on the real backends: the time spent on polls that found nothing is reported, and is CPU
// time that the thread really used.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { overEachBackend } from '../fixtures/hostile/each-backend.js';
import { startHostile } from '../fixtures/hostile/server.js';

const rate = 20;

/** @param {number} tid @returns {number | null} null: it has ended, and this thread hears of its intervals only now */
function cpuOf(tid) {
  try {
    return Number(readFileSync(`/proc/self/task/${tid}/schedstat`, 'utf8').split(' ')[0]);
  } catch {
    return null;
  }
}

overEachBackend('busy polling', function (run) {
  /** @param {number} busyPollMs @param {object} [more] */
  async function leg(busyPollMs, more = {}) {
    /** @type {{idlePollNs: number, cpuNs: number, atNs: number}[]} */
    const seen = [];
    const server = await startHostile('echo');
    const { counters } = await run({
      port: server.port,
      slots: 2,
      workload: 'continuous',
      rate,
      busyPollMs,
      cutEveryMs: 250,
      steadyFromMs: 250,
      steadyToMs: 1750,
      drainMs: 10_000,
      ...more,
      onInterval: ({ toNs }, engine) => {
        const idlePollNs = engine.idlePollNs(); // the CPU is read after it, so that it covers more
        const cpuNs = cpuOf(engine.threads().engine);
        if (cpuNs !== null) seen.push({ idlePollNs, cpuNs, atNs: toNs });
      },
    });
    await server.close();
    assert.equal(counters.transfers, server.did.replies);
    assert.ok(seen.length > 0, 'some interval was heard of while the thread ran');
    return { seen, counters };
  }

  it('is off by default', async () => {
    const { seen, counters } = await leg(0);
    assert.ok(seen.every(({ idlePollNs }) => idlePollNs === 0));
    assert.ok(counters.due > 0);
  });

  it('for longer than the time between requests never sleeps', async () => {
    const { seen } = await leg(200);
    const { idlePollNs, cpuNs } = seen[seen.length - 1];
    assert.ok(idlePollNs > 0.3 * cpuNs, `${idlePollNs} of ${cpuNs} ns of CPU were idle polls`);
    assert.ok(idlePollNs < 1.1 * cpuNs, `${idlePollNs} ns of idle polls, and only ${cpuNs} ns of CPU`);
  });

  it.slow('for a short time sleeps again, and polls less', async () => {
    const { seen } = await leg(2);
    const { idlePollNs, atNs } = seen[seen.length - 1];
    assert.ok(idlePollNs > 0 && idlePollNs < 0.5 * atNs, `${idlePollNs} of ${atNs} ns were idle polls`);
  });

  it.slow('also works in closed loop with pauses', async () => {
    const { seen, counters } = await leg(5, { rate: undefined, pauseMs: 20 });
    const { idlePollNs, cpuNs } = seen[seen.length - 1];
    assert.ok(counters.transfers > 10, `${counters.transfers} transfers`);
    assert.ok(idlePollNs > 0 && idlePollNs < 1.1 * cpuNs, `${idlePollNs} ns of idle polls, ${cpuNs} ns of CPU`);
  });
});
