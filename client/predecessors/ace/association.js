// `broadside ace --association`: ACE's association test. Opens one SCTP association with a server, prints the addresses of
// both its ends, and shuts it down.

import { planOf } from '../../commands/preparation.js';
import { EnvironmentError } from '../../errors.js';
import { transportText } from '../../transports/index.js';
import { inspectAssociation } from '../../transports/sctp/engine.js';

const TIMEOUT_NS = 10e9;

/**
 * @param {import('./options.js').AceOptions} options
 * @returns {Promise<void>}
 * @throws {import('../../errors.js').BroadsideError}
 */
export async function printAssociation({ target, transport, request }) {
  const { scenario, plan } = await planOf(request);
  const { host, port } = /** @type {import('../../words/endpoint.js').Endpoint} */ (scenario.target);
  const stack = /** @type {NonNullable<import('../../transports/index.js').Carrier['stack']>} */ (plan.legs[0].stack);
  const carrier = { transport: /** @type {'sctp' | 'sctp-seqpacket'} */ (transport), stack };
  const ends = associate({ endpoint: { address: host, port }, ...carrier, timeoutNs: TIMEOUT_NS }, target);
  const rows = [
    ['association', transportText(carrier)],
    ...ends.local.map((address, i) => [i === 0 ? 'local' : '', address]),
    ...ends.peer.map((address, i) => [i === 0 ? 'peer' : '', address]),
  ];
  process.stdout.write(rows.map(([name, text]) => `${String(name).padEnd(13)}${text}\n`).join(''));
}

/**
 * @param {Parameters<typeof inspectAssociation>[0]} options
 * @param {string} target as given
 * @returns {ReturnType<typeof inspectAssociation>}
 * @throws {EnvironmentError}
 */
function associate(options, target) {
  try {
    return inspectAssociation(options);
  } catch (error) {
    const { code = 'EIO' } = /** @type {NodeJS.ErrnoException} */ (error);
    const carrier = transportText(options);
    throw new EnvironmentError(`no association with ${target} (${carrier}): ${code}; does a server listen there?`, {
      code: 'ENOASSOCIATION',
      data: { target, errno: code, stack: options.stack, transport: options.transport },
      cause: error,
    });
  }
}
