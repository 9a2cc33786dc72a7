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
    check(
      'says where it is, on the port that the kernel picked',
      async ({ start, open }) => {
        const server = await start({ port: 0 });
        const { ready, port } = server;
        const said = JSON.stringify(ready);
        for (const [key, value] of Object.entries({ ready: true, protocol: protocol.name, host: '127.0.0.1' })) {
          assert.equal(
            ready?.[key],
            value,
            `its ready line must say ${JSON.stringify({ [key]: value })}, and is ${said}`,
          );
        }
        const { pids } = ready ?? {};
        assert.ok(
          Array.isArray(pids) && pids.length > 0 && pids.every(Number.isInteger),
          `its ready line must have the ids of its processes, such as {"pids":[4711]}, and is ${said}`,
        );
        assert.ok(port > 0, `its ready line must say the port that the kernel picked, and is ${said}`);
        await (await open(server)).exchange();
      },
      { needs: needsLine },
    ),

    check(
      'refuses what it does not know, and helps',
      async ({ start }) => {
        /** @type {import('../check.js').StartOptions[]} */
        const wrong = [
          { args: ['--bogus'] },
          { port: '65536' },
          { port: '1x' },
          { args: ['--protocol', 'nope'] },
          { args: ['extra'] },
        ];
        await inTurns(wrong, AT_ONCE, (options) => refuses(start, options));
        const { code, signal, stdout } = await endingOf(start, { args: ['--help'] });
        assert.equal(code, 0, `with --help it must end with exit status 0, and ended with ${code ?? signal}`);
        const options = ['--port', '--host', '--protocol', ...(has('work') ? ['--work-kind'] : [])];
        for (const option of options)
          assert.ok(stdout.includes(option), `its --help does not name ${option} on stdout`);
      },
      { needs },
    ),

    check('says so when the port is taken', async ({ shared, start }) => {
      const { port } = await shared();
      refusedBy(await endingOf(start, { port }), `on port ${port}, which is taken,`, { silent: manifest !== null });
    }),
  ];
}

/**
 * @param {import('../check.js').Context['start']} start
 * @param {import('../check.js').StartOptions} options that it must not take
 */
export async function refuses(start, options) {
  refusedBy(await endingOf(start, options), `with ${shown(options)}`);
}

/** @param {import('../check.js').StartOptions} options */
const shown = ({ args, port }) => args?.map((word) => word || '""').join(' ') ?? `port ${port}`;

/**
 * Which status it is, and in which words it says why, is the server's own affair.
 * @param {EndedEarly['ending']} ending
 * @param {string} when
 * @param {{silent?: boolean}} [options] silent: it must say nothing on stdout
 */
export function refusedBy({ code, signal, stdout, stderr }, when, { silent = true } = {}) {
  assert.ok(
    code !== 0 && code !== null,
    `${when} it must end with an exit status other than 0, and ended ${code === 0 ? 'with 0' : `by ${signal}`}`,
  );
  assert.notEqual(stderr.trim(), '', `${when} it must say why on stderr, and said nothing`);
  if (silent)
    assert.equal(stdout, '', `${when} it must say nothing on stdout, and said: ${stdout.slice(0, 200).trim()}`);
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
  return assert.fail(`it must refuse ${shown(options)}, and started`);
}
