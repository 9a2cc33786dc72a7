// Describes the load of a run in words. Settings at their default are omitted.

import { count, counted, duration, payload, rate } from '../words/format.js';
import { valueText } from '../words/axes.js';
import { commonOf } from '../measure/settings.js';
import { protocolOf } from '../protocols/index.js';

/**
 * @import { Piece } from '../measure/profile.js'
 * @import { Scenario } from './scenario.js'
 */

/**
 * @typedef {{ transfers: number | null, timeNs: number | null, reopen?: boolean }} Lifetime
 * @typedef {Partial<Omit<Scenario, 'protocol' | 'workload'> & { protocol: string, workload: string }>} Load  a scenario
 *   as resolved, or the part of it that a summary repeats
 */

/**
 * @param {Piece[]} profile @param {(value: number) => string} value
 * @returns {string} such as: 100/s for 10 s, 100/s to 500/s in 10 s
 */
export function profileText(profile, value) {
  return profile
    .map(({ from, to, forNs }) =>
      from === to ? `${value(from)} for ${duration(forNs)}` : `${value(from)} to ${value(to)} in ${duration(forNs)}`,
    )
    .join(', ');
}

/** @param {Load} load @returns {number[]} the distinct numbers of connections of the legs, in the scenario's order */
function sweptConnections({ sweep, connections = 0 }) {
  const swept = /** @type {number[]} */ (sweep?.connections ?? [connections]);
  return [...new Set(swept.map((number) => Math.min(number, connections)))];
}

/** @param {Load} load @returns {string} the numbers in full: 1,000; 1, 10, 100 in turn; 10 to 100 in 5 s */
export function connectionsText(load) {
  if (load.connectionsProfile) return profileText(load.connectionsProfile, count);
  const swept = sweptConnections(load);
  return `${swept.map(count).join(', ')}${swept.length > 1 ? ' in turn' : ''}`;
}

/** @param {Load} load @returns {string | null} requests a second, in full; null in closed loop */
export function rateText({ rate: perSecond = null, rateProfile = null }) {
  if (perSecond === null) return null;
  return rateProfile === null ? rate(perSecond) : profileText(rateProfile, rate);
}

/**
 * @param {Lifetime | null | undefined} lifetime
 * @returns {string | null} null: connections are never closed as planned
 */
export function lifetimeText(lifetime) {
  if (!lifetime) return null;
  const { transfers, timeNs, reopen = true } = lifetime;
  const ends = [
    transfers === null ? [] : counted(transfers, 'transfer'),
    timeNs === null ? [] : duration(timeNs),
  ].flat();
  return `${ends.join(' or ')}, then closed ${reopen ? 'and reopened' : 'for good'}`;
}

/**
 * @param {number | null | undefined} value @param {(value: number) => string} text
 * @returns {string[]} empty when the value is absent
 */
const given = (value, text) => (value === null || value === undefined ? [] : [text(value)]);

/**
 * @param {Load['socket']} socket options as resolved
 * @returns {string[]} the options that are not at their default
 */
export function socketTexts(socket) {
  if (!socket) return [];
  return [
    socket.nodelay ? [] : 'no TCP_NODELAY',
    given(socket.keepAliveNs, (ns) => `keep-alive after ${duration(ns)}`),
    given(socket.lingerNs, (ns) => `closed by RST (linger ${duration(ns)})`),
    given(socket.sourcePort, (port) => `source ports from ${port}`),
  ].flat();
}

/** @param {Load} load @returns {string} such as "GET", "GET 9, SET 1", for http "GET /path" or "3 requests", or '' */
function commandText({ protocol = '', protocolOptions, ...load }) {
  return (
    protocolOf(protocol).words?.(Object(protocolOptions ?? /** @type {Record<string, unknown>} */ (load)[protocol])) ??
    ''
  );
}

/** @param {Load} load @returns {'request' | 'transfer'} the name of an exchange of its protocol */
export const nounOf = ({ protocol = 'echo' }) => protocolOf(protocol).noun ?? 'request';

/** @param {Load} load @returns {boolean} whether its requests have replies */
export const hasReplies = ({ protocol = 'echo' }) => protocolOf(protocol).hasReplies !== false;

