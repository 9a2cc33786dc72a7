/**
 * Parts and protocols of the C servers in C tests and under fuzzing: plain in npm test, and under AddressSanitizer and
 * UndefinedBehaviorSanitizer with BROADSIDE_SANITIZE=1. The servers themselves are test/contract's.
 */
import assert from 'node:assert/strict';
import { sandbox } from '../fixtures/e2e-run.js';
import { requireTool } from '../hooks.js';
import { CC, runTests } from './core.js';
import { compileFuzzer, compileServerTest, fuzzServer, PARSERS, writeVectors } from './servers.js';

const TESTS = ['server_parts', 'server_protocols'];

const VARIANTS = [
  { name: 'plain', flags: /** @type {string[]} */ ([]), sanitizer: false },
  {
    name: 'AddressSanitizer and UndefinedBehaviorSanitizer',
    flags: ['-fsanitize=address,undefined', '-fno-sanitize-recover=all'],
    sanitizer: true,
  },
];

const FUZZ_SECONDS = 20;

describe('of the C servers', function () {
  this.timeout(600_000);
  const box = sandbox();

  for (const { name, flags, sanitizer } of VARIANTS) {
    describe(name, () => {
      for (const program of TESTS) {
        const add = sanitizer ? it.sanitized : it;
        add(program, async function () {
          requireTool(this, CC, 'gcc');
          const binary = await compileServerTest(program, flags);
          const { passed, planned, failures } = await runTests(binary, [writeVectors(box.folder)]);
          assert.equal(failures, '');
          assert.ok(planned > 0);
          assert.equal(passed, planned);
        });
      }
    });
  }

  it.sanitized(
    `${FUZZ_SECONDS} seconds of fuzzing find nothing in the protocols, however they are cut`,
    async function () {
      requireTool(this, 'clang');
      const { folder } = box;
      const binary = await compileFuzzer(folder);
      const parsers = /** @type {import('./servers.js').Parser[]} */ (Object.keys(PARSERS));
      const all = await Promise.all(parsers.map((parser) => fuzzServer(binary, parser, folder, FUZZ_SECONDS)));
      all.forEach(({ runs, read }, i) => {
        assert.ok(read > 10, `${parsers[i]} began with ${read} inputs`);
        assert.ok(runs > read + 500, `${runs} runs of ${parsers[i]}`);
      });
    },
  );
});
