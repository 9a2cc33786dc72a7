// The hosts of a run's workers and servers: the interface through which a run uses them, and its implementation for
// this host.
import { readHost } from '../machine/host.js';
import { listeningProcesses } from '../machine/listening-processes.js';

/**
 * @import { Warning } from '../../config/types.js'
 * @import { ListedServer } from '../../servers/launcher/manifest/list-servers.js'
 * @import { Host } from '../machine/host.js'
 * @import { LegEnd } from '../measure/leg-summary.js'
 * @import { Plan } from '../measure/settings.js'
 * @import { Leg } from '../plan/plan.js'
 * @import { KnownServer } from '../plan/processes.js'
 * @import { Scenario } from '../scenario/scenario.js'
 * @import { Environment } from '../store/environment.js'
 * @import { RunFolder } from '../store/run-folder.js'
 * @import { LocalWorkers } from './cluster/forked-worker.js'
 * @import { WorkerSource } from './cluster/worker-handle.js'
 * @import { LegLog } from './leg-transfer-log.js'
 * @import { Launcher } from './server-under-test.js'
 */

/**
 * @typedef {{ host: Host, load: Host }} Facts  what the plan needs. host: this host; load: all hosts of workers as one;
 *   both with the known facts of the servers' host
 *
 * @typedef {object} LegEvents  reports to a leg while it is measured
 * @property {(warning: Warning) => void} warn
 * @property {(failure: Warning) => void} markIncomplete
 *
 * @typedef {object} Place
 * @property {boolean} isHere  whether everything is on this host
 * @property {Launcher} launcher  of the servers
 * @property {(scenario: Scenario) => void} check  throws a UsageError if the scenario works only on this host
 * @property {(servers: ListedServer[]) => Promise<KnownServer[]>} checkAvailability
 * @property {(scenario: Scenario, folders: { logs: string }) => Promise<Facts>} facts  rejects with an EnvironmentError
 * @property {(run: { folder: RunFolder, plan: Plan }) => Promise<void>} begin
 * @property {() => Promise<Partial<Environment>>} describe  the part of environment.json about other hosts
 * @property {(leg: Leg, events: LegEvents) => WorkerSource} workersFor
 * @property {(leg: Leg) => Promise<Partial<LegEnd>>} legEnded  the part of the leg's summary about other hosts
 * @property {(log: LegLog) => void} [listLog]  lists the files of a transfer log that is on another host
 * @property {() => Promise<void>} end  ends the run, or drops a plan that is not run; a second call does nothing
 */

/** @typedef {Launcher & { checkAvailability: Place['checkAvailability'] }} LocalLauncher */

/** @implements {Place} */
export class Here {
  isHere = true;
  /** Forks the workers; null until the run begins. @type {typeof LocalWorkers | null} */
  Workers = null;

  /** @param {LocalLauncher} launcher */
  constructor(launcher) {
    this.launcher = { ...launcher, listeningProcesses };
    this.checkAvailability = launcher.checkAvailability;
  }

  check() {}

  /** @type {Place['facts']} */
  async facts({ target }, { logs }) {
    const host = await readHost({ logs, target });
    return { host, load: host };
  }

  async begin() {
    this.Workers = (await import('./cluster/forked-worker.js')).LocalWorkers;
  }

  async describe() {
    return {};
  }

  /** @param {Leg} leg */
  workersFor(leg) {
    if (this.Workers === null) throw new TypeError('the run has not begun');
    return new this.Workers(leg);
  }

  async legEnded() {
    return {};
  }

  async end() {}
}
