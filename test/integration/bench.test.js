// Each bench at its smallest, end to end: that it measures something and ends in time. Speed itself is never tested.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { requireSetting } from '../hooks.js';

const BENCH = fileURLToPath(new URL('../bench/bench.js', import.meta.url));
const LIMIT_MS = 60_000;

/**
 * @param {string[]} words
 * @returns {Promise<{code: number, stdout: string, stderr: string}>}
 */
function bench(...words) {
  return new Promise((resolve) => {
    execFile(process.execPath, [BENCH, ...words], { timeout: LIMIT_MS }, (error, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? (error ? -1 : 0)), stdout, stderr });
    });
  });
}

/** @param {...string} words @returns {Promise<any>} what it prints; its musts may be kept or missed */
async function measured(...words) {
  const folder = mkdtempSync(join(tmpdir(), 'broadside-bench-'));
  try {
    const raw = ['--raw', join(folder, 'raw.json')]; // not over those of a real measurement
    const { code, stdout, stderr } = await bench(...words, '--rounds', '1', '--json', ...raw);
    assert.ok(code === 0 || code === 99, `exit ${code}\n${stderr}`);
    return JSON.parse(stdout);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {any} value @param {...string} keys those of it that are more than zero */
function assertPositive(value, ...keys) {
  for (const key of keys) assert.ok(value[key] > 0, `${key}: ${value[key]}`);
}

describe('the command npm run bench', () => {
  it('lists the benches', async () => {
    const { code, stdout } = await bench();
    assert.equal(code, 0);
    assert.match(stdout, /^ {2}client-cost +\d+ \w+ {2}\S.*\.$/m);
  });

  it('knows what was meant', async () => {
    const { code, stderr } = await bench('client-coast');
    assert.deepEqual([code, stderr], [2, stderr]);
    assert.match(stderr, /^no bench is called "client-coast"\. Did you mean "client-cost"\? There are: .*\n$/);
  });

  it('answers a mistake with one line', async () => {
    const { code, stderr } = await bench('client-cost', '--rounds', 'many');
    assert.deepEqual([code, stderr], [2, 'client-cost: --rounds NaN: expected a whole number of 1 to 1073741824\n']);
  });
});

describe('the bench', function () {
  this.timeout(LIMIT_MS);

  it('client-cost measures all its clients', async function () {
    requireSetting(this, 'BROADSIDE_SLOW');
    const tiny = ['--connections', '10', '--payloads', '1B', '--placement', 'shipped', '--seconds', '1'];
    const { results, measurements } = await measured('client-cost', ...tiny);
    assert.deepEqual(measurements.map((/** @type {any} */ { client }) => client).sort(), [
      'bare',
      'engine',
      'engine-no-log',
      'net',
    ]);
    for (const { figures } of measurements) assertPositive(figures, 'roundTrips', 'seconds', 'cpuSeconds');
    assert.equal(results.length, 1);
    assertPositive(results[0].toBare, 'median');
  });
});
