// Finds the processes of a server that is already running on this machine: they hold the socket on which it listens.

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
 * @property {(pid: number) => string[]} descriptors  targets of a process's descriptors, such as socket:[4711]; throws
 *   if they may not be read
 * @property {(pid: number) => { name: string, parent: number } | null} stat
 * @property {number} ownPid  of this process
 * @property {() => number} procPid  of this process in /proc
 */

/** Programs that pass connections on to another network namespace or host, where the server is. */
const FORWARDERS = [
  ...['docker-proxy', 'rootlesskit', 'rootlessport', 'slirp4netns', 'passt', 'pasta', 'pasta.avx2', 'conmon'],
  ...['kubectl', 'kube-proxy', 'ssh', 'sshd', 'sshd-session'],
];
/** Flag in /proc/net/unix of a socket that listens. */
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

/** @param {string} path @returns {string | null} null: the descriptor has been closed */
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
function holdsAny(pid, links, machine) {
  try {
    return machine.descriptors(pid).some((link) => links.has(link));
  } catch {
    return false; // another user's process, or it has ended
  }
}

/**
 * Finds the processes that hold the listening socket of each target. A process that another of them has started is left
 * out: it is counted with its parent. This process and its ancestors, such as a service manager that holds the sockets
 * of its services, are left out too.
 * @param {Endpoint[]} targets
 * @param {Machine} [machine]
 * @returns {number[][]} for each target; empty: its processes are on another host, in another namespace, or may not be
 *   read
 */
export function listeningProcesses(targets, machine = thisMachine) {
  try {
    // /proc of another PID namespace has the numbers of other processes
    if (machine.procPid() !== machine.ownPid) return targets.map(() => []);
    const links = targets.map((target) => new Set(inodesOf(target, machine).map((inode) => `socket:[${inode}]`)));
    const linksOfAll = new Set(links.flatMap((linksOfTarget) => [...linksOfTarget]));
    if (linksOfAll.size === 0) return targets.map(() => []);
    const excluded = [machine.ownPid, ...ancestorsOf(machine.ownPid, machine)];
    const holders = machine.pids().filter((pid) => !excluded.includes(pid) && holdsAny(pid, linksOfAll, machine));
    return links.map((linksOfTarget) =>
      rootsOf(
        holders.filter((pid) => holdsAny(pid, linksOfTarget, machine)),
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
 * @returns {number[]} processes that no other of them has started; empty if one only forwards connections
 */
function rootsOf(pids, machine) {
  if (pids.some((pid) => FORWARDERS.includes(machine.stat(pid)?.name ?? ''))) return [];
  return pids.filter((pid) => !ancestorsOf(pid, machine).some((ancestor) => pids.includes(ancestor)));
}
