// The settings that an engine is created with, from the configuration of its share of a leg.
import { sliceRows, turnRates } from '../../measure/slices.js';
import { prepareProtocol } from '../../protocols/index.js';

/**
 * @import { EngineSettings } from '../../engine/index.js'
 * @import { LegConfig } from './messages.js'
 */

/**
 * @param {LegConfig} config
 * @param {Uint8Array} payload
 * @returns {EngineSettings}
 */
export function engineSettingsOf({ settings, slices, rates, ...config }, payload) {
  const { payloadBytes, payloadMinBytes, protocolOptions, transfersPerConnection } = config;
  const { protocol, steadyToNs, rateFromNs: rampToNs = 0 } = settings;
  const [endpoint] = settings.endpoints;
  const facts = { payloadBytes, payloadMinBytes, payload, endpoint, transfersPerConnection };
  return {
    ...{ ...settings, ...prepareProtocol(protocol, protocolOptions, facts), payload },
    payloadSpread: payloadMinBytes === null ? 0 : payloadBytes - payloadMinBytes,
    slices: slices && sliceRows(slices, steadyToNs),
    rates: turnRates({ rates, rampToNs, steadyToNs, slices }),
  };
}
