// The texts of each limit: a table from its code to its name, its sentence and its remedy. A text is made from the
// row's `data` alone; decisions use the row, never the text.

import { bytes, coreCount, count, counted, duration, payload } from '../../words/format.js';
import { transportLimitTexts } from '../../transports/index.js';

/**
 * @import { Data } from '../../errors.js'
 * @import { Raiser } from '../../machine/host.js'
 */

/**
 * @typedef {object} LimitText
 * @property {string | ((data: Data) => string)} name   the resource, in a few words
 * @property {(data: Data) => string} text              what is needed and what there is, in a line of a console
 * @property {(data: Data) => string | null} [remedy]   the consequence, and what to do; null: none
 */

/** What happens to the connections a server has no room for, by its manifest. @type {Record<string, string>} */
const SURPLUS = {
  closed: 'The others are accepted and closed again.',
  backlog: 'The others wait in its accept queue: open but unanswered, or not opened in time.',
  unknown: 'The others will be unanswered, rejected or lost, depending on the server.',
};

/** The bounds on the threads or processes of a server. @type {Record<string, string>} */
const BOUNDS = {
  tasks: 'kernel.pid_max, kernel.threads-max, pids.max, ulimit -u',
  mappings: 'vm.max_map_count',
  memory: 'half of the memory available',
  option: 'options.maxChildren',
};

/**
 * @param {{instances?: number}} data
 * @returns {string} a qualification of connections, for a server with several instances
 */
const ofEach = ({ instances }) => (instances === undefined ? '' : ' of each instance');

/** @param {string[]} ways @returns {string | null} */
const helps = (ways) => (ways.length === 0 ? null : `What helps: ${ways.join('; ')}.`);

/**
 * How to raise the hard limit of descriptors, by who can raise it.
 * @type {Record<Raiser, (needed: number) => string>}
 */
const RAISING = {
  root: (needed) => `ulimit -Hn ${needed}`,
  container: (needed) => `start the container with --ulimit nofile=${needed}:${needed}`,
  service: (needed) => `LimitNOFILE=${needed} in the unit of this service`,
  login: (needed) => `as root, add the line "* hard nofile ${needed}" to /etc/security/limits.conf, and log in again`,
};

/** @param {Raiser} raisedBy @param {number} needed @returns {string} */
export const raising = (raisedBy, needed) => RAISING[raisedBy](needed);

