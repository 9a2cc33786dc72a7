// The open loop against real servers: requests are sent at the given rate, whatever the server does, and a stall of the
// server has its full effect on the percentiles; in a closed loop it does not.

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import * as hdr from 'hdr-histogram-js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { CLI, ROOT, sandbox } from '../fixtures/e2e-run.js';

const MS = 1e6;

/**
 * @param {import('../fixtures/e2e-books.js').Row[]} rows of a run @param {number} workers
 * @returns {number} share of the times from one due request of the first worker to the next that are shorter than half
 *   their mean: 0 of even spacing, 0.39 of a Poisson process
 */
function shortGaps(rows, workers) {
  const due = rows
    .filter(({ connection }) => connection % workers === 0)
    .map(({ start }) => start)
    .sort((a, b) => a - b);
  const gaps = due.slice(1).map((start, i) => start - due[i]);
  const meanNs = (due[due.length - 1] - due[0]) / gaps.length;
  return gaps.filter((gap) => gap < meanNs / 2).length / gaps.length;
}

describe('a run in open loop', function () {
  this.timeout(120_000);
  const box = sandbox();
  // without a warm-up, whose requests that still wait at its end would be due in the steady state
  const few = { connections: 20, ramp: { add: 20, every: '500ms' }, pause: '0s', duration: '4s', warmup: '0s' };
  /** @param {{response: number}} row of a transfer that waited for most of the stall */
  const hadToWait = ({ response }) => response > 700 * MS;
  const stalling = `${process.execPath} test/fixtures/stalling-command.js {port}`;

  for (const [arrivals, least, most, shortShare] of /** @type {const} */ ([
    ['constant', 1998, 2002, 0],
    ['poisson', 1750, 2250, 1 - Math.exp(-1 / 2)],
  ])) {
    const add = arrivals === 'constant' ? it : it.slow;
    add(`sends requests at its rate, ${arrivals}`, async () => {
      const run = box.stress({ ...few, servers: ['epoll'], rate: '500/s', arrivals });
      await run.endsWith(0);
      const {
        summary,
        legs: [{ leg, rows, samples }],
      } = await assertBooks(run);
      assert.equal(summary.config.loop, 'open');
      assert.ok(leg.steady.due >= least && leg.steady.due <= most, `${leg.steady.due} due`);
      assert.equal(leg.errors.total, 0);
      const { distribution, gaps } = leg.steady.arrivals;
      assert.equal(distribution, arrivals);
      assert.ok(Math.abs(gaps - leg.steady.due) < 100, `${gaps} times between the sends of ${leg.steady.due} requests`);
      const short = shortGaps(rows ?? [], run.workers().length);
      assert.ok(Math.abs(short - shortShare) < 0.1, `${short} of the requests were due soon after the one before`);
      assert.ok(samples.filter(({ phase }) => phase === 'ramp').every(({ counters }) => counters.due === 0));
      assert.match(run.stdout, /\n due +\d[\d,]*\n late +\d/);
    });
  }

  it('exports its times as HdrHistogram logs that contain every transfer, and is compared with an earlier run', async () => {
    const runs = join(ROOT, 'test/fixtures/run');
    const baseline = join(runs, readdirSync(runs)[0]);
    const folder = mkdtempSync(join(tmpdir(), 'broadside-step-'));
    const env = { GITHUB_STEP_SUMMARY: join(folder, 'step.md') };
    const flags = ['--baseline', baseline, '--tolerance', '5%', '--allow-undecided', '--name', 'today'];
    const run = box.stress({ ...few, servers: ['epoll'], rate: '500/s', duration: '1s' }, flags, { env });
    await run.endsWith(0);
    assert.ok(readFileSync(env.GITHUB_STEP_SUMMARY, 'utf8').startsWith('## Broadside: today\n'));
    rmSync(folder, { recursive: true });
    const found = run.summary().baseline;
    assert.equal(found.outcome, 'undecided', 'measured once');
    assert.equal(found.baseline.id, basename(baseline));
    assert.ok(found.conditions.some((/** @type {any} */ { key }) => key === 'scenario.connections'));
    const again = box.start([process.execPath, CLI, 'compare', 'today', baseline, '--json', '--logs', run.logs]);
    await again.endsWith(0);
    const compared = JSON.parse(again.stdout);
    assert.deepEqual([compared.tolerance, compared.outcome], [null, 'not-known']);
    for (const [more, code] of /** @type {[string[], number][]} */ ([
      [[], 99],
      [['--allow-undecided'], 0],
    ])) {
      const words = ['compare', 'today', baseline, '--tolerance', '5%', '--json', '--logs', run.logs, ...more];
      const judged = box.start([process.execPath, CLI, ...words]);
      await judged.endsWith(code);
      assert.deepEqual(JSON.parse(judged.stdout), found);
    }
    const page = readFileSync(join(run.report, `${run.summary().run}.html`), 'utf8');
    assert.match(page, /<section id="baseline"[^>]* data-outcome="undecided"/);
    const {
      legs: [{ leg }],
    } = await assertBooks(run);
    const exported = box.start([process.execPath, CLI, 'logs', 'export', '--json', '--logs', run.logs]);
    await exported.endsWith(0);
    const { files } = JSON.parse(exported.stdout);
    assert.deepEqual(
      files.map((/** @type {string} */ file) => basename(file)),
      ['response-time.hlog', 'service-time.hlog', 'connect-time.hlog'],
    );
    const reader = new hdr.HistogramLogReader(readFileSync(files[0], 'utf8'));
    const counted = { all: 0, steady: 0 };
    for (let read = reader.nextIntervalHistogram(); read !== null; read = reader.nextIntervalHistogram()) {
      counted.all += /** @type {any} */ (read).totalCount;
      if (read.tag === 'steady') counted.steady += /** @type {any} */ (read).totalCount;
    }
    assert.deepEqual(counted, { all: leg.transfers.count, steady: leg.steady.transfers });
  });

  it.slow(
    'shows a second in which the server stood still at its true weight; in closed loop it does not show',
    async () => {
      const open = box.stress({ ...few, command: stalling, rate: '500/s' });
      await open.endsWith(0);
      const {
        legs: [{ leg, rows }],
      } = await assertBooks(open);
      // of 2,000 requests 500 were due in that second, 450 of them more than 100 ms before it ended
      const { due, late, unsent, responseTimeNs, serviceTimeNs } = leg.steady;
      assert.ok(Math.abs(due - 2000) <= 2, `${due} due`);
      assert.ok(late + unsent > 400, `${late} late, ${unsent} unsent`);
      assert.ok(responseTimeNs.p90 > 400 * MS, `p90 ${responseTimeNs.p90}`);
      assert.ok(responseTimeNs.max > 950 * MS, `max ${responseTimeNs.max}`);
      assert.ok(serviceTimeNs.p90 < responseTimeNs.p90 / 2, `service time p90 ${serviceTimeNs.p90}`);
      const { data } = leg.findings.find((/** @type {any} */ { code }) => code === 'stalls') ?? {};
      assert.ok(data?.longestNs > 900 * MS && data.longestNs < leg.phases.endNs, JSON.stringify(leg.findings));
      assert.match(open.stdout, /! .*No reply on any connection/);
      const page = readFileSync(join(open.report, `${open.summary().run}.html`), 'utf8');
      assert.match(page, /Response time by percentile \(open loop\).*Service time by percentile \(open loop\)/s);

      const closed = box.stress({ ...few, command: stalling });
      await closed.endsWith(0);
      const {
        summary,
        legs: [{ leg: beside, rows: besideRows }],
      } = await assertBooks(closed);
      assert.equal(summary.config.loop, 'closed');
      assert.ok(beside.steady.responseTimeNs.max > 950 * MS, 'it stalled as planned');
      assert.ok(
        beside.findings.some((/** @type {any} */ { code }) => code === 'stalls'),
        JSON.stringify(beside.findings),
      );
      // one request of each connection at most was in flight as the server stopped, whatever else the machine does
      const [openSlow, closedSlow] = [rows, besideRows].map((all) => all?.filter(hadToWait).length ?? 0);
      assert.ok(closedSlow >= 1 && closedSlow <= few.connections, `${closedSlow} waited in closed loop`);
      assert.ok(openSlow > 5 * few.connections, `${openSlow} waited in open loop`);
    },
  );

  it.slow('sends requests on connections that take one each: http without keep-alive', async () => {
    const run = box.stress({
      ...few,
      servers: ['epoll'],
      protocol: 'http',
      payload: undefined,
      http: { keepAlive: false },
      rate: '500/s',
      duration: '2s',
    });
    await run.endsWith(0);
    const {
      legs: [{ leg }],
    } = await assertBooks(run, { planned: true });
    assert.deepEqual([leg.errors.total, leg.transfers.failed, leg.connections.lost], [0, 0, 0]);
    assert.ok(leg.transfers.count > 400 && leg.connections.reopened > 400, `${leg.connections.reopened} reopened`);
  });

  it.slow('counts scheduled requests that are never sent because the server is too slow', async () => {
    const run = box.stress({
      ...few,
      servers: [{ name: 'epoll', options: { work: '20ms' } }],
      connections: 4,
      rate: '1000/s',
      duration: '2s',
    });
    await run.endsWith(0);
    const {
      legs: [{ leg }],
    } = await assertBooks(run);
    // four connections with 20 ms each answer at most 200 a second
    assert.ok(leg.steady.unsent >= 1500 && leg.steady.unsent < leg.steady.due, `${leg.steady.unsent} unsent`);
    assert.match(run.stdout, /─ open loop ─.*\n.* due +late +waiting /, 'each second');
    assert.match(run.stdout, / steady .* (1,[01]\d\d|[89]\d\d) +\d+ +[\d,]+ /);
    assert.match(run.stdout, /response p99 +> /, 'a percentile among what was never sent is not known');
  });
});
