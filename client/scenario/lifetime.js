// How long a connection lives (key `lifetime`): what cannot be, and how it is told. Pure. The one thing to know: it
// ends after a transfer, as planned; the next connection of its place is opened at once.

import { formatCount, formatDuration, parseDuration } from '../units.js';

/** @typedef {{transfers: number | null, timeNs: number | null, close: 'fin' | 'rst'}} Lifetime */

const LONGEST_NS = 24 * 7 * 3600e9;

/** @param {any} raw valid by the schema @returns {Lifetime | null} null: for ever */
export function lifetimeOf({ transfers, time, close }) {
  if (transfers === undefined && time === undefined) return null;
  return { transfers: transfers ?? null, timeNs: time === undefined ? null : parseDuration(time), close };
}

/**
 * @param {import('./scenario.js').Scenario} scenario
 * @param {(path: string) => string} where
 * @param {any} raw as it was written
 * @returns {string[]}
 */
export function lifetimeMistakes({ lifetime, workload, heartbeatNs }, where, raw) {
  if (lifetime === null) {
    return raw?.lifetime?.close === undefined ? [] : [`${where('lifetime.close')}: "${raw.lifetime.close}" says how a ` +
      'connection is closed, and nothing says when; give lifetime.transfers or lifetime.time'];
  }
  const mistakes = [];
  const { timeNs } = lifetime;
  if (timeNs !== null && !(timeNs > 0 && timeNs <= LONGEST_NS)) {
    mistakes.push(`${where('lifetime.time')}: ${formatDuration(timeNs)} is not a time from more than 0s to ` +
      `${formatDuration(LONGEST_NS)}`);
  }
  if (workload === 'once' || workload === 'reconnect') {
    mistakes.push(`${where('lifetime')}: a connection of workload "${workload}" has one transfer and is closed; give ` +
      'workload "continuous" or "hold", or take lifetime away');
  }
  if (workload === 'hold' && heartbeatNs === 0) {
    mistakes.push(`${where('lifetime')}: a connection ends after a transfer, and one that is held without a heartbeat has ` +
      'none; give heartbeat');
  }
  return mistakes;
}

/** @param {Lifetime} lifetime @returns {string} such as `100 transfers or 10s, then closed by FIN` */
export function lifetimeText({ transfers, timeNs, close }) {
  const ends = [transfers === null ? [] : `${formatCount(transfers)} ${transfers === 1 ? 'transfer' : 'transfers'}`,
    timeNs === null ? [] : formatDuration(timeNs)].flat();
  return `${ends.join(' or ')}, then closed by ${close.toUpperCase()}`;
}

/**
 * Whether connections end as planned all the time and are opened again: in workload reconnect, after their lifetime,
 * and after a reply without keep-alive. What is open at a moment tells little of them.
 * @param {{workload?: string, lifetime?: object | null, protocol?: string, http?: any}} settings of the scenario
 * @returns {boolean}
 */
export function opensAllTheTime({ workload, lifetime = null, protocol, http }) {
  if (workload === 'once') return false;
  return workload === 'reconnect' || lifetime !== null || (protocol === 'http' && http?.keepAlive === false);
}

/** @param {Lifetime | null} [lifetime] @returns {{transfers: number, timeNs: number, reset: boolean}} for the engine */
export function lifetimeForEngine(lifetime) {
  return { transfers: lifetime?.transfers ?? 0, timeNs: lifetime?.timeNs ?? 0, reset: lifetime?.close === 'rst' };
}
