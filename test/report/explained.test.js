/// <reference lib="dom" />
// Where CPU time comes from: the table and the flame graph of a run whose servers were profiled.
import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callTree } from '../../client/judge/explained/call-tree.js';
import { FunctionNames } from '../../client/judge/explained/functions.js';
import { seededRandom } from '../../client/measure/random.js';
import { flameGraph } from '../../report/model/flame-graph.js';
import { livePage } from '../../report/index.js';
import { readRun } from '../../report/read/read-run.js';
import { RECORDED } from '../fixtures/recorded-run.js';
import { shownPages } from '../fixtures/shown-pages.js';

/**
 * @import { Frame, FlameGraph, ProfileTree } from '../../report/types.js'
 * @import { StackSample } from '../../client/judge/explained/functions.js'
 */

const LABELS = { c1: 'head', c2: 'base' };
const labelOf = (/** @type {string} */ id) => LABELS[/** @type {'c1' | 'c2'} */ (id)];

/** Of head: 10 µs per request, of base 7 µs, 2 µs of which are in a function that head does not call. */
const TREE = {
  case: 'c1',
  against: 'c2',
  functions: [
    { name: 'main', file: '' },
    { name: 'render', file: 'app.js', line: 41 },
    { name: 'parse', file: 'app.js', line: 7 },
    { name: 'copy', file: 'old.js', line: 3 },
  ],
  roots: [
    [
      0,
      [10_000, 7000],
      [
        [3, [0, 2000], []],
        [2, [2000, 2500], []],
        [1, [7000, 1500], [[2, [1000, 500], []]]],
      ],
    ],
  ],
};
const EXPLAINED = {
  seconds: 3,
  cases: Object.entries(LABELS).map(([id, label]) => ({ case: id, label, source: 'perf', samples: 1000 })),
  differences: [
    {
      ...{
        case: 'c1',
        against: 'c2',
        unit: 'start',
        ns: 3000,
        low: 2500,
        high: 3500,
        rest: { ns: -500, low: -800, high: -200 },
      },
      functions: [
        { name: 'render', file: 'app.js', line: 41, ns: 5500, low: 5000, high: 6000, headNs: 7000, baseNs: 1500 },
        { name: 'copy', file: 'old.js', line: 3, ns: -2000, low: -2300, high: -1700, headNs: 0, baseNs: 2000 },
      ],
    },
  ],
};

/** @param {FlameGraph} graph @returns {Map<Frame, Frame[]>} the frames directly below each frame */
function framesBelow({ frames }) {
  /** @type {Map<Frame, Frame[]>} */
  const below = new Map(frames.map((frame) => [frame, []]));
  frames.forEach((frame, i) => {
    const caller = frames.slice(0, i).findLast(([, depth]) => depth === frame[1] - 1);
    if (caller) below.get(caller)?.push(frame);
  });
  return below;
}

