/**
 * Tests of the programs of core.js: each is compiled and run, and all of its tests pass.
 */
import assert from 'node:assert/strict';
import { sctpStacks } from '../../client/transports/sctp/engine.js';
import { requireIPv6 } from '../fixtures/loopback.js';
import { requireTool, skip } from '../skip.js';
import { CC, compile, FAKE_CLOCK_TABLES, hasOpenssl, hasUsrsctp, runTests } from './core.js';

/** @typedef {import('./core.js').Program} Program */

/** @param {Program} program @returns {Promise<number>} how many tables of tests it runs here */
async function tablesOf(program) {
  if (program === 'fakeClock') return FAKE_CLOCK_TABLES;
  if (program === 'sctp') return ((await hasUsrsctp()) ? 4 : 0) + (sctpStacks().kernel === null ? 2 : 0);
  return 1;
}

/**
 * @param {Program[]} programs
 * @param {string[]} flags of the compiler
 * @param {{folder: string}} box transferLog writes to its folder
 * @param {(title: string, test: Mocha.AsyncFunc) => void} [add]
 */
export function testPrograms(programs, flags, box, add = it) {
  for (const program of programs) {
    add(program, async function () {
      requireTool(this, CC, 'gcc');
      if (program === 'endpoints') requireIPv6(this);
      const lacksTls = program.startsWith('tls') && !(await hasOpenssl());
      if (lacksTls) skip(this, 'OpenSSL is not installed (apt-get install libssl-dev)');
      if ((await tablesOf(program)) === 0) skip(this, 'there is no SCTP (apt-get install libusrsctp-dev)');
      const binary = await compile(program, flags);
      const { passed, planned, tables, failures } = await runTests(
        binary,
        program === 'transferLog' ? [box.folder, ''] : [],
      );
      assert.equal(failures, '');
      assert.equal(tables, await tablesOf(program));
      assert.ok(planned > 0);
      assert.equal(passed, planned);
    });
  }
}
