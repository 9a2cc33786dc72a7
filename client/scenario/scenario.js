// A scenario: from a file and flags to the resolved form in which every default is filled in, durations are nanoseconds
// and sizes bytes. The flags are laid over the file (merge.js); the result is expanded to a list of points (expand.js),
// each of which is resolved (complete.js) and checked (rules/); then what they name outside of the scenario is read.
// `resolveScenario` is pure; `loadScenario` also reads the files and resolves the target's name.

import path from 'node:path';
import { mapSettings, sharing } from '../measure/settings.js';
import { protocolOf } from '../protocols/index.js';
import { familyOf } from '../words/endpoint.js';
import { complete } from './complete.js';
import { expand, givenOf } from './expand.js';
import { readScenarioFile } from './file.js';
import { checkTarget, checkTogether, parseTargets } from './keys/address.js';
import { inFolders } from './keys/commands.js';
import { conditionMistakes } from './keys/conditions.js';
import { takeHeaderSecrets, withHeaderSecrets } from './keys/headers.js';
import { withLoginFile, withPayloadFile, withRequestFile, withRequestsFrom } from './keys/named-files.js';
import { takePassword, withPassword } from './keys/password.js';
import { fillDuration } from './keys/profile.js';
import { withTlsFiles } from './keys/tls.js';
import { takeUrls } from './keys/url.js';
import { CHOICES, mergeAll } from './merge.js';
import { refuse } from './mistakes.js';
import { conditionRules } from './rules/conditions.js';
import { legMistakes } from './rules/index.js';
import { runRules } from './rules/measurement.js';
import { brokenRules } from './rules/rule.js';
import { sourceRules } from './rules/servers.js';
import { runName } from './run-name.js';
import { scenarioKeys } from './schema.js';
import { checkShape } from './shape.js';

/**
 * @import { DerivedKeys, Endpoint, Wrap, WrittenScenario } from '../../config/types.js'
 * @import { EnvironmentError } from '../errors.js'
 * @import { Find } from '../judge/search/index.js'
 * @import { Point, Test } from '../measure/settings.js'
 * @import { Piece } from '../measure/profile.js'
 * @import { ProtocolOptions } from '../protocols/index.js'
 * @import { Budget, CompareAt, Interleave, Pin } from './complete.js'
 * @import { Flags } from './flags.js'
 * @import { NamedAddress, Resolve, TargetOptions } from './keys/address.js'
 * @import { LabelledCommand } from './keys/commands.js'
 * @import { Lifetime } from './keys/lifetime.js'
 * @import { PayloadFile } from './keys/payload.js'
 * @import { Taken } from './keys/request-list.js'
 * @import { Axes } from './keys/sweep.js'
 * @import { TlsOptions } from './keys/tls.js'
 * @import { Merged, Raw } from './merge.js'
 * @import { Where } from './mistakes.js'
 */

