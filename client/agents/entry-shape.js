// Checks the shape of an agent's entries in a run's stream. worker-account.js checks the messages of its workers, and
// server-shape.js its messages about servers.
import { isObject } from '../measure/objects.js';
import { isAmount, isClockNs, isCount, isListOf, isText, must } from './shape.js';

/** @import { FromAgent } from './messages.js' */

const MOST_LEGS = 10_000;
const MOST_MS = 1e12;

/** @type {Record<FromAgent['type'], (entry: Record<string, unknown>) => boolean>} */
const SHAPES = {
  beat: ({ ns }) => isClockNs(ns),
  stopped: ({ forMs, agent, legs }) => isAmount(forMs, MOST_MS) && isText(agent) && isListOf(legs, MOST_LEGS, isName),
  server: ({ message }) => isObject(message),
  message: (entry) => isOfWorker(entry) && isObject(entry.message),
  forked: (entry) => isOfWorker(entry) && isCount(entry.pid),
  lost: (entry) => isOfWorker(entry) && isText(entry.how) && typeof entry.started === 'boolean' && isText(entry.stderr),
  started: isLateness,
  sliced: isLateness,
};

/** @param {Record<string, unknown>} entry @returns {boolean} */
function isLateness(entry) {
  return isOfWorker(entry) && isAmount(entry.lateNs, MOST_MS * 1e6);
}

/** @param {unknown} value @returns {value is string} */
const isName = (value) => isText(value, 255);

/** @param {Record<string, unknown>} entry @returns {boolean} */
const isOfWorker = ({ leg, worker, generation }) => isName(leg) && isCount(worker) && isCount(generation);

/** @param {unknown} entry @returns {FromAgent} the same @throws {TypeError} when it has another shape */
export function checkedEntry(entry) {
  must(isObject(entry), 'an entry is not an object');
  const type = /** @type {FromAgent['type']} */ (entry.type);
  must(Object.hasOwn(SHAPES, type) && SHAPES[type](entry), "an entry does not have the shape of an agent's");
  return /** @type {FromAgent} */ (/** @type {unknown} */ (entry));
}
