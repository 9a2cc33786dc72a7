// Profiles a server from its start to its end, with the source that knows its language: a launcher around another one.

import { NodeSource } from './node.js';
import { PerfSource } from './perf.js';

/**
 * @import { Warning } from '../../config/types.js'
 * @import { StackSample } from '../judge/explained/functions.js'
 * @import { Place } from '../run/place.js'
 * @import { Launcher, Server } from '../run/server-under-test.js'
 */

/**
 * @typedef {object} Profile
 * @property {StackSample[]} samples
 * @property {number} [intervalNs]  of time between the samples of a thread, whether it was busy or not; absent: of the
 *   CPU time between them
 * @property {Warning} [problem]
 *
 * What takes profiles of the processes of a server.
 * @typedef {object} Source
 * @property {'node' | 'perf'} name
 * @property {boolean} needsFreeCore  whether its samples are wrong where every core is busy
 * @property {(env: Record<string, string | undefined>) => Record<string, string>} environment  what a server is started
 *   with to be profiled, added to its environment
 * @property {(pids: number[]) => Promise<Warning | null>} start  resolves with why it cannot profile
 * @property {() => Promise<Profile>} stop
 * @property {() => void} close  ends what stop() has not
 */

/** A start of a server, or its instances, with their profile. */
export class Profiler {
  /**
   * @param {string} folder for its files, which exists @param {string} sources that files are named relative to
   * @param {(source: Source) => void} onStart  before the server is loaded
   */
  constructor(folder, sources, onStart) {
    this.onStart = onStart;
    this.node = new NodeSource(folder, sources);
    this.perf = new PerfSource(folder);
    /** That takes the profile, once the server is ready. @type {Source | null} */
    this.source = null;
    /** Once the server has ended. @type {Profile} */
    this.profile = { samples: [] };
  }

  /** @param {Place} place @returns {Place} whose server is profiled */
  at(place) {
    return Object.create(place, { launcher: { value: this.around(place.launcher) } });
  }

  /** @param {Launcher} launcher @returns {Launcher} */
  around(launcher) {
    return {
      ...launcher,
      startServer: async (options) => {
        const server = await launcher.startServer({ ...options, env: this.environment(options.env) });
        return (await this.profiled([server], launcher))[0];
      },
      startInstances: async (options, count) =>
        this.profiled(
          await launcher.startInstances({ ...options, env: this.environment(options.env) }, count),
          launcher,
        ),
    };
  }

  /** @param {Record<string, string>} [added] @returns {Record<string, string>} */
  environment(added = {}) {
    const env = { ...process.env, ...added };
    return { ...added, ...this.node.environment(env), ...this.perf.environment(env) };
  }

  /**
   * @param {Server[]} servers that are ready @param {Launcher} launcher
   * @returns {Promise<Server[]>} whose end is that of the profile
   */
  async profiled(servers, { listeningProcesses }) {
    const pids = servers.flatMap((server) => {
      const known = Object.keys(server.usage()?.processSeconds ?? {}).map(Number);
      return known.length > 0 ? known : server.pids;
    });
    const listening = listeningProcesses?.(servers).flat() ?? [];
    this.source = this.node.canProfile(listening.length > 0 ? listening : pids) ? this.node : this.perf;
    this.onStart(this.source);
    const problem = await this.source.start(pids);
    if (problem !== null) this.profile = { samples: [], problem };
    /** @type {Promise<void> | null} */
    let ended = null;
    const end = async () => {
      if (problem === null && this.source !== null) this.profile = await this.source.stop();
    };
    return servers.map((server) => ({
      ...server,
      stop: async () => {
        ended ??= end();
        await ended;
        return server.stop();
      },
    }));
  }

  /** Ends what is still in progress, such as that of a server that did not start. */
  close() {
    this.node.close();
    this.perf.close();
  }
}
