// SCTP at the servers and in the launcher.

import assert from 'node:assert/strict';
import { starter } from '../../servers/conformance/index.js';
import { build, discover, startServer } from '../../servers/launcher/index.js';
import { hasSctp, itOverSctp } from '../fixtures/sctp.js';
import { skip } from '../skip.js';
import { describeConformance } from './conformance.js';
import { failure } from './server-process.js';

/** @import { Context } from 'mocha' */

const found = await discover();
/** @param {string} name */
const serverNamed = (name) => found.find((each) => each.name === name) ?? assert.fail(name);
const epoll = serverNamed('epoll');

/** @type {Promise<unknown> | undefined} */
let built;
const buildAll = () => (built ??= build({ names: ['epoll', 'multi-threaded', 'poll'] }));

/** @param {Context} context */
async function prepare(context) {
  context.timeout(300_000);
  if (!epoll.available) skip(context, `${epoll.why} (${epoll.remedy})`);
  await buildAll();
}

/**
 * @param {string} name of a server
 * @param {string[]} words
 * @param {string} [host]
 */
const start = (name, words, host) => {
  const { manifest, folder } = serverNamed(name);
  return starter({ run: [...manifest.run, ...words], ready: 'line', cwd: folder, protocol: 'echo', host })();
};

/**
 * @param {Parameters<typeof start>} args
 * @returns {Promise<number | null>} the exit status of a server that must not become ready
 */
async function refusal(...args) {
  const outcome = await start(...args).catch((error) => error);
  await outcome.kill?.();
  assert.equal(outcome.code, 'ended-early', 'it became ready');
  return outcome.ending.code;
}

if (hasSctp) {
  for (const transport of /** @type {const} */ (['sctp', 'sctp-seqpacket'])) {
    describe(`epoll over ${transport}`, () => {
      before(async function () {
        await prepare(this);
      });

      const { manifest, folder: cwd } = epoll;
      const run = [...manifest.run, '--transport', transport];
      const start = starter({ run, ready: 'line', cwd, protocol: 'echo' });
      describeConformance({ start, prepare: buildAll, manifest, transport });
    });
  }
}

describe('SCTP options', () => {
  before(async function () {
    await prepare(this);
  });

  /** @type {[string, string[], string?][]} */
  const refused = [
    ['poll', ['--transport', 'sctp']],
    ['multi-threaded', ['--transport', 'sctp-seqpacket']],
    ['epoll', ['--transport', 'udp']],
    ['epoll', ['--transport', 'sctp', '--processes', '2']],
    ['epoll', [], '127.0.0.1,127.0.0.2'],
  ];
  for (const [name, words, host] of refused) {
    it(`${name} rejects ${[...words, ...(host ? ['--host', host] : [])].join(' ')}`, async () => {
      assert.equal(await refusal(name, words, host), 2);
    });
  }
});

describe('the launcher with a transport', () => {
  before(async function () {
    await prepare(this);
  });

  it('refuses one that the manifest does not declare, and addresses that it does not have', async () => {
    const undeclared = await failure(startServer({ name: 'poll', transport: 'sctp' }), 'EOPTION');
    assert.deepEqual([undeclared.data.reason, undeclared.data.known], ['transport', ['tcp']]);
    const unix = await failure(startServer({ name: 'epoll', transport: 'sctp', host: 'unix:' }), 'EOPTION');
    assert.equal(unix.data.reason, 'transport-family');
    const list = await failure(startServer({ name: 'epoll', host: '127.0.0.1,127.0.0.2' }), 'EOPTION');
    assert.equal(list.data.reason, 'several-addresses');
  });

  itOverSctp('starts the server over it', async () => {
    const server = await startServer({ name: 'epoll', transport: 'sctp' });
    const { code } = await server.stop();
    assert.deepEqual([server.transport, server.ready.by, code], ['sctp', 'line', 0]);
  });

  it('does not take a server of another transport for it', async () => {
    const line = '{\\"ready\\":true,\\"port\\":{port}}';
    const command = `echo "${line}"; exec sleep 100`;
    const error = await failure(startServer({ command, transport: 'sctp' }), 'ENOTREADY');
    assert.equal(error.data.reason, 'transport');
  });
});
