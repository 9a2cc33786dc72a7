// Faults at random moments of a run: whatever happens to its processes, connections and disk, the run ends, with an
// exit code that fits; its books balance, nothing is left behind, and it says what happened. BROADSIDE_FAULTS says how
// often, BROADSIDE_CONNECTIONS with how many connections, BROADSIDE_SEED repeats a series.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { seededRandom } from '../../client/measure/random.js';
import { codesOf } from '../fixtures/codes.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { isAlive } from '../fixtures/e2e-processes.js';
import { sandbox } from '../fixtures/e2e-run.js';
import { mountTmpfs } from '../fixtures/e2e-tmpfs.js';

/** @import { Run } from '../fixtures/e2e-run.js' */

const FAULTS = Number(process.env.BROADSIDE_FAULTS ?? 8);
const CONNECTIONS = Number(process.env.BROADSIDE_CONNECTIONS ?? 200);
const SEED = Number(process.env.BROADSIDE_SEED ?? Date.now() % 2 ** 31);
const STEADY_MS = 4000;
/** Of the disk that the run writes to. */
const DISK = 'size=256m';

/**
 * @param {number} pid @param {number} ms
 */
async function stopFor(pid, ms) {
  if (!isAlive(pid)) return;
  process.kill(pid, 'SIGSTOP');
  await wait(ms);
  if (isAlive(pid)) process.kill(pid, 'SIGCONT');
}

/** @param {number[]} pids */
const kill = (pids) => pids.filter(isAlive).forEach((pid) => void process.kill(pid, 'SIGKILL'));

/** @param {Run} run @param {() => number} random @returns {number[]} one worker that lives */
function anyWorker(run, random) {
  const workers = run.workers().filter(isAlive);
  return workers.length === 0 ? [] : [workers[Math.floor(random() * workers.length)]];
}

/** @param {Run} run @returns {number[]} */
const serverOf = (run) => run.processes().flatMap(({ name, pid }) => (name === 'epoll' ? [pid] : []));

/**
 * @typedef {object} Fault
 * @property {string} name
 * @property {(run: Run, random: () => number, disk: string) => Promise<void> | void} strike
 * @property {number[]} codes with which the run may end
 * @property {string[]} [said] codes of warnings, of which one has to be there
 */

/** @type {Fault[]} */
const faults = [
  {
    name: 'a worker is killed',
    strike: (run, random) => kill(anyWorker(run, random)),
    codes: [0],
    said: ['worker-lost'],
  },
  {
    name: 'a worker stops for a second',
    strike: async (run, random) => void (await Promise.all(anyWorker(run, random).map((pid) => stopFor(pid, 1000)))),
    codes: [0],
  },
  {
    name: 'the server is killed',
    strike: (run) => kill(serverOf(run)),
    codes: [0, 1], // 1: it had served nothing
    said: ['server-ended'],
  },
  {
    name: 'the server stops for a second',
    strike: async (run) => void (await Promise.all(serverOf(run).map((pid) => stopFor(pid, 1000)))),
    codes: [0],
  },
  { name: 'the primary stops for three seconds', strike: (run) => stopFor(run.pid, 3000), codes: [0] },
  {
    name: 'connections are reset',
    strike: (run) => {
      const [, port] = /127\.0\.0\.1:(\d+)/.exec(run.stdout) ?? assert.fail('the console names the server');
      spawnSync('ss', ['-K', 'dport', '=', `:${port}`]);
    },
    codes: [0],
  },
  {
    name: 'the disk is full for a second',
    strike: async (_run, _random, disk) => {
      const filler = join(disk, 'zz-filler');
      spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=1M']);
      await wait(1000);
      rmSync(filler, { force: true });
    },
    codes: [0, 1],
  },
];

describe('a run to which something happens', function () {
  this.timeout(FAULTS * 60_000);
  const box = sandbox({ workers: 2 });

  it(`balances its books and says what happened: seed ${SEED}`, async function () {
    const random = seededRandom(SEED);
    const load = { servers: ['epoll'], connections: CONNECTIONS, ramp: { add: CONNECTIONS, every: '1s' } };
    for (let number = 0; number < FAULTS; number += 1) {
      const fault = faults[Math.floor(random() * faults.length)];
      const afterMs = random() * STEADY_MS * 0.8;
      const tag = `${fault.name} after ${afterMs.toFixed(0)} ms (seed ${SEED}, fault ${number})`;
      const disk = join(box.folder, `disk-${number}`);
      mkdirSync(disk);
      const unmount = mountTmpfs(this, disk, DISK);
      try {
        const run = box.stress({ ...load, duration: `${STEADY_MS}ms`, payload: '64B' }, [], { logs: disk });
        await run.until(`the leg starts (${tag})`, () => run.events().some(({ msg }) => msg === 'leg starts'));
        await wait(afterMs);
        await fault.strike(run, random, disk);
        const { code } = await run.ended();
        const story = () => `${tag}: exit code ${code}${run.story()}`;
        assert.ok(fault.codes.includes(Number(code)), story());
        assert.doesNotMatch(run.stdout + run.stderr, /\n +at /, `no stack: ${story()}`);
        await run.until(`all are gone (${tag})`, () => run.processes().length === 0);
        const { summary, legs } = await assertBooks(run).catch((error) => {
          throw new Error(`${story()}\n${error.message}`, { cause: error });
        });
        const said = [...codesOf(summary.warnings), ...legs.flatMap(({ leg }) => codesOf(leg.warnings ?? []))];
        if (fault.said)
          assert.ok(
            fault.said.some((one) => said.includes(one)),
            `${said}: ${story()}`,
          );
      } finally {
        unmount();
      }
    }
  });
});
