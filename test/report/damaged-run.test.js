// A run folder with a damaged file. Each damage that once was not noticed is in test/fixtures/fuzz/run-folder.json.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { seededRandom } from '../../client/measure/random.js';
import { findRun, listRuns } from '../../client/store/run-list.js';
import { damagedRuns, FILES } from '../fixtures/damaged-runs.js';

/** @import { Damage } from '../fixtures/damage.js' */

const TRIES = 3;
const DAMAGES = 500;

/** @type {Damage[]} */
const CORPUS = JSON.parse(readFileSync(new URL('../fixtures/fuzz/run-folder.json', import.meta.url), 'utf8'));

describe('a damaged run folder', function () {
  const { copy, tryCommand, tryOne, tryRandom } = damagedRuns();

  for (const damage of CORPUS) {
    it(`has a page or is refused: ${JSON.stringify(damage)}`, () => tryOne(damage));
  }

  it(`has a page or is refused, whatever is damaged: ${TRIES} times`, async () => {
    const random = seededRandom(1);
    for (let i = 0; i < TRIES; i += 1) await tryRandom(random);
  });

  it(`is read or refused by all commands, whatever is damaged: ${DAMAGES} times`, async () => {
    for (let seed = 0; seed < DAMAGES; seed += 1) await tryCommand(seed);
  });

  it('is refused where a folder, a device or a pipe lies in place of a file, and never waits for it', async () => {
    /** @type {((path: string) => void)[]} */
    const others = [
      (path) => mkdirSync(path),
      (path) => symlinkSync('/dev/zero', path),
      (path) => void execFileSync('mkfifo', [path]),
    ];
    for (const [i, file] of FILES.entries()) {
      const folder = copy();
      rmSync(join(folder, file));
      others[i % others.length](join(folder, file));
      const data = { where: join(folder, file), damage: 'it is not a regular file' };
      await assert.rejects(findRun(dirname(folder), folder), { code: 'EDAMAGED', exitCode: 2, data });
      await listRuns(dirname(folder));
      rmSync(folder, { recursive: true });
    }
  });
});
