// The lines of servers that are loaded in turn, about one a second for all of them: each server has one for a span of
// as many seconds as there are servers, and after the first minute of ten at least. A span ends with its phase too.
// Pure.

import { PHASES } from '../measure/sample-merge.js';
import { SampleSum } from '../measure/sample-sum.js';

/** @import { Sample } from '../../config/types.js' */

/** Spans are longer from then on. */
const FIRST_NS = 60e9;
const LATER_NS = 10e9;
/** By so much a sample may end after its second. */
const SLACK_NS = 1e6;

/**
 * @typedef {{ id: string, case: string, label: string }} TurnLeg
 * @typedef {{ sum: SampleSum, last: Map<string, Sample> }} Server  of a span: its starts together; last: of each leg
 * @typedef {{ phase: number, endNs: number, servers: Map<string, Server> }} Span  servers: by their cases
 */

/**
 * @param {number} toNs of a sample, since the start of the leg @param {number} servers
 * @returns {number} when the span ends that the sample is in
 */
function spanEndNs(toNs, servers) {
  const atNs = toNs - SLACK_NS;
  const widthNs = servers * 1e9;
  if (atNs <= FIRST_NS) return Math.min(FIRST_NS, Math.ceil(atNs / widthNs) * widthNs);
  const laterNs = Math.max(widthNs, LATER_NS);
  return FIRST_NS + Math.ceil((atNs - FIRST_NS) / laterNs) * laterNs;
}

/** @param {Sample} sample @returns {number} */
const servedIn = ({ gauges: { open, unanswered } }) => open - unanswered;

/**
 * @param {Server} server
 * @returns {Sample} its starts together, with the connections of the one that serves the fewest, as in tables
 */
function sampleOf({ sum, last }) {
  const fewest = [...last.values()].reduce((few, one) => (servedIn(one) < servedIn(few) ? one : few));
  return { ...sum.result(), gauges: fewest.gauges };
}

export class TurnLines {
  /** @param {TurnLeg[]} legs that are measured at the same time */
  constructor(legs) {
    /** Label of each case, in the order of the lines. */
    this.labels = new Map(legs.map((leg) => [leg.case, leg.label]));
    /** How far the samples of each leg are known, until it ends. */
    this.reached = new Map(legs.map(({ id }) => [id, { phase: 0, toNs: 0 }]));
    /** Those that are not shown yet. @type {Span[]} */
    this.spans = [];
  }

  /**
   * @param {TurnLeg} leg @param {Sample} sample its next one
   * @returns {{ leg: string, sample: Sample, toNs: number }[]} what can be shown now; leg: the label of a server; toNs:
   *   when the last of the servers has ended
   */
  add(leg, sample) {
    const phase = PHASES.indexOf(sample.phase);
    const endNs = spanEndNs(sample.toNs, this.labels.size);
    let span = this.spans.find((one) => one.phase === phase && one.endNs === endNs);
    if (span === undefined) this.spans.push((span = { phase, endNs, servers: new Map() }));
    const server = span.servers.get(leg.case);
    if (server === undefined) {
      span.servers.set(leg.case, { sum: new SampleSum(sample), last: new Map([[leg.id, sample]]) });
    } else {
      server.sum.add(sample);
      server.last.set(leg.id, sample);
    }
    this.reached.set(leg.id, { phase, toNs: sample.toNs + SLACK_NS });
    return this.take();
  }

  /** No more samples of a leg come. @param {string} id @returns {ReturnType<TurnLines['add']>} */
  end(id) {
    this.reached.delete(id);
    return this.take();
  }

  /** Takes the spans that every leg has passed. @returns {ReturnType<TurnLines['add']>} */
  take() {
    const isPast = (/** @type {Span} */ { phase, endNs }) =>
      [...this.reached.values()].every((leg) => leg.phase > phase || (leg.phase === phase && leg.toNs >= endNs));
    const told = this.spans.filter(isPast).sort((a, b) => a.phase - b.phase || a.endNs - b.endNs);
    this.spans = this.spans.filter((span) => !told.includes(span));
    return told.flatMap(({ servers }) => {
      const shown = [...this.labels].flatMap(([id, leg]) => {
        const server = servers.get(id);
        return server === undefined ? [] : [{ leg, sample: sampleOf(server) }];
      });
      const toNs = Math.max(...shown.map(({ sample }) => sample.toNs));
      return shown.map((row) => ({ ...row, toNs }));
    });
  }
}
