// The state behind the screen of a run: for each server the last seconds, its connections, and the number of failures.

import { caseOf } from '../judge/cases.js';
import { coresOfOthers } from '../judge/disturbances.js';
import { failuresOf, figureOf } from '../judge/figures.js';
import { shownCase, valueOf } from '../judge/value-of.js';
import { accountOf } from '../measure/account.js';
import { churnsConnections, serverRecycles } from '../measure/churn.js';
import { Histogram } from '../measure/histogram.js';
import { isMeasured } from '../measure/leg-figures.js';
import { withoutParts } from '../measure/parts.js';
import { stallsOf } from '../measure/quiet.js';
import { SampleSum } from '../measure/sample-sum.js';
import { accountEntries } from '../words/account.js';
import { count, duration } from '../words/format.js';

/**
 * @import { LegSummary, Sample } from '../../config/types.js'
 * @import { Figure, Value } from '../judge/figures.js'
 * @import { Account } from '../measure/account.js'
 * @import { PlannedLeg } from '../measure/settings.js'
 */

/**
 * @typedef {Pick<PlannedLeg, 'id' | 'case' | 'label' | 'connections' | 'settings' | 'slices'>} BoardLeg
 * @typedef {{ case?: string, label: string }} Named
 * @typedef {{ at: number, rate?: number, p99?: number, served: number }} Point  of a second; at: s since the run began
 *
 * @typedef {object} Latest  state of a leg that is measured now
 * @property {BoardLeg} leg
 * @property {Sample[]} samples  the last seconds
 * @property {Account | undefined} account
 * @property {Record<'reopened' | 'lost' | 'lostWithWorker' | 'closedInPause', number>} totals
 * @property {number} stalledToNs  end of the last stall that has been reported
 *
 * @typedef {object} ShownServer
 * @property {string} label
 * @property {boolean} isCurrent  whether it is measured now
 * @property {boolean} hasBegun
 * @property {boolean} hasProblem
 * @property {Account | undefined} account  of the start that serves the fewest connections
 * @property {number} failures  rejects, errors, failed replies and requests that were not sent, since it began
 * @property {Point[]} points  the last minute
 * @property {(name: string) => Value} valueOf  a figure of the last seconds; after the measurement, of its legs
 */

/** The seconds that figures cover; if servers take turns, at least one turn of each. */
const RECENT_S = 10;
/** The seconds that a sparkline covers. */
const POINTS_S = 60;
/** Fates that are no problem while connections open. */
const OF_RAMP = ['connecting'];

/** @param {Named} leg of the plan, or its summary @returns {string} id of its case */
const idOf = (leg) => caseOf(/** @type {LegSummary} */ (leg));

/** @param {string} name @returns {Figure} */
const figure = (name) => /** @type {Figure} */ (figureOf(name));

/** @param {Value | undefined} value @returns {number | undefined} */
const numberOf = (value) => (typeof value === 'number' ? value : undefined);

/** @param {Record<string, number>} counts @returns {number} */
const sum = (counts) => Object.values(counts).reduce((total, n) => total + n, 0);

/** @param {Sample} sample @returns {number} rejects, errors, requests never sent, and replies that are errors */
const failuresIn = ({ rejects, errors, counters, statuses }) =>
  sum(rejects) + sum(errors) + failuresOf({ ...counters, failed: 0, unfinished: 0, statuses }).failed;

/** @param {Sample} sample @returns {Sample} only with what is shown, so that samples can be kept and added up */
const lightened = ({ histograms: { responseTime }, requests: _r, quotes: _q, ...sample }) =>
  withoutParts(/** @type {Sample} */ ({ ...sample, histograms: { responseTime } }));

/** A server at one point of a sweep, in all its starts and rounds. */
class Server {
  /** @param {string} label */
  constructor(label) {
    this.label = label;
    /** State of each leg that is measured now, by its id. @type {Map<string, Latest>} */
    this.latest = new Map();
    /** @type {Point[]} */
    this.points = [];
    this.failures = 0;
    /** @type {LegSummary[]} */
    this.summaries = [];
    /** The last seconds of the leg that ended last, until its summary is there. @type {Sample | undefined} */
    this.last = undefined;
    /** @type {Account | undefined} */
    this.account = undefined;
    this.hasFailed = false;
    this.hasBegun = false;
    /** Whether the number of unserved connections has been reported. */
    this.hasToldUnserved = false;
  }

  get isCurrent() {
    return this.latest.size > 0;
  }

  /** @returns {Sample | undefined} the last seconds of all its legs together */
  recent() {
    const [first, ...rest] = [...this.latest.values()].flatMap(({ samples }) => samples);
    if (first === undefined) return undefined;
    const recentSum = new SampleSum(first);
    for (const sample of rest) recentSum.add(sample);
    return recentSum.result();
  }

  /** @returns {ShownServer} */
  shown() {
    const { label, isCurrent, hasBegun, account, failures, points, summaries, hasFailed } = this;
    const ended = summaries.filter(isMeasured);
    const whole = !isCurrent && ended.length > 0 ? shownCase(ended) : undefined;
    const recent = this.recent() ?? this.last;
    return {
      ...{ label, isCurrent, hasBegun, account, failures, points },
      hasProblem:
        hasFailed ||
        failures > 0 ||
        (account !== undefined && accountEntries(account).some(({ part, bad }) => bad && !OF_RAMP.includes(part))),
      valueOf: (name) => (whole ? valueOf(figure(name), whole).value : recent && figure(name).ofSample?.(recent)),
    };
  }
}

export class Board {
  constructor() {
    /** By the id of their case, in the order of the plan. @type {Map<string, Server>} */
    this.servers = new Map();
    /** Response times so far, for a run of one server. */
    this.times = new Histogram();
    this.isSteady = false;
  }

