// Rules that need to know where a scenario runs: the servers that there are, and this machine. Both are arguments.
// Rules about the scenario alone are in rules/.

import { EnvironmentError, UsageError } from '../errors.js';
import { typed } from '../invocation.js';
import { pointsOf } from '../measure/settings.js';
import { protocolOf } from '../protocols/index.js';
import { FAMILIES } from '../words/endpoint.js';
import { wrappersOf } from './keys/wrap.js';
import { defaultOptions } from './schema.js';

/**
 * @import { Data } from '../errors.js'
 * @import { Endpoint } from '../../config/types.js'
 * @import { KnownServer } from '../plan/processes.js'
 * @import { Family } from '../words/endpoint.js'
 * @import { Mistake } from './mistakes.js'
 * @import { Scenario, ServerEntry } from './scenario.js'
 */

/**
 * @typedef {Pick<Scenario, 'protocol' | 'listen' | 'tls' | 'transport'>} Way  how a server is talked to
 */

/**
 * Why a server cannot be measured as a scenario says.
 * @typedef {object} Mismatch
 * @property {string} code
 * @property {Data} data
 * @property {string} singular  about one server
 * @property {string} plural    about several servers, without what differs among them
 */

/**
 * Rules about a server and how it is talked to.
 * @type {{ code: string, when: (way: Way, manifest: KnownServer['manifest']) => Data | false, singular: (data: Data) =>
 *   string, plural: (data: Data) => string }[]}
 */
const SERVER_RULES = [
  {
    code: 'tls-required',
    when: ({ tls }, manifest) => Boolean(manifest.tls && !tls) && {},
    singular: () => 'the server speaks only TLS; give tls true',
    plural: () => 'these servers speak only TLS (tls)',
  },
  {
    code: 'tls-unsupported',
    when: ({ tls }, manifest) => Boolean(tls && !manifest.tls) && {},
    singular: () =>
      `the server does not speak TLS (tls); choose one that does (${typed('servers', 'list')}), a target or a command`,
    plural: () => 'these servers do not speak TLS (tls)',
  },
  {
    code: 'protocol-unsupported',
    when: ({ protocol }, { protocols: supported = [] }) =>
      !protocolOf(protocol).any && !supported.includes(protocol) && { protocol, supported },
    singular: ({ protocol, supported }) => `the server does not speak ${protocol}, but ${supported.join(', ')}`,
    plural: ({ protocol }) => `these servers do not speak ${protocol}`,
  },
  {
    code: 'transport-unsupported',
    when: ({ transport = 'tcp' }, { transports: supported = ['tcp'] }) =>
      !supported.includes(transport) && { transport, supported },
    singular: ({ transport, supported }) => `the server has no transport ${transport}, but ${supported.join(', ')}`,
    plural: ({ transport }) => `these servers have no transport ${transport}`,
  },
  {
    code: 'listen-unsupported',
    when: ({ listen }, { listens: supported = ['ipv4'] }) => !supported.includes(listen) && { listen, supported },
    singular: ({ listen, supported }) =>
      `the server does not listen on ${familyName(listen)} (listen), but on ${supported.map(familyName).join(', ')}`,
    plural: ({ listen }) => `these servers do not listen on ${familyName(listen)} (listen)`,
  },
];

/** @param {Family} family */
export const familyName = (family) => FAMILIES[family];

/**
 * @param {KnownServer} server
 * @param {Way} way
 * @returns {Mismatch | null}
 */
function protocolMismatch({ manifest }, way) {
  for (const { code, when, singular, plural } of SERVER_RULES) {
    const data = when(way, manifest);
    if (data) return { code, data, singular: singular(data), plural: plural(data) };
  }
  return null;
}

/**
 * @param {ServerEntry} entry
 * @param {KnownServer} server
 * @returns {Mismatch[]} one for each option that it does not support, except defaults and `processes` 1, which need no
 *   support
 */
function optionMismatches({ options }, { manifest }) {
  /** @type {Record<string, unknown>} */
  const harmless = defaultOptions;
  const supported = Object.keys(manifest.options ?? {});
  return Object.entries(options)
    .filter(([option, value]) => !supported.includes(option) && value !== undefined && value !== harmless[option])
    .filter(([option, value]) => !(option === 'processes' && value === 1))
    .map(([option, value]) => ({
      code: 'option-unsupported',
      data: { option, value, supported },
      singular: `the server does not support options.${option} (${value}); supported options: ${supported.join(', ') || 'none'}`,
      plural: `these servers do not support options.${option} (${value})`,
    }));
}

/**
 * @param {{servers?: ServerEntry[]}} scenario
 * @param {KnownServer[]} known
 * @param {(entry: ServerEntry, server: KnownServer) => Mismatch[]} mismatchesOf
 * @param {string} [remedy]
 * @returns {Mistake[]} of the servers whose manifests have no fault
 */
const serverMistakes = ({ servers = [] }, known, mismatchesOf, remedy = '') =>
  servers.flatMap((entry) => {
    const server = known.find(({ name }) => name === entry.name);
    if (server === undefined || server.fault) return [];
    return mismatchesOf(entry, server).map(({ code, data, singular }) => ({
      code,
      path: 'servers',
      data: { server: entry.name, label: entry.as, ...data },
      text: `servers: ${entry.as}: ${singular}${remedy}`,
    }));
  });