/**
 * @typedef {WrittenScenario} Written  as the schema has it, constant defaults filled in
 *
 * @typedef {object} ServerEntry
 * @property {string} name            or a pattern, until it is known which servers there are
 * @property {string} as              label of the leg
 * @property {number} [instances]     copies of it; absent: 1
 * @property {Wrap} [wrap]  absent: none
 * @property {Exclude<NonNullable<Written['servers']>[number], string>['options']} options
 * @property {Record<string, string>} env
 *
 * @typedef {DerivedKeys & Resolved} Scenario  DerivedKeys: those that follow from the schema alone
 *
 * @typedef {object} Resolved  what needs more
 * @property {string} name
 * @property {ServerEntry[]} [servers]             a target excludes servers and commands; one of them is there
 * @property {Endpoint} [target]  host: no name once loaded
 * @property {Endpoint[]} [targets]  all of them, where there are several; the first is target
 * @property {Taken[]} [requestsFrom]  files that http.requests were read from
 * @property {NamedAddress[]} [named]  of targets by a name that has several addresses
 * @property {number} [instances]                  of the command; absent: 1, or as each of the servers says
 * @property {string} [command]                    contains {port}, or {path} where it is to listen on a unix socket;
 *   the only server, without a label
 * @property {LabelledCommand[]} [commands]  the same, each a leg, with or without servers
 * @property {Written['listen']} listen             where a server that is started here listens; of a target, its own
 * @property {Interleave} interleave
 * @property {number} margin                       a share, within which two servers are as good as each other
 * @property {CompareAt | null} compareAt  null: response times are those of the load given
 * @property {Find | null} find  null: none
 * @property {number} connections                  of a sweep, the most; the most of a profile
 * @property {Piece[] | null} connectionsProfile  over the steady state; null: constant
 * @property {Axes | null} sweep  its axes, as written; null: none
 * @property {Test[] | null} tests  null: none
 * @property {Point[] | null} points  of the tests, crossed with the axes of the sweep, where there are any: the
 *   scenario itself has the settings of the first, and the most connections; null: the scenario is its only point
 * @property {{everyNs: number}} ramp
 * @property {number | null} rate                   requests a second of all workers; the most where there is a
 *   profile; null: closed loop
 * @property {Piece[] | null} rateProfile  over the steady state; null: constant
 * @property {true} [protocolAssumed]  where neither scenario nor URL names it, of a server of the user's own
 * @property {ProtocolOptions} protocolOptions     {}: its protocol has none
 * @property {TlsOptions | null} tls  null: plain
 * @property {number} payloadBytes                 0: its requests have none
 * @property {number | null} payloadMinBytes       each request draws its size from here to payloadBytes; null: all have
 *   it
 * @property {PayloadFile | null} payloadFile  null: made from the seed
 * @property {number} warmupNs                     0: none; with warmupTransfers how long it may take
 * @property {number | null} warmupTransfers        that end the warm-up; null: it ends by time
 * @property {Budget | null} budget  null: it lasts as long as planned
 * @property {number} durationNs                   of the steady state; with budget at most
 * @property {number} drainTimeoutNs
 * @property {Lifetime | null} lifetime  of a connection; null: for ever
 * @property {NonNullable<Written['timestamps']>} timestamps  which transfers are split by kernel timestamps
 * @property {Pin} pin
 * @property {Wrap} [wrap]  of all servers that do not say otherwise, or of the command or target
 *
 * @typedef {object} Source
 * @property {string} [file]   what to call the file in messages; absent when there is none
 * @property {string} [name]   the scenario's name when neither file nor flag gives one
 * @property {unknown} [content]
 */

/** Flags under which the description of a file still says what is measured. */
const AS_WRITTEN = [
  'name',
  'thresholds',
  'failIf',
  'allowUndecided',
  'allowPublicTarget',
  'margin',
  'seed',
  'transferLog',
  'force',
];

/**
 * @typedef {Readonly<Record<string, string>>} FlagNames  of keys that have another flag in the command at hand, such as
 *   --goals
 */

/**
 * @param {Source} source
 * @param {Flags} flags
 * @param {FlagNames} names
 * @returns {(path: string) => string} names the place of a dotted path in messages
 */
