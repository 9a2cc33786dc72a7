/**
 * The C code where it takes long or measures the machine: threads under ThreadSanitizer, load, memory, allocations, and
 * fuzzing.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { sandbox } from '../fixtures/e2e-run.js';
import { requireTool } from '../skip.js';
import { ADDRESS, fuzz } from '../native/core.js';
import { testPrograms } from '../native/programs.js';
import { compileFuzzer, fuzzServer, PARSERS } from '../native/servers.js';

/** @import { Parser } from '../native/servers.js' */

const VECTORS = new URL('../../servers/conformance/vectors/', import.meta.url);
const SECONDS = 20;
/** As fuzz_framing.c numbers them. */
const FRAMED = ['http', 'memcached', 'nats', 'raw', 'redis', 'websocket', 'memcached-binary'];

describe('native core', function () {
  this.timeout(600_000);
  const box = sandbox();

  testPrograms(['timestampsLive', 'transportsLoad', 'memory', 'allocations'], [], box);

  describe('under AddressSanitizer and UndefinedBehaviorSanitizer', () => {
    testPrograms(['timestampsLive', 'transportsLoad'], ADDRESS, box);
  });

  describe('under ThreadSanitizer', () => {
    const programs = /** @type {const} */ (['transports', 'transferLog', 'threads']);
    testPrograms([...programs], ['-fsanitize=thread'], box);
  });
});

describe(`${SECONDS} seconds of fuzzing find nothing`, function () {
  this.timeout(600_000);
  const box = sandbox();

  it('in the framing of replies, however a stream is cut', async function () {
    requireTool(this, 'clang');
    const corpus = path.join(box.folder, 'corpus');
    mkdirSync(corpus);
    FRAMED.forEach((name, which) => {
      const { vectors } = JSON.parse(readFileSync(new URL(`client-${name}.json`, VECTORS), 'utf8'));
      vectors.forEach(
        (/** @type {{reply: string, surplus?: string}} */ { reply, surplus = '' }, /** @type {number} */ i) =>
          writeFileSync(
            path.join(corpus, `${which}-${i}`),
            Buffer.concat([Buffer.from([which, 0xfe, 7]), Buffer.from(reply + surplus, 'latin1')]),
          ),
      );
    });
    const { runs } = await fuzz('fuzz_framing.c', box.folder, SECONDS, corpus);
    assert.ok(runs > 1000, `${runs} runs`);
  });

  it('in the protocols of the C servers, however they are cut', async function () {
    requireTool(this, 'clang');
    const { folder } = box;
    const binary = await compileFuzzer(folder);
    const parsers = /** @type {Parser[]} */ (Object.keys(PARSERS));
    const all = await Promise.all(parsers.map((parser) => fuzzServer(binary, parser, folder, SECONDS)));
    all.forEach(({ runs, read }, i) => {
      assert.ok(read > 10, `${parsers[i]} began with ${read} inputs`);
      assert.ok(runs > read + 500, `${runs} runs of ${parsers[i]}`);
    });
  });
});
