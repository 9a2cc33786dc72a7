// Checks of the command line and the ready line, which are part of the contract only for servers with a manifest.

import assert from 'node:assert/strict';
import { check, NO_MANIFEST } from '../check.js';
import { EndedEarly } from '../start.js';
import { forEachLimited } from '../wait.js';

/**
 * @import { Check, Context, Subject } from '../check.js'
 * @import { StartOptions } from '../start.js'
 */

/** Servers started at the same time. */
const AT_ONCE = 4;

/**
 * @param {Subject} subject
 * @returns {Check[]}
 */
export function optionChecks({ protocol, manifest, has }) {
  const skipped = manifest === null ? NO_MANIFEST : null;
  const noReadyLine = { code: 'no-ready-line', text: 'the server prints no ready line' };
  const skippedLine = skipped ?? (manifest?.ready === 'line' ? null : noReadyLine);
  return [
    check(
      'ready-line',
      'prints a complete ready line, with the port that the kernel has chosen',
      async ({ start, open }) => {
        const server = await start({ port: 0 });
        const { ready, port } = server;
        const printed = JSON.stringify(ready);
        for (const [key, value] of Object.entries({ ready: true, protocol: protocol.name, host: '127.0.0.1' })) {
          assert.equal(
            ready?.[key],
            value,
            `the ready line must contain ${JSON.stringify({ [key]: value })}, but is ${printed}`,
          );
        }
        const { pids } = ready ?? {};
        assert.ok(
          Array.isArray(pids) && pids.length > 0 && pids.every(Number.isInteger),
          `the ready line must contain the process ids, such as {"pids":[4711]}, but is ${printed}`,
        );
        assert.ok(port > 0, `the ready line must contain the port that the kernel has chosen, but is ${printed}`);
        await (await open(server)).exchange();
      },
      { skipped: skippedLine },
    ),

    check(
      'invalid-arguments',
      'rejects invalid arguments, and answers --help',
      async ({ start }) => {
        /** @type {StartOptions[]} */
        const invalid = [
          { args: ['--bogus'] },
          { port: '65536' },
          { port: '1x' },
          { args: ['--protocol', 'nope'] },
          { args: ['extra'] },
        ];
        await forEachLimited(invalid, AT_ONCE, (options) => rejects(start, options));
        const { code, signal, stdout } = await endingOf(start, { args: ['--help'] });
        assert.equal(code, 0, `with --help it must end with exit status 0, but ended with ${code ?? signal}`);
        const options = ['--port', '--host', '--protocol', ...(has('work') ? ['--work-kind'] : [])];
        for (const option of options) assert.ok(stdout.includes(option), `--help must list ${option} on stdout`);
      },
      { skipped },
    ),

    check('port-in-use', 'reports on stderr that its port is in use', async ({ shared, start }) => {
      const { port } = await shared();
      assertRejected(await endingOf(start, { port }), `on port ${port}, which is in use,`, {
        silent: manifest !== null,
      });
    }),
  ];
}

/**
 * @param {Context['start']} start
 * @param {StartOptions} options that the server must reject
 */
export async function rejects(start, options) {
  assertRejected(await endingOf(start, options), `with ${describe(options)}`);
}

/** @param {StartOptions} options */
const describe = ({ args, port }) => args?.map((word) => word || '""').join(' ') ?? `port ${port}`;

/**
 * Asserts that a server has rejected its options. It may choose the exit status and the wording.
 * @param {EndedEarly['ending']} ending
 * @param {string} when
 * @param {{silent?: boolean}} [options] silent: stdout must be empty
 */
export function assertRejected({ code, signal, stdout, stderr }, when, { silent = true } = {}) {
  assert.ok(
    code !== 0 && code !== null,
    `${when} it must end with a nonzero exit status, but ended ${code === 0 ? 'with 0' : `by ${signal}`}`,
  );
  assert.notEqual(stderr.trim(), '', `${when} it must write the reason to stderr, but stderr is empty`);
  if (silent)
    assert.equal(stdout, '', `${when} it must write nothing to stdout, but wrote: ${stdout.slice(0, 200).trim()}`);
}

/**
 * @param {Context['start']} start
 * @param {StartOptions} options
 * @returns {Promise<EndedEarly['ending']>} of a server that must end before it is ready
 */
export async function endingOf(start, options) {
  try {
    await start(options);
  } catch (error) {
    if (error instanceof EndedEarly) return error.ending;
    throw error;
  }
  return assert.fail(`it must reject ${describe(options)}, but started`);
}
