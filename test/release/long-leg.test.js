// A leg of a day: summarised, reported, compared and exported in bounded memory. Kept as objects, its 86,400 samples
// would take 280 MB beside everything else.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, createReadStream, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { CLI } from '../fixtures/e2e-run.js';
import { makeLongRun } from '../fixtures/long-leg.js';

/** @import { Readable } from 'node:stream' */

const PEAK_MEMORY = fileURLToPath(new URL('../fixtures/peak-memory.js', import.meta.url));
const SECONDS = 24 * 3600;
const MOST_BYTES = 300e6;

/** @param {string[]} words of the command @returns {Promise<{ code: number, peakBytes: number }>} */
async function commandOf(words) {
  const child = spawn(process.execPath, ['--import', PEAK_MEMORY, CLI, ...words], {
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  });
  let peak = '';
  /** @type {Readable} */ (child.stdio[3]).setEncoding('utf8').on('data', (part) => void (peak += part));
  const [code] = await once(child, 'close');
  return { code, peakBytes: Number(peak) };
}

describe('a leg of a day', function () {
  this.timeout(600_000);
  /** @type {string} */
  let scratch;
  before(() => {
    scratch = mkdtempSync(join(tmpdir(), 'broadside-long-'));
  });
  after(() => rmSync(scratch, { recursive: true, force: true }));

  it('is summarised, reported, compared and exported below 300 MB', async () => {
    const [run, other] = ['20260101-120000-long', '20260102-120000-long'];
    const folder = join(scratch, 'logs', run);
    const made = await makeLongRun(folder, SECONDS);
    const folders = ['--logs', join(scratch, 'logs')];
    const below = async (/** @type {string[]} */ ...words) => {
      const { code, peakBytes } = await commandOf([...words, ...folders]);
      assert.equal(code, 0, words.join(' '));
      assert.ok(peakBytes > 0 && peakBytes < MOST_BYTES, `${words.join(' ')}: ${peakBytes} bytes`);
    };
    await below('report', run, '--report', join(scratch, 'report'));
    const [leg] = JSON.parse(readFileSync(join(folder, 'summary.json'), 'utf8')).legs;
    assert.deepEqual([leg.transfers.count, leg.steady.toNs - leg.steady.fromNs], [made.transfers, SECONDS * 1e9]);
    assert.ok(statSync(join(scratch, 'report', `${run}.html`)).size < 2_000_000, 'the page stays small');
    for (const name of ['scenario.json', 'plan.json', 'environment.json', 'summary.json']) {
      cpSync(join(folder, name), join(scratch, 'logs', other, name));
    }
    await below('compare', run, other);
    await below('logs', 'export', run);
    const log = createInterface(createReadStream(join(folder, made.leg, 'response-time.hlog')));
    let seconds = 0;
    for await (const line of log) if (line.startsWith('Tag=steady,')) seconds += 1;
    assert.equal(seconds, SECONDS);
  });
});
