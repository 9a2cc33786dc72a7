// Recognition of the protocol if the command line names none: a server that cannot be measured ends the command before
// the load, with each reason once.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { findProtocol } from '../../client/run/recognise.js';
import { resolveScenario } from '../../client/scenario/scenario.js';

/** @import { AddressInfo, Server } from 'node:net' */

/** @param {string} said its reply to each request @returns {Promise<Server>} */
async function saying(said) {
  const server = createServer((socket) => {
    socket.on('error', () => {}).on('data', () => socket.write(said));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** @param {string} code of the launcher @returns {Promise<never>} */
const failing = async (code) => {
  throw Object.assign(new Error('why'), { code, data: { stderr: [] } });
};

describe('a command whose protocol is not named', () => {
  /** @type {string[]} */
  let started = [];
  beforeEach(() => void (started = []));

  /** @param {string[]} commands of two starts each @param {object} [flags] */
  const legsOf = (commands, flags = {}) =>
    commands.flatMap((command) => {
      const settings = resolveScenario({}, { command: `${command} {port}`, connections: 1, ...flags });
      const leg = {
        server: { kind: 'command', command },
        pin: { server: null },
        sources: [],
        settings,
        label: command,
      };
      return /** @type {any[]} */ ([leg, { ...leg }]);
    });
  /** @param {Record<string, () => Promise<number>>} starts by command; a port */
  const launcherOf = (starts) =>
    /** @type {any} */ ({
      startServer: async (/** @type {any} */ { command }) => {
        started.push(command);
        const port = await starts[command]();
        const server = { host: '127.0.0.1', port, pids: [], authority: null, usage: () => null };
        return { ...server, exited: new Promise(() => {}), stop: async () => ({ code: 0, signal: null }) };
      },
    });

  it('is refused once for all servers whose reason is the same, with the protocols to choose from', async () => {
    const server = await saying('\x01\x02\x03'.repeat(2000));
    const { port } = /** @type {AddressInfo} */ (server.address());
    const launcher = launcherOf({ a: async () => port, b: async () => port });
    await assert.rejects(
      findProtocol(launcher, legsOf(['a', 'b']), () => {}),
      (/** @type {any} */ error) => {
        assert.deepEqual([error.code, error.exitCode, error.data.suggestion], ['ETARGETCHECK', 3, null]);
        assert.match(
          error.message,
          /^a, b answer in none of [^\n]*, so echo was tried: give --protocol [^\n]*--force$/,
        );
        return true;
      },
    );
    assert.deepEqual(started, ['a', 'b']);
    const recognised = await findProtocol(launcher, legsOf(['a'], { force: true }), () => {});
    assert.deepEqual(recognised, { answered: false, other: null });
    server.close();
  });

  it('is refused where no server starts, and is not waited for again where one does not listen', async () => {
    const died = launcherOf({ a: () => failing('EDIED'), b: () => failing('EDIED') });
    await assert.rejects(
      findProtocol(died, legsOf(['a', 'b']), () => {}),
      { code: 'ETARGETCHECK', message: 'a, b: why' },
    );
    const silent = launcherOf({ a: () => failing('ENOTREADY'), b: assert.fail });
    await assert.rejects(
      findProtocol(silent, legsOf(['a', 'b']), () => {}),
      { message: 'a: why' },
    );
    assert.deepEqual(started, ['a', 'b', 'a']);
  });

  it('is measured where one of the servers answers', async () => {
    const echo = createServer((socket) => void socket.on('error', () => {}).pipe(socket)).listen(0, '127.0.0.1');
    await once(echo, 'listening');
    const { port } = /** @type {AddressInfo} */ (echo.address());
    const launcher = launcherOf({ a: () => failing('EDIED'), b: async () => port });
    assert.deepEqual(await findProtocol(launcher, legsOf(['a', 'b']), () => {}), { answered: false, other: null });
    echo.close();
  });
});
