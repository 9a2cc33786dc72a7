// One system of units: each figure that console and page both have is the same text in both, and the same number as in
// summary.json.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { figures } from '../../client/judge/figures.js';
import { legTable } from '../../client/console/leg-table.js';
import { allFigures } from '../../report/html/sections/all-figures.js';
import { servers } from '../../report/html/sections/servers.js';
import { sweep } from '../../report/html/sections/sweep.js';
import { pageLegsOf } from '../../report/model/page-cases.js';
import { readRun } from '../../report/read/read-run.js';
import { makeRun } from '../fixtures/make-run.js';
import { cellOf, elementOf, textOf } from '../fixtures/page-elements.js';
import { makeSweep } from '../fixtures/page-kinds.js';
import { RECORDED } from '../fixtures/recorded-run.js';

/** Titles of the list of figures that no other has. */
const TITLES = figures.map(({ name, title = name }) => title);
const NAMES = new Map(
  figures.flatMap(({ name, title = name }) =>
    TITLES.filter((one) => one === title).length === 1 ? [[title, name]] : [],
  ),
);
/** What the table at the top of the page calls them. @type {Record<string, string>} */
const AT_TOP = { 'server CPU per transfer': 'CPU per transfer', 'response p50': 'p50', 'response p99': 'p99' };
/** Titles in a row for each leg, where they differ. @type {Record<string, string>} */
const IN_ROWS = {
  '/s': 'transfers/s',
  p50: 'response p50',
  p99: 'response p99',
  max: 'response max',
  CPU: 'server CPU',
  memory: 'server memory',
};

/** Tables of a sweep: title in the console, code on the page. */
const IN_SWEEP = { 'transfers/s': 'rate', 'response p50': 'p50', 'response p99': 'p99' };

/** @param {string} line @returns {string[]} */
const cellsOf = (line) => line.trim().split(/ {2,}/);

/**
 * @param {string} text of a column for each leg @param {string[]} labels
 * @returns {{ label: string, title: string, text: string }[]}
 */
function columnCells(text, labels) {
  const [, ...lines] = text.split('\n');
  return lines
    .map(cellsOf)
    .filter((cells) => cells.length === labels.length + 1)
    .flatMap(([title, ...cells]) => cells.map((cell, i) => ({ label: labels[i], title, text: cell })));
}

/** @param {string} text of a row for each leg @param {string[]} labels @returns {{ label: string, title: string, text: string }[]} */
function rowCells(text, labels) {
  const lines = text.split('\n').map(cellsOf);
  const heads = lines.find(([first]) => first === 'server') ?? assert.fail(text);
  return lines
    .filter(([label]) => labels.includes(label))
    .flatMap(([label, ...cells]) => {
      assert.equal(cells.length, heads.length - 1, label);
      // a p99 after the first is not of response times
      const titles = heads.map((head, i) => (heads.indexOf(head) === i ? (IN_ROWS[head] ?? head) : ''));
      return cells.map((cell, i) => ({ label, title: titles[i + 1], text: cell }));
    });
}

/** @param {string} page @param {string} label of a leg @param {string} title of a figure @returns {string} its cell among all figures; empty where there is none */
function inAll(page, label, title) {
  const row = elementOf(page, 'data-leg', label);
  return row === '' ? cellOf(elementOf(page, 'data-code', NAMES.get(title) ?? ''), label) : cellOf(row, title);
}

/** @param {string} page @param {string} label @param {string} title @returns {string} its cell in the table at the top */
const atTop = (page, label, title) => cellOf(elementOf(page, 'data-leg', label), AT_TOP[title] ?? title);

describe('the figures of console and page', () => {
  /** @type {string} */
  let scratch;
  before(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'broadside-console-'));
  });
  after(() => rm(scratch, { recursive: true, force: true }));

  /** @param {string} folder of a run @returns titles that were compared */
  async function compare(folder) {
    const run = await readRun(folder);
    const { summary } = run;
    const { results, cases } = pageLegsOf(run);
    const labels = results.map(({ label }) => label);
    const text = legTable(summary.legs, Infinity);
    const cells = labels.length > 6 ? rowCells(text, labels) : columnCells(text, labels);
    const plain = (/** @type {unknown} */ page) => String(page).replaceAll('&gt;', '>');
    const all = plain(allFigures(cases));
    const top = plain(servers(run, cases, /** @type {any} */ ({ legs: [] })));
    /** @type {Record<'all' | 'top', Set<string>>} */
    const compared = { all: new Set(), top: new Set() };
    for (const { label, title, text: said } of cells) {
      if (!NAMES.has(title)) continue;
      for (const [where, shown] of /** @type {const} */ ([
        ['all', inAll(all, label, title)],
        ['top', atTop(top, label, title)],
      ])) {
        if (shown === '') continue;
        assert.equal(shown, said.replace(/\*$/, ''), `${label}, ${title}, ${where}`);
        compared[where].add(title);
      }
    }
    return compared;
  }

  it('are the same texts, of a few legs', async () => {
    const { all, top } = await compare(RECORDED);
    assert.ok(all.size >= 25, [...all].join());
    assert.deepEqual([...top].sort(), ['response p50', 'response p99', 'server CPU per transfer', 'transfers/s']);
  });

  it('are the same texts, of legs that reconnect', async () => {
    const { all } = await compare(await makeRun({ out: join(scratch, 'reconnect'), load: 'reconnect', seconds: 2 }));
    assert.ok(all.has('opened'));
  });

  it('are the same texts, of many legs', async () => {
    const compared = await compare(await makeRun({ out: join(scratch, 'fleet'), load: 'fleet', seconds: 2 }));
    assert.ok(compared.all.size >= 6 && compared.top.size >= 3, [...compared.all].join());
  });

  it('are the same texts, of a sweep', async () => {
    const run = await readRun(await makeSweep(join(scratch, 'sweep')));
    const { cases } = pageLegsOf(run);
    const page = String(sweep(cases)).replaceAll('&gt;', '>');
    const blocks = legTable(run.summary.legs, Infinity).split('\n\n');
    let compared = 0;
    for (const [title, code] of Object.entries(IN_SWEEP)) {
      const [, heads, ...lines] = (blocks.find((one) => one.startsWith(`${title},`)) ?? assert.fail(title)).split('\n');
      const table = page.split('<table ').find((one) => one.includes(`data-code="${code}"`)) ?? assert.fail(code);
      const shownHeads = [...table.matchAll(/<th scope="col">([^<]*)/g)].map(([, text]) => text);
      assert.deepEqual(shownHeads.slice(1), cellsOf(heads));
      for (const [name, ...said] of lines.map(cellsOf)) {
        const row = table.split('<tr ').find((one) => one.startsWith(`data-series="${name}"`)) ?? assert.fail(name);
        const shown = (row.match(/<td[^>]*>.*?<\/td>/gs) ?? []).map((cell) => textOf(cell).replace(/ ?\*$/, ''));
        assert.deepEqual(
          said.map((text) => text.replace(/\*$/, '')),
          shown,
          `${title} of ${name}`,
        );
        compared += shown.length;
      }
    }
    assert.ok(compared > 50);
  });
});
