// Reads an agent's description of itself. Anybody may answer, and the NATS server itself answers with an empty message
// if no agent listens; a message of another shape is not from an agent.
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

/** @param {Uint8Array} data of a message @returns {Hello | null} null: not a hello */
export function readHello(data) {
  try {
    const value = decodeReport(data);
    return isHello(value) ? value : null;
  } catch {
    return null;
  }
}
