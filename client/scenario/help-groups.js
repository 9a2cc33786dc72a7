// Under which headings the help lists the flags, in the order in which a user needs them. Pure. A key that is not named
// here has the heading of its group in the schema; the options of a protocol have one of their own.

import { transportKeys } from '../transports/index.js';

/** Heading -> keys, or beginnings of keys that end with a dot, in order. @type {[string, string[]][]} */
const GROUPS = [
  ['What to measure:', ['target', 'command', 'servers', 'config', 'name', 'description', 'allowPublicTarget']],
  [
    'Load:',
    ['connections', 'duration', 'rate', 'payload', 'protocol', 'tls', 'workload', 'pipeline', 'transfers', 'arrivals'],
  ],
  [
    'Precision and conditions:',
    [
      'rounds',
      'starts',
      'interleave',
      'margin',
      'budget',
      'compareAt',
      'thresholds',
      'failIf',
      'allowUndecided',
      'stopOn',
      'find.',
    ],
  ],
  ['Several legs:', ['sweep.', 'tests', 'legGap']],
  ['Ramp and warm-up:', ['ramp.', 'connectRate', 'start', 'warmup', 'warmupTimeout']],
  ["A connection's life:", ['pause', 'heartbeat', 'lifetime.']],
  [
    'The server:',
    ['listen', 'transport', ...transportKeys, 'instances', 'serverPid', 'wrap.server', 'pin.server', 'pin.cores'],
  ],
  ['Deadlines and retries:', []],
  ['TLS:', ['tls.']],
  ['The client:', []],
];

/** Of keys that no list names. @type {Record<string, string>} */
const BY_SCHEMA = {
  scenario: 'What to measure:',
  load: 'Load:',
  deadlines: 'Deadlines and retries:',
  client: 'The client:',
};

/** @param {string} key @returns {[group: number, place: number, heading: string] | null} */
function listed(key) {
  for (const [group, [heading, keys]] of GROUPS.entries()) {
    const place = keys.findIndex((one) => one === key || (one.endsWith('.') && key.startsWith(one)));
    if (place >= 0) return [group, place, heading];
  }
  return null;
}

/** @param {string} key @param {string} schemaGroup its x-group @returns {string} */
export function headingOf(key, schemaGroup) {
  return listed(key)?.[2] ?? BY_SCHEMA[schemaGroup] ?? `Protocol ${key.split('.')[0]}:`;
}

/**
 * @template {{'x-group': string}} Schema
 * @param {Iterable<[string, Schema]>} keys in the order of the schema
 * @returns {[string, Schema][]} in the order of the help
 */
export function inHelpOrder(keys) {
  const headings = GROUPS.map(([heading]) => heading);
  const rank = (/** @type {string} */ key, /** @type {Schema} */ schema) => {
    const [group, place] = listed(key) ?? [headings.indexOf(BY_SCHEMA[schema['x-group']]), Infinity];
    return { group: group < 0 ? GROUPS.length : group, place };
  };
  return [...keys]
    .map(([key, schema], index) => ({ key, schema, index, ...rank(key, schema) }))
    .sort((a, b) => a.group - b.group || (a.place === b.place ? a.index - b.index : a.place - b.place))
    .map(({ key, schema }) => [key, schema]);
}
