// SCTP at the servers and in the launcher. ../release/servers-sctp.test.js has the conformance checks.

import assert from 'node:assert/strict';
import { starter } from '../../servers/conformance/index.js';
import { build, discover, startServer } from '../../servers/launcher/index.js';
import { firstUnmet } from '../../servers/launcher/manifest/requirements.js';
import { skip } from '../skip.js';
import { failure } from './server-process.js';

/** @import { Context } from 'mocha' */

const USRSCTP = { library: 'usrsctp', probe: 'parts/usrsctp-probe.c', remedy: 'apt-get install libusrsctp-dev' };

const found = await discover();
/** @param {string} name */
const serverNamed = (name) => found.find((each) => each.name === name) ?? assert.fail(name);
const epoll = serverNamed('epoll');
const unmet = await firstUnmet([USRSCTP], { folder: epoll.folder, built: false });

/** @type {Promise<unknown> | undefined} */
let built;
const buildAll = () => (built ??= build({ names: ['epoll', 'multi-threaded', 'poll'] }));

/** @param {Context} context */
async function prepare(context) {
  context.timeout(300_000);
  if (!epoll.available) skip(context, `${epoll.why} (${epoll.remedy})`);
  await buildAll();
}

/** @param {Context} context */
async function prepareUsrsctp(context) {
  if (unmet !== null) skip(context, `${unmet.text} (${unmet.remedy})`);
  await prepare(context);
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

describe('SCTP in user space', () => {
  before(async function () {
    await prepareUsrsctp(this);
  });

  it('states transport and stack in the ready line', async () => {
    const server = await start('epoll', ['--transport', 'sctp-seqpacket', '--sctp-stack', 'usrsctp']);
    await server.kill();
    assert.deepEqual([server.ready?.transport, server.ready?.stack], ['sctp-seqpacket', 'usrsctp']);
  });

  it('is refused on IPv6, without a ready line', async () => {
    assert.equal(await refusal('epoll', ['--transport', 'sctp', '--sctp-stack', 'usrsctp'], '::1'), 1);
  });
});

describe('SCTP options', () => {
  before(async function () {
    await prepare(this);
  });

  /** @type {[string, string[], string?][]} */
  const refused = [
    ['poll', ['--transport', 'sctp']],
    ['multi-threaded', ['--transport', 'sctp-seqpacket']],
    ['multi-threaded', ['--transport', 'sctp', '--sctp-stack', 'usrsctp']],
    ['epoll', ['--transport', 'udp']],
    ['epoll', ['--sctp-stack', 'kernel']],
    ['epoll', ['--transport', 'sctp', '--processes', '2']],
    ['epoll', ['--transport', 'sctp', '--sctp-stack', 'usrsctp'], '127.0.0.1,127.0.0.2'],
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

  it('starts the server over it, and says which stack serves it', async function () {
    if (unmet !== null) skip(this, `${unmet.text} (${unmet.remedy})`);
    const server = await startServer({ name: 'epoll', transport: 'sctp', words: ['--sctp-stack', 'usrsctp'] });
    const { code } = await server.stop();
    assert.deepEqual([server.transport, server.stack, server.ready.by, code], ['sctp', 'usrsctp', 'line', 0]);
  });

  it('does not take a server of another transport for it', async () => {
    const line = '{\\"ready\\":true,\\"port\\":{port}}';
    const command = `echo "${line}"; exec sleep 100`;
    const error = await failure(startServer({ command, transport: 'sctp' }), 'ENOTREADY');
    assert.equal(error.data.reason, 'transport');
  });
});
