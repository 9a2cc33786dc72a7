// A run folder with a damaged file: its page says what is missing, or there is a clear error, and never a figure made of what
// is not there. Each damage that once did otherwise is in test/fixtures/fuzz/run-folder.json.

import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { comparisonOf, readComparedRun } from '../../client/commands/run-comparison.js';
import { seededRandom } from '../../client/measure/random.js';
import { buildReport } from '../../report/index.js';
import { inflict, randomDamage } from '../fixtures/damage.js';
import { pageText } from '../fixtures/page-text.js';
import { RECORDED, RUN_ID } from '../fixtures/recorded-run.js';

const LEG = '03-epoll';
const FILES = [
  ...['summary.json', 'plan.json', 'scenario.json', 'environment.json'],
  ...[join(LEG, 'summary.json'), join(LEG, 'samples.ndjson')],
];
/** Damages that are tried each time, and the time for more in the slow tier. */
const TRIES = 60;
const SLOW_MS = 30_000;

/** @type {import('../fixtures/damage.js').Damage[]} */
const CORPUS = JSON.parse(readFileSync(new URL('../fixtures/fuzz/run-folder.json', import.meta.url), 'utf8'));

describe('a damaged run folder', function () {
  this.timeout(SLOW_MS * 4);
  /** @type {string} */
  let scratch;
  before(() => {
    scratch = mkdtempSync(join(tmpdir(), 'broadside-damaged-'));
  });
  after(() => rmSync(scratch, { recursive: true }));

  /** @param {import('../fixtures/damage.js').Damage} damage */
  async function tryOne(damage) {
    const folder = join(scratch, RUN_ID);
    cpSync(RECORDED, folder, { recursive: true });
    try {
      inflict(folder, damage);
      await checkPage(folder);
      checkComparison(folder);
    } catch (error) {
      throw new Error(`after ${JSON.stringify(damage)}: ${/** @type {Error} */ (error).message}`, { cause: error });
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  /** @param {string} folder */
  async function checkPage(folder) {
    const page = await buildReport({ runFolder: folder, reportFolder: join(scratch, 'report') }).catch(refusal);
    if (page === null) return;
    const text = pageText(join(scratch, 'report'), RUN_ID)
      .replace(/<(script|style)[\s\S]*?<\/\1>/g, '')
      .replace(/<[^>]*>/g, ' ');
    for (const wrong of [/\bNaN\b/, /\bundefined\b/, /\bInfinity\b/, /\[object /]) assert.doesNotMatch(text, wrong);
  }

  /** @param {string} folder */
  function checkComparison(folder) {
    try {
      const found = comparisonOf(readComparedRun(folder), readComparedRun(RECORDED), null);
      assert.doesNotMatch(JSON.stringify(found), /"(?:NaN|undefined)|NaN%/);
    } catch (error) {
      refusal(error);
    }
  }

  /** @param {any} error @returns {null} where it is one that says what is damaged; throws others */
  function refusal(error) {
    if (['EDAMAGED', 'ESCHEMA', 'ECOMPARE'].includes(error.code)) return null;
    throw error;
  }

  for (const damage of CORPUS) {
    it(`has a page or is refused: ${JSON.stringify(damage)}`, () => tryOne(damage));
  }

  it(`has a page or is refused, whatever is damaged: ${TRIES} times`, async () => {
    const random = seededRandom(1);
    for (let i = 0; i < TRIES; i += 1) await tryOne(randomDamage(RECORDED, FILES, random));
  });

  it.slow('has a page or is refused, by a new seed each time', async () => {
    const random = seededRandom(Date.now() % 2 ** 32);
    const end = Date.now() + SLOW_MS;
    while (Date.now() < end) await tryOne(randomDamage(RECORDED, FILES, random));
  });
});
