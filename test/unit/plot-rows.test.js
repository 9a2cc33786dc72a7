// Rows for plotting: rates by label, and volley's rows, from the legs of runs.

import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { FORMATS } from '../../client/commands/logs/formats.js';
import { rateFiles, defaultAxis } from '../../client/predecessors/raids/rates.js';
import { volleyRows } from '../../client/predecessors/volley/rows.js';
import { RECORDED, RUN_ID, recorded } from '../fixtures/recorded-run.js';

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
    assert.equal(defaultAxis(legs), 'instances');
    assert.deepEqual(rateFiles(legs, 'instances'), [
      { series: 'kernel', text: '1 1000.00\n4 4000.13\n' },
      { series: 'onload', text: '4 9000.00\n16 20000.00\n' },
    ]);
  });

  it('are of the axis of a sweep, or of that in which legs differ', () => {
    const swept = [10, 20].map((connections) =>
      legOf(`a, ${connections} connections`, { connections }, { series: 'a', axes: { connections } }),
    );
    assert.equal(defaultAxis(swept), 'connections');
    assert.deepEqual(rateFiles(swept, 'connections'), [{ series: 'a', text: '10 1000.00\n20 1000.00\n' }]);
    const threads = [2, 4].map((n) =>
      legOf(`go (threads ${n})`, { server: { kind: 'named', options: { threads: n } } }),
    );
    assert.equal(defaultAxis(threads), 'threads');
    assert.deepEqual(
      rateFiles(threads, 'threads').map(({ series }) => series),
      ['go'],
    );
    assert.equal(defaultAxis([legOf('a', {})]), 'connections');
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

  const { legs } = recorded('summary.json');
  const measured = legs.filter((/** @type {any} */ { complete, steady }) => complete && steady);
  const linesOf = (/** @type {string} */ file) => readFileSync(file, 'utf8').trimEnd().split('\n');

  it('writes a rate file for each label, and for volley a line for each leg, from the run folder alone', () => {
    const files = FORMATS.rates.write([folder], {});
    assert.ok(measured.length > 0 && files.length === measured.length);
    for (const [i, { label, connections, steady }] of measured.entries()) {
      assert.equal(basename(files[i]), `${label}.dat`);
      assert.deepEqual(linesOf(files[i]), [`${connections.requested} ${steady.perSecond.toFixed(2)}`]);
    }
    const [file] = FORMATS.volley.write([folder], {});
    assert.deepEqual(
      linesOf(file).map((row) => row.split(' ')[0]),
      ['server', ...measured.map((/** @type {any} */ { label }) => label)],
    );
  });

  it('joins several runs into one folder, with a line for each', () => {
    const out = join(folder, '..', 'joined');
    const [first] = FORMATS.rates.write([folder, folder], { out });
    assert.deepEqual([dirname(first), linesOf(first).length], [out, 2]);
    assert.equal(linesOf(FORMATS.volley.write([folder, folder], { out })[0]).length, 1 + 2 * measured.length);
  });
});
