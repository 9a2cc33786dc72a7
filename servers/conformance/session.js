// Runs checks one after another against one server. After each check all its servers are ended and all its connections
// closed; the shared server is kept only after a check that passed.

import assert from 'node:assert/strict';
import { Connection } from './connection.js';
import { within } from './wait.js';

/**
 * @import { Check, Context } from './check.js'
 * @import { Protocol } from './protocols/index.js'
 * @import { RunningServer, Start, StartOptions } from './start.js'
 */

/** Connections opened at the same time. */
const BATCH = 250;
const SANITIZER_REPORT = /Sanitizer|runtime error/;

/**
 * @typedef {{started: RunningServer[], over: boolean}} Round
 */

export class Session {
  /**
   * @param {Start} start
   * @param {Protocol} protocol
   */
  constructor(start, protocol) {
    this.start = start;
    this.protocol = protocol;
    /** @type {RunningServer | null} */
    this.shared = null;
    /** @type {Set<Connection>} */
    this.connections = new Set();
  }

  /**
   * @param {Check} check
   * @returns {Promise<void>} rejects if the check fails
   */
  async run({ name, timeoutMs, run }) {
    /** @type {Round} */
    const round = { started: [], over: false };
    let passed = false;
    try {
      await within(run(this.#context(round)), `the check "${name}"`, timeoutMs);
      await this.#cleanUp(round);
      passed = true;
    } finally {
      if (!passed) {
        await this.#kill(round);
        await this.end(); // its state is unknown now
      }
    }
  }

  /** Ends the shared server. */
  async end() {
    await this.shared?.kill();
    this.shared = null;
  }

  /** @param {Round} round @returns {Context} */
  #context(round) {
    const start = async (/** @type {StartOptions} */ options = {}) => {
      const server = await this.start(options);
      if (round.over) await server.kill();
      round.started.push(server);
      return server;
    };
    const open = async (/** @type {{host: string, port: number}} */ server) => {
      const connection = await Connection.open(server, this.protocol);
      if (round.over) connection.reset();
      this.connections.add(connection);
      return connection;
    };
    return {
      start,
      open,
      shared: async () => (this.shared ??= await this.start()),
      async openMany(server, count) {
        /** @type {Connection[]} */
        const connections = [];
        while (connections.length < count) {
          const batch = Math.min(BATCH, count - connections.length);
          connections.push(...(await Promise.all(Array.from({ length: batch }, () => open(server)))));
        }
        return connections;
      },
    };
  }

  /** @param {Round} round */
  async #kill(round) {
    round.over = true;
    for (const connection of this.connections) connection.reset(); // avoids TIME_WAIT
    this.connections.clear();
    for (const { kill } of round.started) await kill();
  }

  /** @param {Round} round */
  async #cleanUp(round) {
    await this.#kill(round);
    const used = this.shared ? [...round.started, this.shared] : round.started;
    for (const { stderr } of used) assert.doesNotMatch(stderr(), SANITIZER_REPORT);
    const died = this.shared && (await Promise.race([this.shared.exited, null]));
    if (died) assert.fail(`the server ended (exit status ${died.code}, signal ${died.signal})`);
  }
}
