// Names a run that has no given name after its scenario file and what flags have chosen. The name becomes part of the
// run's id, where characters other than A-Z a-z 0-9 . _ - become dashes.

import { formatEndpoint } from '../words/endpoint.js';
import { commonOf } from '../measure/settings.js';

/** @import { Scenario } from './scenario.js' */

/** More servers than this are counted, not named. */
const MAX_NAMED = 3;
const MAX_LENGTH = 64;

/**
 * @param {string} command
 * @returns {string} without the paths of its files, and without the option that gives the port or path
 */
function commandName(command) {
  const words = command
    .replace(/(?:--?[\w-]+[= ])?\S*\{(?:port|host|path)\}\S*/g, '')
    .split(/\s+/)
    .filter((word) => word !== '');
  return words.map((word) => word.split('/').findLast((part) => part !== '') ?? word).join(' ') || 'command';
}

/** @param {Scenario} scenario @returns {string} what is measured: `epoll`, `127.0.0.1:7000`, `python3 mine.py` */
function subject({ servers = [], commands = [], target, targets, command }) {
  const labels = [...commands, ...servers].map(({ as }) => as);
  if (labels.length > 0) {
    return labels.length <= MAX_NAMED ? labels.join('-') : `${labels.length}-servers`;
  }
  if (target !== undefined) {
    const first = formatEndpoint(target);
    return targets === undefined ? first : `${first}-${targets.length}-targets`;
  }
  return commandName(command ?? '');
}

/**
 * @param {Scenario} scenario
 * @param {{ file?: string, chosen: boolean }} from  file: the name of the scenario's file; chosen: whether flags say
 *   what is measured
 * @returns {string} such as `10k-1kb`, `10k-1kb-go`, `epoll-500`, `127.0.0.1:7000`
 */
export function runName(scenario, { file, chosen }) {
  if (file !== undefined && !chosen) return file;
  const swept = scenario.sweep !== null || commonOf(scenario).connections === undefined;
  const connections =
    (scenario.servers ?? scenario.commands) === undefined || swept ? [] : [String(scenario.connections)];
  const parts = file === undefined ? [subject(scenario), ...connections] : [file, subject(scenario)];
  return parts.join('-').slice(0, MAX_LENGTH).trim();
}
