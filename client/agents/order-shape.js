// Checks a controller's orders before an agent carries them out. Anybody who may publish at the NATS server can give
// orders: allow-list.js and server-permission.js apply the permissions of the agent's command line; this file refuses
// orders that no controller gives, and orders that a host could not bear.
import { fileOf } from '../protocols/index.js';
import { isObject } from '../measure/objects.js';
import { sliceNs } from '../measure/slices.js';
import { isAmount, isClockNs, isCount, isListOf, isText, must } from './shape.js';
import { isId } from './subjects.js';

/**
 * @import { SliceLengths, Slices } from '../../config/types.js'
 * @import { LegConfig, ToWorker } from '../run/cluster/messages.js'
 * @import { ToAgent } from './messages.js'
 * @import { ToServerHost } from './server-messages.js'
 */

/** Engines of a worker. */
const MOST_ENGINES = 1024;
const MOST_INDEX = 1e6;
const MOST_SLOTS = 20e6;
/** Several servers side by side are loaded for up to 7 days each. */
const MOST_LEG_NS = 100 * 24 * 3600e9;
const MOST_PAYLOAD_BYTES = 1024 ** 3;
/** A leg starts about a second after its workers are told. */
const MOST_AHEAD_NS = 600_000_000_000n;
const MOST_TARGETS = 10_000;
const MOST_VERSION = 100;
/** Times at which an order asks to read a server. */
const MOST_MOMENTS = 100;
/** Legs that take turns. */
const MOST_LEGS = 10_000;
/** A worker could not list the many shorter slices. */
const LEAST_SLICE_NS = 10e6;
/** Stages of slices: one for each step of a ramp, and two. */
const MOST_STAGES = 10_000;
/** Orders about a worker. */
const ORDERS = ['fork', 'message', 'kill', 'end'];

/** @param {unknown} target @returns {target is string} */
const isAddress = (target) => isText(target, 1000);

/**
 * @param {Record<'run' | 'targets' | 'version', unknown>} request
 * @returns {boolean} whether it is a reservation
 */
export const isReservation = ({ run, targets, version }) =>
  isId(run) && isText(version, MOST_VERSION) && isListOf(targets, MOST_TARGETS, isAddress);

/**
 * @param {unknown} entry
 * @returns {ToAgent} the same, without unknown fields of its message
 * @throws {TypeError} when no controller gives such an order
 */
export function checkedOrder(entry) {
  must(isObject(entry), 'an order is not an object');
  const { type, leg, worker, generation, message } = entry;
  if (type === 'server') {
    must(isObject(message) && isCount(message.request), 'an order about a server has no number');
    return /** @type {ToAgent} */ (/** @type {unknown} */ (entry));
  }
  const isOfWorker = isId(leg) && isAmount(worker, MOST_INDEX) && isCount(worker) && isCount(generation);
  must(isOfWorker && generation <= MOST_INDEX, 'an order is not for a worker');
  must(typeof type === 'string' && ORDERS.includes(type), 'no controller gives this order');
  const order = type === 'message' ? { ...entry, message: toWorker(message) } : entry;
  return /** @type {ToAgent} */ (/** @type {unknown} */ (order));
}

/** @param {unknown} config @returns {config is LegConfig} */
const isConfig = (config) => isObject(config) && isObject(config.settings);

/** @param {unknown} message @returns {ToWorker} its known fields @throws {TypeError} */
function toWorker(message) {
  must(isObject(message), 'a message for a worker is not an object');
  const { type, configs, startNs, fromNs, toNs, atNs } = message;
  switch (type) {
    case 'leg':
      must(isListOf(configs, MOST_ENGINES, isConfig) && configs.length > 0, 'a leg has no engines');
      return { type, configs };
    case 'start':
      must(typeof startNs === 'bigint', 'a leg has no start');
      return { type, startNs };
    case 'steady':
      must(isAmount(fromNs, MOST_LEG_NS) && isAmount(toNs, MOST_LEG_NS), 'a steady state has no times');
      return { type, fromNs, toNs };
    case 'slices':
      must(isSlices(message.slices), 'slices have no times');
      return { type, slices: message.slices };
    case 'drain':
      must(typeof atNs === 'number' && Number.isFinite(atNs), 'a drain has no time');
      return { type, atNs };
    default:
      throw new TypeError('no controller sends this message to a worker');
  }
}

