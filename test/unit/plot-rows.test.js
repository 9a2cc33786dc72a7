// Rows for plotting: rates by label, and volley's rows, from the legs of runs.

import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { readOptions } from '../../client/commands/logs.js';
import { FORMATS } from '../../client/commands/logs/formats.js';
import { rateFiles, usualAxis } from '../../client/predecessors/raids/rates.js';
import { volleyRows } from '../../client/predecessors/volley/rows.js';
import { refusalOf } from '../fixtures/codes.js';
import { RECORDED, RUN_ID } from '../fixtures/recorded-run.js';

/** @param {string} label @param {object} planned @param {object} [summary] @returns {any} */
const legOf = (label, planned, summary = {}) => ({
  cores: 8,
  planned: { connections: 50, workers: 4, server: { kind: 'named', options: {} }, ...planned },
  leg: {
    label,
    complete: true,
    axes: {},
    pin: { client: null, server: null },
    steady: { perSecond: 1000, responseTimeNs: { mean: 9040, stddev: 1234, count: 1_000_000 } },
    ...summary,
  },
});

describe('rate files', () => {
  it('have a line for each point, by label without the point, in the order of N', () => {
    const at = (/** @type {number} */ perSecond) => ({ steady: { perSecond } });
    const legs = [
      legOf('kernel, 4 instances', { instances: 4 }, at(4000.126)),
      legOf('kernel, 1 instance', {}, at(1000)),
      legOf('onload 4', { instances: 4 }, at(9000)),
      legOf('onload (instances 16)', { instances: 16 }, at(20_000)),
      legOf('onload 2', { instances: 2 }, { ...at(5000), complete: false }),
    ];
    assert.equal(usualAxis(legs), 'instances');
    assert.deepEqual(rateFiles(legs, 'instances'), [
      { series: 'kernel', text: '1 1000.00\n4 4000.13\n' },
      { series: 'onload', text: '4 9000.00\n16 20000.00\n' },
    ]);
  });

  it('are of the axis of a sweep, or of that in which legs differ', () => {
    const swept = [10, 20].map((connections) =>
      legOf(`a, ${connections} connections`, { connections }, { series: 'a', axes: { connections } }),
    );
    assert.equal(usualAxis(swept), 'connections');
    assert.deepEqual(rateFiles(swept, 'connections'), [{ series: 'a', text: '10 1000.00\n20 1000.00\n' }]);
    const threads = [2, 4].map((n) =>
      legOf(`go (threads ${n})`, { server: { kind: 'named', options: { threads: n } } }),
    );
    assert.equal(usualAxis(threads), 'threads');
    assert.deepEqual(
      rateFiles(threads, 'threads').map(({ series }) => series),
      ['go'],
    );
    assert.equal(usualAxis([legOf('a', {})]), 'connections');
    assert.deepEqual(rateFiles(threads, 'pipeline'), []);
  });
});

describe("volley's rows", () => {
  it('have server, clients, cores of the server, and mean and deviation in microseconds', () => {
    const legs = [
      legOf('c threads', {}, { pin: { server: '1,2', client: '7' } }),
      legOf('go', { connections: 200 }),
      legOf('lost', {}, { complete: false }),
      legOf('silent', {}, { steady: { perSecond: 0 } }),
    ];
    assert.equal(
      volleyRows(legs),
      'server clients cores mean stddev n\nc-threads 50 2 9.04 1.23 1000000\ngo 200 8 9.04 1.23 1000000\n',
    );
  });
});

describe('logs export of rows', () => {
  /** @type {string} */
  let folder;
  before(() => {
    folder = join(mkdtempSync(join(tmpdir(), 'broadside-export-')), RUN_ID);
    cpSync(RECORDED, folder, { recursive: true });
  });
  after(() => rmSync(join(folder, '..'), { recursive: true }));

  const summary = JSON.parse(readFileSync(join(RECORDED, 'summary.json'), 'utf8'));
  const measured = summary.legs.filter((/** @type {any} */ { complete, steady }) => complete && steady);

  it('writes a rate file for each label, from the run folder alone', () => {
    const files = FORMATS.rates.write([folder], {});
    assert.deepEqual(
      files.map((file) => basename(file)),
      measured.map((/** @type {any} */ { label }) => `${label}.dat`),
    );
    assert.equal(readdirSync(join(folder, 'rates')).length, files.length);
    assert.ok(files.length > 0);
    for (const [i, { connections, steady }] of measured.entries()) {
      assert.equal(readFileSync(files[i], 'utf8'), `${connections.requested} ${steady.perSecond.toFixed(2)}\n`);
    }
  });

  it("writes volley's rows, a line for each leg", () => {
    const [file, ...others] = FORMATS.volley.write([folder], {});
    assert.deepEqual(others, []);
    const [head, ...rows] = readFileSync(file, 'utf8').trimEnd().split('\n');
    assert.equal(head, 'server clients cores mean stddev n');
    assert.deepEqual(
      rows.map((row) => row.split(' ').slice(0, 2)),
      measured.map((/** @type {any} */ { label, connections }) => [label, String(connections.requested)]),
    );
  });

  it('joins several runs into one folder, with a line for each', () => {
    const out = join(folder, '..', 'joined');
    const [first] = FORMATS.rates.write([folder, folder], { out });
    assert.equal(join(first, '..'), out);
    assert.equal(readFileSync(first, 'utf8').trimEnd().split('\n').length, 2);
    const rows = readFileSync(FORMATS.volley.write([folder, folder], { out })[0], 'utf8')
      .trimEnd()
      .split('\n');
    assert.equal(rows.length, 1 + 2 * measured.length);
  });

  it('takes a format and what N is, and refuses what has no effect', async () => {
    assert.deepEqual(readOptions({}), { format: 'hlog', by: undefined, out: undefined });
    assert.deepEqual(readOptions({ format: 'rates', by: 'threads', out: 'x' }), {
      format: 'rates',
      by: 'threads',
      out: 'x',
    });
    for (const given of [
      { format: 'csv' },
      { by: 'threads' },
      { format: 'volley', by: 'threads' },
      { format: 'rates', by: 'x' },
      { out: 'x' },
      { format: 'volley', runs: ['a', 'b'] },
    ]) {
      assert.deepEqual((await refusalOf(() => readOptions(given))).length, 1);
    }
  });
});
