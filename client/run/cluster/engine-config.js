// What an engine is created with, of the configuration of its share of a leg.
import { sliceRows, turnRates } from '../../measure/slices.js';
import { prepareProtocol } from '../../protocols/index.js';

/**
 * @import { EngineConfig } from '../../engine/index.js'
 * @import { LegConfig } from './messages.js'
 */

/**
 * @param {LegConfig} config
 * @param {Uint8Array} payload
 * @returns {EngineConfig}
 */
export function engineConfigOf(config, payload) {
  const {
    worker: _worker,
    engine: _engine,
    payloadBytes,
    payloadMinBytes,
    payloadSeed: _seed,
    payloadFile: _file,
    protocolOptions,
    transfersPerConnection,
    cpus: _cpus,
    slices,
    rates,
    ...rest
  } = config;
  const { steadyToNs, rateFromNs: rampToNs } = rest;
  const [endpoint] = rest.endpoints;
  const facts = { payloadBytes, payloadMinBytes, payload, endpoint, transfersPerConnection };
  return {
    ...{ ...rest, ...prepareProtocol(rest.protocol, protocolOptions, facts), payload },
    payloadSpread: payloadMinBytes === null ? 0 : payloadBytes - payloadMinBytes,
    slices: slices && sliceRows(slices, steadyToNs),
    rates: turnRates({ rates, rampToNs, steadyToNs, slices }),
  };
}
