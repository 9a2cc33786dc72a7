// Sends a request to an agent and waits for its answer, outside the stream of a run.
import { EnvironmentError } from '../errors.js';
import { decodeReport, encode } from './codec.js';
import { subjects } from './subjects.js';

/**
 * @import { Broker } from './broker.js'
 * @import { Request } from './messages.js'
 */

/**
 * @param {Pick<Broker, 'request'>} broker @param {string} name of the agent
 * @param {Request} request @param {number} timeout ms
 * @returns {Promise<unknown>} the answer
 * @throws {EnvironmentError} when the agent does not answer
 */
export async function askAgent(broker, name, request, timeout) {
  try {
    return decodeReport((await broker.request(subjects.agent(name), encode(request), { timeout })).data);
  } catch (error) {
    throw new EnvironmentError(`agent ${name} does not answer (${/** @type {Error} */ (error).message})`, {
      code: 'EAGENTSILENT',
      data: { name },
      cause: error,
    });
  }
}
