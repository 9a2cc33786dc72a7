// Whatever a scenario file, flags or a list of requests hold: they are taken, or refused with a sentence.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../../client/errors.js';
import { damageOf } from '../../client/measure/run-documents.js';
import { seededRandom } from '../../client/measure/random.js';
import { flagsOf } from '../../client/scenario/flags.js';
import { loadScenario } from '../../client/scenario/scenario.js';
import { hostileList, hostileScenario } from '../fixtures/hostile-input.js';
import { refused } from '../fixtures/refused.js';

const INPUTS = 2000;
const TARGET = 'http://127.0.0.1:8080/';

describe('hostile input', () => {
  /** @type {string} */
  let folder;
  /** @type {string} */
  let config;
  const variables = { ...process.env };
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'broadside-hostile-'));
    config = join(folder, 'a.json');
  });
  after(() => rmSync(folder, { recursive: true }));
  afterEach(() => {
    // secrets of headers are kept there
    for (const name of Object.keys(process.env)) if (!Object.hasOwn(variables, name)) delete process.env[name];
  });

  /** @param {number} seed @param {Record<string, unknown>} flags */
  async function load(seed, flags) {
    const noName = () => Promise.reject(Object.assign(new Error('no name is looked up'), { code: 'ENOTFOUND' }));
    try {
      const scenario = await loadScenario({ config, flags: flagsOf(flags), resolve: noName });
      assert.equal(damageOf('resolved', JSON.parse(JSON.stringify(scenario))), null, `seed ${seed}`);
    } catch (error) {
      if (!(error instanceof UsageError)) throw new Error(`seed ${seed}`, { cause: error });
      assert.doesNotMatch(error.message, /^$|\[object |undefined|NaN|native code/, `seed ${seed}`);
    }
  }

  it(`of ${(INPUTS * 3) / 4} scenarios with flags is taken or refused`, async () => {
    for (let seed = 0; seed < (INPUTS * 3) / 4; seed += 1) {
      const { text, flags } = hostileScenario(seededRandom(seed));
      writeFileSync(config, text);
      await load(seed, flags);
    }
  });

  it(`of ${INPUTS / 4} lists of requests is taken or refused`, async () => {
    for (let seed = 0; seed < INPUTS / 4; seed += 1) {
      writeFileSync(join(folder, 'list'), hostileList(seededRandom(seed)));
      const given = { http: { requestsFrom: 'list' }, ...(seed % 2 === 0 && { target: TARGET }) };
      writeFileSync(config, JSON.stringify(given));
      await load(seed, {});
    }
  });

  it('of words that every object inherits is refused as it was typed', async () => {
    for (const word of ['__proto__', 'constructor', 'toString']) {
      const { data } = await refused(['stress', '--servers', 'epoll', word]);
      assert.equal(data.mistakes[0].data.argument, word);
      assert.equal((await refused(['stress', '--servers', word])).data.mistakes[0].data.server, word);
    }
  });

  it('of lists that are nested deeply is refused, in a file and as a flag', async () => {
    const deep = '['.repeat(50_000) + ']'.repeat(50_000);
    for (const flags of [{}, { tests: deep }]) {
      writeFileSync(config, JSON.stringify({ target: TARGET }));
      if (flags.tests === undefined) writeFileSync(config, `{"a": ${deep} "not JSON"`);
      await assert.rejects(loadScenario({ config, flags: flagsOf(flags) }), UsageError);
    }
  });
});