describe('report: where CPU time comes from', function () {
  this.timeout(120_000);
  const shown = shownPages();
  let scratch = '';
  let folder = '';
  before(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'broadside-explained-'));
    folder = join(scratch, 'run');
    await cp(RECORDED, folder, { recursive: true });
    const summary = JSON.parse(await readFile(join(folder, 'summary.json'), 'utf8'));
    await writeFile(join(folder, 'summary.json'), JSON.stringify({ ...summary, explained: EXPLAINED }));
    await writeFile(join(folder, 'profiles.json'), JSON.stringify({ schema: 1, trees: [TREE] }));
  });
  after(() => rm(scratch, { recursive: true, force: true }));

  it('has a frame for each node, with the time of both sides, and in the tone of their difference', () => {
    const graph = flameGraph(/** @type {ProfileTree} */ (TREE), labelOf);
    assert.deepEqual(graph.sides, ['head', 'base']);
    assert.deepEqual(graph.functions[1], ['render', 'render (app.js:41)']);
    const whole = graph.functions.length - 1;
    // what only base has widens the frames above it
    assert.deepEqual(graph.frames, [
      [whole, 0, 0, 12_000, 0.55, 10_000, 7000],
      [0, 1, 0, 12_000, 0.55, 10_000, 7000],
      [1, 2, 0, 7000, 1, 7000, 1500],
      [2, 3, 0, 1000, 0.09, 1000, 500],
      [3, 2, 7000, 2000, -0.36, 0, 2000],
      [2, 2, 9000, 2000, -0.09, 2000, 2500],
    ]);
  });

  it('of one server is in the tone of the time in each function itself', () => {
    const roots = /** @type {ProfileTree['roots']} */ ([[0, [9000], [[1, [6000], []]]]]);
    const { sides, largest, frames } = flameGraph({ case: 'c1', functions: TREE.functions, roots }, labelOf);
    assert.deepEqual([sides, largest], [['head'], 6000]);
    assert.deepEqual(frames.slice(1), [
      [0, 1, 0, 9000, 0.5, 9000],
      [1, 2, 0, 6000, 1, 6000],
    ]);
  });

  it('has frames side by side, never wider together than the frame above', () => {
    const random = seededRandom(7);
    const stackOf = (/** @type {number} */ side) =>
      Array.from({ length: 1 + Math.floor(random() * 9) }, (_, depth) => {
        const which = Math.floor(random() * 4) + (depth === 3 ? side : 0);
        return { name: `f${which}`, file: `${depth}.c` };
      });
    const sides = [0, 1].map((side) =>
      Array.from({ length: 3000 }, () => ({ ...{ timeNs: 0, thread: '1' }, stack: stackOf(side), ns: 3.7 + side })),
    );
    const tree = callTree(sides, new FunctionNames(sides));
    const graph = flameGraph({ case: 'c1', against: 'c2', ...tree }, labelOf);
    assert.ok(graph.frames.length > 500, `${graph.frames.length} frames`);
    const below = framesBelow(graph);
    for (const [[, , x, width, tone, head, base], children] of below) {
      let next = x;
      for (const child of children) {
        assert.equal(child[2], next);
        next += child[3];
      }
      assert.ok(next <= x + width);
      assert.ok(width >= (head === 0 ? base : head) && Math.abs(tone) <= 1);
    }
    const [whole] = graph.frames;
    const onlyBase = [...below].flatMap(([frame, children]) =>
      frame[5] === 0 ? [] : children.filter((child) => child[5] === 0),
    );
    const widths = onlyBase.reduce((sum, [, , , width]) => sum + width, 0);
    assert.ok(onlyBase.length > 10);
    // each frame is rounded to 1 ns
    assert.ok(Math.abs(whole[3] - whole[5] - widths) < graph.frames.length);
  });

  it('is not read of a run without it, and not drawn where its file is missing or damaged', async () => {
    const other = join(scratch, 'other');
    await cp(folder, other, { recursive: true });
    const path = join(other, 'profiles.json');
    const nodes = [[4, [1, 1], []], [0, [1], []], [0, [1, -1], []], [0, [1, 1]], [0, [1, 1], [[]]], null];
    const trees = nodes.map((node) => [{ ...TREE, roots: [node] }]);
    const damages = [
      ...['', '{', '[]', '{"schema":1}', JSON.stringify({ schema: 2, trees: [TREE] })],
      ...[[null], [{ ...TREE, functions: [{}] }], ...trees].map((each) => JSON.stringify({ schema: 1, trees: each })),
    ];
    for (const damage of damages) {
      await writeFile(path, damage);
      const { profiles, unreadable } = await readRun(other);
      assert.deepEqual([profiles, unreadable.length], [null, 1], damage);
    }
    await rm(path);
    const { profiles, unreadable } = await readRun(other);
    assert.deepEqual([profiles, unreadable], [null, []]);
    const { page, problems } = await shown.show(other, { folded: true });
    assert.equal(await page.locator('#explained tbody tr').count(), 3);
    assert.equal(await page.locator('.flame').count(), 0);
    assert.deepEqual(problems, []);
    await page.context().close();
    await cp(join(RECORDED, 'summary.json'), join(other, 'summary.json'));
    await writeFile(path, '{');
    assert.deepEqual((await readRun(other)).unreadable, []);
  });

  it('has no graph in a live page, which is without its script', async () => {
    const page = await livePage(folder).page();
    assert.match(page, / id="explained"/);
    assert.doesNotMatch(page, /flame-model|class="figure flame"/);
  });

  it('is read, enlarged and searched with pointer and keys', async () => {
    const { page, problems } = await shown.show(folder, { folded: true });
    const rows = await page.locator('#explained tbody tr').allInnerTexts();
    assert.deepEqual(
      rows.map((row) => row.replaceAll('\u00a0', ' ').split('\t').slice(0, 2)),
      [
        ['render (app.js:41)', '+5.5 µs'],
        ['copy (old.js:3)', '−2 µs'],
        ['everything else', '−500 ns'],
      ],
    );
    const canvas = page.locator('#flame-0');
    const reading = page.locator('.flame output.unseen');
    const tooltip = page.locator('#chart-tooltip');
    await canvas.scrollIntoViewIfNeeded();
    const { width } = /** @type {{ width: number }} */ (await canvas.boundingBox());
    /** @param {number} row @param {number} share of the width */
    const at = (row, share) => ({ position: { x: share * width, y: row * 18 + 9 } });
    await canvas.hover(at(2, 8 / 12));
    const copy = 'copy (old.js:3): head: 0 (0 %), base: 2 µs (29 %), difference: −2 µs';
    assert.equal(await reading.textContent(), copy);
    assert.match(await tooltip.innerText(), /^copy \(old\.js:3\)/);
    await canvas.hover(at(3, 11 / 12));
    assert.ok(await tooltip.isHidden(), 'nothing is drawn there');

    // enlarged, render and what it calls have the whole width
    await canvas.click(at(2, 3 / 12));
    await canvas.hover(at(3, 0.13));
    assert.match((await reading.textContent()) ?? '', /^parse \(app\.js:7\): head: 1 µs \(10 %\), base: 500 ns/);
    await canvas.hover(at(2, 0.95));
    assert.match((await reading.textContent()) ?? '', /^render /);
    await canvas.click(at(0, 0.5));
    await canvas.hover(at(2, 10 / 12));
    assert.match((await reading.textContent()) ?? '', /^parse \(app\.js:7\): head: 2 µs/);

    await page.mouse.move(2, 2);
    await canvas.blur();
    await canvas.focus();
    /** @type {(string | undefined)[]} */
    const read = [];
    for (const key of ['Down', 'Down', 'Right', 'Left', 'Down', 'Up']) {
      await page.keyboard.press(`Arrow${key}`);
      read.push((await reading.textContent())?.split(/[ :]/)[0]);
    }
    assert.deepEqual(read, ['main', 'render', 'copy', 'render', 'parse', 'render']);
    await page.keyboard.press('Enter');
    await canvas.hover(at(2, 0.95));
    assert.match((await reading.textContent()) ?? '', /^render /);
    await page.keyboard.press('Escape');
    await canvas.hover(at(2, 8 / 12));
    assert.equal(await reading.textContent(), copy);

    const input = page.locator('.flame-search input');
    const found = page.locator('.flame-search output');
    await input.fill('PARSE');
    assert.equal(await found.textContent(), '1 function: 30 % of head, 43 % of base');
    // parse below render is part of render
    await input.fill('app.js');
    assert.equal(await found.textContent(), '2 functions: 90 % of head, 57 % of base');
    await input.fill('nowhere');
    assert.equal(await found.textContent(), 'no function');
    await input.fill('');
    assert.equal(await found.textContent(), '');
    assert.deepEqual(problems, []);
  });
});
