// Makes the samples of a leg from its agents' reports, for a run whose controller has ended before them. It counts as
// the live run does (run/cluster/primary.js): the same merge, and the same rule for a lost worker. Figures that only
// the controller can read, such as the server's CPU, are in the samples that it wrote.
import { hostOf } from '../measure/hosts.js';
import { clientUse } from '../measure/client-use.js';
import { toSample } from '../measure/sample.js';
import { turnTimes } from '../measure/slices.js';
import { SampleMerge } from '../measure/sample-merge.js';
import { warning } from './warnings.js';
import { arrowName, splitsName } from '../store/transfer-log/index.js';
import { protocolOf } from '../protocols/index.js';
import { endsByItself, sharesOf } from '../run/cluster/assignment.js';
import { ExpectedArrivals } from '../run/cluster/expected-arrivals.js';
import { checkedEntry } from './entry-shape.js';
import { checkedMessage } from './server-shape.js';
import { must } from './shape.js';
import { WorkerAccount } from './worker-account.js';

/**
 * @import { EndedBy, Sample, Warning } from '../../config/types.js'
 * @import { Leg } from '../plan/plan.js'
 * @import { ArrowFile } from '../store/transfer-log/convert.js'
 * @import { Settings } from '../run/cluster/assignment.js'
 */

export class Replay {
  /** @param {Leg} leg @param {Settings} settings of the leg */
  constructor(leg, settings) {
    this.leg = leg;
    this.settings = settings;
    const { workers, agents = [], instances = 1 } = leg;
    this.shares = sharesOf(leg);
    const hosts = agents.length === 0 ? undefined : { workers, count: agents.length };
    this.merge = new SampleMerge(this.shares, new ExpectedArrivals(leg, settings), { instances, hosts });
    /** By share: whether its engine has ended as planned. */
    this.ended = Array.from({ length: this.shares }, () => false);
    /** Workers that were lost and not replaced. @type {Map<number, string>} */
    this.lost = new Map();
    /** By worker: how often it was replaced. @type {Map<number, number>} */
    this.generations = new Map();
    /** The transfer logs of engines that have ended; each path is a file name. @type {ArrowFile[]} */
    this.files = [];
    /**
     * By worker: the account of its last process.
     * @type {Map<number, { generation: number, account: WorkerAccount }>}
     */
    this.accounts = new Map();
    /** @type {Set<string>} */
    this.lostAgents = new Set();
    this.begun = false;
    /** Why the load of an agent was cut short. @type {Warning | undefined} */
    this.stopped = undefined;
  }

  /**
   * @param {string} agent @param {unknown} written the agent's next entry
   * @throws {TypeError} when the entry is invalid; then it counts nothing of it
   */
  take(agent, written) {
    if (this.lostAgents.has(agent)) return;
    const entry = checkedEntry(written);
    if (entry.type === 'server') {
      must(agent === this.leg.serverAgent, 'it reports servers, but starts none');
      checkedMessage(entry.message);
    }
    if (entry.type === 'stopped' && entry.legs.includes(this.leg.id)) {
      this.stopped ??= warning('agent-stopped', { agent, forMs: entry.forMs });
    }
    if (!('leg' in entry) || entry.leg !== this.leg.id) return;
    const { worker, generation } = entry;
    must(worker < this.leg.workers && this.agentOf(worker) === agent, `it reports worker ${worker} of another agent`);
    if (entry.type === 'message') this.accountOf(worker, generation).take(entry.message);
    const running = this.sharesOf(worker).filter((share) => !this.ended[share]);
    this.generations.set(worker, generation);
    if (entry.type === 'lost') {
      if (running.length === 0) return; // the worker had ended as planned
      for (const share of running) this.lose(share);
      this.lost.set(worker, entry.how);
    } else if (entry.type === 'message') {
      const { message } = entry;
      if (message.type === 'ready' && generation > 0) {
        this.lost.delete(worker);
        for (const share of running) this.merge.begin(share);
      } else if (message.type === 'interval') {
        this.begun = true;
        this.merge.add(worker + message.engine * this.leg.workers, message.interval, message.usage);
      } else if (message.type === 'done') {
        const share = worker + message.engine * this.leg.workers;
        this.closeLog(share, this.merge.tallies[share].inLog, true);
        this.merge.end(share);
        this.ended[share] = true;
      }
    }
  }

  /** @param {number} worker @returns {string | undefined} the agent that has it */
  agentOf(worker) {
    const { agents = [] } = this.leg;
    return agents[hostOf(worker, agents.length)];
  }

  /** @param {number} worker @param {number} generation @returns {WorkerAccount} of its process */
  accountOf(worker, generation) {
    const known = this.accounts.get(worker);
    if (known?.generation === generation) return known.account;
    must(generation > (known?.generation ?? -1), `it reports a process of worker ${worker} that has ended`);
    const account = new WorkerAccount(this.leg, worker);
    account.hasKinds = protocolOf(this.settings.protocol).kinds === true;
    this.accounts.set(worker, { generation, account });
    return account;
  }

