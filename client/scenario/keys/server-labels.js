// Finds the options that distinguish the entries of one server, and those that all legs share. Unset options have a
// default value too; labels compare effective values, so that defaults are not hidden.

import { defaultOptions, serverOptionsSchema } from '../schema.js';

/**
 * @import { PlannedServer } from '../../../config/types.js'
 * @import { KnownServer } from '../../plan/processes.js'
 * @import { ServerMatch } from './server-patterns.js'
 */

/** @typedef {{options: Record<string, unknown>, env: Record<string, string>}} Settings */

/** Keys of an entry that are no options of the server. */
const ENTRY_KEYS = ['instances', 'wrap', 'client wrap'];

/** The effective values of unset options. @type {Record<string, unknown>} */
const usual = {
  ...defaultOptions,
  work: 'none',
  workKind: 'wait',
  workSeed: 1,
  volleyStop: false,
  nodelay: 'on',
  idleTimeout: 'none',
};

const { properties: serverOptions } = serverOptionsSchema;

/** @param {ServerMatch['entry']} entry @returns {Settings} with its own keys, as they are in labels */
const settingsOf = ({ options, env, instances = 1, wrap = {} }) => ({
  env,
  options: {
    ...options,
    ...(instances > 1 && { instances }),
    ...(wrap.server !== undefined && { wrap: wrap.server }),
    ...(wrap.client !== undefined && { 'client wrap': wrap.client }),
  },
});

/** @param {Settings} settings */
const keysOf = ({ options, env }) => [...Object.keys(options), ...Object.keys(env)];

/**
 * @param {Settings} settings
 * @param {string} key
 * @param {KnownServer | undefined} server
 * @returns {unknown} the value given, or the server's default
 */
function valueOf({ options, env }, key, server) {
  const given = options[key] ?? env[key];
  if (given !== undefined && given !== 'auto') return given;
  if (ENTRY_KEYS.includes(key)) return key === 'instances' ? 1 : 'none';
  const concurrent = server?.manifest.concurrent;
  if (concurrent && typeof concurrent === 'object' && concurrent.option === key) return concurrent.default;
  return given ?? usual[key] ?? (Object.hasOwn(serverOptions, key) ? 'default' : 'unset');
}

/**
 * @param {ServerMatch[]} met
 * @param {KnownServer[]} known
 * @returns {(match: ServerMatch) => string} the options that distinguish it from the other entries of its server, such
 *   as "workKind wait"; empty if there are none. An entry with its own label needs no distinction
 */
export function differences(met, known) {
  return (match) => {
    const { name } = match.entry;
    const alike = met
      .filter(({ entry, labelled }) => entry.name === name && !labelled)
      .map(({ entry }) => settingsOf(entry));
    const server = known.find((listed) => listed.name === name);
    const keys = new Set(alike.flatMap(keysOf));
    const ofEntry = settingsOf(/** @type {ServerMatch['entry']} */ (match.entry));
    const differing = [...new Set([...Object.keys(serverOptions), ...keys])]
      .filter((key) => keys.has(key))
      .filter((key) => new Set(alike.map((entry) => String(valueOf(entry, key, server)))).size > 1)
      // without work, its kind and seed have no meaning
      .filter((key) => !/^work./.test(key) || ofEntry.options.work !== undefined);
    return differing.map((key) => `${key} ${valueOf(ofEntry, key, server)}`).join(', ');
  };
}

/**
 * @param {{server: PlannedServer}[]} legs
 * @returns {Record<string, unknown>} the options and variables that have the same value in all legs, without defaults
 */
export function sharedOptions(legs) {
  const settings = legs.map(({ server }) => (server.kind === 'named' ? { ...server.options, ...server.env } : {}));
  const [first = {}, ...others] = /** @type {Record<string, unknown>[]} */ (settings);
  return Object.fromEntries(
    Object.entries(first).filter(
      ([key, value]) => key !== 'processes' && value !== usual[key] && others.every((other) => other[key] === value),
    ),
  );
}

/** @param {Record<string, unknown>} settings @returns {string} such as "work 5ms-10ms, threads 4" */
export const settingsText = (settings) =>
  Object.entries(settings)
    .map(([key, value]) => `${key} ${value}`)
    .join(', ');
