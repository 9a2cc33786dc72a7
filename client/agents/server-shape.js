// Checks the messages of the agent that starts the servers. Its servers must listen on the address that it named before
// the run: an agent must not point the load of a run at another host.
import { isObject } from '../measure/objects.js';
import { MAX_EARLIER_READINGS } from '../run/server-meter.js';
import { isAmount, isClockNs, isCount, isListOf, isText, must } from './shape.js';

/**
 * @import { InstancesReading } from '../run/server-meter.js'
 * @import { FromServerHost, HostReading, ServerEnding, StartedServer } from './server-messages.js'
 */

const MOST_PORT = 65_535;
/** Values of a reading; no counter reaches this. */
const MOST = 1e18;
const MOST_NAMES = 100_000;
const MOST_COUNTERS = 500;
const MOST_CORES = 10_000;
const MOST_CERTIFICATE = 100_000;
/** Instances of a server, as in a scenario. */
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
  ending.warning === undefined && // the controller adds it
  (ending.stoppedBecause === undefined || isText(ending.stoppedBecause)) &&
  (ending.lastLines === undefined || isListOf(ending.lastLines, 100, isLine));

/** @param {unknown} ending @returns {ServerEnding} the same @throws {TypeError} when it is invalid */
export function checkedEnding(ending) {
  must(isEnding(ending), 'the end of a server is invalid');
  return ending;
}

/** @param {unknown} message @returns {FromServerHost} the same @throws {TypeError} when it is invalid */
export function checkedMessage(message) {
  must(isMessage(message), 'a message about a server is invalid');
  return message;
}

/** @param {unknown} message @returns {message is FromServerHost} */
function isMessage(message) {
  if (!isObject(message)) return false;
  const type = /** @type {FromServerHost['type']} */ (message.type);
  return Object.hasOwn(SHAPES, type) && SHAPES[type](message);
}

/** @param {unknown} server @returns {server is StartedServer} */
const isServer = (server) =>
  isObject(server) &&
  isText(server.host, 100) &&
  isCount(server.port) &&
  server.port >= 1 &&
  server.port <= MOST_PORT &&
  (server.authority === null || isText(server.authority, MOST_CERTIFICATE));

/**
 * @param {unknown} started @param {number} count of instances @param {string} address that its servers listen on
 * @returns {StartedServer[]} the same
 * @throws {TypeError} when these are not the servers that were ordered
 */
export function checkedServers(started, count, address) {
  must(
    isListOf(started, MOST_INSTANCES, isServer) &&
      started.length === count &&
      started.every(({ host }) => host === address),
    'its servers are not those that were ordered',
  );
  return started;
}

/** @param {unknown} value @param {number} maxNames @returns {boolean} whether it is an object of numbers */
function isCounts(value, maxNames) {
  if (!isObject(value)) return false;
  const entries = Object.entries(value);
  return entries.length <= maxNames && entries.every(([name, count]) => name.length <= 64 && isAmount(count, MOST));
}

/** @param {unknown} value @param {number} [maxNames] @returns {boolean} */
const isCountsOrNone = (value, maxNames = MOST_NAMES) =>
  value === null || value === undefined || isCounts(value, maxNames);

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
  const { cpuSeconds, rssBytes, threads, processes, waitSeconds = null } = reading;
  const { threadSeconds, processSeconds, contextSwitches, instanceSeconds = [], living = 0 } = reading;
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
 * @returns {HostReading} the same
 * @throws {TypeError} when it is invalid or of another number of instances
 */
export function checkedReading(reading, count) {
  must(isObject(reading), 'a reading is not an object');
  const { busy, kernel, listen, descriptors, earlier } = reading;
  /** @param {unknown} moment @returns {moment is InstancesReading} */
  const isMoment = (moment) => isOfInstances(moment, count);
  must(
    isOfInstances(reading, count) &&
      isListOf(earlier, MAX_EARLIER_READINGS, isMoment) &&
      isListOf(busy, MOST_CORES, isNumber) &&
      isCounts(kernel, MOST_COUNTERS) &&
      isCountsOrNone(listen, 10) &&
      isCountsOrNone(descriptors, 10),
    'a reading is invalid',
  );
  return /** @type {HostReading} */ (/** @type {unknown} */ (reading));
}