/** @param {unknown} ns @returns {ns is number} */
const isTime = (ns) => isAmount(ns, MOST_LEG_NS);

/** @param {unknown} parts of a slice @returns {parts is SliceLengths} long enough for a worker to list */
function isLengths(parts) {
  if (!isObject(parts)) return false;
  const { settleInNs, measuredNs, settleOutNs } = parts;
  if (!isTime(settleInNs) || !isTime(measuredNs) || !isTime(settleOutNs)) return false;
  return settleInNs + measuredNs > 0 && sliceNs({ settleInNs, measuredNs, settleOutNs }) >= LEAST_SLICE_NS;
}

/** @param {unknown} stage of slices @returns {stage is Slices['stages'][number]} */
const isStage = (stage) =>
  isObject(stage) &&
  isAmount(stage.fromNs, MOST_LEG_NS) &&
  isListOf(stage.lengths, MOST_LEGS, isLengths) &&
  stage.lengths.length > 0;

/** @param {unknown} slices @returns {slices is Slices} */
function isSlices(slices) {
  if (!isObject(slices)) return false;
  const { index, of, starts, seed, stages } = slices;
  return (
    isCount(of) &&
    of <= MOST_LEGS &&
    isCount(starts) &&
    isCount(index) &&
    index < of &&
    isCount(seed) &&
    isListOf(stages, MOST_STAGES, isStage) &&
    stages.length > 0 &&
    stages.every(({ fromNs }, i) => i === 0 || fromNs >= stages[i - 1].fromNs)
  );
}

/** @param {bigint} startNs @param {bigint} nowNs @throws {TypeError} when it is too far ahead */
export function checkStart(startNs, nowNs) {
  must(startNs - nowNs < MOST_AHEAD_NS, 'a leg starts in the far future');
}

/** @param {LegConfig} config @returns {string | null} why the agent refuses it; null: it does not */
export function objectionTo(config) {
  const { slices, protocolOptions, payloadFile, payloadBytes, settings } = config;
  const { slots, endpoints, protocol, steadyToNs, drainTimeoutNs } = settings;
  if (payloadFile !== null) return "the controller's payload file is not on this host";
  if (!isObject(protocolOptions) || fileOf(protocol, protocolOptions) !== null) {
    return `the controller's file for the login of ${String(protocol).slice(0, 100)} is not on this host`;
  }
  const isPossible =
    isObject(slots) &&
    isCount(slots.first) &&
    slots.first <= MOST_INDEX &&
    isAmount(slots.count, MOST_SLOTS) &&
    Array.isArray(endpoints) &&
    endpoints.length > 0 &&
    isAmount(payloadBytes, MOST_PAYLOAD_BYTES) &&
    (slices === null || isSlices(slices)) &&
    isAmount(steadyToNs, MOST_LEG_NS) &&
    isAmount(drainTimeoutNs, MOST_LEG_NS);
  return isPossible ? null : 'its connections, payload or duration are out of range';
}

/** @param {unknown} moments @returns {moments is bigint[]} */
export const areMoments = (moments) => isListOf(moments, MOST_MOMENTS, isClockNs);

/** @param {unknown} order @returns {boolean} whether it has the shape of an order for a server */
export function isServerOrder(order) {
  if (!isObject(order)) return false;
  const { name, command, options = {}, env = {}, protocol, transport, readyTimeoutMs } = order;
  return (
    (isText(name, 255) ? command === undefined : isText(command)) &&
    isObject(options) &&
    isObject(env) &&
    Object.values(env).every((value) => isText(value)) &&
    isText(protocol, 100) &&
    isText(transport, 100) &&
    isAmount(readyTimeoutMs, MOST_LEG_NS)
  );
}
