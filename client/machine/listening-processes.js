// The processes of a server that is already running on this machine: those that hold the socket on which it listens.

import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { listeners } from '../engine/index.js';
import { connectOptions } from '../words/endpoint.js';
import { isOwn, listenersOf } from './listen-queues.js';
import { processStat } from './process-stat.js';

/**
 * @import { Endpoint } from '../../config/types.js'
 * @import { Listener } from './listen-queues.js'
 */

/**
 * @typedef {object} Machine
 * @property {() => Listener[]} listeners  TCP sockets that listen in this network namespace
 * @property {() => string} unixSockets  content of /proc/net/unix
 * @property {() => number[]} pids  of all processes
 * @property {(pid: number) => string[]} descriptors  what those of a process refer to, such as socket:[4711]; throws
 *   where they may not be read
 * @property {(pid: number) => { name: string, parent: number } | null} stat
 * @property {number} ownPid  of this process
 * @property {() => number} procPid  of this process, as /proc numbers it
 */

/** Programs that pass connections on to another network namespace or host, where the server is. */
const FORWARDERS = [
  ...['docker-proxy', 'rootlesskit', 'rootlessport', 'slirp4netns', 'passt', 'pasta', 'pasta.avx2', 'conmon'],
  ...['kubectl', 'kube-proxy', 'ssh', 'sshd', 'sshd-session'],
];
/** In /proc/net/unix: of a socket that listens. */
const ACCEPTS = 0x10000;

/** @type {Machine} */
const thisMachine = {
  listeners,
  unixSockets: () => readFileSync('/proc/net/unix', 'utf8'),
  pids: () => readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : [])),
  descriptors: (pid) => readdirSync(`/proc/${pid}/fd`).flatMap((fd) => linkOf(`/proc/${pid}/fd/${fd}`) ?? []),
  stat: processStat,
  ownPid: process.pid,
  procPid: () => Number(linkOf('/proc/self')),
};

/** @param {string} path @returns {string | null} null: it has been closed */
function linkOf(path) {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

/** @param {Endpoint} target @param {Machine} machine @returns {number[]} inodes of the sockets that listen there */
function inodesOf({ host, port }, machine) {
  const { path } = /** @type {{ path?: string }} */ (connectOptions({ host, port }));
  if (path === undefined) {
    const server = { address: host, port };
    return isOwn(host) ? listenersOf(server, machine.listeners()).map(({ inode }) => inode) : [];
  }
  return machine
    .unixSockets()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => parseInt(fields[3], 16) & ACCEPTS && fields.slice(7).join(' ') === path)
    .map((fields) => Number(fields[6]));
}

/** @param {number} pid @param {Machine} machine @returns {number[]} its parent, the parent of that, and so on */
function ancestorsOf(pid, machine) {
  const parent = machine.stat(pid)?.parent ?? 0;
  return parent === 0 ? [] : [parent, ...ancestorsOf(parent, machine)];
}

/** @param {number} pid @param {Set<string>} links @param {Machine} machine @returns {boolean} */
function holdsOne(pid, links, machine) {
  try {
    return machine.descriptors(pid).some((link) => links.has(link));
  } catch {
    return false; // of another user, or it has ended
  }
}

/**
 * The processes that hold the listening socket of each target, without those that another one of them has started: it
 * is counted with all that it starts. This process and what has started it, such as a service manager that holds the
 * sockets of its services, are not among them.
 * @param {Endpoint[]} targets
 * @param {Machine} [machine]
 * @returns {number[][]} for each target; empty where none is found: it is on another host or in another namespace, or
 *   may not be read
 */
export function listeningProcesses(targets, machine = thisMachine) {
  try {
    // /proc of another PID namespace has the numbers of other processes
    if (machine.procPid() !== machine.ownPid) return targets.map(() => []);
    const links = targets.map((target) => new Set(inodesOf(target, machine).map((inode) => `socket:[${inode}]`)));
    const all = new Set(links.flatMap((own) => [...own]));
    if (all.size === 0) return targets.map(() => []);
    const excluded = [machine.ownPid, ...ancestorsOf(machine.ownPid, machine)];
    const holders = machine.pids().filter((pid) => !excluded.includes(pid) && holdsOne(pid, all, machine));
    return links.map((own) =>
      rootsOf(
        holders.filter((pid) => holdsOne(pid, own, machine)),
        machine,
      ),
    );
  } catch {
    return targets.map(() => []); // the kernel does not tell, or nothing can be read
  }
}

/**
 * @param {number[]} pids
 * @param {Machine} machine
 * @returns {number[]} those that no other one has started; none where one only passes connections on
 */
function rootsOf(pids, machine) {
  if (pids.some((pid) => FORWARDERS.includes(machine.stat(pid)?.name ?? ''))) return [];
  return pids.filter((pid) => !ancestorsOf(pid, machine).some((other) => pids.includes(other)));
}
