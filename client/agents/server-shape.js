// What the agent that starts the servers says of them, checked before anything is made of it. Pure. A server is where
// the agent has said before the run that its servers listen, and nowhere else: an agent must not point the load of a
// run at another host.
import { isObject } from '../measure/objects.js';
import { MAX_EARLIER_READINGS } from '../run/server-meter.js';
import { isAmount, isClockNs, isCount, isListOf, isText, must } from './shape.js';

/**
 * @import { InstancesReading } from '../run/server-meter.js'
 * @import { FromServerHost, HostReading, ServerEnding, StartedServer } from './server-messages.js'
 */

const MOST_PORT = 65_535;
/** Of a reading: more than any counter reaches. */
const MOST = 1e18;
const MOST_NAMES = 100_000;
const MOST_COUNTERS = 500;
const MOST_CORES = 10_000;
const MOST_CERTIFICATE = 100_000;
/** Of a server, as in a scenario. */
const MOST_INSTANCES = 1024;

/** @type {Record<FromServerHost['type'], (message: Record<string, unknown>) => boolean>} */
const SHAPES = {
  answer: ({ request }) => isCount(request),
  refused: ({ request, error }) =>
    isCount(request) && isObject(error) && isText(error.code) && isText(error.text) && isObject(error.data),
  line: ({ server, instance, stream, text }) =>
    isCount(server) && isCount(instance) && (stream === 'stdout' || stream === 'stderr') && isText(text),
  ended: ({ server, instance, ending }) => isCount(server) && isCount(instance) && isEnding(ending),
};

/** @param {unknown} line @returns {line is string} */
const isLine = (line) => isText(line);

/** @param {unknown} ending @returns {ending is ServerEnding} */
const isEnding = (ending) =>
  isObject(ending) &&
  (ending.code === null || Number.isSafeInteger(ending.code)) &&
  (ending.signal === null || isText(ending.signal, 20)) &&
  (ending.left === undefined || isCount(ending.left)) &&
  ending.warning === undefined && // that is the controller's
  (ending.stoppedBecause === undefined || isText(ending.stoppedBecause)) &&
  (ending.lastLines === undefined || isListOf(ending.lastLines, 100, isLine));

/** @param {unknown} ending @returns {ServerEnding} it @throws {TypeError} when no server ends so */
export function checkedEnding(ending) {
  must(isEnding(ending), 'a server does not end so');
  return ending;
}

/** @param {unknown} message @returns {FromServerHost} it @throws {TypeError} when no agent says so */
export function checkedMessage(message) {
  must(isMessage(message), 'it says of a server what no agent does');
  return message;
}

/** @param {unknown} message @returns {message is FromServerHost} */
function isMessage(message) {
  if (!isObject(message)) return false;
  const type = /** @type {FromServerHost['type']} */ (message.type);
  return Object.hasOwn(SHAPES, type) && SHAPES[type](message);
}

/** @param {unknown} one @returns {one is StartedServer} */
const isServer = (one) =>
  isObject(one) &&
  isText(one.host, 100) &&
  isCount(one.port) &&
  one.port >= 1 &&
  one.port <= MOST_PORT &&
  (one.authority === null || isText(one.authority, MOST_CERTIFICATE));

/**
 * @param {unknown} started @param {number} count of instances @param {string} address that its servers listen on
 * @returns {StartedServer[]} it
 * @throws {TypeError} when these are not the servers that it was asked for
 */
export function checkedServers(started, count, address) {
  must(
    isListOf(started, MOST_INSTANCES, isServer) &&
      started.length === count &&
      started.every(({ host }) => host === address),
    'its servers are not those it was asked for',
  );
  return started;
}

/** @param {unknown} value @param {number} most names @returns {boolean} whether it is an object of numbers */
function isCounts(value, most) {
  if (!isObject(value)) return false;
  const entries = Object.entries(value);
  return entries.length <= most && entries.every(([name, one]) => name.length <= 64 && isAmount(one, MOST));
}

/** @param {unknown} value @param {number} [most] @returns {boolean} */
const isCountsOrNone = (value, most = MOST_NAMES) => value === null || value === undefined || isCounts(value, most);

/** @param {unknown} value @returns {value is number} */
const isNumber = (value) => isAmount(value, MOST);

/** @param {unknown} value @returns {value is number | null} */
const isNumberOrNone = (value) => value === null || isNumber(value);

/** @param {unknown} instance @returns {boolean} */
function isInstance(instance) {
  if (!isObject(instance) || typeof instance.hasEnded !== 'boolean') return false;
  const { reading } = instance;
  if (reading === null) return true;
  if (!isObject(reading)) return false;
  const { cpuSeconds, rssBytes, threads, processes, waitSeconds = null, ...rest } = reading;
  const { threadSeconds, processSeconds, contextSwitches, instanceSeconds = [], living = 0 } = rest;
  return (
    [rssBytes, threads, processes, living].every(isNumber) &&
    [cpuSeconds, waitSeconds].every(isNumberOrNone) &&
    isCountsOrNone(threadSeconds) &&
    isCountsOrNone(processSeconds) &&
    isCountsOrNone(contextSwitches, 2) &&
    isListOf(instanceSeconds, MOST_NAMES, isNumberOrNone)
  );
}

/** @param {unknown} reading @param {number} count @returns {reading is InstancesReading} of that many instances */
const isOfInstances = (reading, count) => {
  if (!isObject(reading)) return false;
  const { atNs, instances } = reading;
  return isClockNs(atNs) && Array.isArray(instances) && instances.length === count && instances.every(isInstance);
};

/**
 * @param {unknown} reading @param {number} count of instances
 * @returns {HostReading} it
 * @throws {TypeError} when it is none of the machine and that many instances
 */
export function checkedReading(reading, count) {
  must(isObject(reading), 'a reading is not an object');
  const { busy, kernel, listen, descriptors, earlier } = reading;
  /** @param {unknown} one @returns {one is InstancesReading} */
  const isOne = (one) => isOfInstances(one, count);
  must(
    isOfInstances(reading, count) &&
      isListOf(earlier, MAX_EARLIER_READINGS, isOne) &&
      isListOf(busy, MOST_CORES, isNumber) &&
      isCounts(kernel, MOST_COUNTERS) &&
      isCountsOrNone(listen, 10) &&
      isCountsOrNone(descriptors, 10),
    'a reading is not possible',
  );
  return /** @type {HostReading} */ (/** @type {unknown} */ (reading));
}
