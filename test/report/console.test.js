// One system of units: every figure that console and page both have is the same text in both.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allFigures as consoleFigures } from '../../client/console/results-table.js';
import { plain } from '../../client/console/terminal-text.js';
import { figures } from '../../client/judge/figures.js';
import { allFigures as pageFigures } from '../../report/html/sections/all-figures.js';
import { pageLegsOf } from '../../report/model/page-cases.js';
import { readRun } from '../../report/read/read-run.js';
import { makeRun } from '../fixtures/make-run.js';
import { elementOf, textOf } from '../fixtures/page-elements.js';
import { RECORDED } from '../fixtures/recorded-run.js';

/** The name of each title that no other figure has. */
const TITLES = figures.map(({ name, title = name }) => title);
const NAMES = new Map(
  figures.flatMap(({ name, title = name }) =>
    TITLES.filter((one) => one === title).length === 1 ? [[title, name]] : [],
  ),
);

/** @param {string} folder of a run of few legs @returns {Promise<number>} figures that were compared */
async function compare(folder) {
  const run = await readRun(folder);
  const page = String(pageFigures(pageLegsOf(run).cases)).replaceAll('&gt;', '>');
  let compared = 0;
  for (const line of consoleFigures(run.summary.legs, Infinity, plain).split('\n')) {
    const [title, ...cells] = line.trim().split(/ {2,}/);
    const name = NAMES.get(title);
    const row = name === undefined ? '' : elementOf(page, 'data-code', name);
    const shown = (row.match(/<td[^>]*>.*?<\/td>/gs) ?? []).map((cell) =>
      textOf(cell.replace(/<small>.*?<\/small>/gs, '')),
    );
    if (shown.length === 0 || cells.length !== shown.length) continue;
    assert.deepEqual(cells, shown, title);
    compared += 1;
  }
  return compared;
}

describe('the figures of console and page', () => {
  /** @type {string} */
  let scratch;
  before(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'broadside-console-'));
  });
  after(() => rm(scratch, { recursive: true, force: true }));

  it('are the same texts', async () => assert.ok((await compare(RECORDED)) >= 18));

  it('are the same texts, of legs that reconnect', async () => {
    const folder = await makeRun({ out: join(scratch, 'reconnect'), load: 'reconnect', seconds: 2 });
    assert.ok((await compare(folder)) >= 18);
  });
});