/**
 * @param {{servers?: ServerEntry[]}} scenario
 * @param {KnownServer[]} known
 * @returns {Mistake[]} one for each option that a server does not support
 */
export const unsupportedOptions = (scenario, known) =>
  serverMistakes(scenario, known, optionMismatches, '; leave it out');

/**
 * @param {{servers?: ServerEntry[]} & Way} scenario
 * @param {KnownServer[]} known
 * @returns {Mistake[]} one for each server that does not speak the protocol, or does not listen on that family
 */
export const protocolMismatches = (scenario, known) =>
  serverMistakes(scenario, known, (_, server) => {
    const mismatch = protocolMismatch(server, scenario);
    if (mismatch?.code !== 'protocol-unsupported') return mismatch === null ? [] : [mismatch];
    const common = commonProtocol(scenario, known);
    return [
      common === undefined ? mismatch : { ...mismatch, singular: `${mismatch.singular}; give --protocol ${common}` },
    ];
  });

/**
 * @param {{servers?: ServerEntry[]}} scenario @param {KnownServer[]} known
 * @returns {string | undefined} the first protocol that all its servers speak; undefined: there is none
 */
function commonProtocol({ servers = [] }, known) {
  const spoken = servers.map((entry) => known.find(({ name }) => name === entry.name)?.manifest.protocols ?? []);
  return spoken[0]?.find((protocol) => spoken.every((protocols) => protocols.includes(protocol)));
}

/**
 * @param {ServerEntry} entry
 * @param {KnownServer} server
 * @param {Way} way
 * @returns {Mismatch | null} why it cannot be measured this way, on any machine
 */
export const unsuitableReason = (entry, server, way) =>
  protocolMismatch(server, way) ?? optionMismatches(entry, server).at(0) ?? null;

/**
 * What a rule needs to know of this machine.
 * @typedef {object} Machine
 * @property {(pid: number) => boolean} hasProcess
 * @property {(targets: Endpoint[]) => number[][]} listeningProcesses  ids of the processes at each target
 * @property {string | null} tlsVersion  of the engine's OpenSSL; null: it has none
 * @property {(wrapper: string) => string | null} missingProgram  of a wrapper; null: it is there
 *
 * @typedef {object} MachineRule
 * @property {string} code  of the error
 * @property {typeof UsageError | typeof EnvironmentError} fault
 * @property {(scenario: Scenario, machine: Machine) => Data | false} when
 * @property {(data: Data) => string} text
 */

/** @type {MachineRule} */
export const tlsRule = {
  code: 'ENOTLS',
  fault: EnvironmentError,
  when: ({ tls }, { tlsVersion }) => tls !== null && tlsVersion === null && {},
  text: () =>
    'tls: the engine was built without OpenSSL. It takes the one inside node, whose headers ' +
    "come with node, or the system's, where node shares it (apt-get install libssl-dev); then " +
    typed('setup'),
};

/** @type {readonly MachineRule[]} */
const MACHINE_RULES = [
  {
    code: 'EPID',
    fault: UsageError,
    when: ({ serverPid }, { hasProcess }) => serverPid !== null && !hasProcess(serverPid) && { serverPid },
    text: ({ serverPid }) => `serverPid: there is no process ${serverPid} on this machine`,
  },
  tlsRule,
  {
    code: 'EWRAP',
    fault: EnvironmentError,
    when: (scenario, { missingProgram }) => {
      const missing = wrappersOf(scenario).find(({ text }) => missingProgram(text) !== null);
      return (
        missing !== undefined && { key: missing.path, program: missingProgram(missing.text), wrapper: missing.text }
      );
    },
    text: ({ key, program }) => `${key}: ${program} is not a program on this machine; install it, or give its path`,
  },
];

/**
 * @param {Scenario} scenario
 * @param {Machine} machine
 * @param {readonly MachineRule[]} [rules]
 * @throws {UsageError | EnvironmentError} for the first broken rule
 */
export function checkMachine(scenario, machine, rules = MACHINE_RULES) {
  for (const { code, fault: Fault, when, text } of rules) {
    const data = when(scenario, machine);
    if (data) throw new Fault(text(data), { code, data });
  }
}

/**
 * Rules about keys that cannot be combined with an option: the key, whether settings break the rule, and why.
 * @typedef {[path: string, when: (settings: Scenario) => boolean, why: string][]} OptionRules
 *
 * @param {Scenario} scenario
 * @param {string} option
 * @param {string} code of the error
 * @param {OptionRules} rules
 * @throws {UsageError} that lists these keys
 */
export function checkBeside(scenario, option, code, rules) {
  const broken = rules.filter(([, when]) => pointsOf(scenario).some(({ settings }) => when(settings)));
  if (broken.length === 0) return;
  throw new UsageError(broken.map(([path, , why]) => `${path}: with --${option}: ${why}`).join('\n'), {
    code,
    data: { keys: broken.map(([path]) => path) },
  });
}

/** @param {Scenario} scenario @param {'client' | 'server'} side @returns {boolean} */
export const isWrapped = ({ wrap, servers = [] }, side) =>
  [{ wrap }, ...servers].some((entry) => entry.wrap?.[side] !== undefined);
