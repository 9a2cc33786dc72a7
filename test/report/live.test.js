// The charts of a run in progress: what they show after the last sample is what the report shows.

import { columns as lineColumns } from '../../client/console/live-lines.js';
import assert from 'node:assert/strict';
import { endedCells } from '../../client/live/ended-cells.js';
import { LiveModel } from '../../report/live/live-model.js';
import { liveDocuments, liveFigures, servedReport } from '../../report/live/live-page.js';
import { MOST_LEGS } from '../../report/live/live-model.js';
import { chartModel } from '../../report/model/charts/all.js';
import { pageLegsOf } from '../../report/model/page-cases.js';
import { readRun } from '../../report/read/read-run.js';
import { RECORDED } from '../fixtures/recorded-run.js';

/** @param {any[]} events points of one leg @returns {Map<string, any[]>} the points by chart, role and cause */
function appended(events) {
  const lines = new Map();
  for (const { id, sets } of events.flatMap(({ charts }) => charts)) {
    for (const { role, cause, amends, points } of sets) {
      const key = [id, role, cause ?? ''].join(' ');
      const line = lines.get(key) ?? lines.set(key, []).get(key);
      if (amends) line.pop();
      line.push(...points);
    }
  }
  return lines;
}

describe('the charts of a run in progress', () => {
  it('have the points of the report in the end', async () => {
    /** @type {LooseRun} */
    const run = await readRun(RECORDED);
    const { results, cases } = pageLegsOf(run);
    const { charts, legs } = chartModel(run, results, cases);
    const cores = run.environment?.cores ?? 1;
    const memPages = run.environment?.tcp?.memPages;
    const live = new LiveModel({
      scenario: /** @type {any} */ (run.scenario),
      plan: /** @type {any} */ (run.plan),
      cores,
      memPages,
    });
    let compared = 0;
    for (const leg of run.legs.filter(({ samples }) => samples.length > 0)) {
      live.begin(leg.planned);
      const lines = appended(leg.samples.map((sample) => live.take(leg.id, sample, leg.summary?.startNs)));
      const at = legs.findIndex(({ id }) => id === leg.id);
      for (const id of ['transfers', 'response', 'connections', 'cpu', 'memory', 'rejects', 'errors']) {
        const chart = charts.find((one) => one.id === id);
        const panel = chart?.layout === 'overlay' ? chart.panels[0] : chart?.panels[at];
        for (const { role, cause, points, leg: of } of panel?.datasets ?? []) {
          // of the clouds, the report thins long ones
          if (['cloud', 'failed'].includes(role) || (of !== undefined && of !== at)) continue;
          const own = lines.get([id, role, cause ?? ''].join(' ')) ?? [];
          assert.deepEqual(own, points, `${leg.id} ${id} ${role} ${cause ?? ''}`);
          compared += points.length;
        }
      }
    }
    assert.ok(compared > 100);
  });

  it('show the last legs only, and say which is gone', async () => {
    /** @type {LooseRun} */
    const run = await readRun(RECORDED);
    const [first] = /** @type {any} */ (run.plan).legs;
    const legs = Array.from({ length: MOST_LEGS + 2 }, (_, i) => ({ ...first, id: `0${i}-x`, label: `x${i}<b>` }));
    const live = new LiveModel({ scenario: /** @type {any} */ (run.scenario), plan: { ...run.plan, legs }, cores: 2 });
    const gone = legs.map((leg) => live.begin(leg));
    assert.deepEqual(gone.filter(Boolean), ['00-x', '01-x']);
    const skeleton = live.skeleton();
    assert.deepEqual(
      skeleton.legs.map(({ id }) => id),
      legs.slice(2).map(({ id }) => id),
    );
    assert.ok(
      skeleton.charts.every(({ panels }) =>
        panels.every(({ datasets }) => datasets.every(({ points }) => points.length === 0)),
      ),
    );
    const figures = liveFigures(skeleton);
    assert.equal(figures.match(/<canvas /g)?.length, 1 + 6 * MOST_LEGS);
    assert.ok(figures.includes('x7&lt;b&gt;') && !figures.includes('<b>'));
  });

  it('give a server one colour in all rounds, and each round a line of its own', async () => {
    /** @type {LooseRun} */
    const run = await readRun(RECORDED);
    const [one, other] = /** @type {any} */ (run.plan).legs;
    const legs = [1, 2].flatMap((round) => [one, other].map((leg) => ({ ...leg, id: `${leg.id}-${round}`, round })));
    const live = new LiveModel({
      ...{ scenario: /** @type {any} */ (run.scenario), plan: { ...run.plan, rounds: 2, legs }, cores: 2 },
    });
    for (const leg of legs) live.begin(leg);
    const heads = live.skeleton().legs;
    assert.deepEqual([heads[0].color, heads[1].color], [heads[2].color, heads[3].color]);
    assert.notEqual(heads[0].color, heads[1].color);
    assert.equal(new Set(heads.map(({ color, mark }) => `${color} ${mark}`)).size, 4);
  });

  it('stand below the figures of legs that have ended, as their summaries have them', async () => {
    const { legs } = /** @type {any} */ ((await readRun(RECORDED)).summary);
    const names = ['time', 'phase', 'open', '/s', 'p99', 'rejects', 'back-off'];
    const columns = names.flatMap((name) => lineColumns.find((one) => one.name === name) ?? []);
    const texts = legs.map((/** @type {any} */ leg) => endedCells(columns, leg).map(({ text }) => text));
    assert.deepEqual(texts[2], ['0:40', 'ended', '10,000', '144,807', '90.2 ms', '0', '']);
    assert.deepEqual(
      legs.map((/** @type {any} */ leg) => endedCells(columns, leg)[5].tone),
      ['red', 'red', null],
    );
    const { steady: _, ...started } = { ...legs[2], complete: false };
    assert.deepEqual(endedCells(columns.slice(1, 5), started), [
      { text: 'incomplete', tone: 'red' },
      { text: '10,000', tone: null },
      { text: '–', tone: null },
      { text: '–', tone: null },
    ]);
  });

  it('say of the leg of a search whether its probe held', async () => {
    const [leg] = /** @type {any} */ ((await readRun(RECORDED)).summary).legs;
    const cellOf = (/** @type {boolean | null} */ held) => endedCells([{ name: 'phase' }], leg, { held })[0];
    assert.deepEqual([true, false, null].map(cellOf), [
      { text: 'held', tone: 'green' },
      { text: 'failed', tone: 'red' },
      { text: 'unknown', tone: 'red' },
    ]);
  });

  it('give way to the report, which names its file and has no link that would lead nowhere', () => {
    const page =
      '<body><a href="#results">x</a><header><nav aria-label="Page"><button>t</button><a href="./index.html#runs">y</a></nav></header><main><li><a href="./z" title="z">z</a></li></header><script>a = \' href="./z"\'</script>';
    const served = servedReport(page, '/a/<b>.html');
    assert.ok(served.includes('<code>/a/&lt;b&gt;.html</code>'));
    assert.ok(served.indexOf('id="served"') < served.indexOf('<header'));
    assert.ok(
      served.includes('<button>t</button></nav></header>') &&
        served.includes('<a title="z">z</a>') &&
        served.includes('<a href="#results">'),
    );
    assert.ok(
      served.endsWith(page.slice(page.indexOf('<script'))),
      'scripts are as they were: the policy names their hashes',
    );
  });

  it('are in a page whose scripts and styles are all files', async () => {
    const documents = await liveDocuments({ title: '<script>', columns: [{ title: '<i>' }] });
    const { text } = documents[''];
    const used = [...text.matchAll(/(?:src|href)="([^"]+)"/g)]
      .map(([, name]) => name)
      .filter((name) => !name.startsWith('data:'));
    assert.deepEqual(used.sort(), Object.keys(documents).filter(Boolean).sort());
    assert.doesNotMatch(text, /<style|<script>|<i>|style=/);
  });
});
