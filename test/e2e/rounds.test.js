// Rounds: every server again in each, in one folder with one summary and one page.

import assert from 'node:assert/strict';
import { comparedOf } from '../../client/judge/comparisons.js';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assertBooks, modelOf } from '../fixtures/e2e-books.js';
import { sandbox } from '../fixtures/e2e-run.js';

describe('a run with rounds', function () {
  this.timeout(120_000);
  const box = sandbox({ workers: 1 });

  it('has a case for each server, and compares them', async () => {
    const run = box.stress({
      ...{ servers: ['epoll', 'select'], rounds: 2, connections: 10 },
      ...{ start: 'together', transfers: 500, duration: '60s' },
      timestamps: 'off', // a leg without one stamped transfer would have fewer figures
    });
    await run.endsWith(0);
    const { summary, legs } = await assertBooks(run);
    assert.deepEqual([summary.complete, legs.length, summary.cases.length], [true, 4, 2]);
    assert.deepEqual(
      legs.map(({ leg }) => leg.round),
      [1, 1, 2, 2],
    );
    const [epoll, select] = summary.cases;
    assert.deepEqual([epoll.id, select.id, epoll.legs.length], ['epoll', 'select', 2]);
    for (const [i, id] of epoll.legs.entries()) {
      const { leg } = legs.find((/** @type {any} */ one) => one.leg.id === id) ?? assert.fail(id);
      assert.deepEqual([leg.case, leg.round], ['epoll', i + 1]);
      assert.equal(epoll.figures.perSecond.values[i], leg.steady.perSecond);
    }
    // servers that used less CPU than can be seen have no cost
    const compared = comparedOf(summary.config)
      .map(({ compared: { key } }) => key)
      .flatMap((key) => summary.cases.flatMap((/** @type {any} */ one) => (one.figures[key] ? [[key, one.id]] : [])))
      .filter(([key]) => key !== 'served');
    for (const key of ['perSecond', 'p50Ns', 'p99Ns'])
      for (const id of ['epoll', 'select'])
        assert.ok(
          compared.some((one) => one[0] === key && one[1] === id),
          `${key} of ${id}`,
        );
    assert.deepEqual(
      summary.comparisons.map((/** @type {any} */ { figure, case: id, mark }) => [figure, id, mark.why]),
      compared.map(([key, id]) => [key, id, 'two-rounds']),
    );
    const page = readFileSync(join(run.report, `${summary.run}.html`), 'utf8');
    assert.equal(page.match(/ data-mark="not-known"/g)?.length, compared.length);
    const [table] = page.match(/<table class="servers">.*?<\/table>/s) ?? assert.fail('no table of servers');
    assert.equal(table.match(/<tr class="leg-/g)?.length, 2, 'a row for each case');
    const { legs: drawn } = modelOf(join(run.report, `${summary.run}.html`));
    assert.deepEqual(drawn.map((/** @type {any} */ { color, drawn: shown }) => [color, shown]).sort(), [
      [0, false],
      [0, true],
      [1, false],
      [1, true],
    ]);
  });
});