/** @param {Load} load @returns {string} such as "1 KiB", "1 B to 64 KiB", "1 KiB from random.bin" */
export const payloadText = ({ payloadBytes, payloadMinBytes, payloadFile }) =>
  `${typeof payloadMinBytes === 'number' ? `${payload(payloadMinBytes)} to ` : ''}${payload(payloadBytes)}${payloadFile ? ` from ${payloadFile.path.split('/').at(-1)}` : ''}`;

/** @param {Load} load @returns {string} such as "redis GET over TLS" */
export const protocolText = (load) => `${load.protocol} ${commandText(load)}`.trimEnd() + (load.tls ? ' over TLS' : '');

/**
 * @param {Load} load
 * @returns {string} such as "50 connections", "up to 500 connections", "1, 10, 100 connections in turn"
 */
function shortConnections(load) {
  if (load.connectionsProfile) return `up to ${counted(load.connections ?? 0, 'connection')}`;
  const swept = sweptConnections(load);
  const noun = swept.at(-1) === 1 ? 'connection' : 'connections';
  return `${swept.map(count).join(', ')} ${noun}${swept.length > 1 ? ' in turn' : ''}`;
}

/** @param {Load} load @param {string} key @returns {string} before the value that a search does not exceed */
const searchPrefix = ({ find }, key) => (find?.maximise === key ? 'search up to ' : '');

/**
 * @param {Load} load
 * @returns {string[]} such as "50 connections", "continuous", "redis GET", "1 KiB", "16 in flight on each"
 */
export function loadTexts(load) {
  if (load.points) return pointsTexts(load);
  const { transfers, workload, payloadBytes, pauseNs = 0, heartbeatNs = 0, pipeline = 1, connectRate, lifetime } = load;
  return [
    load.connections ? `${searchPrefix(load, 'connections')}${shortConnections(load)}` : null,
    transfers ? `${counted(transfers, 'transfer')} a leg at most` : null,
    !load.rate && load.find?.maximise === 'rate' ? 'search for a rate' : null,
    load.rate ? `${searchPrefix(load, 'rate')}${load.rateProfile ? 'up to ' : ''}${rate(load.rate)}` : null,
    workload,
    load.protocol ? protocolText(load) : null,
    payloadBytes ? payloadText(load) : null,
    pipeline > 1 ? `${count(pipeline)} in flight on each` : null,
    workload === 'continuous' && pauseNs > 0 ? `a pause of ${duration(pauseNs)} between transfers` : null,
    workload === 'hold' && heartbeatNs > 0 ? `one transfer every ${duration(heartbeatNs)}` : null,
    connectRate ? `at most ${rate(connectRate)} connects` : null,
    lifetime ? `each for ${lifetimeText(lifetime)}` : null,
    load.start === 'together' ? 'transfers start together after the ramp' : null,
  ].filter((text) => text !== null && text !== undefined);
}

/** @param {{ as: string }[]} tests @returns {string} */
const testsText = (tests) => (tests.length === 1 ? `test ${tests[0].as}` : `${count(tests.length)} tests`);

/** Up to this many values of an axis are listed; of more, the first and the last. */
const VALUES_SHOWN = 12;

/**
 * @param {unknown[]} values of an axis
 * @returns {string} such as "1B, 1KiB in turn", "1B to 64KiB in turn (17 values)"
 */
export function axisValuesText(values) {
  const texts = values.map(valueText);
  if (texts.length === 1) return texts[0];
  return texts.length <= VALUES_SHOWN
    ? `${texts.join(', ')} in turn`
    : `${texts[0]} to ${texts.at(-1)} in turn (${count(texts.length)} values)`;
}

/**
 * @param {Load} load of several points
 * @returns {string[]} the number of tests, the axes of the sweep, and the settings that all points share
 */
function pointsTexts(load) {
  const { tests, sweep } = load;
  const common = commonOf(load);
  const axes = Object.entries(sweep ?? {}).map(([key, values]) =>
    key === 'connections' ? shortConnections(load) : `${key} ${axisValuesText(values)}`,
  );
  const differsByTest = common.connections === undefined && sweep?.connections === undefined;
  return [
    ...(tests ? [testsText(tests)] : []),
    ...axes,
    ...(differsByTest ? [`up to ${counted(load.connections ?? 0, 'connection')}`] : []),
    ...loadTexts(common),
  ];
}