function placeNamer({ file }, flags, names) {
  return (path) => {
    const key = path.replace(/\[.*/, '');
    const [header] = /(?<=^http\.headers\.).*/.exec(path) ?? [];
    if (header !== undefined && Object.hasOwn(Object(flags['http.headers']), header)) return `--${path}`;
    if (Object.hasOwn(flags, key)) return `--${names[key] ?? scenarioKeys.get(key)?.['x-alias'] ?? key}`;
    if (path.startsWith('command.') && Object.hasOwn(flags, 'command')) return '--command';
    if (file !== undefined) return path === '' ? file : `${file}: ${path}`;
    return path === '' ? 'scenario' : `--${path}`;
  };
}

/**
 * Checks and completes a scenario. Pure: the target's host is left as it was written.
 * @param {Source} source
 * @param {Flags} [flags]
 * @param {FlagNames} [flagNames]
 * @returns {Scenario}
 * @throws {UsageError} that lists every mistake
 */
export function resolveScenario(source, flags = {}, flagNames = {}) {
  const where = placeNamer(source, flags, flagNames);
  const merged = mergeAll(source, flags, where);
  const points = expand(merged).map(({ raw, where: at, ...point }) => ({
    ...point,
    settings: resolveOne(raw, source, at),
  }));
  const scenario = joined(merged, points);
  refuse([
    ...brokenRules([...runRules, ...conditionRules], scenario, where, merged.raw),
    ...conditionMistakes(scenario, where),
  ]);
  const chosen = CHOICES.some((key) => key in flags);
  const isAsWritten = Object.keys(flags).every((key) => AS_WRITTEN.includes(key));
  const description = isAsWritten || flags.description !== undefined ? scenario.description : '';
  const name = merged.raw.name ?? runName(scenario, { file: source.name, chosen });
  return mapSettings(scenario, (settings) => ({ ...settings, name, description }));
}

/**
 * @param {Merged} merged @param {Point[]} points
 * @returns {Scenario} with the settings of the first point, and the most connections
 */
function joined({ raw: { sweep = null }, tests, flags }, points) {
  const [{ settings: first }] = points;
  if (sweep === null && tests === null) return first;
  return {
    ...first,
    connections: Math.max(...points.map(({ settings }) => settings.connections)),
    sweep,
    tests: tests?.map((test) => ({ as: test.as, given: givenOf(test, flags) })) ?? null,
    points: points.map((point) => ({ ...point, settings: sharing(first, point.settings) })),
  };
}

/**
 * @param {Raw} raw of a point as written, flags included; changed in place
 * @param {Source} source
 * @param {Where} where
 * @returns {Scenario} of that point
 */
function resolveOne(raw, source, where) {
  takeUrls(raw, where);
  const isAssumed = raw.protocol === undefined && raw.servers === undefined;
  const given = structuredClone(raw);
  fillDuration(raw);
  const usual = protocolOf(raw.protocol).payload;
  if (usual !== undefined) raw.payload ??= usual;
  const mistakes = checkShape(raw, where);
  const targets = raw.target === undefined ? [] : parseTargets(raw.target, where('target'));
  const settings = complete(/** @type {Written} */ (raw), source, targets);
  refuse([...mistakes, ...legMistakes(settings, where, given)]);
  return isAssumed ? { ...settings, protocolAssumed: true } : settings;
}

/**
 * What settings name outside of the scenario: files, and values of the environment.
 * @type {((scenario: Scenario, where: Where, folderOf: (key: string) => string) => Scenario)[]}
 */
const READERS = [
  withHeaderSecrets,
  (scenario, where) => withPassword(scenario, where),
  withPayloadFile,
  withRequestFile,
  withLoginFile,
  withTlsFiles,
];

/**
 * @param {object} options
 * @param {string} [options.config]  path of a scenario file, or a name looked up in the package's config folder
 * @param {Flags} [options.flags]
 * @param {FlagNames} [options.flagNames]
 * @param {Record<string, string>} [options.folders]  of versions of the program that its command starts, by their
 *   labels
 * @param {Resolve} [options.resolve]
 * @param {TargetOptions['isAccepted']} [options.isAccepted] absent: of several addresses the first is taken
 * @returns {Promise<Scenario>} with the target's host as a checked address
 * @throws {UsageError | EnvironmentError}
 */
export async function loadScenario({ config, flags: given = {}, flagNames = {}, folders, resolve, isAccepted }) {
  /** @type {Source} */
  const written = config === undefined ? {} : await readScenarioFile(config);
  const where = placeNamer(written, given, flagNames);
  const folderOf = (/** @type {string} */ key) => (key in given ? '.' : path.dirname(written.file ?? '.'));
  const { content, taken, ...read } = readWritten(written, given, { where, folderOf });
  const command = read.flags.command ?? Object(content).command;
  const flags = folders === undefined ? read.flags : { ...read.flags, command: inFolders(command, folders, where) };
  const scenario = resolveScenario({ ...written, content }, flags, flagNames);
  const filled = mapSettings(scenario, (settings) =>
    READERS.reduce((before, fill) => fill(before, where, folderOf), settings),
  );
  const found = await withAddresses(filled, { where: where('target'), resolve, isAccepted });
  refuse(brokenRules(sourceRules, found, where));
  return { ...found, ...(taken.length > 0 && { requestsFrom: taken }) };
}

/**
 * @param {Source} source @param {Flags} given
 * @param {{ where: Where, folderOf: (key: string) => string }} place
 * @returns {{ content: unknown, flags: Flags, taken: Taken[] }} with the requests of the files that are named, and
 *   without secrets, which are kept for the workers
 */
function readWritten(source, given, place) {
  const { content: listed, taken } = withRequestsFrom(source.content, given, place);
  const open = takeHeaderSecrets(listed, given);
  return { ...takePassword(open.content, open.flags, place.where), taken };
}

/**
 * @param {Scenario} scenario
 * @param {Pick<TargetOptions, 'where' | 'resolve' | 'isAccepted'>} options
 * @returns {Promise<Scenario>} with addresses for the names of its targets, if it has any
 */
async function withAddresses(scenario, options) {
  if (scenario.target === undefined) return scenario;
  /** @type {NamedAddress[]} */
  const named = [];
  const targetOptions = {
    ...{ ...options, allowPublic: scenario.allowPublicTarget },
    onSeveral: (/** @type {NamedAddress} */ one) => void named.push(one),
  };
  const targets = await Promise.all(
    (scenario.targets ?? [scenario.target]).map((one) => checkTarget(one, targetOptions)),
  );
  checkTogether(targets, options.where);
  const [target] = targets;
  const several = { ...(targets.length > 1 && { targets }), ...(named.length > 0 && { named }) };
  return mapSettings(scenario, (settings) => ({ ...settings, target, ...several, listen: familyOf(target.host) }));
}
