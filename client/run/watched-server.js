// One process of the server under test, or one instance of several, from its start on: what it uses, and its end, which is
// reported once.
import { warning } from '../words/warnings.js';

/**
 * @typedef {import('./server-under-test.js').Server} Server
 * @typedef {import('./server-under-test.js').ServerExit} ServerExit
 * @typedef {import('./server-under-test.js').ServerReading} ServerReading
 */

export class WatchedServer {
  /**
   * @param {Server} server @param {number} index @param {number} instances
   * @param {import('./server-under-test.js').Context} context @param {import('./server-output.js').ServerOutput} output
   */
  constructor(server, index, instances, { warn }, output) {
    this.server = server;
    this.warn = warn;
    /** What of a warning says which instance it is about. */
    this.which = instances > 1 ? { instance: index } : {};
    this.stopping = false;
    this.hasEnded = false;
    /** @type {ServerReading | null} */
    this.last = null;
    void server.exited.then((ending) => {
      this.hasEnded = true;
      if (!this.stopping) this.reportEnd(ending, ending.lastLines ?? output.lastLinesOf(index));
    });
  }

  /** @param {ServerExit} ending @param {string[]} lastLines */
  reportEnd({ code, signal, guardKilled, left: leftBehind = 0, agentLost, stoppedBecause: why }, lastLines) {
    const { machine } = this.server;
    if (agentLost) this.warn(warning('server-agent-lost', { ...this.which, ...agentLost }));
    else if (why && machine) this.warn(warning('server-agent-stopped', { ...this.which, agent: machine.agent, why }));
    else if (guardKilled) this.warn(warning('guard-killed', { ...this.which, signal, lastLines }));
    else this.warn(warning('server-ended', { ...this.which, signal, exitCode: code, leftBehind, lastLines }));
  }

  /** @returns {{ reading: ServerReading | null, hasEnded: boolean }} reading: the last one, where it has ended */
  read() {
    if (!this.hasEnded) this.last = this.server.usage();
    return { reading: this.last, hasEnded: this.hasEnded };
  }

  async stop() {
    const endedBefore = this.hasEnded;
    this.stopping = true;
    const { forced } = await this.server.stop();
    if (forced && !endedBefore) this.warn(warning('server-killed', this.which));
  }
}
