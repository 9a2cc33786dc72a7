/**
 * Parts and protocols of the C servers in C tests: plain in npm test, and under AddressSanitizer and
 * UndefinedBehaviorSanitizer with BROADSIDE_SANITIZE=1. The servers themselves are test/contract's.
 */
import assert from 'node:assert/strict';
import { sandbox } from '../fixtures/e2e-run.js';
import { requireTool } from '../skip.js';
import { ADDRESS, CC, runTests } from './core.js';
import { compileFuzzer, compileServerTest, fuzzServer, PARSERS, writeVectors } from './servers.js';

/** @import { Parser } from './servers.js' */

const TESTS = ['server_parts', 'server_pool', 'server_protocols'];

describe('of the C servers', function () {
  this.timeout(600_000);
  const box = sandbox();

  for (const [name, flags, add] of /** @type {const} */ ([
    ['plain', [], it],
    ['under AddressSanitizer and UndefinedBehaviorSanitizer', ADDRESS, it.sanitized],
  ])) {
    describe(name, () => {
      for (const program of TESTS) {
        add(program, async function () {
          requireTool(this, CC, 'gcc');
          const binary = await compileServerTest(program, [...flags]);
          const words = program === 'server_protocols' ? [writeVectors(box.folder)] : [];
          const { passed, planned, failures } = await runTests(binary, words);
          assert.equal(failures, '');
          assert.ok(planned > 0);
          assert.equal(passed, planned);
        });
      }
    });
  }

  it.sanitized('the protocols read what fuzzing has found before, however it is cut', async function () {
    requireTool(this, 'clang');
    const { folder } = box;
    const binary = await compileFuzzer(folder);
    for (const parser of /** @type {Parser[]} */ (Object.keys(PARSERS))) {
      const { runs, read } = await fuzzServer(binary, parser, folder, null);
      assert.ok(read > 10, `${parser} began with ${read} inputs`);
      assert.ok(runs >= read, `${runs} runs of ${parser}`);
    }
  });
});