/** @type {Record<string, LimitText>} */
const TEXTS = {
  ...transportLimitTexts,
  // of the client
  'worker-descriptors': {
    name: 'descriptors of a worker',
    text: ({ connections, workers, engines = 1, needed, spare, available }) =>
      `${counted(connections, 'connection')} in ${counted(workers, 'worker')}${
        engines === 1 ? '' : ` with ${counted(engines, 'engine')} each`
      } need ${count(needed)} descriptors ` +
      `${engines === 1 ? 'each' : 'for each engine'}, ${spare} of them for other uses, and ${
        engines === 1 ? 'a process' : 'each engine'
      } may have ${count(available)}.`,
    remedy: ({ enoughWorkers, hardMost, needed, raisedBy }) =>
      `${enoughWorkers === null ? 'Raise' : `Give --workers ${enoughWorkers} or auto, or raise`} the limit ` +
      `(${hardMost === null ? '' : `sysctl -w fs.nr_open=${needed}, then `}${raising(raisedBy, needed)}).`,
  },
  'local-ports': {
    name: 'local ports',
    text: ({ connections, inTimeWait, addresses, ports, taken }) => {
      const closed = inTimeWait === 0 ? '' : ` and up to ${count(inTimeWait)} closed ones in TIME_WAIT`;
      const isSingle = connections === 1 && inTimeWait === 0;
      const used = taken === 0 ? '' : `, ${count(taken)} of them taken already`;
      return (
        `${counted(connections, 'connection')}${closed} ${isSingle ? 'needs a local port' : 'need as many local ports'}; ` +
        `${counted(addresses, 'source address', 'source addresses')} ` +
        `${addresses === 1 ? 'has' : 'have'} ${count(ports)}${used}.`
      );
    },
    remedy: ({ reserved, range, slower, sources, widerPorts, reuse, guessedRate, sustainableRate, searched, taken }) =>
      [
        `The ports are those of net.ipv4.ip_local_port_range (${range.from} ${range.to}).`,
        ...(guessedRate === null
          ? []
          : [`The closed ones are a guess, for ${count(guessedRate)} connects/s: no connectRate is given.`]),
        ...(taken === 0 ? [] : ['Those taken are of other programs, or in TIME_WAIT for a minute after another run.']),
        ...(sustainableRate === null
          ? []
          : [
              `${
                sustainableRate === 0
                  ? 'Few are left for connecting again'
                  : `Above about ${count(sustainableRate)} connects/s they run out`
              }: connects without a port count as rejects "local", the client's own limit.`,
            ]),
        ...(searched
          ? [
              "Beyond half of an address's ports the kernel searches long for a free one at every connect, which costs the client CPU.",
            ]
          : []),
        reserved
          ? `Free some of them: net.ipv4.ip_local_reserved_ports reserves all of ${range.from} to ${range.to}.`
          : helps([
              ...(slower === null
                ? []
                : [slower.rate === null ? 'a lower --connectRate' : `--connectRate ${slower.rate}/s`]),
              ...(sources === null
                ? []
                : sources.auto
                  ? ['--sources auto, which takes as many of 127.0.0.0/8 as it needs']
                  : sources.own.length > 0
                    ? [`more --sources (this machine also has ${sources.own.join(', ')})`]
                    : [`more addresses of this machine, ${sources.count} in all (ip address add), as --sources`]),
              ...(widerPorts === null
                ? []
                : [
                    'sysctl -w net.ipv4.ip_local_port_range="1024 65535", which gives each address ' +
                      `${count(widerPorts)}`,
                  ]),
              ...(reuse ? ['sysctl -w net.ipv4.tcp_tw_reuse=1'] : []),
            ]),
      ]
        .filter((text) => text !== null)
        .join(' '),
  },
  'open-files': {
    name: 'open files of the system',
    text: ({ connections, sockets, local, used, available }) =>
      `${counted(connections, 'connection')} are ${count(sockets)} open files${local ? ', both ends counted' : ''}` +
      `, ${count(used)} are open already, and the system allows ${count(available ?? 0)}.`,
    remedy: ({ needed }) => `Raise it: sysctl -w fs.file-max=${needed * 2}.`,
  },
  'client-memory': {
    name: 'memory of client and sockets',
    text: ({ connections, workers, payloadBytes, needed, available }) =>
      `${counted(connections, 'connection')} in ${counted(workers, 'worker')} with a payload of ${payload(payloadBytes)} ` +
      `need about ${bytes(needed)}; ${bytes(available)} are available.`,
    remedy: ({ socketBytes, tlsBytes, local }) =>
      `${bytes(socketBytes)} of it are for sockets in the kernel${local ? ', both ends' : ''}` +
      `${tlsBytes === 0 ? '' : `, ${bytes(tlsBytes)} for TLS`}. ` +
      'Give fewer connections, fewer workers or a smaller payload, or end other programs.',
  },
  'client-threads': {
    name: 'threads of the client',
    text: ({ workers, needed, available }) =>
      `${counted(workers, 'worker')} and their helpers take about ${needed} threads, and ${count(available ?? 0)} are left.`,
    remedy: () =>
      'Give fewer --workers, or raise the limit: kernel.pid_max, kernel.threads-max, pids.max or ulimit -u.',
  },
  cores: {
    name: 'cores',
    text: ({ available, quota }) =>
      `client and server share ${coreCount(available)}${quota === null ? '' : ' (the CPU quota of their control group)'} ` +
      'and take turns: the results are those of the machine, not of the server.',
  },
  'loopback-down': {
    name: 'loopback',
    text: ({ address }) => `${address} cannot be reached: the loopback interface is down.`,
    remedy: () => 'Switch it on: ip link set lo up.',
  },
  'ipv6-unavailable': {
    name: 'IPv6',
    text: ({ address }) => `${address} cannot be reached: this machine has no IPv6.`,
    remedy: ({ address, listen }) =>
      `Switch it on (sysctl -w net.ipv6.conf.${address === '::1' ? 'lo' : 'all'}.disable_ipv6=0; the kernel must not be ` +
      `started with ipv6.disable=1), or give ${listen === null ? 'an IPv4 address' : '--listen ipv4 or unix'}.`,
  },
  'socket-folder-unusable': {
    name: 'listen',
    text: ({ folder, problem, bytes: pathBytes, errorCode }) =>
      `listen: unix, but the socket of the server is made in the temporary folder ${folder}, which ${
        problem === 'too-long'
          ? `is a path of ${pathBytes} bytes`
          : problem === 'missing'
            ? 'does not exist'
            : `cannot be written to (${errorCode})`
      }.`,
    remedy: ({ maxBytes }) => `Set TMPDIR to a writable folder with a path of at most ${maxBytes} bytes, such as /tmp.`,
  },
  'source-unavailable': {
    name: 'sources',
    text: ({ source, own, loopback }) =>
      `sources: ${source} is not an address of this machine, which has ${own.join(', ')}${
        loopback ? ' and all of 127.0.0.0/8' : ''
      }.`,
    remedy: () => 'Give some of these, or auto.',
  },
  'cpu-unavailable': {
    name: ({ side }) => `pin.${side}`,
    text: ({ side, list, missing, allowed }) =>
      `pin.${side}: ${list} names CPU ${missing.join(', ')}, but this process may run on ${allowed.join(', ')} only.`,
    remedy: () => 'Give some of these, or leave it out.',
  },
  'cpus-too-few': {
    name: 'pin.server',
    text: ({ instances, cpus }) =>
      `pin.server: each of ${count(instances)} instances needs a CPU, but this process may run on ${cpus} only.`,
    remedy: () => 'Give fewer instances, or a list of CPUs that they share.',
  },
  'cores-too-few': {
    name: 'pin.cores',
    text: ({ server, client, cpus }) =>
      `pin.cores: ${server} for the server and ${client} for the client are ${server + client}, but this process may ` +
      `run on ${cpus} only.`,
    remedy: () => 'Give fewer.',
  },

  // of a server
  'server-descriptors': {
    name: 'descriptors of a process',
    text: ({ known, processes, holds, connections, available, ...data }) =>
      `${!known ? 'a server of one process' : processes === 1 ? 'one process' : `${processes} processes`} can hold about ` +
      `${count(holds)} of the ${count(connections)} connections${ofEach(data)}: a process may have ` +
      `${count(available)} descriptors.`,
    remedy: ({ surplus, enoughProcesses, needed, raisedBy }) =>
      `${SURPLUS[surplus]} ${enoughProcesses === null ? 'Raise' : `Give it "processes": ${enoughProcesses} or "auto", or raise`} the limit ` +
      `(${raising(raisedBy, needed)}).`,
  },
  'server-split': {
    name: 'descriptors of one process',
    text: ({ processes, connections, available, needed, ...data }) =>
      `started as ${count(processes)} processes: ${count(connections)} connections${ofEach(data)} need ${count(needed)} ` +
      `descriptors, a process may have ${count(available)}.`,
    remedy: ({ needed, raisedBy }) =>
      `What is compared is these processes together, not the model in one process. To measure one process, raise the limit ` +
      `(${raising(raisedBy, needed)}).`,
  },
  'server-children': {
    name: ({ kind }) => (kind === 'process' ? 'processes' : 'threads'),
    text: ({ kind, connections, most, bound, ...data }) =>
      `it needs a ${kind} for each of the ${count(connections)} connections${ofEach(data)}, and can have ` +
      `${most === null ? 'any number' : `about ${count(most)}`}${bound === 'tasks' ? '' : ` (${BOUNDS[bound]})`}.`,
    remedy: ({ bound, raiseTo, surplus }) => {
      const advice = {
        tasks: `Raise the lowest of ${BOUNDS.tasks} above ${count(raiseTo)}, such as sysctl -w kernel.pid_max=${raiseTo}.`,
        mappings: `Raise it: sysctl -w vm.max_map_count=${raiseTo}.`,
        memory: null,
        option: 'Give more, or leave it out.',
      }[/** @type {'tasks' | 'mappings' | 'memory' | 'option'} */ (bound)];
      return [SURPLUS[surplus], ...(advice === null ? [] : [advice])].join(' ');
    },
  },
  'server-concurrency': {
    name: 'connections at once',
    text: ({ available, connections, option, ...data }) =>
      `it serves ${count(available)} of the ${count(connections)} connections${ofEach(data)} at a time${
        option === null ? '' : ` (${option})`
      }, each until it closes.`,
    remedy: ({ option, byDefault, most, queue, waiting }) =>
      [
        waiting <= queue
          ? 'The others wait in its accept queue: open but unanswered.'
          : `Of the others about ${count(queue)} wait in its accept queue, open but unanswered; the rest are not opened in time.`,
        ...(option === null
          ? []
          : [
              `options.${option} sets how many it serves at once${
                byDefault === null ? '' : ` (default ${count(byDefault)})`
              }, up to ${count(most)}.`,
            ]),
      ].join(' '),
  },
  'accept-queue': {
    name: 'accept queue',
    text: ({ cause, needed, processes, each, ...data }) =>
      `${cause === 'profile' ? 'a step of the profile' : 'each step of the ramp'} adds ${count(needed)} connections${ofEach(data)} ` +
      `at once to ${processes === 1 ? `an accept queue of ${count(each)}` : `${processes} accept queues of ${count(each)} each`}.`,
    remedy: ({ cutFrom, unix, somaxconn, backlog, paced }) =>
      `${cutFrom === null ? '' : `net.core.somaxconn cuts it from ${count(cutFrom)}. `}Connections that do not fit ${
        unix
          ? 'are refused at once and tried again after back-off.'
          : 'are tried again by the kernel after 1 s or more: they show as connect time, or as timeouts.'
      } What helps: ${[
        ...(somaxconn === null ? [] : [`sysctl -w net.core.somaxconn=${somaxconn}`]),
        ...(backlog === null ? [] : [`options.backlog ${backlog}`]),
      ].join(' and ')}; or a smaller --ramp.add, --ramp.spread, or a ${paced ? 'lower ' : ''}--connectRate.`,
  },

  // of kernel and disk
  'tcp-memory': {
    name: 'TCP memory of the kernel',
    text: ({ needed, available }) =>
      `up to ${bytes(needed)} of payload are in flight at once, and TCP is under memory pressure above ${bytes(available ?? 0)}.`,
    remedy: ({ pageBytes, pages, transferTimeoutNs }) =>
      `Expect retransmissions, and transfers of many seconds (transferTimeout is ${duration(transferTimeoutNs)}). ` +
      `With memory to spare, raise the three values of net.ipv4.tcp_mem (pages of ${pageBytes} B) above ${count(pages)}.`,
  },
  'tcp-orphans': {
    name: 'connections that are closing',
    text: ({ needed, available }) =>
      `up to ${counted(needed, 'connection')} close at once at the end, and the kernel keeps ${count(available ?? 0)} without a process.`,
    remedy: ({ needed }) =>
      'It resets the others after their last transfer: what is measured stays the same, but the server sees a reset instead of ' +
      `an end. Raise it: sysctl -w net.ipv4.tcp_max_orphans=${needed}.`,
  },
  conntrack: {
    name: 'connections tracked by the firewall',
    text: ({ used, added, available }) =>
      `the table of connections (nf_conntrack) has ${count(used)} entries and room for ${count(available)}; up to ${count(added)} are added.`,
    remedy: ({ needed, timeWaitSeconds }) =>
      `${timeWaitSeconds === null ? '' : `An entry stays for ${timeWaitSeconds} s after its end. `}If the firewall tracks these ` +
      'connections, it drops the packets of those without an entry: they show as timeouts. ' +
      `Raise it: sysctl -w net.netfilter.nf_conntrack_max=${needed * 2}.`,
  },
  'disk-space': {
    name: 'disk for the transfer log',
    text: ({ available, guessedRate, needed }) =>
      `the disk of the logs has ${bytes(available)} free; ${
        guessedRate === null ? '' : `at ${count(guessedRate)} transfers/s `
      }the transfer log takes up to ${bytes(needed)}.`,
    remedy: () =>
      'When the disk is full the log ends and the run continues. --transferLog none writes none; --logs DIR puts it elsewhere.',
  },
};

/**
 * @param {string} code
 * @param {Data} data
 * @returns {{name: string, text: string, remedy: string | null}}
 * @throws {TypeError} for a code that is not in the table
 */
export function limitTexts(code, data) {
  if (!Object.hasOwn(TEXTS, code)) throw new TypeError(`no limit has the code "${code}"`);
  const { name, text, remedy } = TEXTS[code];
  return {
    name: typeof name === 'string' ? name : name(data),
    text: text(data),
    remedy: remedy?.(data) ?? null,
  };
}