  /** Ignores the later entries of an agent. @param {string} agent @param {string} how it was lost */
  loseAgent(agent, how) {
    if (this.lostAgents.has(agent)) return;
    this.lostAgents.add(agent);
    for (let worker = 0; worker < this.leg.workers; worker += 1) {
      const running = this.sharesOf(worker).filter((share) => !this.ended[share]);
      if (this.agentOf(worker) !== agent || running.length === 0) continue;
      for (const share of running) this.lose(share);
      this.lost.set(worker, how);
    }
  }

  /** @param {number} share whose engine has ended without a report */
  lose(share) {
    this.closeLog(share, this.merge.lose(share).rows, false);
  }

  /** @param {number} share @param {number} rows of its log @param {boolean} whole */
  closeLog(share, rows, whole) {
    if (rows === 0) return; // its log may not have been opened
    const generation = this.generations.get(share % this.leg.workers) ?? 0;
    const hasSplits = (this.settings.timestamps ?? 'off') !== 'off';
    const splits = hasSplits ? { splits: splitsName(share, generation) } : {};
    this.files.push({ path: arrowName(share, generation), ...splits, rows, whole });
  }

  /** @param {number} worker @returns {number[]} */
  sharesOf(worker) {
    return Array.from({ length: this.shares / this.leg.workers }, (_, engine) => worker + engine * this.leg.workers);
  }

  /** Whether all engines have ended or are lost. */
  get isOver() {
    return this.ended.every((ended, share) => ended || this.lost.has(share % this.leg.workers));
  }

  /**
   * @returns {{ samples: Sample[], endedBy: EndedBy, failure?: Warning }} from the
   *   reports; call once
   */
  finish() {
    const { workers, steadyToNs, slices } = this.leg;
    const missing = new Set(this.ended.flatMap((ended, share) => (ended ? [] : [share % workers])));
    for (const worker of missing) {
      if (this.lost.has(worker)) continue;
      for (const share of this.sharesOf(worker)) if (!this.ended[share]) this.lose(share);
    }
    const turnOf = slices === undefined ? () => undefined : turnTimes(slices, steadyToNs);
    const samples = this.merge.finish().map((merged) => {
      const client = clientUse(merged.usages, { cpuSeconds: 0, rssBytes: 0 }, workers);
      const turn = turnOf(merged.fromNs, merged.toNs);
      return toSample(merged, { client, turn, server: null, busy: [], kernel: {}, limitedBy: 'unknown' });
    });
    if (missing.size > 0 && !this.begun) {
      return { samples: [], endedBy: 'workers', failure: warning('leg-not-begun', { leg: this.leg.id }) };
    }
    if (this.stopped !== undefined) return { samples, endedBy: 'workers', failure: this.stopped };
    if (missing.size > 0) {
      const [worker] = missing;
      const how = this.lost.get(worker) ?? 'its last report is missing';
      const agent = this.agentOf(worker) ?? null;
      return { samples, endedBy: 'workers', failure: warning('agent-lost', { agent, how, started: true }) };
    }
    const isEarly = endsByItself(this.settings) && Math.max(0, ...samples.map(({ toNs }) => toNs)) < steadyToNs;
    return { samples, endedBy: isEarly ? 'done' : 'plan' };
  }
}

/** Fields of a sample that the controller reads. */
const READINGS = /** @type {const} */ ([
  'client',
  'server',
  'machine',
  'serverMachine',
  'kernel',
  'serverKernel',
  'listen',
  'unloaded',
  'limitedBy',
]);
/** Fields of a sample that workers report. */
const COUNTS = /** @type {const} */ (['counters', 'rejects', 'errors', 'gauges', 'histograms', 'transfers']);

/** @param {Sample} sample */
const spanOf = ({ phase, fromNs, toNs }) => `${phase} ${fromNs} ${toNs}`;

/** @param {Sample} a @param {Sample} b @returns {boolean} */
const countsAgree = (a, b) => COUNTS.every((name) => JSON.stringify(a[name]) === JSON.stringify(b[name]));

/**
 * Joins the samples that the controller wrote with those made from its agents' reports.
 * @param {Sample[]} written
 * @param {Sample[]} reported with all counts of the leg
 * @returns {Sample[]} the written samples with the same counts; the others with the reported counts, because a late
 *   report may be in another sample; and the samples that the controller did not write
 */
export function joinSamples(written, reported) {
  // only a sample with a time span has readings
  const bySpan = new Map(written.filter(({ fromNs, toNs }) => toNs > fromNs).map((sample) => [spanOf(sample), sample]));
  return reported.map((sample) => {
    const writtenSample = bySpan.get(spanOf(sample));
    if (writtenSample === undefined) return sample;
    return countsAgree(writtenSample, sample) ? writtenSample : withReadings(sample, writtenSample);
  });
}

/** @param {Sample} sample @param {Sample} read has the readings @returns {Sample} */
function withReadings(sample, read) {
  const readings = READINGS.flatMap((name) => (read[name] === undefined ? [] : [[name, read[name]]]));
  const { instances } = sample;
  return {
    ...sample,
    ...Object.fromEntries(readings),
    ...(instances && {
      instances: instances.map((instance, index) => ({
        ...instance,
        serverCpuSeconds: read.instances?.[index]?.serverCpuSeconds,
      })),
    }),
  };
}
