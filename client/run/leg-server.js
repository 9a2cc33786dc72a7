// The server of one leg: opened, filled with what the protocol's requests are to find there, and read before it has any load.
import { mergeReadings } from '../machine/usage.js';
import { protocolOf } from '../protocols/index.js';
import { sendsRequests } from './exchange.js';
import { payloadOf } from './payload.js';
import { prefillServer } from './prefill.js';
import { openServer } from './server-under-test.js';

/**
 * @typedef {import('../scenario/scenario.js').Scenario} Scenario
 * @typedef {import('./server-under-test.js').ServerUnderTest} ServerUnderTest
 * @typedef {Pick<import('./server-under-test.js').Context, 'leg' | 'host' | 'answered' | 'log' | 'warn'>} Context
 */

/**
 * @param {import('./server-under-test.js').Launcher} launcher
 * @param {Scenario} settings of the leg
 * @param {Context} context
 * @param {Promise<unknown>} interrupted resolves when the run is interrupted
 * @returns {Promise<ServerUnderTest | null>} null: the run was interrupted first; rejects with the server stopped
 */
export async function openLegServer(launcher, settings, context, interrupted) {
  const opened = openServer(launcher, { ...context, settings })
    .then((server) => fill(server, settings))
    .then(withStartMemory);
  const server = await Promise.race([opened, interrupted.then(() => null)]);
  if (server === null) opened.then(({ stop }) => stop()).catch(() => {}); // the run ends, and with it what it has started
  return server;
}

/**
 * Writes into the server what the protocol's requests are to find there.
 * @param {ServerUnderTest} server
 * @param {Scenario} settings
 * @returns {Promise<ServerUnderTest>} the same; rejects with the server stopped
 */
async function fill(server, settings) {
  if (!sendsRequests(settings)) return server;
  const { protocol, protocolOptions, payloadBytes, payloadFile, seed } = settings;
  const filling = protocolOf(protocol).fill?.(protocolOptions, payloadOf({ payloadBytes, seed, payloadFile }));
  try {
    // a target that does not answer is measured as it is
    const filled = filling ? server.instances.filter(({ unverified }) => !unverified) : [];
    for (const one of filled) await prefillServer(/** @type {any} */ (filling), one, one.tls);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

/**
 * @param {ServerUnderTest} server that is ready, checked and filled
 * @returns {Promise<ServerUnderTest>} with its resident size before the load, where that can be read
 */
async function withStartMemory(server) {
  const { machine } = server;
  try {
    const reading = machine === undefined ? server.read() : mergeReadings((await machine.read([]))?.instances ?? []);
    return reading === null ? server : { ...server, startRssBytes: reading.rssBytes };
  } catch {
    return server; // it has ended: the leg says so
  }
}
