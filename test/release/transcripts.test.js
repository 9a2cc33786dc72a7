// Our client against what volley's and ACE's servers send, to the byte: a scripted peer plays them and checks every
// byte that the client sends. What their clients send is played to our servers by the wire vectors of
// servers/conformance/.

import assert from 'node:assert/strict';
import { stopServer } from '../../client/predecessors/volley/command.js';
import { assertBooks } from '../fixtures/e2e-books.js';
import { CLI, sandbox } from '../fixtures/e2e-run.js';
import { requireLocalhost } from '../fixtures/loopback.js';
import { startPeer } from '../fixtures/scripted-peer.js';

/** @import { Context } from 'mocha' */

const WORD = 4;
/** ACE's client, and ours, send so many messages before those that count. */
const PRIMERS = 100;

/** @param {number} number @param {number} bytes */
const bigEndian = (number, bytes) => number.toString(16).padStart(2 * bytes, '0');

/** @param {number} number */
function littleEndian(number) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(number);
  return bytes.toString('hex');
}

describe("the client, against volley's servers as recorded", function () {
  this.timeout(120_000);
  const box = sandbox();

  it('sends the word 1, then whole words, and takes replies in any pieces', async () => {
    const [CONNECTIONS, WORDS] = [3, 20];
    let answered = 0;
    const peer = await startPeer(async (connection, number) => {
      const words = number === 0 ? 1 : WORDS; // the first is the transfer before the run
      const inPieces = number % 2 === 1;
      await connection.expect('00000001', 'the verification');
      connection.write('00000002', inPieces);
      for (let at = 0; at < words; at += 1) {
        const word = (await connection.read(WORD)).readUInt32BE();
        assert.notEqual(word, 0, 'zero ends a server of volley');
        connection.write(bigEndian((word + 1) % 2 ** 32, WORD), inPieces);
        answered += 1;
      }
      await connection.expectEnd();
      // its server in Go takes a read of less than a word for a word
      assert.deepEqual(new Set(connection.segments), new Set([WORD]));
    });
    const run = box.stress({
      ...{ target: `127.0.0.1:${peer.port}`, protocol: 'volley', payload: undefined, volley: { verify: true } },
      ...{ connections: CONNECTIONS, start: 'together', pause: '0s', duration: '60s' },
      lifetime: { transfers: WORDS, reopen: false },
    });
    await run.endsWith(0);
    assert.equal(await peer.close(), 1 + CONNECTIONS);
    const {
      legs: [{ leg }],
    } = await assertBooks(run, { planned: true });
    assert.deepEqual([leg.transfers.count, leg.transfers.failed, leg.errors.total], [CONNECTIONS * WORDS, 0, 0]);
    assert.equal(answered, 1 + CONNECTIONS * WORDS);
  });

  it('sends the word zero, then connects once more, which its server in C waits for', async () => {
    const peer = await startPeer(async (connection, number) => {
      if (number === 0) await connection.expect('00000000', 'the end');
      await connection.expectEnd();
    });
    await stopServer({ host: '127.0.0.1', port: peer.port });
    assert.equal(await peer.close(), 2);
    await stopServer({ host: '127.0.0.1', port: peer.port }); // nothing listens there any more
  });
});

describe("the client, against ACE's server as recorded", function () {
  this.timeout(120_000);
  const box = sandbox();
  /** The server replies with what is in its buffer. */
  const REPLIES = ['0000', 'ffff', 'beef', '0a0d'];

  /**
   * @param {Context} context
   * @param {number} power of 2, the size
   * @param {number} messages that are measured
   * @param {string[]} words
   */
  async function played(context, power, messages, words = []) {
    await requireLocalhost(context); // ACE's own default
    const size = 2 ** power;
    const peer = await startPeer(async (connection, number) => {
      const announced = number === 0 ? 1 : PRIMERS + messages; // the first is the transfer before the run
      await connection.expect(`01000000${littleEndian(announced)}`, 'the header');
      for (let at = 0; at < announced; at += 1) {
        await connection.expect(bigEndian(size, 4), `the length of message ${at}`);
        assert.equal((await connection.read(size)).length, size);
        connection.write(REPLIES[at % REPLIES.length], at % 2 === 1);
      }
      connection.end(); // as ACE's server does, before its client
      await connection.expectEnd();
    });
    const options = ['-t', 'tcp', '-s', String(power), '-c', String(messages), '-b', '2', '-p', String(peer.port)];
    const run = box.start([process.execPath, CLI, 'ace', ...box.folders(), ...options, ...words]);
    await run.endsWith(0);
    assert.equal(await peer.close(), 2);
    const [leg] = run.summary().legs;
    assert.deepEqual([leg.transfers.count, leg.transfers.failed], [PRIMERS + messages, 0]);
    assert.deepEqual([leg.errors.total, leg.rejects.total, leg.connections.lost], [0, 0, 0]);
    assert.match(run.stdout, new RegExp(`^num_points: ${messages}$`, 'm'));
  }

  it('announces what it sends, and takes replies of any content and the end that follows', function () {
    return played(this, 3, 7);
  });
  it('does so with messages of 1 byte', function () {
    return played(this, 0, 50);
  });
  it('does so with messages of 64 KiB', function () {
    return played(this, 16, 3, ['--test_enable_nagle']);
  });
});
