// Whether the temporary folder can hold the unix socket of a server that is started here. The one thing to know: the
// launcher makes broadside-XXXXXX/server.sock in it, and a path of a socket may have 107 bytes.
import { accessSync, constants } from 'node:fs';
import { tmpdir } from 'node:os';
import { EnvironmentError } from '../errors.js';
import { MAX_PATH_BYTES } from '../results/endpoint.js';

const MAX_BYTES = MAX_PATH_BYTES - '/broadside-XXXXXX/server.sock'.length;

/**
 * @param {Pick<import('../scenario/scenario.js').Scenario, 'listen' | 'target'>} scenario
 * @param {string} [folder]
 * @throws {EnvironmentError}
 */
export function checkSocketFolder({ listen, target }, folder = tmpdir()) {
  if (listen !== 'unix' || target !== undefined) return;
  const refuse = (/** @type {string} */ why) =>
    new EnvironmentError(
      `listen: unix, and the server's socket is made in ` +
        `the temporary folder, ${folder}, which ${why}; set TMPDIR to a folder that can be written to, of at most ` +
        `${MAX_BYTES} bytes, such as /tmp`,
      { code: 'ETMPDIR' },
    );
  const bytes = Buffer.byteLength(folder);
  if (bytes > MAX_BYTES) throw refuse(`is a path of ${bytes} bytes`);
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    throw refuse(code === 'ENOENT' ? 'does not exist' : `cannot be written to (${code})`);
  }
}
