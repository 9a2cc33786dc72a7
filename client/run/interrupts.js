// Ctrl+C, SIGTERM, SIGHUP, and the end of the parent process: the first asks for an orderly end, the second for an
// immediate one. npm forwards signals that the terminal has sent already, so a repetition within 250 ms does not count.
import { EventEmitter } from 'node:events';
import { processStat } from '../machine/process-stat.js';

const ECHO_MS = 250;
const PARENT_POLL_MS = 500;
const EXIT_CODES = Object.freeze({ SIGINT: 130, SIGTERM: 143, SIGHUP: 143 });

/** Emits 'first' and 'second' once each, with the signal's name. */
export class Interrupts extends EventEmitter {
  /** @param {{ now?: () => number, env?: NodeJS.ProcessEnv, process?: NodeJS.Process }} [options] now: milliseconds */
  constructor({ now = () => performance.now(), env = process.env, process: target = process } = {}) {
    super();
    this.now = now;
    this.env = env;
    this.target = target;
    /** @type {keyof typeof EXIT_CODES | null} */
    this.signal = null;
    this.signalMs = 0;
    this.isRepeated = false;
    this.handlers = Object.keys(EXIT_CODES).map((name) => ({
      name,
      handle: () => this.receive(/** @type {keyof typeof EXIT_CODES} */ (name)),
    }));
    /** @type {NodeJS.Timeout | null} */
    this.poll = null;
  }

  listen() {
    for (const { name, handle } of this.handlers) this.target.on(name, handle);
    if (this.env.npm_lifecycle_event) {
      const lineage = lineageOf(this.target.ppid);
      this.poll = setInterval(() => {
        if (lineageOf(this.target.ppid) !== lineage && this.signal === null) this.receive('SIGTERM');
      }, PARENT_POLL_MS).unref();
    }
    return this;
  }

  close() {
    for (const { name, handle } of this.handlers) this.target.off(name, handle);
    if (this.poll) clearInterval(this.poll);
  }

  /** @param {keyof typeof EXIT_CODES} signal */
  receive(signal) {
    if (this.signal === null) {
      this.signal = signal;
      this.signalMs = this.now();
      this.emit('first', signal);
    } else if (!this.isRepeated && this.now() - this.signalMs > ECHO_MS) {
      this.isRepeated = true;
      this.emit('second', signal);
    }
  }

  get interrupted() {
    return this.signal !== null;
  }

  /** @returns {0 | 130 | 143} 130 or 143 once interrupted */
  get exitCode() {
    return this.signal === null ? 0 : EXIT_CODES[this.signal];
  }
}

/**
 * npm starts a script in a shell, which outlives npm: the parent of a shell therefore counts too.
 * @param {number} parent process id
 * @returns {string} that changes when the parent has ended
 */
function lineageOf(parent) {
  const stat = processStat(parent);
  return stat !== null && /^[a-z]*sh$/.test(stat.name) ? `${parent} ${stat.parent}` : `${parent}`;
}
