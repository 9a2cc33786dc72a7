// A run folder with a damaged file, of which a new seed decides what is damaged.

import { seededRandom } from '../../client/measure/random.js';
import { damagedRuns } from '../fixtures/damaged-runs.js';

const FOR_MS = 30_000;

describe('a damaged run folder', function () {
  this.timeout(FOR_MS * 4);
  const { tryRandom } = damagedRuns();
  const seed = Date.now() % 2 ** 32;

  it(`has a page or is refused: seed ${seed}`, async () => {
    const random = seededRandom(seed);
    const end = Date.now() + FOR_MS;
    while (Date.now() < end) await tryRandom(random);
  });
});
