// What an agent says of itself, read by a controller. Pure. Anybody may answer, and the NATS server itself answers with
// nothing where no agent listens: what is not a hello is not from an agent.
import { validatorOf } from '../../config/validators.js';
import { parseNetwork } from './allow-list.js';
import { decodeReport } from './codec.js';

/**
 * @import { ValidateFunction } from 'ajv'
 * @import { Hello } from './messages.js'
 */

/** @type {ValidateFunction<Hello> | null} */
let validate = null;

/** @param {unknown} value decoded @returns {value is Hello} */
export function isHello(value) {
  validate ??= /** @type {ValidateFunction<Hello>} */ (validatorOf('agent-hello'));
  return validate(value) && value.allow.every((text) => parseNetwork(text) !== null);
}

/** @param {Uint8Array} data of a message @returns {Hello | null} null: it is none */
export function readHello(data) {
  try {
    const value = decodeReport(data);
    return isHello(value) ? value : null;
  } catch {
    return null;
  }
}
