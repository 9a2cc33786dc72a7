// What its command line takes and refuses, and what it says when it is ready. All of this is part of the contract for
// servers with a manifest; of anybody's command nothing of it is known.

import assert from 'node:assert/strict';
import { check } from '../check.js';
import { EndedEarly } from '../start.js';
import { inTurns } from '../wait.js';

const UNKNOWN = 'it has no manifest that says which options it takes';
/** Programs that start at the same time. */
const AT_ONCE = 4;

/**
 * @param {import('../check.js').About} about
 * @returns {import('../check.js').Check[]}
 */
export function optionChecks({ protocol, manifest, has }) {
  const needs = manifest === null && UNKNOWN;
  const needsLine = needs || (manifest?.ready !== 'line' && 'it prints no ready line');
  return [
    check('says where it is, on the port that the kernel picked', async ({ start, open }) => {
      const server = await start({ port: 0 });
      const { ready, port } = server;
      assert.deepEqual(Object.keys(ready ?? {}), ['ready', 'protocol', 'host', 'port', 'pids']);
      assert.deepEqual({ ...ready, port: 0, pids: [] }, {
        ready: true, protocol: protocol.name, host: '127.0.0.1', port: 0, pids: [],
      });
      assert.ok(port > 0);
      await (await open(server)).exchange();
    }, { needs: needsLine }),

    check('refuses what it does not know with exit status 2, and helps', async ({ start }) => {
      /** @type {import('../check.js').StartOptions[]} */
      const wrong = [{ args: ['--bogus'] }, { port: '65536' }, { port: '1x' }, { args: ['--protocol', 'nope'] },
        { args: ['extra'] }];
      await inTurns(wrong, AT_ONCE, (options) => refuses(start, options));
      const { code, stdout } = await endingOf(start, { args: ['--help'] });
      assert.equal(code, 0, '--help');
      for (const option of ['--port', '--host', '--protocol']) assert.ok(stdout.includes(option), `--help names ${option}`);
      if (has('work')) assert.match(stdout, /--work-kind/);
    }, { needs }),

    check('says so when the port is taken', async ({ shared, start }) => {
      const { port } = await shared();
      const { code, stdout, stderr } = await endingOf(start, { port });
      assert.notEqual(code, 0);
      if (manifest === null) return; // how it says so is its own affair
      assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
      assert.match(stderr, /Address already in use|EADDRINUSE/i);
    }),
  ];
}

/**
 * @param {import('../check.js').Context['start']} start
 * @param {import('../check.js').StartOptions} options that it must not take
 */
export async function refuses(start, options) {
  const { code, stdout, stderr } = await endingOf(start, options);
  const what = JSON.stringify(options);
  assert.equal(code, 2, `exit status of ${what}`);
  assert.notEqual(stderr, '', `nothing on stderr says why: ${what}`);
  assert.equal(stdout, '', `stdout of ${what}`);
}

/**
 * @param {import('../check.js').Context['start']} start
 * @param {import('../check.js').StartOptions} options
 * @returns {Promise<EndedEarly['ending']>} of a server that must not get ready
 */
export async function endingOf(start, options) {
  try {
    await start(options);
  } catch (error) {
    if (error instanceof EndedEarly) return error.ending;
    throw error;
  }
  return assert.fail(`it started with ${JSON.stringify(options)}`);
}
