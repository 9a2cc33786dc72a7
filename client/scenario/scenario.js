// A scenario: from a file and flags to the resolved form in which every default is filled in, durations are
// nanoseconds and sizes bytes. `resolveScenario` is pure; `loadScenario` reads the file and resolves the target's name.

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
import { axisMistakes } from './keys/sweep.js';
import { chosenTests } from './keys/tests.js';
import { withTlsFiles } from './keys/tls.js';
import { takeUrls } from './keys/url.js';
import { CHOICES, merge, SWEPT, takeServers } from './merge.js';
import { mistake, mistakesError, refuse } from './mistakes.js';
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
 * @import { Budget, CompareAt, Interleave, Pin } from './complete.js'
 * @import { Flags } from './flags.js'
 * @import { NamedAddress, Resolve, TargetOptions } from './keys/address.js'
 * @import { LabelledCommand } from './keys/commands.js'
 * @import { Lifetime } from './keys/lifetime.js'
 * @import { PayloadFile } from './keys/payload.js'
 * @import { Taken } from './keys/request-list.js'
 * @import { Axes } from './keys/sweep.js'
 * @import { TlsOptions } from './keys/tls.js'
 * @import { Mistake, Where } from './mistakes.js'
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
 * @property {any} protocolOptions               of its protocol, such as HttpOptions of protocols/http.js; {}: it has
 *   none
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
  const { content = {} } = source;
  if (Object(content) !== content || Array.isArray(content)) {
    const kind = content === null ? 'null' : Array.isArray(content) ? 'a list' : `a ${typeof content}`;
    throw mistakesError([mistake(where, 'not-an-object', '', { kind }, `holds ${kind}, not an object`)]);
  }
  refuse(noTlsMistakes(flags));
  const { tests: listed, ...common } = /** @type {Record<string, any>} */ (content);
  const { tests: flag, ...others } = flags;
  const { tests, mistakes } = chosenTests({ tests: listed }, flag, where);
  refuse(mistakes);
  const wrong = flag ?? listed; // not a list of objects: the schema says so
  const merged = merge(tests === null && wrong !== undefined ? { ...common, tests: wrong } : common, others);
  if (merged.protocol === undefined && isHttpAlone(others, merged.target)) merged.protocol = 'http';
  const scenario = resolvePoints(merged, tests, { source, flags: others, where });
  refuse([
    ...brokenRules([...runRules, ...conditionRules], scenario, where, merged),
    ...conditionMistakes(scenario, where),
  ]);
  const chosen = CHOICES.some((key) => key in flags);
  const isAsWritten = Object.keys(flags).every((key) => AS_WRITTEN.includes(key));
  const description = isAsWritten || others.description !== undefined ? scenario.description : '';
  const name = others.name ?? common.name ?? runName(scenario, { file: source.name, chosen });
  return mapSettings(scenario, (settings) => ({ ...settings, name, description }));
}

/**
 * @param {Record<string, any>} merged as written, flags included, without its tests; changed in place
 * @param {Record<string, any>[] | null} tests
 * @param {{source: Source, flags: Flags, where: Where}} context
 * @returns {Scenario}
 */
function resolvePoints(merged, tests, context) {
  const flags = Object.fromEntries(Object.entries(context.flags).filter(([key]) => !key.startsWith(SWEPT)));
  const { mistakes, where } = takeServers(merged, context.where);
  refuse(mistakes);
  const { sweep = null, ...base } = merged;
  const isOne = sweep === null && tests === null;
  if (!isOne) {
    const shape = checkShape(structuredClone(tests === null ? merged : { ...merged, tests }), where);
    refuse([...shape, ...axisMistakes(sweep ?? {}, base, tests ?? [], where)]);
  }
  const points = expand(merged, tests, { flags, where }).map(({ raw, where: at, ...point }) => ({
    ...point,
    settings: resolveOne(raw, context.source, at),
  }));
  const [{ settings: first }] = points;
  const connections = Math.max(...points.map(({ settings }) => settings.connections));
  const listed = tests?.map((test) => ({ as: test.as, given: givenOf(test, flags) })) ?? null;
  const shared = points.map((point) => ({ ...point, settings: sharing(first, point.settings) }));
  return { ...first, connections, sweep, tests: listed, points: isOne ? null : shared };
}

/**
 * @param {Record<string, any>} raw of a point as written, flags included; changed in place
 * @param {Source} source
 * @param {Where} where
 * @returns {Scenario} of that point
 */
function resolveOne(raw, source, where) {
  takeUrls(raw, where);
  const given = structuredClone(raw);
  fillDuration(raw);
  const usual = protocolOf(raw.protocol).payload;
  if (usual !== undefined) raw.payload ??= usual;
  const mistakes = checkShape(raw, where);
  const targets = raw.target === undefined ? [] : parseTargets(raw.target, where('target'));
  const settings = complete(/** @type {Written} */ (raw), source, targets);
  refuse([...mistakes, ...legMistakes(settings, where, given)]);
  return settings;
}

/**
 * @param {Flags} flags
 * @param {unknown} target as written
 * @returns {boolean} whether flags of http say the protocol, and no URL does
 */
const isHttpAlone = (flags, target) =>
  Object.keys(flags).some((key) => /^(sweep\.)?http\./.test(key)) &&
  ![target].flat().some((one) => /^[a-z][a-z0-9+.-]*:\/\//i.test(String(one)));

/** @param {Flags} flags @returns {Mistake[]} for those that say both that there is TLS and none */
function noTlsMistakes(flags) {
  if (flags.tls !== false) return [];
  return Object.keys(flags)
    .filter((key) => key.startsWith('tls.'))
    .map((key) =>
      mistake(
        (path) => `--${path}`,
        'key-without-tls',
        key,
        {},
        'belongs to TLS, but --no-tls switches it off; leave one of them out',
      ),
    );
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
  const listed = withRequestsFrom(written.content, given, { where, folderOf });
  const open = takeHeaderSecrets(listed.content, given);
  const taken = takePassword(open.content, open.flags, where);
  const { content } = taken;
  const command = taken.flags.command ?? Object(content).command;
  const flags = folders === undefined ? taken.flags : { ...taken.flags, command: inFolders(command, folders, where) };
  /** @type {Source} */
  const source = { ...written, content };
  const withFiles = (/** @type {Scenario} */ settings) =>
    READERS.reduce((filled, read) => read(filled, where, folderOf), settings);
  const resolved = mapSettings(resolveScenario(source, flags, flagNames), withFiles);
  const scenario = { ...resolved, ...(listed.taken.length > 0 && { requestsFrom: listed.taken }) };
  if (scenario.target === undefined) {
    refuse(brokenRules(sourceRules, scenario, where));
    return scenario;
  }
  /** @type {NamedAddress[]} */
  const named = [];
  const options = {
    ...{ allowPublic: scenario.allowPublicTarget, where: where('target'), resolve, isAccepted },
    onSeveral: (/** @type {NamedAddress} */ one) => void named.push(one),
  };
  const targets = await Promise.all((scenario.targets ?? [scenario.target]).map((one) => checkTarget(one, options)));
  checkTogether(targets, options.where);
  const [target] = targets;
  const several = { ...(targets.length > 1 && { targets }), ...(named.length > 0 && { named }) };
  const found = mapSettings(scenario, (settings) => ({
    ...settings,
    ...{ target, ...several, listen: familyOf(target.host) },
  }));
  refuse(brokenRules(sourceRules, found, where));
  return found;
}
