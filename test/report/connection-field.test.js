/// <reference lib="dom" />
// Every connection as a square: what the model says of it, and how a reader moves it through the time of the run.
import assert from 'node:assert/strict';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectionFields } from '../../report/model/connection-field.js';
import { pageLegsOf } from '../../report/model/page-cases.js';
import { DARK } from '../../report/model/palette.js';
import { readRun } from '../../report/read/read-run.js';
import { RECORDED } from '../fixtures/recorded-run.js';
import { shownPages } from '../fixtures/shown-pages.js';

/** Of 10,000 connections, 1,000 of which are requested every second: the steady state is from 10 s to 40 s. */
const SPANS = [
  { toNs: 1e9, cells: '2c998-9000.' },
  { toNs: 4e9, cells: 'c_!3997-6000.' },
  { toNs: 20e9, cells: '9999e-' },
  { toNs: 30e9, cells: 'g9998e-' },
  { toNs: 40e9, cells: 'g9998e-' },
];
const FIELD = { connections: 10_000, each: 1, levelsPerDoubling: 2, spans: SPANS };

describe('report: every connection', function () {
  this.timeout(120_000);
  const shown = shownPages();
  let runs = '';
  let folder = '';
  before(async () => {
    runs = await mkdtemp(join(tmpdir(), 'broadside-field-'));
    folder = join(runs, 'run');
    await cp(RECORDED, folder, { recursive: true });
    const { legs } = await readRun(folder);
    for (const { id } of legs) await writeFile(join(folder, id, 'connections.json'), JSON.stringify(FIELD));
  });
  after(() => rm(runs, { recursive: true, force: true }));

  /** @param {(run: any) => void} [change] */
  async function fieldsOf(change) {
    const run = await readRun(folder);
    change?.(run);
    return connectionFields(run, pageLegsOf(run).cases);
  }

  it('counts those that were requested and answered at the end of each span, and ends with the run', async () => {
    const { fields, left } = await fieldsOf();
    assert.deepEqual([fields.length, left], [3, 0]);
    const [{ states, answered, isShort, totals }] = fields;
    assert.deepEqual(
      states.map((state) => [state.fromNs / 1e9, state.toNs / 1e9, state.requested, state.answered]),
      [
        [0, 1, 1000, 2],
        [1, 4, 4000, 2],
        [4, 20, 10_000, 9999],
        [20, 30, 10_000, 9999],
        [30, 40, 10_000, 9999],
      ],
    );
    assert.deepEqual([answered, isShort], ['9,999 of 10,000 answered', true]);
    // from 8 to 11 and from 4 to 5 in each of the two spans
    assert.deepEqual([totals?.[0], totals?.[1], totals?.[9999]], [19, 9, 0]);
  });

  it('says what a connection without a row may be: not known, where transfers are missing in the log', async () => {
    const [{ words, isUnknown }] = (await fieldsOf()).fields;
    assert.deepEqual([words.unasked, isUnknown], ['connecting, or waiting to try again', false]);
    const { fields } = await fieldsOf(({ legs }) => {
      for (const { summary } of legs) summary.log.missing = 5;
    });
    assert.match(fields[0].words.unasked, /^not known: /);
    assert.ok(fields.every((one) => one.isUnknown));
  });

  it('has no field of an interrupted leg for the time after it, and none without a log', async () => {
    const { fields } = await fieldsOf(({ legs }) => {
      legs[0].summary.phases.endNs = 5e9;
      legs[1].connectionField = null;
    });
    assert.deepEqual(
      fields.map(({ states }) => states.length),
      [2, SPANS.length],
    );
  });

  it('is moved by the slider, tells of a square to pointer and keys, and shows the end on paper', async () => {
    const { page, problems } = await shown.show(folder, { dark: true });
    const coloursAt = (/** @type {number[]} */ places) =>
      page.locator('#field-0').evaluate((element, all) => {
        const canvas = /** @type {HTMLCanvasElement} */ (element);
        const css = canvas.getBoundingClientRect().width;
        // the side of a square follows from the number of rows
        const sides = [10, 9, 8, 7, 6, 5, 4, 3, 2];
        const side = sides.find((one) => Math.ceil(10_000 / Math.floor(css / one)) * one === canvas.clientHeight) ?? 0;
        const columns = Math.floor(css / side);
        const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
        const { data, width } = context.getImageData(0, 0, canvas.width, canvas.height);
        const scale = width / css;
        return all.map((at) => {
          const [x, y] = [(at % columns) * side * scale, Math.floor(at / columns) * side * scale];
          const pixel = 4 * (y * width + x);
          return `#${[...data.slice(pixel, pixel + 3)].map((n) => n.toString(16).padStart(2, '0')).join('')}`;
        });
      }, places);
    const slider = page.locator('.field-time input');
    const said = page.locator('.field-time output');
    await slider.fill('1');
    await slider.dispatchEvent('input');
    assert.equal(await said.textContent(), '4 s: 4,000 requested of each');
    const { idle, lost, unanswered, closed } = DARK.fates;
    assert.deepEqual(await coloursAt([1, 2, 3, 4000]), [idle, lost, unanswered, closed]);
    await slider.press('ArrowLeft');
    assert.equal(await said.textContent(), '1 s: 1,000 requested of each');
    await slider.press('ArrowRight');
    const field = page.locator('.field').first();
    await page.locator('#field-0').focus();
    for (let pressed = 0; pressed < 4; pressed += 1) await page.keyboard.press('ArrowRight');
    assert.equal(await field.locator('output').textContent(), 'connection 4: open, no reply yet, for at least 3 s');
    await page.keyboard.press('ArrowLeft');
    assert.match((await field.locator('output').textContent()) ?? '', /^connection 3: lost/);
    await page.emulateMedia({ media: 'print' });
    await page.getByText('steady state: 10,000 requested of each').waitFor();
    assert.deepEqual(problems, []);
  });
});
