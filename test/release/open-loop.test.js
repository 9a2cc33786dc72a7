// A stall of the server has its full effect on the percentiles of an open loop, and not on those of a closed loop.

import assert from 'node:assert/strict';
import { dataOf } from '../fixtures/codes.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { sandbox } from '../fixtures/e2e-run.js';

const MS = 1e6;

describe('a run in open loop', function () {
  this.timeout(120_000);
  const box = sandbox();
  // without a warm-up, whose requests that still wait at its end would be due in the steady state
  const few = { connections: 20, ramp: { add: 20, every: '500ms' }, pause: '0s', duration: '4s', warmup: '0s' };
  /** @param {{response: number}} row of a transfer that waited for most of the stall */
  const hadToWait = ({ response }) => response > 700 * MS;
  /** Where the machine is busy, the finding is that the stall may be its own. @param {any} leg */
  const longestStallNs = ({ findings }) =>
    Math.max(...['stalls', 'stalls-waiting'].map((code) => dataOf(findings, code)?.longestNs ?? 0));
  const stalling = `${process.execPath} test/fixtures/stalling-command.js {port}`;

  it('shows a second in which the server stood still at its true weight; in closed loop it does not show', async () => {
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
    assert.ok(longestStallNs(leg) > 900 * MS && longestStallNs(leg) < leg.phases.endNs, JSON.stringify(leg.findings));

    const closed = box.stress({ ...few, command: stalling });
    await closed.endsWith(0);
    const {
      summary,
      legs: [{ leg: beside, rows: besideRows }],
    } = await assertBooks(closed);
    assert.equal(summary.config.loop, 'closed');
    assert.ok(beside.steady.responseTimeNs.max > 950 * MS, 'it stalled as planned');
    assert.ok(longestStallNs(beside) > 900 * MS, JSON.stringify(beside.findings));
    // one request of each connection at most was in flight as the server stopped, whatever else the machine does
    const [openSlow, closedSlow] = [rows, besideRows].map((all) => all?.filter(hadToWait).length ?? 0);
    assert.ok(closedSlow >= 1 && closedSlow <= few.connections, `${closedSlow} waited in closed loop`);
    assert.ok(openSlow > 5 * few.connections, `${openSlow} waited in open loop`);
  });
});
