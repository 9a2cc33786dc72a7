// Rules about what is measured: servers, their instances and options, commands, addresses, CPUs and wrappers.

import { isIP } from 'node:net';
import { parseCpus } from '../../measure/cpu-list.js';
import { FAMILIES, isLoopback } from '../../words/endpoint.js';
import { count } from '../../words/format.js';
import { fewestOf } from '../../measure/profile.js';
import { allCommands } from '../keys/commands.js';
import { instancesOf } from '../keys/instances.js';
import { isPattern } from '../keys/server-patterns.js';
import { wordsOf, wrapOf, wrappersOf } from '../keys/wrap.js';

/**
 * @import { Raw } from '../merge.js'
 * @import { Scenario } from '../scenario.js'
 * @import { Rule } from './rule.js'
 */

/** @type {Record<string, number>} */
const NANOSECONDS = { ns: 1, us: 1e3, ms: 1e6, s: 1e9 };
const MAX_WORK_NS = 3600e9;
const SIDES = /** @type {const} */ (['client', 'server']);
/** The placeholders that a command needs to listen on each family. */
const PLACEHOLDERS = { ipv4: ['{port}'], ipv6: ['{port}', '{host}'], unix: ['{path}'] };

/** @param {string} [work] of a server's options @returns {number[]} its shortest and longest time, ns */
function workTimes(work = '0s') {
  const [shortest, longest = shortest] = work
    .split('-')
    .map((text) => parseFloat(text) * NANOSECONDS[text.replace(/[0-9.]/g, '')]);
  return [shortest, longest];
}

/** @type {NonNullable<Rule['each']>} */
const worksOf = ({ servers = [] }) => servers.map(({ options }, i) => [`servers[${i}].options.work`, options.work]);

/** Rules about the options of each server. @type {readonly Rule[]} */
export const optionRules = [
  {
    path: 'servers[].options.work',
    code: 'range-reversed',
    each: worksOf,
    when: (_, __, value) => {
      const [shortest, longest] = workTimes(value);
      return shortest > longest && { value };
    },
    why: ({ value }) => `${value} begins with the longer time; give the shorter one first`,
  },
  {
    path: 'servers[].options.work',
    code: 'out-of-range',
    each: worksOf,
    when: (_, __, value) => workTimes(value)[1] > MAX_WORK_NS && { value, max: MAX_WORK_NS },
    why: ({ value }) => `${value} is too long; at most 3600s`,
  },
];

/** @type {Rule} */
export const commandLabels = {
  path: 'command[]',
  code: 'label-taken',
  each: ({ commands = [] }) => commands.map(({ as }) => ['command', as]),
  when: ({ servers = [] }, _, label) => {
    const first = servers.findIndex(({ as }) => as === label);
    return first >= 0 && { label, first };
  },
  why: ({ label, first }) =>
    `"${label}" is also the label of servers[${first}]; give the command another: --command mine=...`,
};

/** @type {Rule[]} */
const labelRules = [
  {
    path: 'servers[]',
    code: 'label-taken',
    // the servers that a pattern matches get their own labels
    each: ({ servers = [] }) => servers.flatMap(({ name }, i) => (isPattern(name) ? [] : [[`servers[${i}]`, i]])),
    when: ({ servers = [] }, _, index) => {
      const label = servers[index].as;
      const first = servers.findIndex(({ name, as }) => as === label && !isPattern(name));
      return first < index && { label, first };
    },
    why: ({ label, first }) =>
      `"${label}" is also the label of servers[${first}]; give one of them another label: {"name": ..., "as": ...}`,
  },
  commandLabels,
  {
    path: 'serverPid',
    code: 'pid-of-several-targets',
    when: ({ serverPid, targets }) => serverPid !== null && targets && { serverPid, targets: targets.length },
    why: ({ serverPid, targets }) =>
      `${serverPid} can belong to one target only, but there are ${targets}; leave it out`,
  },
];

/** @param {Scenario} scenario @returns {number[]} the numbers of instances that its servers have, if more than one */
const multipleInstances = (scenario) => instancesOf(scenario).filter((instances) => instances > 1);

/**
 * @param {Scenario} scenario
 * @returns {number} the most workers that a leg can have: each needs a connection, a transfer, and a share of the rate
 */
function maxWorkers({ connections, connectionsProfile, rate, transfers }) {
  const fewest = rate === null || connectionsProfile === null ? Infinity : fewestOf(connectionsProfile);
  return Math.min(connections, transfers ?? Infinity, fewest);
}

/** @type {Rule[]} */
const instanceRules = [
  {
    path: 'instances',
    code: 'instances-without-effect',
    when: (_, { instances, command, servers = [] }) =>
      instances !== undefined &&
      command === undefined &&
      servers.length > 0 &&
      servers.every((/** @type {Raw} */ entry) => entry.instances !== undefined) && { instances },
    why: ({ instances }) =>
      `${instances} has no effect, because each of the servers has its own instances; leave one out`,
  },
  {
    path: 'workers',
    code: 'workers-not-shared',
    when: (scenario) => {
      const { workers } = scenario;
      const instances = multipleInstances(scenario).find((several) => workers !== 'auto' && workers % several !== 0);
      return instances !== undefined && { workers, instances };
    },
    why: ({ workers, instances }) =>
      `${workers} cannot be shared evenly among ${instances} instances of a server; give a multiple of ${instances}, or auto`,
  },
  {
    path: 'connections',
    code: 'instances-without-load',
    when: (scenario) => {
      const most = maxWorkers(scenario);
      const instances = multipleInstances(scenario).find((several) => several > most);
      return instances !== undefined && { most, instances };
    },
    why: ({ most, instances }) =>
      `${count(most)} cannot be shared among ${count(instances)} instances of a server: each needs one at least ` +
      '(connections, transfers, and the least of a profile with a rate)',
  },
];

