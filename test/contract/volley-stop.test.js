// With --volley-stop a word of zero ends the server, also where the client has left before the reply could be written.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { build, discover } from '../../servers/launcher/index.js';
import { endAll, lives, programOf, startProgram, until } from './server-process.js';

const MODELS = ['epoll', 'multi-threaded'];
/** 5, which is answered, then 0. */
const WORDS = Buffer.from('0000000500000000', 'hex');
/** The reply is due long after the client has left. */
const WORK = ['--work', '500ms'];

/**
 * @param {number} port
 * @returns {boolean} whether its server has read all that has arrived from established connections
 */
function hasRead(port) {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')} `;
  const lines = readFileSync('/proc/net/tcp', 'utf8').split('\n');
  const established = lines
    .map((line) => line.trim().split(/\s+/))
    .filter(([, from, , state]) => `${from} `.endsWith(local) && state === '01');
  return established.length > 0 && established.every(([, , , , queues]) => queues.endsWith(':00000000'));
}

describe('--volley-stop without the client', function () {
  this.timeout(300_000);
  /** @type {Awaited<ReturnType<typeof discover>>} */
  let servers;
  before(async () => {
    servers = (await discover()).filter(({ name }) => MODELS.includes(name));
    await build({ names: servers.map(({ name }) => name) });
  });
  afterEach(endAll);

  for (const name of MODELS) {
    it(`ends ${name}`, async () => {
      const server = servers.find((one) => one.name === name);
      const run = [
        programOf(/** @type {any} */ (server)),
        '--protocol',
        'volley',
        '--volley-stop',
        '--port',
        '0',
        ...WORK,
      ];
      const { pid, port } = /** @type {any} */ (await startProgram(run, { protocol: 'volley' }));
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      await new Promise((resolve) => void socket.write(WORDS, resolve));
      await until(() => hasRead(port), `${name} to read`);
      socket.resetAndDestroy();
      await until(() => !lives(pid), `${name} to end`);
    });
  }
});