  /** @param {BoardLeg[]} legs of the plan */
  plan(legs) {
    for (const leg of legs) if (!this.servers.has(idOf(leg))) this.servers.set(idOf(leg), new Server(leg.label));
  }

  /** @param {Named} leg @returns {Server} */
  serverOf(leg) {
    return /** @type {Server} */ (this.servers.get(idOf(leg)));
  }

  /** @param {BoardLeg} leg whose server has been started */
  begin(leg) {
    const totals = { reopened: 0, lost: 0, lostWithWorker: 0, closedInPause: 0 };
    const server = this.serverOf(leg);
    server.latest.set(leg.id, { leg, samples: [], account: undefined, totals, stalledToNs: 0 });
    server.hasBegun = true;
  }

  /**
   * @param {BoardLeg} leg @param {Sample} sample the leg's next sample @param {number} at s since the run began
   * @returns {{ text: string, at: number }[]} events within the sample, and their times
   */
  add(leg, sample, at) {
    const server = this.serverOf(leg);
    const latest = server.latest.get(leg.id);
    if (latest === undefined) return [];
    const isSteady = sample.phase === 'steady';
    server.failures += failuresIn(sample);
    if (sample.phase === 'drain') return []; // replies in the drain count for no rate
    const { counters, gauges, slices } = sample;
    for (const name of /** @type {const} */ (['reopened', 'lost', 'lostWithWorker']))
      latest.totals[name] += counters[name] ?? 0;
    latest.totals.closedInPause += slices?.closed ?? 0;
    const { requested } = gauges;
    latest.account = accountOf(gauges, {
      requested,
      churns: churnsConnections(leg.settings) || serverRecycles({ requested, ...latest.totals }),
      once: leg.settings.workload === 'once',
      takesTurns: slices !== undefined,
    });
    const accounts = [...server.latest.values()].flatMap(({ account }) => account ?? []);
    if (accounts.length > 0)
      server.account = accounts.reduce((fewest, account) => (account.served < fewest.served ? account : fewest));
    const keptS = Math.max(RECENT_S, leg.slices?.of ?? 0);
    latest.samples = [...latest.samples, lightened(sample)].filter(({ toNs }) => toNs > sample.toNs - keptS * 1e9);
    if (isSteady && !this.isSteady) {
      this.isSteady = true;
      this.times = new Histogram();
    }
    if (this.servers.size === 1) this.times.addLine(sample.histograms.responseTime);
    const point = {
      ...{ at, served: server.account?.served ?? gauges.open - gauges.unanswered },
      rate: numberOf(figure('rate').ofSample?.(sample)),
      p99: numberOf(figure('p99').ofSample?.(sample)),
    };
    server.points = [...server.points, point].filter((point) => point.at > at - POINTS_S);
    const unserved = isSteady ? this.unservedOf(server) : [];
    return [...this.stallsIn(latest, at), ...unserved.map((text) => ({ text, at }))];
  }

  /**
   * @param {Latest} latest @param {number} at end of the last sample, in s since the run began
   * @returns {{ text: string, at: number }[]} stalls of the server that have ended
   */
  stallsIn(latest, at) {
    const { leg, samples } = latest;
    const last = samples[samples.length - 1];
    const steady = samples.filter(({ phase }) => phase === 'steady');
    return stallsOf(steady).flatMap(([fromNs, toNs]) => {
      if (fromNs < latest.stalledToNs || toNs >= last.toNs) return [];
      latest.stalledToNs = toNs;
      const text = `${leg.label}: no reply for ${duration(toNs - fromNs, 2)}`;
      return [{ text, at: at - (last.toNs - fromNs) / 1e9 }];
    });
  }

  /** @param {Server} server @returns {string[]} connections not served when the measurement begins; reported once */
  unservedOf(server) {
    if (server.hasToldUnserved || server.account === undefined) return [];
    server.hasToldUnserved = true;
    const bad = accountEntries(server.account).filter((entry) => entry.bad);
    if (bad.length === 0) return [];
    const { served, requested } = server.account;
    const unserved = bad.map(({ name, value }) => `${count(value)} ${name}`).join(', ');
    return [`${server.label}: ${count(served)} of ${count(requested)} connections served, ${unserved}`];
  }

  /** @param {BoardLeg} leg that has ended */
  end(leg) {
    const server = this.serverOf(leg);
    server.last = server.recent();
    server.latest.delete(leg.id);
  }

  /** @param {BoardLeg} leg that has failed */
  fail(leg) {
    const server = this.serverOf(leg);
    server.hasFailed = true;
    server.hasBegun = true;
  }

  /** @param {LegSummary} summary of a leg */
  summarise(summary) {
    this.serverOf(summary).summaries.push(summary);
  }

  /** @returns {ShownServer[]} in the order of the plan */
  shown() {
    return [...this.servers.values()].map((server) => server.shown());
  }

  /** @returns {Latest[]} of the legs that are measured now */
  current() {
    return [...this.servers.values()].flatMap(({ latest }) => [...latest.values()]);
  }

  /** @returns {{ requested: number, of: number } | null} connections that the ramp has reached; null without a leg */
  ramp() {
    const progress = this.current().flatMap(({ leg, samples }) => {
      const last = samples.at(-1);
      return last === undefined ? [] : [{ requested: last.gauges.requested, of: leg.connections }];
    });
    return progress.length === 0
      ? null
      : progress.reduce((least, leg) => (leg.requested < least.requested ? leg : least));
  }

  /** @returns {{ cores: number, of: number } | null} cores that other programs use; null if it is not known */
  others() {
    return coresOfOthers(this.current().map(({ samples }) => samples));
  }
}
