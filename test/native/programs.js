/**
 * Tests of the programs of core.js: each is compiled and run, and all of its tests pass.
 */
import assert from 'node:assert/strict';
import { requireIPv6 } from '../fixtures/loopback.js';
import { hasSctp } from '../fixtures/sctp.js';
import { requireTool, skip } from '../skip.js';
import { CC, compile, hasOpenssl, runTests } from './core.js';

/** @import { Program } from './core.js' */

/**
 * @param {Program[]} programs
 * @param {string[]} flags of the compiler
 * @param {{folder: string}} box transferLog writes to its folder
 * @param {(title: string, test: Mocha.AsyncFunc) => void} [add]
 */
export function testPrograms(programs, flags, box, add = it) {
  for (const program of programs.filter((each) => each !== 'sctp' || hasSctp)) {
    add(program, async function () {
      requireTool(this, CC, 'gcc');
      if (program === 'endpoints') requireIPv6(this);
      const lacksTls = program.startsWith('tls') && !(await hasOpenssl());
      if (lacksTls) skip(this, 'OpenSSL is not installed (apt-get install libssl-dev)');
      const binary = await compile(program, flags);
      const { passed, planned, failures } = await runTests(binary, program === 'transferLog' ? [box.folder, ''] : []);
      assert.equal(failures, '');
      assert.ok(planned > 0);
      assert.equal(passed, planned);
    });
  }
}
