// Sends OTLP requests to a collector by POST, in order, up to the first that fails.
// The check whether an address is allowed is made on the numeric address that is then connected to.

import { lookup as lookupName } from 'node:dns';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { isOwnAddress } from '../scenario/keys/address.js';

/**
 * @import { LookupAddress, LookupOptions } from 'node:dns'
 * @import { Endpoint } from './otlp-endpoint.js'
 */

/** Characters of a collector's answer that an error quotes. */
const MAX_ANSWER_LENGTH = 200;

/** @param {string} address */
const publicAddress = (address) =>
  new Error(`${address} is a public address; to send the results of the run there, add --otlp-public`);

/**
 * @param {string} host @param {LookupOptions} options
 * @param {(error: Error | null, address: string | LookupAddress[], family?: number) => void} done
 */
function lookupAllowed(host, options, done) {
  lookupName(host, { ...options, all: /** @type {const} */ (true) }, (error, addresses) => {
    if (error) return done(error, []);
    const allowed = addresses.filter(({ address }) => isOwnAddress(address));
    if (allowed.length === 0) return done(publicAddress(`${host} (${addresses[0]?.address})`), []);
    return options.all ? done(null, allowed) : done(null, allowed[0].address, allowed[0].family);
  });
}

/**
 * @param {object} body @param {Endpoint} endpoint
 * @returns {Promise<void>} rejects with the reason
 */
function post(body, { url, headers, timeoutMs, allowPublic }) {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (!allowPublic && isIP(host) !== 0 && !isOwnAddress(host)) return Promise.reject(publicAddress(host));
  return new Promise((resolve, reject) => {
    const text = JSON.stringify(body);
    const options = {
      method: 'POST',
      agent: false,
      headers: { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) },
      signal: AbortSignal.timeout(timeoutMs),
      ...(allowPublic ? {} : { lookup: lookupAllowed }),
    };
    const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, options, (response) => {
      let answer = '';
      response.setEncoding('utf8');
      response.on('data', (/** @type {string} */ part) => {
        if (answer.length < MAX_ANSWER_LENGTH) answer += part;
      });
      response.on('error', reject);
      response.on('end', () => {
        const { statusCode = 0 } = response;
        if (statusCode >= 200 && statusCode < 300) resolve();
        else reject(new Error(`it answered ${statusCode} ${answer.slice(0, MAX_ANSWER_LENGTH)}`.trim()));
      });
    });
    request.on('error', (error) =>
      reject(
        error.name === 'AbortError' || error.name === 'TimeoutError'
          ? new Error(`no answer within ${timeoutMs} ms`)
          : error,
      ),
    );
    request.end(text);
  });
}

/**
 * @param {Iterable<object>} bodies @param {Endpoint} endpoint
 * @returns {Promise<void>} rejects with the reason of the first failure
 */
export async function sendOtlp(bodies, endpoint) {
  for (const body of bodies) await post(body, endpoint);
}
