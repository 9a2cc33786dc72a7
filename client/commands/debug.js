// `stress --debug`: makes one exchange of the first leg as the run would, prints it, and ends.

import * as launcher from '../../servers/launcher/index.js';
import { exchangeText } from '../console/exchange-text.js';
import { print } from '../console/print.js';
import { allSecrets } from '../protocols/kept-secrets.js';
import { openServer } from '../run/server-under-test.js';
import { tapExchange } from '../run/exchange.js';
import { SILENT } from '../run/recognise.js';
import { withRemedy } from '../run/target-check.js';
import { formatEndpoint } from '../words/endpoint.js';

/**
 * @import { BroadsideError } from '../errors.js'
 * @import { Planned } from './preparation.js'
 */

/**
 * @param {Planned} planned
 * @param {boolean} asJson
 * @returns {Promise<number>} the exit code
 * @throws {BroadsideError} when the server cannot be started
 */
export async function debugExchange({ scenario, plan }, asJson) {
  const [leg] = plan.legs;
  const { settings } = leg;
  const notice = (/** @type {string} */ text) => print(`broadside: ${text}`, process.stderr);
  const context = { leg, settings, answered: true, log: SILENT, warn: () => {}, notice };
  const { instances, stop } = await openServer(launcher, context);
  try {
    const [{ address, port, tls = settings.tls }] = instances;
    const request = { settings, leg, server: { address, port }, tls };
    const { tapped, error: failed } = await tapExchange(request);
    const error = failed && (await withRemedy(failed, request));
    const endpoint = formatEndpoint({ host: address, port });
    const exchanged = { endpoint, named: scenario.named, tapped, protocol: settings.protocol, error };
    const text = exchangeText(exchanged, allSecrets());
    const json = () => ({
      endpoint,
      error: error && { code: error.code, data: error.data, text: error.message },
      text,
    });
    print(asJson ? JSON.stringify(json()) : text);
    return error === null ? 0 : error.exitCode;
  } finally {
    await stop();
  }
}
