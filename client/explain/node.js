// Profiles of Node servers, by the sampler of V8. Each of their threads first loads a module that connects to a socket
// and waits for the order to profile. So processes of npm or a cluster, and worker threads, are profiled too.

import { createServer } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { meanOf } from '../measure/statistics.js';
import { executableOf } from './executable.js';
import { intervalOf, samplesOf } from './v8-profile.js';
import { warning } from './warnings.js';

/**
 * @import { Socket } from 'node:net'
 * @import { Profile, Source } from './profiler.js'
 * @import { ScriptFunctions, V8Profile } from './v8-profile.js'
 */

/**
 * @typedef {{ profile: V8Profile | null, functions: ScriptFunctions }} Answer
 * @typedef {{ thread: string, socket: Socket, answer: Promise<Answer | null> }} Thread
 */

const PRELOAD = fileURLToPath(new URL('node-preload.cjs', import.meta.url));
/** A thread that does nothing but wait does not answer. */
const ANSWER_MS = 5000;
const PROGRAMS = ['node', 'nodejs'];

/** @implements {Source} */
export class NodeSource {
  name = /** @type {const} */ ('node');
  needsFreeCore = true;
  /** Threads of the server that have said hello. @type {Thread[]} */
  threads = [];
  isStarted = false;

  /** @param {string} folder for the socket @param {string} sources that files are named relative to */
  constructor(folder, sources) {
    this.sources = sources;
    this.path = path.join(folder, 'node.sock');
    this.listener = createServer((socket) => this.accept(socket))
      .listen(this.path)
      .unref();
  }

  /** @type {Source['environment']} */
  environment({ NODE_OPTIONS = '' }) {
    return {
      NODE_OPTIONS: `${NODE_OPTIONS} --require ${JSON.stringify(PRELOAD)}`.trim(),
      BROADSIDE_PROFILE: this.path,
    };
  }

  /** @param {Socket} socket of a thread that begins */
  accept(socket) {
    socket.on('error', () => {});
    /** @type {(answer: Answer | null) => void} */
    let resolve = () => {};
    const answer = new Promise((answered) => {
      resolve = answered;
    });
    socket.on('close', () => resolve(null));
    createInterface({ input: socket }).on('line', (line) => {
      const said = JSON.parse(line);
      if (said.pid === undefined) resolve(said);
      else this.add({ thread: `${said.pid}.${said.threadId}`, socket, answer });
    });
  }

  /** @param {Thread} thread that may begin at any time */
  add(thread) {
    this.threads.push(thread);
    if (this.isStarted) thread.socket.write('start\n');
  }

  /** @param {number[]} pids of processes that listen @returns {boolean} whether one of them is Node */
  canProfile(pids) {
    return pids.some((pid) => PROGRAMS.includes(path.basename(executableOf(pid) ?? '')));
  }

  /** @type {Source['start']} */
  async start() {
    this.isStarted = true;
    for (const { socket } of this.threads) socket.write('start\n');
    return null;
  }

  /** @returns {Promise<Profile>} */
  async stop() {
    if (this.threads.length === 0) return { samples: [], problem: warning('node-silent') };
    for (const { socket } of this.threads) socket.write('stop\n');
    const profiles = await Promise.all(
      this.threads.map(async ({ thread, answer, socket }) => {
        const timer = setTimeout(() => socket.destroy(), ANSWER_MS);
        const { profile, functions } = (await answer) ?? { profile: null, functions: [] };
        clearTimeout(timer);
        const samples = profile === null ? [] : samplesOf(profile, functions, { thread, sources: this.sources });
        return { samples, intervals: profile === null ? [] : [intervalOf(profile)] };
      }),
    );
    const intervals = profiles.flatMap((profile) => profile.intervals);
    return {
      samples: profiles.flatMap(({ samples }) => samples),
      ...(intervals.length === 0 ? {} : { intervalNs: meanOf(intervals) }),
    };
  }

  close() {
    for (const { socket } of this.threads) socket.destroy();
    this.listener.close();
  }
}
