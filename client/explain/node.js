// Profiles of Node servers, by the sampler of V8. A module that is loaded first in each of their threads connects to a
// socket and takes a profile when it is told to; so what npm, a cluster or worker threads start is profiled too.

import { createServer } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { samplesOf } from './v8-profile.js';

/**
 * @import { Socket } from 'node:net'
 * @import { Profile, Source } from './profiler.js'
 * @import { ScriptFunctions, V8Profile } from './v8-profile.js'
 */

/**
 * @typedef {{ profile: V8Profile | null, functions: ScriptFunctions }} Answer
 * @typedef {{ pid: number, thread: string, socket: Socket, answer: Promise<Answer | null> }} Thread
 */

const PRELOAD = fileURLToPath(new URL('node-preload.cjs', import.meta.url));
/** A thread that does nothing but wait does not answer. */
const ANSWER_MS = 5000;
/** @implements {Source} */
export class NodeSource {
  name = /** @type {const} */ ('node');
  /** @type {Thread[]} */
  threads = [];

  /** @param {string} folder for the socket @param {string} sources that files are named relative to */
  constructor(folder, sources) {
    this.sources = sources;
    this.path = path.join(folder, 'node.sock');
    this.listener = createServer((socket) => this.accept(socket)).listen(this.path);
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
      else this.threads.push({ pid: said.pid, thread: `${said.pid}.${said.threadId}`, socket, answer });
    });
  }

  /** @param {number[]} pids @returns {boolean} whether one of these processes is Node */
  knows(pids) {
    return this.threads.some(({ pid }) => pids.includes(pid));
  }

  /** @type {Source['start']} */
  async start(pids) {
    for (const { pid, socket } of this.threads) if (pids.includes(pid)) socket.write('start\n');
    return null;
  }

  /** @returns {Promise<Profile>} */
  async stop() {
    for (const { socket } of this.threads) socket.write('stop\n');
    const profiles = await Promise.all(
      this.threads.map(async ({ thread, answer, socket }) => {
        const timer = setTimeout(() => socket.destroy(), ANSWER_MS);
        const { profile, functions } = (await answer) ?? { profile: null, functions: [] };
        clearTimeout(timer);
        return profile === null ? [] : samplesOf(profile, functions, { thread, sources: this.sources });
      }),
    );
    return { samples: profiles.flat() };
  }

  close() {
    for (const { socket } of this.threads) socket.destroy();
    this.listener.close();
  }
}