/** @param {'client' | 'server'} side @returns {Rule} */
const unusedWrapper = (side) => ({
  path: `wrap.${side}`,
  code: 'wrap-without-effect',
  when: ({ wrap }, { command, servers }) =>
    wrap?.[side] !== undefined &&
    command === undefined &&
    servers?.every((/** @type {unknown} */ entry) => wrapOf(Object(entry).wrap).wrap?.[side] !== undefined) && {
      value: wrap[side],
    },
  why: ({ value }) => `${value} has no effect, because each of the servers has its own; leave it out`,
});

/** @type {Rule[]} */
const wrapRules = [
  {
    path: 'wrap[]',
    code: 'not-a-command',
    each: (scenario) => wrappersOf(scenario).map(({ path, text }) => [path, text]),
    when: (_, __, value) => wordsOf(value) === null && { value },
    why: ({ value }) => `${JSON.stringify(value)} has no command, or an open quote`,
  },
  ...SIDES.map(unusedWrapper),
];

/** @type {Rule[]} */
const addressRules = [
  {
    path: 'command[]',
    code: 'placeholder-missing',
    each: (scenario) => allCommands(scenario).map(({ command }) => ['command', command]),
    when: ({ listen }, _, command) => {
      const missing = PLACEHOLDERS[listen].filter((word) => !command.includes(word));
      return missing.length > 0 && !(listen === 'unix' && command.includes('{host}')) && { command, listen, missing };
    },
    why: ({ command, listen, missing }) =>
      `"${command}" must listen on ${FAMILIES[/** @type {'ipv4'} */ (listen)]} (listen), but has no ${missing.join(' and no ')} in it`,
  },
  {
    path: 'sources',
    code: 'sources-of-unix-socket',
    when: ({ listen, sources }) => listen === 'unix' && sources !== 'auto' && { sources },
    why: ({ sources }) =>
      `${sources.join(', ')}, but a connection to a unix socket has no source address; leave sources out`,
  },
  {
    path: 'sources',
    code: 'not-an-address',
    when: ({ sources }) => {
      const source = [sources]
        .flat()
        .find((address) => address !== 'auto' && (isIP(address) === 0 || address.includes('%')));
      return source !== undefined && { source };
    },
    why: ({ source }) => `"${source}" is not an IPv4 or IPv6 address, such as 10.0.0.5`,
  },
  {
    path: 'sources',
    code: 'source-twice',
    when: ({ sources }) => {
      const source = [sources].flat().find((address, i, list) => list.indexOf(address) < i);
      return source !== undefined && { source };
    },
    why: ({ source }) => `${source} is given twice`,
  },
];

/** @type {NonNullable<Rule['each']>} */
const sourcesOf = ({ sources, listen }) =>
  sources === 'auto' || listen === 'unix' ? [] : sources.map((source) => ['sources', source]);

/** Rules checked once the name of the target is resolved. @type {readonly Rule[]} */
export const sourceRules = [
  {
    path: 'sources',
    code: 'source-family',
    each: sourcesOf,
    when: ({ listen }, _, source) => {
      const family = isIP(source) === 6 ? 'ipv6' : 'ipv4';
      return family !== listen && { source, family, listen };
    },
    why: ({ source, family, listen }) =>
      `${source} is an ${FAMILIES[/** @type {'ipv4'} */ (family)]} address, from which an ` +
      `${FAMILIES[/** @type {'ipv4'} */ (listen)]} one cannot be reached; give addresses of this machine, or auto`,
  },
  {
    path: 'sources',
    code: 'source-loopback',
    each: sourcesOf,
    when: ({ target }, _, source) =>
      target !== undefined && !isLoopback(target.host) && isLoopback(source) && { source, target: target.host },
    why: ({ source, target }) =>
      `${source} is a loopback address, from which ${target} cannot be reached; give other addresses of this machine, or auto`,
  },
];

/** @param {'client' | 'server'} side @returns {Rule} */
const cpuList = (side) => ({
  path: `pin.${side}`,
  code: 'not-a-cpu-list',
  when: ({ pin }) => {
    const value = pin[side];
    return value !== null && value !== 'each' && parseCpus(value) === null && { value };
  },
  why: ({ value }) => `"${value}" is not a list of CPUs such as 0, 0-1 or 1,3`,
});

/** @type {Rule[]} */
const pinRules = [
  ...SIDES.map(cpuList),
  {
    path: 'pin.cores',
    code: 'exclusive-keys',
    when: ({ pin }) => {
      const given = SIDES.filter((side) => pin[side] !== null);
      return pin.cores !== null && given.length > 0 && { keys: given.map((side) => `pin.${side}`) };
    },
    why: ({ keys }) => `excludes ${keys.join(' and ')}; give only one`,
  },
];

/** @type {readonly Rule[]} */
export const serverRules = [
  ...optionRules,
  ...labelRules,
  ...instanceRules,
  ...wrapRules,
  ...addressRules,
  ...pinRules,
];
