// Many legs: in which orders they are listed, which are drawn, and that a server that served only some never
// looks fast.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fewPlacesText, servedOnlySome } from '../../client/words/figures.js';
import { chartModel } from '../../report/model/charts/all.js';
import { pageLeg } from '../../report/model/page-leg.js';
import { areMany, drawnAsLines, drawnAsRows, grouped, withColours } from '../../report/model/leg-order.js';
import { dashOf } from '../../report/model/leg-marks.js';
import { COLOURS } from '../../report/model/palette.js';
import { readRun } from '../../report/read/read-run.js';
import { allFigures } from '../../report/html/sections/all-figures.js';
import { chartGrid, figure } from '../../report/html/sections/charts.js';
import { limits } from '../../report/html/sections/limits.js';
import { makeRun } from '../fixtures/make-run.js';
import { attributesOf, cellOf, elementOf } from '../fixtures/page-elements.js';

/** @import { PageLeg } from '../../report/types.js' */

const labels = (/** @type {Array<{ label: string }>} */ list) => list.map(({ label }) => label);

describe('report: many legs', function () {
  this.timeout(120_000);
  /** @type {string} */
  let scratch;
  /** @type {Record<'fleet' | 'polyglot', LooseRun>} */
  const runs = /** @type {any} */ ({});
  /** @type {Record<'fleet' | 'polyglot', PageLeg[]>} */
  const facts = /** @type {any} */ ({});
  before(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'broadside-many-'));
    for (const load of /** @type {const} */ (['fleet', 'polyglot'])) {
      runs[load] = await readRun(await makeRun({ out: join(scratch, load), load }));
      facts[load] = withColours(runs[load].legs.map((leg) => pageLeg(leg, runs[load])));
    }
  });
  after(() => rm(scratch, { recursive: true, force: true }));
  const named = (/** @type {string} */ label) => /** @type {PageLeg} */ (facts.polyglot.find((f) => f.label === label));

  it('are grouped by language where there are several; those that left some unanswered come last', () => {
    const groups = grouped(facts.polyglot);
    assert.deepEqual(
      groups.map(({ name, results: own }) => `${name} ${own.length}`),
      ['C 17', 'Go 2', 'Java 3', 'Node.js 2', 'Python 4', 'Rust 2'],
    );
    for (const { results: own } of groups) {
      const standing = own.map((f) => Number(servedOnlySome(f.summary) !== undefined));
      assert.deepEqual(standing, [...standing].sort());
    }
    const [c] = groups;
    assert.equal(c.results[0].label, 'io_uring');
    assert.deepEqual(labels(c.results.slice(13)).sort(), ['iterative', 'preforked', 'prethreaded', 'prethreaded 128']);
    assert.deepEqual(
      [grouped(facts.fleet).length, areMany(facts.fleet), areMany(facts.polyglot.slice(0, 6))],
      [1, true, false],
    );
  });

  it('are drawn six as lines: the best, the worst, and those with failures', () => {
    const lines = drawnAsLines(facts.polyglot);
    assert.equal(lines.length, 6);
    const sorted = facts.polyglot.map(({ figures }) => figures?.perSecond ?? 0).sort((a, b) => b - a);
    assert.equal(lines[0].figures?.perSecond, sorted[0], 'the best');
    assert.ok(servedOnlySome(lines[1].summary), 'the worst: it left some unanswered');
    for (const f of lines.slice(1)) {
      const { rejects, errors } = f.summary;
      assert.ok(servedOnlySome(f.summary) || rejects?.total || errors?.total, f.label);
    }
    const fine = facts.polyglot.filter((f) => ['go', 'rust'].includes(f.summary.serverModel?.language ?? ''));
    assert.deepEqual(labels(drawnAsLines(fine)), ['rust-tokio', 'rust-threads', 'go', 'go, one thread']);
    assert.deepEqual(drawnAsLines(facts.fleet.map((f) => ({ ...f, ran: false }))), []);
    assert.equal(new Set(Array.from({ length: 6 }, (_, i) => dashOf(i).join())).size, 6);
  });

  it('are drawn thirty over time, as they are listed: those drawn as lines, and those with failures first', () => {
    const again = facts.polyglot.map((f) => ({ ...f, id: `again-${f.id}`, label: `${f.label} again` }));
    const all = [...facts.polyglot, ...again];
    const rows = drawnAsRows(all);
    const listed = grouped(all).flatMap(({ results: own }) => own);
    assert.deepEqual([rows.length, rows], [30, listed.filter((f) => rows.includes(f))]);
    const failed = all.filter((f) => servedOnlySome(f.summary) || f.summary.rejects?.total || f.summary.errors?.total);
    assert.ok(failed.length > 6 && [...failed, ...drawnAsLines(all)].every((f) => rows.includes(f)));
    assert.deepEqual(drawnAsRows(facts.polyglot.slice(0, 3)), facts.polyglot.slice(0, 3), 'of few all, as they ran');
  });

  it('that are not drawn are not in the model, and the page says so', () => {
    const legs = [0, 1].flatMap((i) => runs.polyglot.legs.map((leg) => ({ ...leg, id: `${i}-${leg.id}` })));
    const results = withColours(legs.map((leg) => pageLeg(leg, runs.polyglot)));
    const model = chartModel({ ...runs.polyglot, legs }, results);
    assert.equal(model.legs.length, 30);
    const said = String(
      chartGrid(
        model.charts.filter(({ id }) => ['percentiles', 'transfers'].includes(id)),
        model,
      ),
    );
    assert.deepEqual(
      [attributesOf(said, 'data-drawn'), attributesOf(said, 'data-of')],
      [
        ['30', '6'],
        ['60', '60'],
      ],
    );
    const chart = (/** @type {string} */ id) => model.charts.find((one) => one.id === id) ?? assert.fail(id);
    assert.deepEqual([chart('transfers').panels.length, chart('percentiles').panels[0].datasets.length], [30, 6]);
    assert.ok(JSON.stringify(model).length < 4_000_000);
    const rejects = String(figure(chart('rejects'), model));
    assert.equal(attributesOf(rejects, 'data-legs').map(Number)[0] + [...rejects.matchAll(/<canvas/g)].length, 30);
  });

  it('differ in colour, those drawn as lines as long as there are colours', () => {
    for (const own of Object.values(facts)) {
      assert.equal(new Set(own.map((f) => f.colour)).size, own.length);
      assert.ok(drawnAsLines(own).every(({ colour }) => colour < COLOURS));
    }
  });

  it('say of a server with few places how many it serves and how many it leaves', () => {
    for (const [label, text] of /** @type {[string, string?][]} */ ([
      ['iterative', 'serves 1 at once: 999 of 1,000 not served'],
      ['prethreaded', 'serves 16 at once (threads): 984 of 1,000 not served'],
      ['python-threads', '200 of 1,000 not served'],
      ['epoll'],
    ])) {
      assert.equal(servedOnlySome(named(label).summary), text);
      assert.equal(servedOnlySome({ ...named(label).summary, heldOnly: true }), undefined);
    }
    const { summary } = named('preforked');
    const connections = { ...summary.connections, requested: 16 };
    assert.equal(fewPlacesText(/** @type {any} */ ({ ...summary, connections })), undefined);
  });

  it('keep the counts of their samples, and stay light', () => {
    const long = {
      ...runs.fleet,
      legs: runs.fleet.legs.slice(0, 7).map((leg) => {
        const phase = /** @type {const} */ ('steady');
        const samples = Array.from({ length: 1000 }, (_, i) => ({
          ...leg.samples[6 + (i % 4)],
          ...{ second: i + 1, phase, fromNs: i * 1e9, toNs: (i + 1) * 1e9 },
        }));
        return { ...leg, samples };
      }),
    };
    const { charts, step } = chartModel(long, withColours(long.legs.map((leg) => pageLeg(leg, long))));
    assert.equal(step, 2);
    const chart = charts.find(({ id }) => id === 'transfers');
    long.legs.forEach((leg) => {
      const points = chart?.panels.find((panel) => panel.alt.startsWith(`${leg.label}:`))?.datasets[0].points ?? [];
      assert.ok(points.length <= 600);
      assert.equal(
        points.reduce((sum, [, , n = 0]) => sum + n, 0),
        leg.samples.reduce((sum, sample) => sum + sample.counters.transfers, 0),
      );
    });
    const response = charts.find(({ id }) => id === 'response');
    const cloud = response?.panels.flatMap(({ datasets }) => datasets.filter(({ role }) => role === 'cloud')) ?? [];
    assert.ok(cloud.reduce((sum, { points }) => sum + points.length, 0) <= 24_000);
  });

  it('have tables with a leg a row, which a reader sorts by a column', () => {
    const own = facts.polyglot;
    const all = String(allFigures(own));
    assert.equal(attributesOf(all, 'data-leg').length, 30);
    const row = elementOf(all, 'data-leg', 'iterative');
    const cells = ['connections it serves at once', 'requested', 'unanswered'].map((name) => cellOf(row, name));
    assert.deepEqual(cells, ['1', '1,000', '999']);
    assert.match(row, /data-name="unanswered" data-value="999"/);
    const chips = [...all.matchAll(/class="leg (leg-[^"]*)"/g)].map(([, look]) => look);
    assert.deepEqual([chips.length, new Set(chips).size], [30, 30]);
    assert.equal(String(limits(own, runs.polyglot)).match(/<th scope="row"/g)?.length, 30);
  });
});
