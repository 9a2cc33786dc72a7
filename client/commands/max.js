// `broadside max`: finds the greatest rate of a server for each of several goals, by the search `find` with short legs.
// The first leg is in closed loop, so that no rate has to be guessed.
import { typed } from '../invocation.js';
import { unitsHelp } from '../scenario/flags.js';
import { invocationOptions, partOptions, requestOf } from './options.js';
import { builder as stressOptions, stress } from './stress.js';

/**
 * @import { Options } from 'yargs'
 * @import { Command } from './index.js'
 * @import { Typed } from './option-rows.js'
 */

const GOALS = 'p99 < 1ms, p99 < 5ms, p99 < 20ms';
const CONNECTIONS = 50;
/** Ramp of a leg: its connections open at once. */
const RAMP = '200ms';
const WARMUP = '300ms';
const DURATION = '1s';
/** A leg above the server's capacity ends with requests in flight. */
const DRAIN = '2s';

/** Descriptions of the options with another default than in `stress`. @type {Record<string, string>} */
const DESCRIPTIONS = {
  connections: `Number of connections to open and keep open (default: ${CONNECTIONS})`,
  duration: `For how long each server is loaded in a leg of the search, after ramp and warm-up (default: ${DURATION})`,
  warmup: `Warm-up of each leg, excluded from its results (default: ${WARMUP})`,
  'ramp.add': 'Connections added per step (default: all)',
  'ramp.every': `Time between two steps (default: ${RAMP})`,
  drainTimeout: `Time for transfers in flight at the end; those that take longer count as unfinished (default: ${DRAIN})`,
};

/** Options of an invocation that `max` takes. */
const TAKEN = partOptions('output', 'publication', 'livePort');
const NOT_TAKEN = Object.keys(invocationOptions).filter((name) => !(name in TAKEN));
/** Options that the search sets or excludes. */
const NOT_HERE = new RegExp(
  '^(config|rate|transfers|rounds|starts|interleave|margin|compareAt|budget|stopOn|nats\\..*|find\\.(maximise|while)|' +
    `sweep\\..*|sweep|tests|debug|${NOT_TAKEN.join('|')})$`,
);

/** @type {Record<string, Options>} */
export const builder = {
  goals: {
    type: 'string',
    requiresArg: true,
    description: `Conditions to answer, separated by commas (default: ${GOALS})`,
    group: 'Scenario:',
  },
  ...Object.fromEntries(
    Object.entries(stressOptions)
      .filter(([name]) => !NOT_HERE.test(name))
      .map(([name, option]) => [name, { ...option, description: DESCRIPTIONS[name] ?? option.description }]),
  ),
};

/** @type {Record<string, string>} */
const INSTEAD = {
  rate: `max finds the rate; to measure at one: ${typed('stress', 'URL -R 1000')}`,
  transfers: 'the legs of the search end by time; -d is the duration of each',
  'find.maximise': 'leave it out: max varies the rate',
  'find.while': 'here it is --goals',
};

/** @type {Command['refused']} */
export const refused = Object.fromEntries(
  Object.entries(stressOptions)
    .filter(([name]) => NOT_HERE.test(name))
    .flatMap(([name, { alias = [] }]) =>
      [name, alias].flat().map((word) => [word, INSTEAD[name] ?? `max does not take it; ${typed('stress')} does`]),
    ),
);

export const epilogue = unitsHelp;

export const everyday = [
  ...['goals', 'command', 'servers', 'connections', 'duration', 'protocol', 'payload'],
  ...[
    'http.headers',
    'http.method',
    'http.body',
    'http.requestsFrom',
    'insecure',
    'find.tolerance',
    'thresholds',
    'failIf',
    'live',
    'json',
    'dry-run',
  ],
];

/** @type {Command['examples']} */
export const examples = [
  ['http://127.0.0.1:8080/', 'about a minute'],
  ["http://127.0.0.1:8080/ -c 200 --goals 'p99 < 50ms and errors == 0'", 'a goal of your own'],
  ["--command old='./old {port}' --command new='./new {port}'", 'two programs, in turns'],
];

/**
 * Adds the search and its short legs to the flags. Progress is a screen or nothing: lines for each second would bury
 * the outcomes of the short legs.
 * @param {Typed} argv
 * @returns {Typed} flags of `stress`
 */
export function searchFlags({ goals = GOALS, ...argv }) {
  const connections = argv.connections ?? String(CONNECTIONS);
  return {
    'ramp.add': connections,
    'ramp.every': RAMP,
    warmup: WARMUP,
    duration: DURATION,
    drainTimeout: DRAIN,
    progress: 'screen',
    ...argv,
    connections,
    'find.maximise': 'rate',
    'find.while': goals,
  };
}

/** @param {Typed} argv */
export async function handler(argv) {
  const request = requestOf(searchFlags(argv), process.env);
  const scenario = request.scenario && { ...request.scenario, flagNames: { 'find.while': 'goals' } };
  process.exitCode = await stress({ ...request, scenario });
  if (process.exitCode >= 128) process.exit();
}
