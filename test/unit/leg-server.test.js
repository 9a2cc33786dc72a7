// The server of a leg that is interrupted while the server starts.
import assert from 'node:assert/strict';
import { openLegServer } from '../../client/run/leg-server.js';

describe('the server of a leg', () => {
  it('is stopped if the run was interrupted before it was ready, also where that fails', async () => {
    /** @type {(value?: unknown) => void} */
    let answer = () => {};
    const verified = new Promise((resolve) => void (answer = resolve));
    /** @type {(value?: unknown) => void} */
    let stop = () => {};
    const stopped = new Promise((resolve) => void (stop = resolve));
    const started = {
      ...{ host: '127.0.0.2', port: 7, pids: [], authority: null, exited: new Promise(() => {}) },
      async stop() {
        stop();
        throw new Error('its agent was lost');
      },
    };
    const launcher = /** @type {any} */ ({ startServer: async () => started, verifyExchange: () => verified });
    const leg = { server: { kind: 'command', command: 'x' }, pin: { server: null } };
    const context = /** @type {any} */ ({ leg, log: { info: () => {} }, warn: assert.fail });
    const settings = /** @type {any} */ ({ listen: 'ipv4', protocol: 'echo', tls: null });
    /** @type {unknown[]} */
    const unhandled = [];
    const take = (/** @type {unknown} */ reason) => void unhandled.push(reason);
    process.on('unhandledRejection', take);
    try {
      assert.equal(await openLegServer(launcher, settings, context, Promise.resolve()), null);
      answer();
      await stopped;
      await new Promise(setImmediate);
    } finally {
      process.off('unhandledRejection', take);
    }
    assert.deepEqual(unhandled, []);
  });
});
