/// <reference lib="dom" />
// The numbers on the page, read back from its text, are those of summary.json, for every leg.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeRun } from '../fixtures/make-run.js';
import { RECORDED } from '../fixtures/recorded-run.js';
import { shownPages } from '../fixtures/shown-pages.js';

/** Of base units: ns, bytes, counts. @type {Record<string, number>} */
const UNITS = { '': 1, k: 1e3, M: 1e6, ns: 1, µs: 1e3, ms: 1e6, s: 1e9, min: 60e9, '/s': 1, 'MB/s': 1e6 };

/** @param {string} text of a cell @returns {number | null} in base units; null: not measured */
function valueOf(text) {
  if (text === '–') return null;
  const [, digits, unit] = /^> ?([\d,.]+) ?(.*)$/.exec(text.startsWith('>') ? text : `> ${text}`) ?? [];
  assert.ok(digits !== undefined && UNITS[unit] !== undefined, `no number: ${text}`);
  return Number(digits.replaceAll(',', '')) * UNITS[unit];
}

/** @param {string} text of a cell @param {number | undefined} value of the summary @param {string} what */
function assertShown(text, value, what) {
  const shown = valueOf(text);
  if (value === undefined || shown === null) return assert.deepEqual([shown, value], [null, undefined], what);
  // three digits are shown of a time, all of a count
  const isWhole = /^[\d,]+$/.test(text);
  assert.ok(Math.abs(shown - value) <= (isWhole ? 0.5 : value * 0.005), `${what}: ${text} is not ${value}`);
}

/** @param {any} leg of a summary @param {number} p @returns {boolean} whether failures make the percentile unknown */
const isBeyond = ({ steady: { transfers, failed, unfinished }, connections, unserved }, p) => {
  // where connections were not served, the times are those of the others
  const missing = failed + Math.max(0, unfinished - (unserved ? connections.neverAnswered : 0));
  return missing / (transfers + missing) > 1 - p;
};

/** @type {Record<string, (leg: any) => number | undefined>} */
const COUNTS = {
  unanswered: (leg) => leg.connections.unansweredAtEnd,
  'unanswered after drain': (leg) => leg.connections.neverAnswered,
  opened: (leg) => leg.connections.opened,
  'open at the end': (leg) => leg.connections.openAtEnd,
  requested: (leg) => leg.connections.requested,
  served: (leg) => leg.account?.served,
  'still connecting': (leg) => leg.account?.connecting,
  rejected: (leg) => leg.account?.rejected,
  rejects: (leg) => leg.rejects.total,
  errors: (leg) => leg.errors.total,
  lost: (leg) => leg.connections.lost,
  reopened: (leg) => leg.connections.reopened,
};

/** @type {Array<[name: string, key: string, p: number]>} */
const PERCENTILES = [
  ['p50', 'p50', 0.5],
  ['p90', 'p90', 0.9],
  ['p95', 'p95', 0.95],
  ['p99', 'p99', 0.99],
  ['p99.9', 'p99_9', 0.999],
  ['p99.99', 'p99_99', 0.9999],
];

/**
 * @param {Record<string, string>} cells by title
 * @param {any} leg of summary.json
 * @param {string[]} names of cells it must have
 */
function assertFigures(cells, leg, names) {
  const { steady, label } = leg;
  const times = steady.responseTimeNs;
  for (const name of names) assert.ok(name in cells, `${label}: no ${name}`);
  for (const [name, text] of Object.entries(cells)) {
    const what = `${label}, ${name}`;
    const percentile = PERCENTILES.find(([one]) => one === name.replace('response ', ''));
    if (percentile) {
      const [, key, p] = percentile;
      const beyond = isBeyond(leg, p);
      assert.equal(text.startsWith('>'), beyond, what);
      assertShown(text, beyond ? times.max : times[key], what);
    } else if (Object.hasOwn(COUNTS, name)) assertShown(text, COUNTS[name](leg), what);
    else if (name === 'max' || name === 'response max') assertShown(text, times.max, what);
    else if (name === 'transfers/s') assertShown(text, steady.perSecond, what);
    else if (name === 'MB/s') assertShown(`${text} MB/s`, steady.bytesPerSecond, what);
  }
}

/**
 * Runs in the page: the cells of a table by leg and title of the figure, without marks and intervals; legs are its rows
 * or its columns.
 */
const cellsOf = (/** @type {string} */ selector) => {
  /** @type {Record<string, Record<string, string>>} */
  const legs = {};
  for (const cell of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(`${selector} td[data-name]`))) {
    const copy = /** @type {HTMLElement} */ (cell.cloneNode(true));
    for (const one of copy.querySelectorAll('small')) one.remove();
    const text = (copy.textContent ?? '').replace(/[\s\u00a0]+/g, ' ').trim();
    const row = /** @type {HTMLElement} */ (cell.closest('tr'));
    const name = cell.dataset.name ?? '';
    const [leg, title] = row.dataset.leg ? [row.dataset.leg, name] : [name, row.querySelector('th')?.textContent ?? ''];
    (legs[leg] ??= {})[title] = text;
  }
  return legs;
};

describe('report: the numbers of the page', function () {
  this.timeout(120_000);
  const shown = shownPages();

  /** @param {string} folder of a run whose legs all ran */
  async function compare(folder) {
    const { legs } = JSON.parse(await readFile(join(folder, 'summary.json'), 'utf8'));
    // tables need no script
    const { page } = await shown.show(folder, { script: false });
    const labels = legs.map((/** @type {any} */ { label }) => label).sort();
    for (const [table, names] of /** @type {Array<[string, string[]]>} */ ([
      ['.servers', ['p50', 'p99', 'transfers/s']],
      [
        '.all-figures',
        [
          ...['open at the end', 'requested', 'unanswered', 'unanswered after drain', 'transfers/s', 'MB/s', 'rejects'],
          ...['p50', 'p90', 'p95', 'p99', 'p99.9', 'p99.99', 'max'].map((name) => `response ${name}`),
        ],
      ],
    ])) {
      const found = await page.evaluate(cellsOf, table);
      assert.deepEqual(Object.keys(found).sort(), labels, table);
      for (const leg of legs) assertFigures(found[leg.label], leg, names);
    }
    await page.context().close();
  }

  it('are those of summary.json, of a few legs', () => compare(RECORDED));

  it('are those of summary.json, of thirty legs', async () =>
    compare(await makeRun({ out: join(shown.scratch, 'thirty'), load: 'polyglot' })));
});
