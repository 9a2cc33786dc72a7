// Follows the processes of a server over many readings, at a cost that does not grow with their number: a reading opens
// at most MAX_READS files, so each of thousands of processes is read every few seconds. The others are assumed to use
// as much as those read this time. All processes of a small server are read each time.

import { readdirSync } from 'node:fs';
import { readProcess } from './process-tree.js';

/** @import { ProcessFacts } from './process-tree.js' */

/** A small file of /proc takes some 15 µs: with one reading a second, these take 0.4 % of a core. */
const MAX_READS = 256;
/** Names of a folder that cost as much as one small file. */
const NAMES_PER_READ = 20;
/** Share of the reads for processes that are not the server's, as an id may be used again. */
const NON_MEMBER_SHARE = 0.1;

/** @returns {number[]} ids of all processes */
const listPids = () => readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));

/** Returns the values of a list in turn. */
class Rotation {
  constructor() {
    this.at = 0;
  }

  /**
   * @template T
   * @param {T[]} list which may change between calls @param {number} max how many values to take
   * @returns {T[]}
   */
  take(list, max) {
    const count = Math.max(0, Math.min(max, list.length));
    const from = this.at % Math.max(1, list.length);
    this.at = from + count;
    return [...list.slice(from, from + count), ...list.slice(0, Math.max(0, from + count - list.length))];
  }
}

export class TreeWatch {
  /**
   * @param {number} root pid
   * @param {{list?: () => number[], read?: (pid: number) => ProcessFacts | null, nowMs?: () => number, maxReads?:
   *   number}} [machine] in place of /proc and the clock
   */
  constructor(
    root,
    { list = listPids, read = readProcess, nowMs = () => performance.now(), maxReads = MAX_READS } = {},
  ) {
    this.root = root;
    this.list = list;
    this.readFacts = read;
    this.nowMs = nowMs;
    this.maxReads = maxReads;
    /** Processes of the tree as they were read last, in the order of their ids. @type {Map<number, ProcessFacts>} */
    this.members = new Map();
    /** Processes outside the tree. @type {Map<number, ProcessFacts>} */
    this.nonMembers = new Map();
    /** Processes that have not been read yet. @type {number[]} */
    this.fresh = [];
    /** Reads that were saved for the next list. */
    this.saved = maxReads;
    this.listCost = 0;
    /** When each member was read last, ms. @type {Map<number, number>} */
    this.readAt = new Map();
    /** CPU seconds and ms since their previous reading, of the members that were read this time. */
    this.seen = { seconds: 0, ms: 0 };
    this.memberTurn = new Rotation();
    this.nonMemberTurn = new Rotation();
  }

  /** @returns {ProcessFacts[]} the root, if it exists, and all its descendants, as far as they are known */
  read() {
    let remaining = this.maxReads;
    this.seen = { seconds: 0, ms: 0 };
    this.saved += this.maxReads / 2;
    const isListed = this.saved >= this.listCost;
    if (isListed) this.update(this.list());
    const read = (/** @type {number[]} */ pids) => {
      remaining -= pids.length;
      for (const pid of pids) this.take(pid);
    };
    read([this.root]);
    read(this.fresh.splice(0, remaining));
    this.adopt();
    // with each list, parents are read too: they count the CPU time of children that have ended
    const parents = isListed ? this.parents().slice(0, remaining) : [];
    read(parents);
    const nonMemberReads = Math.min(this.nonMembers.size, Math.ceil(remaining * NON_MEMBER_SHARE));
    const known = new Set([this.root, ...parents]);
    const members = this.memberTurn.take([...this.members.keys()], remaining - nonMemberReads);
    read(members.filter((pid) => !known.has(pid)));
    read(this.nonMemberTurn.take([...this.nonMembers.keys()], nonMemberReads));
    this.adopt();
    return [...this.members.values()];
  }

  /** @param {number[]} pids of all processes */
  update(pids) {
    this.saved = 0;
    this.listCost = pids.length / NAMES_PER_READ;
    const existing = new Set(pids);
    for (const pid of this.members.keys()) if (!existing.has(pid)) this.members.delete(pid);
    for (const pid of this.nonMembers.keys()) if (!existing.has(pid)) this.nonMembers.delete(pid);
    for (const pid of this.readAt.keys()) if (!existing.has(pid)) this.readAt.delete(pid);
    this.fresh = pids.filter((pid) => !this.members.has(pid) && !this.nonMembers.has(pid));
  }

  /** @returns {number[]} members that have or had children */
  parents() {
    const parents = new Set([...this.members.values()].map(({ parent }) => parent));
    return [...this.members.values()].flatMap(({ pid, childrenFaults }) =>
      childrenFaults > 0 || parents.has(pid) ? [pid] : [],
    );
  }

  /** @param {number} pid */
  take(pid) {
    const facts = this.readFacts(pid);
    const before = this.members.get(pid);
    const nowMs = this.nowMs();
    if (before !== undefined && before.started === facts?.started) {
      this.seen.seconds += Math.max(0, facts.cpuSeconds - before.cpuSeconds);
      this.seen.ms += nowMs - (this.readAt.get(pid) ?? nowMs);
    }
    this.readAt.set(pid, nowMs);
    const isMember = facts !== null && (pid === this.root || this.members.has(facts.parent));
    const [into, from] = isMember ? [this.members, this.nonMembers] : [this.nonMembers, this.members];
    from.delete(pid);
    if (facts === null) into.delete(pid);
    else into.set(pid, facts);
  }

  /** @returns {number} CPU seconds that the members have probably used since they were read */
  unreadSeconds() {
    if (this.seen.ms <= 0) return 0;
    const nowMs = this.nowMs();
    let ms = 0;
    for (const pid of this.members.keys()) ms += nowMs - (this.readAt.get(pid) ?? nowMs);
    return (this.seen.seconds / this.seen.ms) * ms;
  }

  /** Makes processes members that were read before their parent. */
  adopt() {
    for (let isChanged = true; isChanged;) {
      isChanged = false;
      for (const [pid, facts] of this.nonMembers) {
        if (!this.members.has(facts.parent)) continue;
        this.nonMembers.delete(pid);
        this.members.set(pid, facts);
        isChanged = true;
      }
    }
  }
}
