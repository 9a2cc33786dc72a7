// Opens the server of one leg, fills it with the data that the protocol's requests read, and measures its memory before
// the load.
import { once } from 'node:events';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { EnvironmentError } from '../errors.js';
import { mergeReadings } from '../machine/usage.js';
import { protocolOf } from '../protocols/index.js';
import { nodeTls } from '../scenario/keys/tls.js';
import { connectOptions } from '../words/endpoint.js';
import { sendsRequests } from './exchange.js';
import { payloadOf } from './payload.js';
import { openServer } from './server-under-test.js';

/**
 * @import { Filling } from '../protocols/filling.js'
 * @import { TlsOptions } from '../scenario/keys/tls.js'
 * @import { Scenario } from '../scenario/scenario.js'
 * @import { Context as ServerContext, Launcher, ServerUnderTest } from './server-under-test.js'
 */

/**
 * @typedef {Pick<ServerContext, 'leg' | 'answered' | 'log' | 'warn' | 'notice' | 'sinceStart'>} Context
 */

/**
 * @param {Launcher} launcher
 * @param {Scenario} settings of the leg
 * @param {Context} context
 * @param {Promise<unknown>} interrupted resolves when the run is interrupted
 * @returns {Promise<ServerUnderTest | null>} null: the run was interrupted first; rejects with the server stopped
 */
export async function openLegServer(launcher, settings, context, interrupted) {
  const opened = openServer(launcher, { ...context, settings })
    .then((server) => fill(server, settings))
    .then((server) => (context.leg.server.kind === 'target' ? server : withStartMemory(server)));
  const server = await Promise.race([opened, interrupted.then(() => null)]);
  if (server === null) opened.then(({ stop }) => stop()).catch(() => {}); // the run ends and stops what it started
  return server;
}

/**
 * Writes the data that the protocol's requests read into the server.
 * @param {ServerUnderTest} server
 * @param {Scenario} settings
 * @returns {Promise<ServerUnderTest>} this server; rejects with the server stopped
 */
async function fill(server, settings) {
  if (!sendsRequests(settings)) return server;
  const { protocol, protocolOptions, payloadBytes, payloadFile, seed } = settings;
  const filling = protocolOf(protocol).fill?.(protocolOptions, payloadOf({ payloadBytes, seed, payloadFile }));
  try {
    // a target that does not answer is measured as it is
    const instances = filling ? server.instances.filter(({ unverified }) => !unverified) : [];
    for (const instance of instances) await prefillServer(/** @type {Filling} */ (filling), instance, instance.tls);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

/**
 * Reads the resident size of a server before the load. Only a server that the run started is measured: a target has had
 * connections before, and may have kept their memory.
 * @param {ServerUnderTest} server that was started, is ready, checked and filled
 * @returns {Promise<ServerUnderTest>} with its resident size, if that can be read
 */
async function withStartMemory(server) {
  try {
    const reading = mergeReadings((await server.meter.read([]))?.instances ?? []);
    return reading === null ? server : { ...server, startRssBytes: reading.rssBytes };
  } catch {
    return server; // it has ended: the leg reports that
  }
}

const CHUNK_BYTES = 256 * 1024;
const SILENCE_MS = 10_000;
/** How much of an unexpected answer an error quotes. */
const SHOWN_BYTES = 80;

/** @param {Buffer} bytes @returns {string} */
const firstLine = (bytes) => bytes.toString('latin1').split('\n', 1)[0].trimEnd();

/**
 * Fills a server over one connection with many requests in flight.
 * @param {Filling} filling
 * @param {{address: string, port: number}} server
 * @param {TlsOptions | null} [tls]
 * @returns {Promise<void>} rejects when an answer is unexpected, or none comes for 10 s
 */
export async function prefillServer({ count, request, answer, textOf = firstLine }, { address, port }, tls = null) {
  const endpoint = connectOptions({ host: address, port });
  const socket = tls === null ? connect(endpoint) : connectTls({ ...endpoint, ...nodeTls(tls, address) });
  let received = Buffer.alloc(0); // the beginning of an answer that is not complete
  let answered = 0;
  /** @type {(problem: 'answer' | 'socket' | 'closed' | 'silent', why: string) => void} */
  let fail = () => {};
  const failed = new Promise((_, reject) => {
    fail = (problem, why) =>
      reject(
        new EnvironmentError(`the server could not be filled before the leg: ${why}`, {
          code: 'EFILL',
          data: { problem, reason: why, address, port },
        }),
      );
  });
  const allAnswered = new Promise((resolve) => {
    socket.on('data', (bytes) => {
      received = received.length === 0 ? bytes : Buffer.concat([received, bytes]);
      let at = 0;
      while (at < received.length && answered < count) {
        const length = answer(received.subarray(at), answered);
        if (length === null) {
          fail('answer', `it answered ${JSON.stringify(textOf(received.subarray(at, at + SHOWN_BYTES)))}`);
          return;
        }
        if (length === 0) break;
        at += length;
        answered += 1;
      }
      received = received.subarray(at);
      if (answered < count) return;
      if (received.length === 0) resolve(undefined);
      else
        fail(
          'answer',
          `it answered more than requested: ${JSON.stringify(received.toString('latin1', 0, SHOWN_BYTES))}`,
        );
    });
  });
  socket.on('error', ({ message }) => fail('socket', message));
  socket.on('close', () => fail('closed', `it closed the connection after ${answered} of ${count} answers`));
  socket.setTimeout(SILENCE_MS, () => fail('silent', `no answer within ${SILENCE_MS / 1000} s`));
  const sent = (async () => {
    for (let i = 0; i < count;) {
      const chunk = [];
      for (let bytes = 0; i < count && bytes < CHUNK_BYTES; i += 1) bytes += chunk[chunk.push(request(i)) - 1].length;
      if (!socket.write(Buffer.concat(chunk))) await Promise.race([once(socket, 'drain'), failed]);
    }
  })();
  try {
    await Promise.race([Promise.all([sent, allAnswered]), failed]);
  } finally {
    failed.catch(() => {});
    sent.catch(() => {});
    socket.destroy();
  }
}
