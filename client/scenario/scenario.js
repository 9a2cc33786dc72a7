// Reads a scenario: from a file and flags to its resolved form, in which every default is filled in, durations are
// nanoseconds and sizes bytes. The flags are merged into the file (merge.js); the result is expanded to a list of
// points (expand.js); complete.js resolves each point, rules/ check it, and then the files and variables that it names
// are read. `resolveScenario` is pure; `loadScenario` also reads the files and resolves the target's name.

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
 * @typedef {object} Resolved  the keys that need more than the schema
 * @property {string} name
 * @property {ServerEntry[]} [servers]             a target excludes servers and commands; one of them is there
 * @property {Endpoint} [target]  host: an address once loaded
 * @property {Endpoint[]} [targets]  all targets, if there are several; the first is target
 * @property {Taken[]} [requestsFrom]  files that http.requests were read from
 * @property {NamedAddress[]} [named]  the addresses of targets whose names have several
 * @property {number} [instances]                  of the command; absent: 1, or as each of the servers says
 * @property {string} [command]                    contains {port}, or {path} to listen on a unix socket;
 *   the only server, without a label
 * @property {LabelledCommand[]} [commands]  commands with labels, each a leg, with or without servers
 * @property {Written['listen']} listen             the family on which a server started here listens, or of the target
 * @property {Interleave} interleave
 * @property {number} margin                       the share within which two servers count as equal
 * @property {CompareAt | null} compareAt  null: response times are compared at the load given
 * @property {Find | null} find  null: none
 * @property {number} connections                  the largest number of a sweep or profile
 * @property {Piece[] | null} connectionsProfile  over the steady state; null: constant
 * @property {Axes | null} sweep  the axes as written; null: none
 * @property {Test[] | null} tests  null: none
 * @property {Point[] | null} points  the tests, crossed with the axes of the sweep: the scenario itself has the
 *   settings of the first point, and the largest number of connections; null: the scenario is its only point
 * @property {{everyNs: number}} ramp
 * @property {number | null} rate                   requests a second of all workers; the highest rate of a profile;
 *   null: closed loop
 * @property {Piece[] | null} rateProfile  over the steady state; null: constant
 * @property {true} [protocolAssumed]  set when neither scenario nor URL names the protocol of a user's own server
 * @property {ProtocolOptions} protocolOptions     {}: the protocol has none
 * @property {TlsOptions | null} tls  null: no TLS
 * @property {number} payloadBytes                 0: requests have no payload
 * @property {number | null} payloadMinBytes       the smallest size that a request draws; payloadBytes is the largest;
 *   null: all requests have payloadBytes
 * @property {PayloadFile | null} payloadFile  null: made from the seed
 * @property {number} warmupNs                     0: no warm-up; with warmupTransfers its longest length
 * @property {number | null} warmupTransfers        the number that ends the warm-up; null: it ends by time
 * @property {Budget | null} budget  null: the steady state lasts as long as planned
 * @property {number} durationNs                   of the steady state; with budget its longest length
 * @property {number} drainTimeoutNs
 * @property {Lifetime | null} lifetime  of a connection; null: for ever
 * @property {NonNullable<Written['timestamps']>} timestamps  which transfers are split by kernel timestamps
 * @property {Pin} pin
 * @property {Wrap} [wrap]  of the command or target, and of servers without their own
 *
 * @typedef {object} Source
 * @property {string} [file]   the file's name in messages; absent when there is none
 * @property {string} [name]   the scenario's name when neither file nor flag gives one
 * @property {unknown} [content]
 */

/** Flags that do not change what is measured: the description of a file still holds. */
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
 * @typedef {Readonly<Record<string, string>>} FlagNames  the flags of keys that a command names differently, such as
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
 * Checks and completes a scenario. The target's host stays as written.
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
    settings: resolvePoint(raw, source, at),
  }));
  const scenario = joinPoints(merged, points);
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
 * @returns {Scenario} with the settings of the first point, and the largest number of connections
 */
function joinPoints({ raw: { sweep = null }, tests, flags }, points) {
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
function resolvePoint(raw, source, where) {
  takeUrls(raw, where);
  const isAssumed = raw.protocol === undefined && raw.servers === undefined;
  const given = structuredClone(raw);
  fillDuration(raw);
  const defaultPayload = protocolOf(raw.protocol).payload;
  if (defaultPayload !== undefined) raw.payload ??= defaultPayload;
  const mistakes = checkShape(raw, where);
  const targets = raw.target === undefined ? [] : parseTargets(raw.target, where('target'));
  const settings = complete(/** @type {Written} */ (raw), source, targets);
  refuse([...mistakes, ...legMistakes(settings, where, given)]);
  return isAssumed ? { ...settings, protocolAssumed: true } : settings;
}

/**
 * Steps that read what settings name outside the scenario: files and environment variables.
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
 * @param {Record<string, string>} [options.folders]  by label, the folder of a version of the program that the command
 *   starts
 * @param {Resolve} [options.resolve]
 * @param {TargetOptions['isAccepted']} [options.isAccepted] absent: the first of several addresses is used
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
  const loaded = await withAddresses(filled, { where: where('target'), resolve, isAccepted });
  refuse(brokenRules(sourceRules, loaded, where));
  return { ...loaded, ...(taken.length > 0 && { requestsFrom: taken }) };
}

/**
 * @param {Source} source @param {Flags} given
 * @param {{ where: Where, folderOf: (key: string) => string }} place
 * @returns {{ content: unknown, flags: Flags, taken: Taken[] }} with the requests of files, and without secrets, which
 *   are kept for the workers
 */
function readWritten(source, given, place) {
  const { content: listed, taken } = withRequestsFrom(source.content, given, place);
  const withoutSecrets = takeHeaderSecrets(listed, given);
  return { ...takePassword(withoutSecrets.content, withoutSecrets.flags, place.where), taken };
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
    onSeveral: (/** @type {NamedAddress} */ address) => void named.push(address),
  };
  const targets = await Promise.all(
    (scenario.targets ?? [scenario.target]).map((endpoint) => checkTarget(endpoint, targetOptions)),
  );
  checkTogether(targets, options.where);
  const [target] = targets;
  const several = { ...(targets.length > 1 && { targets }), ...(named.length > 0 && { named }) };
  return mapSettings(scenario, (settings) => ({ ...settings, target, ...several, listen: familyOf(target.host) }));
}
