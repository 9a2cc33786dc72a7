// A run folder with a damaged file. Each damage that once was not noticed is in test/fixtures/fuzz/run-folder.json.

import { readFileSync } from 'node:fs';
import { seededRandom } from '../../client/measure/random.js';
import { damagedRuns } from '../fixtures/damaged-runs.js';

const TRIES = 3;

/** @type {import('../fixtures/damage.js').Damage[]} */
const CORPUS = JSON.parse(readFileSync(new URL('../fixtures/fuzz/run-folder.json', import.meta.url), 'utf8'));

describe('a damaged run folder', function () {
  const { tryOne, tryRandom } = damagedRuns();

  for (const damage of CORPUS) {
    it(`has a page or is refused: ${JSON.stringify(damage)}`, () => tryOne(damage));
  }

  it(`has a page or is refused, whatever is damaged: ${TRIES} times`, async () => {
    const random = seededRandom(1);
    for (let i = 0; i < TRIES; i += 1) await tryRandom(random);
  });
});
