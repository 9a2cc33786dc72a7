// `broadside ace --association`: ACE's association test. Opens one SCTP association with a server, prints the addresses of
// both its ends, and shuts it down.

import { refusedOption } from '../../commands/option-values.js';
import { planOf } from '../../commands/preparation.js';
import { requestOf } from '../../commands/request.js';
import { EnvironmentError } from '../../errors.js';
import { transportText } from '../../transports/index.js';
import { inspectAssociation } from '../../transports/sctp/engine.js';

const TIMEOUT_NS = 10e9;
/** Options of ace that say what to measure, or where from. */
const OF_MEASURING = [
  'payload-size-power-of-2',
  'test-iterations',
  'client-port',
  'client-connect-addr',
  'histogram-min-bin',
  'histogram-max-bin',
  'histogram-bin-count',
  'histogram-num-outliers',
  'test-enable-nagle',
  'spectrum',
  'gap',
];

/**
 * @param {import('./options.js').AceOptions} options
 * @param {any} argv
 * @returns {Promise<void>}
 * @throws {import('../../errors.js').BroadsideError}
 */
export async function printAssociation({ target, transport, sctpStack }, argv) {
  const unused = OF_MEASURING.find((name) => argv[name] !== undefined && argv[name] !== false);
  if (unused !== undefined) {
    throw refusedOption(unused, argv[unused], 'nothing is measured with --association; leave it out');
  }
  const request = requestOf({
    ...{ logs: argv.logs, report: argv.report, name: 'ace', protocol: 'ace', target, transport, sctpStack },
    ...{ connections: '1', allowPublicTarget: argv.allowPublicTarget },
  });
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
