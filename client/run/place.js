// Where the workers and the servers of a run are, from its plan to its end. Here they are on this host.
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
 * @typedef {{ host: Host, load: Host }} Facts  what the plan needs: of this host, and of all that the load comes from,
 *   each with what is known of that of the servers
 *
 * @typedef {object} LegEvents  reports to a leg while it is measured
 * @property {(one: Warning) => void} warn
 * @property {(one: Warning) => void} markIncomplete
 *
 * @typedef {object} Place
 * @property {boolean} isHere  whether everything is on this host
 * @property {Launcher} launcher  of the servers
 * @property {(scenario: Scenario) => void} check  throws a UsageError where the scenario needs this host
 * @property {(servers: ListedServer[]) => Promise<KnownServer[]>} checkAvailability
 * @property {(scenario: Scenario, folders: { logs: string }) => Promise<Facts>} facts  rejects with an EnvironmentError
 * @property {(run: { folder: RunFolder, plan: Plan }) => Promise<void>} begin
 * @property {() => Promise<Partial<Environment>>} describe  what environment.json has of other hosts
 * @property {(leg: Leg, events: LegEvents) => WorkerSource} workersFor
 * @property {(leg: Leg) => Promise<Partial<LegEnd>>} legEnded  what its summary has of other hosts
 * @property {(log: LegLog) => void} [listLog]  writes where the transfer log of a leg is, if that is not on this host
 * @property {() => Promise<void>} end  of the run, or of a plan that is not carried out; again, it does nothing
 */

/** @typedef {Launcher & { checkAvailability: Place['checkAvailability'] }} LocalLauncher */

/** @implements {Place} */
export class Here {
  isHere = true;
  /** What forks workers, once the run begins. @type {typeof LocalWorkers | null} */
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
